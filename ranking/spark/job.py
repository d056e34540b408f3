"""A ranking in a Spark session, from the files of an edge list to those of the scores."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ranking.errors import OfflineInputError
from ranking.spark.hits import hits
from ranking.spark.links import LinkTables, exists, link_tables, read_parquet
from ranking.spark.pagerank import pagerank
from ranking.spark.tables import Lineage, SparkRanking
from ranking.spark.values import as_restart, read_values

Say = Callable[[str], None]


def rank(spark: SparkSession, options: argparse.Namespace, said: Say, warned: Say) -> SparkRanking:
    """Rank and write; `options` are those of `ranking.spark.command`.

    Raises:
        OfflineInputError: files that cannot be used; nothing was written then.

    """
    if exists(spark, options.out):
        raise OfflineInputError(
            f"cannot write {options.out}: there is something already; remove it first"
        )
    lineage = Lineage(spark, options.work)
    rows = read_parquet(spark, options.edges)
    graph = link_tables(rows, lineage, options.edges, weighted=not options.unweighted)
    said(f"{graph.n_rows:,} links between {graph.n:,} names read")
    ranking = _ranked(graph, options, lineage, _vector(spark, graph, options, warned), said)
    best_first = ranking.scores.orderBy(F.desc("score"), "name")
    best_first.write.parquet(options.out)
    said(f"{graph.n:,} scores written to {options.out}")
    return ranking


def _vector(
    spark: SparkSession, graph: LinkTables, options: argparse.Namespace, warned: Say
) -> DataFrame | None:
    path = options.restart or options.seeds or options.relevance
    if path is None:
        return None
    found = read_values(spark, path, graph)
    if found.unknown:
        shown = ", ".join(found.examples) + (", ..." if found.unknown > len(found.examples) else "")
        warned(f"{path}: names that are not in the graph, left out: {found.unknown:,} ({shown})")
    if options.relevance:
        return found.values
    return as_restart(found.values, path, alike=options.method == "trustrank")


def _ranked(
    graph: LinkTables,
    options: argparse.Namespace,
    lineage: Lineage,
    vector: DataFrame | None,
    said: Say,
) -> SparkRanking:
    def told(made: int, change: float) -> None:
        said(f"iteration {made}: the change is {change:.2g} of what it is to be")

    bounds = options.tol, options.max_iterations, told
    if options.method in ("hits", "topic-hits"):
        return hits(graph, lineage, vector, *bounds)
    return pagerank(graph, lineage, vector, options.damping, *bounds)
