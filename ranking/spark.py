"""PageRank on Spark, for graphs that lie in a cluster: tables in, tables out.

    from ranking.spark import pagerank

    ranking = pagerank(spark.read.parquet("links/"), seeds=spark.read.parquet("seeds/"))
    ranking.scores.orderBy("score", ascending=False).show()

Everything is an expression of Spark's own: no Python runs on executors, and nothing has to be
installed there. docs/offline-ranking.md says when a cluster pays. The equations are those of
`ranking.pagerank`,

    y = r + c Pᵀy        π = y / Σ y

Only pages with links pass anything on, so iterations know no other node and no link to one (Lee,
Golub, Zenios 2003): in a crawl nine in ten nodes. All others get theirs at the end, in one pass.

The rules for links are those of `ranking.offline`: exactly the names that occur are nodes; links of
a node to itself do not count, nor do links of weight 0 (nofollow); a repeated link counts once,
with its largest weight; weights are rounded to float32. Iterations shuffle 8 bytes a node in place
of its name: integer names are their own ids, others get one.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from ranking.errors import MissingExtraError, OfflineInputError, RankingInputError

try:
    from pyspark.sql import Column, DataFrame, Window
    from pyspark.sql import functions as F
    from pyspark.sql.types import DataType, IntegralType, NumericType, StringType
except ImportError as error:
    raise MissingExtraError("pyspark", "ranking with Spark", "spark") from error

DAMPING, TOL, MAX_ITERATIONS = 0.85, 1e-6, 300
NUMBER = "{0} >= 0 AND {0} < double('Infinity')"

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SparkRanking:
    """Scores of all nodes of a graph.

    Attributes:
        scores: `name` as the links have it, `score` float64, not negative, sum 1. In no order.
        iterations: passes over the links.
        residual: at most so much (L1) would one more iteration change the scores.
        converged: whether the stopping rule was met within the iterations.

    """

    scores: DataFrame
    iterations: int
    residual: float
    converged: bool


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
    if not 0 < tol < math.inf:
        raise RankingInputError(f"tol must be a positive number such as 1e-6, got {tol}")
    if max_iterations < 1:
        raise RankingInputError(f"max_iterations must be at least 1, got {max_iterations}")
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


@dataclass(frozen=True)
class LinkTables:
    """A graph.

    Attributes:
        nodes: `id` bigint and `name` (bigint or string), one row a node.
        links: `source` and `target` (ids), `weight` float64 > 0, one row a link that counts.
        n: number of nodes, 1 or more.

    """

    nodes: DataFrame
    links: DataFrame
    n: int


def link_tables(table: DataFrame) -> LinkTables:
    """The graph of a table of links.

    Args:
        table: columns `source`, `target` and perhaps `weight`, in any case. Names are integers or
            strings, weights finite numbers >= 0.

    Raises:
        OfflineInputError: a table without such columns, without rows, or with values that cannot
            be used.

    """
    low = {name.lower(): name for name in table.columns}
    if not {"source", "target"} <= low.keys():
        raise OfflineInputError(
            f"links: expected columns source and target, got {', '.join(table.columns) or 'none'}"
        )
    ends = [low["source"], low["target"]]
    integers = all(isinstance(table.schema[end].dataType, IntegralType) for end in ends)
    kind = "bigint" if integers else "string"
    source, target = (_column(table, end, "links", IntegralType, StringType) for end in ends)
    weight = F.lit(1.0)
    if "weight" in low:
        weight = _column(table, low["weight"], "links", NumericType)
    rows = table.select(
        source.cast(kind).alias("source"),
        target.cast(kind).alias("target"),
        weight.cast("float").cast("double").alias("weight"),
    )
    _check(
        rows,
        f"string(source) != '' AND string(target) != '' AND {NUMBER.format('weight')}",
        "links",
    )
    if rows.isEmpty():
        raise OfflineInputError("links: expected rows of a source and a target, got none")
    names = rows.select(F.explode(F.array("source", "target")).alias("name")).distinct()
    followed = rows.where("source != target AND weight > 0")
    links = followed.groupBy("source", "target").agg(F.max("weight").alias("weight"))
    if integers:
        nodes = names.select(F.col("name").alias("id"), "name").persist()
        return LinkTables(nodes, links, nodes.count())
    # Ids depend on where a row lies, so they are computed once.
    nodes = cut(names.select(F.monotonically_increasing_id().alias("id"), "name"))
    for end in ("source", "target"):
        ids = nodes.select(F.col("id").alias("end"), F.col("name").alias(end))
        links = links.join(ids, end).drop(end).withColumnRenamed("end", end)
    return LinkTables(nodes, links, nodes.count())


def node_values(graph: LinkTables, table: DataFrame, what: str) -> DataFrame:
    """`id` and `value` (> 0, the largest 1) of the nodes that a table has values of.

    Args:
        graph: names that are not in it are left out.
        table: names in the first column, finite numbers >= 0 in the second; without it all are 1.
        what: for messages.

    Raises:
        OfflineInputError: columns of other types, values below 0 or not finite, a name with two
            different values, or none above 0 of a node.

    """
    names = _column(table, table.columns[0], what, IntegralType, StringType)
    value = F.lit(1.0)
    if table.columns[1:]:
        value = _column(table, table.columns[1], what, NumericType).cast("double")
    rows = table.select(names.cast("string").alias("name"), value.alias("value"))
    _check(rows, f"name != '' AND {NUMBER.format('value')}", what)
    once = rows.groupBy("name").agg(F.min("value").alias("value"), F.max("value").alias("most"))
    _check(once, "value = most", f"{what}, values of a name")
    ids = graph.nodes.select("id", F.col("name").cast("string").alias("name"))
    values = once.join(ids, "name").where("value > 0").select("id", "value").persist()
    largest = values.agg(F.max("value")).first()[0]
    if largest is None:
        raise OfflineInputError(
            f"{what}: expected a value above 0 of a node, got none; names look like "
            f"{str(graph.nodes.first()['name'])!r}"
        )
    # The sum of very large values would be infinite, the square of very small ones 0.
    return values.select("id", (F.col("value") / largest).alias("value"))


def _column(table: DataFrame, name: str, what: str, *kinds: type[DataType]) -> Column:
    kind = table.schema[name].dataType
    if not isinstance(kind, kinds):
        expected = "numbers" if kinds == (NumericType,) else "integers or strings"
        raise OfflineInputError(
            f"{what}: expected {expected} in column {name}, got {kind.simpleString()}"
        )
    return table[name]


def _check(rows: DataFrame, rule: str, what: str) -> None:
    """Raise OfflineInputError with the first row that breaks a rule, also for nulls in it."""
    bad = rows.where(f"NOT coalesce({rule}, false)").first()
    if bad is not None:
        raise OfflineInputError(
            f"{what}: expected {rule}, got {bad.asDict()}; correct or drop such rows"
        )


def cut(table: DataFrame) -> DataFrame:
    """The same rows, computed now and never again.

    Each iterate is cut: it is read twice to make the next, so a plan that holds them all doubles
    with every iteration. Rows lie on the executors, and a lost executor ends the run; where the
    session has a checkpoint directory (`SparkContext.setCheckpointDir`), they lie there.
    """
    if table.sparkSession.sparkContext.getCheckpointDir() is None:
        return table.localCheckpoint()
    # Without this it is computed twice, to be counted and to be written.
    computed = table.persist()
    written = computed.checkpoint()
    computed.unpersist()
    return written


def sums(table: DataFrame, *expressions: str) -> list[float]:
    """Sums of SQL expressions over a table, 0 for a table without rows."""
    row = table.selectExpr(*(f"sum({expression})" for expression in expressions)).first()
    return [float(value or 0) for value in row]
