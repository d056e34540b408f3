"""PageRank with any restart vector; the equations of `ranking.pagerank`.

    y = r + c Pᵀy        π = y / Σ y

Only pages with links pass anything on, so iterations know no other node and no link to one (Lee,
Golub, Zenios 2003): in a crawl nine in ten nodes. All others get theirs at the end, in one pass.
"""

from __future__ import annotations

import logging

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ranking.errors import RankingInputError
from ranking.spark.links import (
    DAMPING,
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

_logger = logging.getLogger(__name__)


def pagerank(
    links: DataFrame,
    seeds: DataFrame | None = None,
    damping: float = DAMPING,
    tol: float = TOL,
    max_iterations: int = MAX_ITERATIONS,
) -> SparkRanking:
    """Scores of all nodes; see `ranking.pagerank.pagerank.pagerank`.

    Args:
        links: columns `source`, `target` and perhaps `weight`: names are integers or strings,
            weights numbers >= 0, 0 for nofollow.
        seeds: names where the surfer jumps, and perhaps in a second column numbers >= 0, how
            often; names that are in no link are left out. None: any node, each alike.
        damping: probability to follow a link, in [0, 1).
        tol: bound > 0 on the L1 distance of the scores to the exact ones.
        max_iterations: before giving up; then `converged` is False.

    Raises:
        OfflineInputError: tables that cannot be used.
        RankingInputError: damping, tol or max_iterations out of range.

    """
    if not 0 <= damping < 1:
        raise RankingInputError(f"damping must lie in [0, 1), got {damping}")
    check_stopping(tol, max_iterations)
    graph = link_tables(links)
    shares, jumps = _shares(graph.links, damping).persist(), _jumps(graph, seeds)
    pages = shares.select(F.col("source").alias("id")).distinct()
    inner = shares.join(pages.select(F.col("id").alias("target")), "target", "left_semi")
    inner = inner.repartition("source").persist()
    y = cut(jumps.join(pages, "id", "left_semi").withColumn("y", F.col("jump")))
    change, made, converged = 0.0, 0, False
    while made < max_iterations and not converged:
        y = cut(_following(y, inner))
        change, linked = sums(y, "abs(change)", "y")
        # An iteration leaves a residual of at most damping times its change, see
        # `ranking.pagerank.sweeps.residual_allowed`.
        within = (1 + damping * linked) * min(tol, 1.0) * (1 - damping)
        made, converged = made + 1, damping * change * (2 + damping * min(tol, 1.0)) <= within
        _logger.info("iteration %d: L1 change %.2g", made, change)
    # Once more, for all nodes.
    every = _following(jumps.withColumn("y", F.col("jump")), shares, y)
    every = every.select("id", "y").persist()
    total = sums(every, "y")[0]
    for table in (inner, shares):
        table.unpersist()
    scores = graph.nodes.join(every, "id").select("name", (F.col("y") / total).alias("score"))
    return SparkRanking(scores, made, damping * change / total, converged)


def _shares(links: DataFrame, damping: float) -> DataFrame:
    """What each link passes on, of every unit its source has."""
    total = F.sum("weight").over(Window.partitionBy("source"))
    return links.select(
        "source", "target", (F.lit(damping) * F.col("weight") / total).alias("share")
    )


def _jumps(graph: LinkTables, seeds: DataFrame | None) -> DataFrame:
    """Restart values of all nodes, sum 1."""
    if seeds is None:
        return graph.nodes.select("id", F.lit(1 / graph.n).alias("jump"))
    values = node_values(graph, seeds, "seeds")
    jump = (F.col("value") / sums(values, "value")[0]).alias("jump")
    return graph.nodes.select("id").join(values.select("id", jump), "id", "left").fillna(0.0)


def _following(nodes: DataFrame, shares: DataFrame, sources: DataFrame | None = None) -> DataFrame:
    """One iteration: nodes (id, jump, y, change) after links passed on what their sources had."""
    giving = (nodes if sources is None else sources).select(F.col("id").alias("source"), "y")
    given = shares.join(giving, "source").groupBy(F.col("target").alias("id"))
    inflow = given.agg(F.sum(F.col("share") * F.col("y")).alias("inflow"))
    joined = nodes.join(inflow, "id", "left").fillna(0.0, ["inflow"])
    return joined.selectExpr("id", "jump", "jump + inflow AS y", "jump + inflow - y AS change")
