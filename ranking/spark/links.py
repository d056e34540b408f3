"""Links as rows -> nodes with ids, and the links that count.

The rules are those of `ranking.offline`: exactly the names that occur are nodes; links of a node to
itself do not count, nor do links of weight 0 (nofollow); a repeated link counts once, with its
largest weight; weights are rounded to float32.

Iterations shuffle 8 bytes a node in place of its name: integer names are their own ids, others
get one.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    DataType,
    DecimalType,
    IntegralType,
    NumericType,
    StringType,
)

from ranking.errors import OfflineInputError
from ranking.spark.tables import Lineage

LARGEST = 3.4028234663852886e38  # float32
LEAST = 1.401298464324817e-45  # likewise; half of it and less would become 0


@dataclass(frozen=True)
class LinkTables:
    """A graph.

    Attributes:
        nodes: `id` bigint and `name` (bigint or string), one row a node.
        links: `source` and `target` (ids), `weight` float64 > 0, one row a link that counts.
        n: number of nodes, 1 or more.
        n_rows: number of rows that were read.

    """

    nodes: DataFrame
    links: DataFrame
    n: int
    n_rows: int


def read_parquet(spark: SparkSession, path: str) -> DataFrame:
    """Parquet files, or directories of them; raises OfflineInputError where there are none."""
    try:
        return spark.read.parquet(path)
    except AnalysisException as error:
        raise OfflineInputError(f"cannot read {path} as Parquet: {first_line(error)}") from error


def exists(spark: SparkSession, path: str) -> bool:
    """Whether there is anything of that name."""
    try:
        spark.read.text(path)
    except AnalysisException as error:
        if error.getErrorClass() == "PATH_NOT_FOUND":
            return False
        raise OfflineInputError(f"cannot use {path}: {first_line(error)}") from error
    return True


def first_line(error: Exception) -> str:
    """What an error says, without its query plan."""
    return str(error).strip().partition("\n")[0]


def link_tables(
    table: DataFrame, lineage: Lineage, path: str = "links", *, weighted: bool = True
) -> LinkTables:
    """The graph of a table of links.

    Args:
        table: columns `source`, `target` and perhaps `weight`, or else the first two are source
            and target. Names are integers or strings, weights finite numbers >= 0.
        lineage: keeps the ids that names get.
        path: for messages.
        weighted: False: ignore the weights.

    Raises:
        OfflineInputError: a table without such columns, without rows, or with values that cannot
            be used.

    """
    columns = _columns(table, path, weighted=weighted)
    rows = table.select(*columns)
    n_rows = _checked(rows, path)
    rows = rows.withColumn("weight", F.col("weight").cast("float").cast("double"))
    names = rows.select(F.explode(F.array("source", "target")).alias("name")).distinct()
    nodes, links = _numbered(names, _counted(rows), lineage)
    return LinkTables(nodes, links, nodes.count(), n_rows)


def _columns(table: DataFrame, path: str, *, weighted: bool) -> list[Column]:
    low = {name.lower(): name for name in reversed(table.columns)}
    ends = [low[name] for name in ("source", "target") if name in low]
    if len(ends) == 1 or len(table.columns) < 2:
        raise OfflineInputError(
            f"{path}: expected columns source and target, or else at least two columns, "
            f"got {', '.join(table.columns) or 'none'}"
        )
    kinds = {field.name: field.dataType for field in table.schema.fields}
    weight = low.get("weight") if weighted and len(ends) == 2 else None
    if weight is not None and not isinstance(kinds[weight], NumericType):
        raise OfflineInputError(
            f"{path}: expected numbers as weight, got a column of {kinds[weight].simpleString()}"
        )
    source, target = ends or table.columns[:2]
    of_names = (
        "bigint"
        if all(isinstance(kinds[end], IntegralType) for end in (source, target))
        else "string"
    )
    for end in (source, target):
        check_names(kinds[end], path)
    value = F.lit(1.0) if weight is None else table[weight].cast("double")
    named = [(table[source], "source"), (table[target], "target")]
    return [*(one.cast(of_names).alias(name) for one, name in named), value.alias("weight")]


def check_names(kind: DataType, path: str) -> None:
    """Raise OfflineInputError for a column that holds neither integers nor strings."""
    # Unsigned integers of 64 bits are decimals to Spark.
    whole = isinstance(kind, DecimalType) and kind.scale == 0
    if not (whole or isinstance(kind, (IntegralType, StringType, BinaryType))):
        raise OfflineInputError(
            f"{path}: expected integers or strings as ids, got a column of {kind.simpleString()}"
        )


def _checked(rows: DataFrame, path: str) -> int:
    """How many rows there are; raises OfflineInputError unless all can be used."""
    weight = F.col("weight")
    source, target = (F.col(end).cast("string") for end in ("source", "target"))
    named = (source != "") & (target != "")
    usable = (weight == 0) | ((weight > LEAST / 2) & (weight <= LARGEST))
    found = rows.select(F.count(F.lit(1)), *map(_failing, (named, usable))).first()
    n_rows, unnamed, unusable = map(int, found)
    if not n_rows:
        raise OfflineInputError(f"{path} holds no link; expected rows of a source and a target")
    if unnamed:
        raise OfflineInputError(
            f"{path}: {unnamed} links lack a source or a target; fill or drop such rows"
        )
    if unusable:
        raise OfflineInputError(
            f"{path}: expected weights of 0 or more that a float32 can hold (1e-45 to 3e38), "
            f"{unusable} links have others or none; scale, fill or drop them"
        )
    return n_rows


def _failing(rule: Column) -> Column:
    """How many rows break a rule; those do of which it cannot be told."""
    return F.count_if(~F.coalesce(rule, F.lit(False)))


def _counted(rows: DataFrame) -> DataFrame:
    """Each link that counts, once."""
    followed = rows.where("source != target AND weight > 0")
    return followed.groupBy("source", "target").agg(F.max("weight").alias("weight"))


def _numbered(names: DataFrame, links: DataFrame, lineage: Lineage) -> tuple[DataFrame, DataFrame]:
    """Nodes with ids, and links by ids."""
    if isinstance(names.schema["name"].dataType, IntegralType):
        return names.select(F.col("name").alias("id"), "name").persist(), links
    # Ids depend on where a row lies, so they are computed once.
    nodes = lineage.cut(names.select(F.monotonically_increasing_id().alias("id"), "name"))
    for end in ("source", "target"):
        ids = nodes.select(F.col("id").alias("end"), F.col("name").alias(end))
        links = links.join(ids, end).drop(end).withColumnRenamed("end", end)
    return nodes, links
