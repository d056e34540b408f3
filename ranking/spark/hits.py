"""HITS, plain or weighted by topic; the equations of `ranking.hits`.

    h_i = Σ_{i→j} w_ij r_j a_j        a_j = Σ_{i→j} w_ij h_i

By Kleinberg's own iteration from hubs that are all 1, whose limit `ranking.hits` computes by
Lanczos: where two communities are about equally strong this takes many times the iterations. The
extrapolation of `pagerank` would not do: it takes out what grows, be it the strongest community.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ranking.spark.links import LinkTables
from ranking.spark.stopping import MAX_ITERATIONS, TOL, check_stopping, factor_left
from ranking.spark.tables import Lineage, SparkRanking, Told, ignore, sums


def hits(
    graph: LinkTables,
    lineage: Lineage,
    relevance: DataFrame | None = None,
    tol: float = TOL,
    max_iterations: int = MAX_ITERATIONS,
    told: Told = ignore,
) -> SparkRanking:
    """Authorities (`score`) and hubs (`hub`) of all nodes; see `ranking.hits.hits.hits`.

    Args:
        graph: see `link_tables`.
        lineage: cuts that of the iterates.
        relevance: `id` and `value`, see `ranking.spark.values`: numbers > 0, any scale, 0 for
            nodes without a row; None: all 1.
        tol: > 0; stops when by the rate at which the change shrinks the authorities are that
            close (L1) to the limit.
        max_iterations: before giving up; then `converged` is False.
        told: hears of each iteration.

    Raises:
        RankingInputError: tol or max_iterations out of range.

    """
    check_stopping(tol, max_iterations)
    forth = graph.links.repartition("source").persist()
    back = _relevant(forth, relevance).repartition("target").persist()
    hubs, made, converged, before = lineage.cut(_start(forth)), 0, False, 0.0
    while made < max_iterations and not converged:
        both = lineage.cut(_following(hubs, forth, back))
        scale = sums(both, "total * following")[0]
        if not scale:
            return _uniform(graph)
        change = sums(both, f"total * abs(following / {scale!r}D - hub)")[0]
        error = change * factor_left(change, before)
        made, converged, before = made + 1, error <= tol, change
        told(made, error / tol)
        hubs = both.selectExpr("id", "total", f"following / {scale!r}D AS hub")
    return SparkRanking(_scores(graph, hubs, forth), made, change, converged)


def _relevant(links: DataFrame, relevance: DataFrame | None) -> DataFrame:
    """Links whose targets count, with what these make of a unit of their authority."""
    if relevance is None:
        return links
    values = relevance.select(F.col("id").alias("target"), "value")
    worth = links.join(values, "target")
    # The square of a very small relevance would be 0.
    largest = worth.agg(F.max("value")).first()[0] or 1.0
    scaled = (F.col("weight") * (F.col("value") / largest)).alias("weight")
    return worth.select("source", "target", scaled)


def _start(links: DataFrame) -> DataFrame:
    """Equal hubs that hand out 1 in all."""
    pages = links.groupBy(F.col("source").alias("id")).agg(F.sum("weight").alias("total"))
    whole = sums(pages, "total")[0]
    return pages.select("id", "total", F.lit(1 / whole if whole else 0.0).alias("hub"))


def _authorities(hubs: DataFrame, links: DataFrame) -> DataFrame:
    handing = hubs.select(F.col("id").alias("source"), "hub")
    handed = links.join(handing, "source").groupBy("target")
    return handed.agg(F.sum(F.col("weight") * F.col("hub")).alias("authority"))


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
