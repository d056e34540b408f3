"""PageRank with any restart vector; the equations of `ranking.pagerank`.

    y = r + c Pᵀy        π = y / Σ y

Only pages with links hand anything on, so iterations know no other node and no link to one (Lee,
Golub, Zenios 2003): in a crawl nine in ten nodes. All others get theirs at the end, in one pass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ranking.errors import RankingInputError
from ranking.spark.extrapolation import WINDOW, steps_back
from ranking.spark.links import LinkTables
from ranking.spark.stopping import DAMPING, MAX_ITERATIONS, TOL, change_allowed, check_stopping
from ranking.spark.tables import Lineage, SparkRanking, Told, ignore, sums


def pagerank(
    graph: LinkTables,
    lineage: Lineage,
    restart: DataFrame | None = None,
    damping: float = DAMPING,
    tol: float = TOL,
    max_iterations: int = MAX_ITERATIONS,
    told: Told = ignore,
) -> SparkRanking:
    """Scores of all nodes; see `ranking.pagerank.pagerank.pagerank`.

    Args:
        graph: see `link_tables`.
        lineage: cuts that of the iterates.
        restart: `id` and `value`, see `ranking.spark.values`: numbers > 0 of sum 1, one row a
            node that the surfer jumps to; None: any node, each alike.
        damping: probability to follow a link, in [0, 1).
        tol: bound > 0 on the L1 distance of the scores to the exact ones.
        max_iterations: before giving up; then `converged` is False.
        told: hears of each iteration.

    Raises:
        RankingInputError: damping, tol or max_iterations out of range.

    """
    if not 0 <= damping < 1:
        raise RankingInputError(f"damping must lie in [0, 1), got {damping}")
    check_stopping(tol, max_iterations)
    shares, jumps = _shares(graph.links, damping).persist(), _jumps(graph, restart)
    pages = shares.select(F.col("source").alias("id")).distinct()
    inner = shares.join(pages.select(F.col("id").alias("target")), "target", "left_semi")
    inner = inner.repartition("source").persist()
    start = jumps.join(pages, "id", "left_semi").withColumn("y", F.col("jump"))
    bounds = damping, tol, max_iterations
    solution = _solution(lineage.cut(start), inner, lineage, *bounds, told)
    # Once more, for all nodes.
    every = _following(jumps.withColumn("y", F.col("jump")), shares, solution.y)
    every = every.select("id", "y").persist()
    total = sums(every, "y")[0]
    for table in (inner, shares):
        table.unpersist()
    scores = graph.nodes.join(every, "id").select("name", (F.col("y") / total).alias("score"))
    residual = damping * solution.change / total
    return SparkRanking(scores, solution.iterations, residual, solution.converged)


class _Solution(NamedTuple):
    """Pages (id, y), iterations, the L1 change that the last one made."""

    y: DataFrame
    iterations: int
    change: float
    converged: bool


def _solution(
    iterate: DataFrame,
    inner: DataFrame,
    lineage: Lineage,
    damping: float,
    tol: float,
    max_iterations: int,
    told: Told,
) -> _Solution:
    """Iterate from pages (id, jump, y) on, over the links among them."""
    allowed, change, best, kept = change_allowed(tol, damping), math.inf, math.inf, iterate
    made, converged = 0, False
    while made < max_iterations and not converged:
        if _changes(iterate) == WINDOW:
            best, kept = change, iterate.select("id", "jump", "y")
            iterate = _extrapolated(iterate)
        iterate = lineage.cut(_following(iterate, inner))
        change, linked = sums(iterate, f"abs({iterate.columns[-1]})", "y")
        within = allowed * (1 + damping * linked)
        made, converged = made + 1, change <= within
        told(made, change / within)
        if _changes(iterate) == 1 and change > best:
            # The extrapolation led away: go on from where it began.
            iterate = kept
    return _Solution(iterate.select("id", "y"), made, change, converged)


def _changes(iterate: DataFrame) -> int:
    """How many changes an iterate has beside id, jump and y."""
    return len(iterate.columns) - 3


def _extrapolated(iterate: DataFrame) -> DataFrame:
    """The better iterate that follows from the changes of the last ones."""
    names = [f"change_{k}" for k in range(WINDOW)]
    products = sums(iterate, *(f"{one} * {other}" for one in names for other in names))
    back = steps_back([products[k : k + WINDOW] for k in range(0, len(products), WINDOW)])
    better = F.col("y")
    for factor, name in zip(back, names, strict=True):
        better = better - F.lit(factor) * F.col(name)
    return iterate.select("id", "jump", F.greatest(better, F.lit(0.0)).alias("y"))


def _shares(links: DataFrame, damping: float) -> DataFrame:
    """What each link hands on, of every unit its source has."""
    total = F.sum("weight").over(Window.partitionBy("source"))
    return links.select(
        "source", "target", (F.lit(damping) * F.col("weight") / total).alias("share")
    )


def _jumps(graph: LinkTables, restart: DataFrame | None) -> DataFrame:
    """Restart values of all nodes, sum 1."""
    if restart is None:
        return graph.nodes.select("id", F.lit(1 / graph.n).alias("jump"))
    values = restart.select("id", F.col("value").alias("jump"))
    return graph.nodes.select("id").join(values, "id", "left").fillna(0.0, ["jump"])


def _following(nodes: DataFrame, shares: DataFrame, sources: DataFrame | None = None) -> DataFrame:
    """One iteration: nodes (id, jump, y, changes) after links handed on what their sources had."""
    handing = (nodes if sources is None else sources).select(F.col("id").alias("source"), "y")
    handed = shares.join(handing, "source").groupBy(F.col("target").alias("id"))
    inflow = handed.agg(F.sum(F.col("share") * F.col("y")).alias("inflow"))
    joined = nodes.join(inflow, "id", "left").fillna(0.0, ["inflow"])
    change = f"jump + inflow - y AS change_{_changes(nodes)}"
    return joined.selectExpr("id", "jump", "jump + inflow AS y", *nodes.columns[3:], change)
