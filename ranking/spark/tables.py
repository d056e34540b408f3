"""Tables that iterations read again, and what a ranking is where it is a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

Told = Callable[[int, float], None]
"""Hears of each iteration how many were made, and what the change is of the one allowed."""


@dataclass(frozen=True)
class SparkRanking:
    """Scores of all nodes of a graph.

    Attributes:
        scores: `name` as the links have it, `score` float64, not negative, sum 1; and `hub`,
            likewise, where there are hubs. In no order.
        iterations: passes over the links.
        residual: at most so much (L1) would one more iteration change the scores.
        converged: whether the stopping rule was met within the iterations.

    """

    scores: DataFrame
    iterations: int
    residual: float
    converged: bool


class Lineage:
    """Cuts what a table was made from.

    With `work`, a directory on any file system that Spark writes to, tables lie there and survive
    the executors. Without, they lie on the executors, and a lost one ends the run.
    """

    def __init__(self, spark: SparkSession, work: str | None = None) -> None:
        self._reliable = work is not None
        if work is not None:
            spark.sparkContext.setCheckpointDir(work)

    def cut(self, table: DataFrame) -> DataFrame:
        """The same rows, computed now and never again.

        Each iterate is cut: it is read twice to make the next, so a plan that holds them all
        doubles with every iteration.
        """
        if not self._reliable:
            return table.localCheckpoint()
        # Without this it is computed twice, to be counted and to be written.
        computed = table.persist()
        written = computed.checkpoint()
        computed.unpersist()
        return written


def ignore(made: int, change: float) -> None:
    """Tell nobody."""


def sums(table: DataFrame, *expressions: str) -> list[float]:
    """Sums of SQL expressions over a table, 0 for one without rows."""
    row = table.selectExpr(*(f"sum({one})" for one in expressions)).first()
    return [float(value or 0) for value in row]
