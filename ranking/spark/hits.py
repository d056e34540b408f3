"""HITS, plain or weighted by topic; the equations of `ranking.hits`.

    h_i = Σ_{i→j} w_ij r_j a_j        a_j = Σ_{i→j} w_ij h_i

By Kleinberg's own iteration from hubs that are all 1, whose limit `ranking.hits` computes by
Lanczos: where two communities are about equally strong this takes many times the iterations.
"""

from __future__ import annotations

import logging

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ranking.spark.links import (
    MAX_ITERATIONS,
    TOL,
    LinkTables,
    SparkRanking,
    check_stopping,
    cut,
    link_tables,
    node_values,
    sums,
)

SLOWEST = 0.9999  # ratio of two changes; nearer to 1 it says only that nothing is known yet

_logger = logging.getLogger(__name__)


def hits(
    links: DataFrame,
    relevance: DataFrame | None = None,
    tol: float = TOL,
    max_iterations: int = MAX_ITERATIONS,
) -> SparkRanking:
    """Authorities (`score`) and hubs (`hub`) of all nodes; see `ranking.hits.hits.hits`.

    Args:
        links: see `ranking.spark.pagerank`.
        relevance: names, and in a second column numbers >= 0, on any scale, 0 for nodes without a
            row; None: all 1.
        tol: > 0; stops when by the rate at which the change shrinks the authorities are that
            close (L1) to the limit.
        max_iterations: before giving up; then `converged` is False.

    Raises:
        OfflineInputError: tables that cannot be used.
        RankingInputError: tol or max_iterations out of range.

    """
    check_stopping(tol, max_iterations)
    graph = link_tables(links)
    forth = graph.links.repartition("source").persist()
    back = _relevant(graph, forth, relevance).repartition("target").persist()
    hubs, made, converged, before, change = cut(_start(forth)), 0, False, 0.0, 0.0
    while made < max_iterations and not converged:
        both = cut(_following(hubs, forth, back))
        scale = sums(both, "total * following")[0]
        if not scale:
            return _uniform(graph)
        change = sums(both, f"total * abs(following / {scale!r}D - hub)")[0]
        made, converged = made + 1, change * factor_left(change, before) <= tol
        before = change
        _logger.info("iteration %d: L1 change %.2g", made, change)
        hubs = both.selectExpr("id", "total", f"following / {scale!r}D AS hub")
    return SparkRanking(_scores(graph, hubs, forth), made, change, converged)


def factor_left(change: float, before: float) -> float:
    """What is still to come, 1 or more times the last change, by its ratio to that before.

    Changes shrink by λ₂ / λ₁ each in the end. Before there were two (before 0), as if never.
    """
    ratio = min(change / before, SLOWEST) if before else SLOWEST
    return max(1.0, ratio / (1 - ratio))


def _relevant(graph: LinkTables, links: DataFrame, relevance: DataFrame | None) -> DataFrame:
    """Links whose targets count, with what these make of a unit of their authority."""
    if relevance is None:
        return links
    values = node_values(graph, relevance, "relevance")
    worth = links.join(values.withColumnRenamed("id", "target"), "target")
    return worth.select("source", "target", (F.col("weight") * F.col("value")).alias("weight"))


def _start(links: DataFrame) -> DataFrame:
    """Equal hubs that pass on 1 in all."""
    pages = links.groupBy(F.col("source").alias("id")).agg(F.sum("weight").alias("total"))
    whole = sums(pages, "total")[0]
    return pages.select("id", "total", F.lit(1 / whole if whole else 0.0).alias("hub"))


def _authorities(hubs: DataFrame, links: DataFrame) -> DataFrame:
    giving = hubs.select(F.col("id").alias("source"), "hub")
    given = links.join(giving, "source").groupBy("target")
    return given.agg(F.sum(F.col("weight") * F.col("hub")).alias("authority"))


def _following(hubs: DataFrame, forth: DataFrame, back: DataFrame) -> DataFrame:
    """One iteration of hubs (id, total, hub), beside those before."""
    returned = back.join(_authorities(hubs, forth), "target").groupBy(F.col("source").alias("id"))
    following = returned.agg(F.sum(F.col("weight") * F.col("authority")).alias("following"))
    return hubs.join(following, "id", "left").fillna(0.0, ["following"])


def _scores(graph: LinkTables, hubs: DataFrame, links: DataFrame) -> DataFrame:
    authorities = _authorities(hubs, links).persist()
    size, whole = sums(authorities, "authority")[0], sums(hubs, "hub")[0]
    by_id = authorities.select(F.col("target").alias("id"), "authority")
    every = graph.nodes.join(by_id, "id", "left").join(hubs.select("id", "hub"), "id", "left")
    return every.fillna(0.0, ["authority", "hub"]).select(
        "name", (F.col("authority") / size).alias("score"), (F.col("hub") / whole).alias("hub")
    )


def _uniform(graph: LinkTables) -> SparkRanking:
    equal = F.lit(1 / graph.n)
    scores = graph.nodes.select("name", equal.alias("score"), equal.alias("hub"))
    return SparkRanking(scores, 1, 0.0, converged=True)
