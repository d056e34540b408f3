"""Files of names and values, as `ranking.offline` reads them: restart values, relevance, seeds."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ranking.errors import OfflineInputError
from ranking.spark.links import LinkTables, check_names, exists, read_parquet

SHOWN = 5  # unknown names that are shown
TEXTS = (".tsv", ".txt")
COMPRESSED = (".gz", ".bz2")  # what Spark reads by itself


@dataclass(frozen=True)
class NamedValues:
    """Values of nodes.

    Attributes:
        values: `id` bigint and `value` float64 > 0, one row a node that has one.
        unknown: names of the file that are not in the graph.
        examples: the first few of those.

    """

    values: DataFrame
    unknown: int
    examples: tuple[str, ...]


def read_values(spark: SparkSession, path: str, graph: LinkTables) -> NamedValues:
    """Values of the nodes of a graph.

    Args:
        spark: the session.
        path: .tsv or .txt, perhaps with .gz or .bz2: `name<TAB>value` a line, the value 1 where
            it is missing. Anything else is Parquet, the first two columns.
        graph: names that are not in it are counted.

    Raises:
        OfflineInputError: a file that cannot be read, values below 0 or not finite, a name with
            two different values, or no known name at all.

    """
    rows = _from_text(spark, path) if is_text(path) else _from_parquet(spark, path)
    once = _checked(rows, path)
    ids = graph.nodes.select("id", F.col("name").cast("string").alias("name"))
    found = once.join(ids, "name", "left").persist()
    unknown = found.where("id IS NULL")
    missing, known = unknown.count(), found.where("id IS NOT NULL")
    examples = tuple(row["name"] for row in unknown.orderBy("name").limit(SHOWN).collect())
    if known.isEmpty():
        such = f", such as {examples[0]!r}" if examples else ""
        raise OfflineInputError(
            f"{path}: none of its {missing} names is in the graph{such}; expected names such as "
            f"{str(graph.nodes.first()['name'])!r}"
        )
    return NamedValues(known.where("value > 0").select("id", "value"), missing, examples)


def as_restart(values: DataFrame, path: str, *, alike: bool = False) -> DataFrame:
    """Values in parts of their sum, or equal ones; raises OfflineInputError where none is > 0."""
    largest = values.agg(F.max("value")).first()[0]
    if largest is None:
        raise OfflineInputError(f"{path}: expected a value above 0 of a node, got zeros only")
    # The sum of very large ones would be infinite.
    parts = F.lit(1.0) if alike else F.col("value") / largest
    scaled = values.select("id", parts.alias("value"))
    total = scaled.agg(F.sum("value")).first()[0]
    return scaled.select("id", (F.col("value") / total).alias("value"))


def is_text(path: str) -> bool:
    """Whether a file is text, by its suffix."""
    low = path.lower()
    for suffix in COMPRESSED:
        low = low.removesuffix(suffix)
    return low.endswith(TEXTS)


def _from_parquet(spark: SparkSession, path: str) -> DataFrame:
    table = read_parquet(spark, path)
    if len(table.columns) < 2:
        raise OfflineInputError(
            f"{path}: expected a column of names and a column of values, "
            f"got {', '.join(table.columns) or 'none'}"
        )
    name, value = table.columns[:2]
    check_names(table.schema[name].dataType, path)
    return table.select(
        table[name].cast("string").alias("name"), table[value].cast("double").alias("value")
    )


def _from_text(spark: SparkSession, path: str) -> DataFrame:
    lines = read_lines(spark, path).where("trim(value) != '' AND NOT value RLIKE '^[#%]'")
    fields = lines.select(F.split("value", "\t").alias("fields"))
    rows = fields.selectExpr(
        "trim(get(fields, 0)) AS name",
        "if(size(fields) > 1, try_cast(trim(get(fields, 1)) AS double), 1D) AS value",
    )
    # The head line of a table of scores.
    return rows.where("value IS NOT NULL OR lower(name) NOT IN ('name', 'url', 'node', 'id')")


def read_lines(spark: SparkSession, path: str) -> DataFrame:
    """Lines of text; raises OfflineInputError where there is no such file."""
    if not exists(spark, path):
        raise OfflineInputError(f"cannot read {path}: there is no such file")
    return spark.read.text(path)


def _checked(rows: DataFrame, path: str) -> DataFrame:
    """Each name once; raises OfflineInputError unless all rows can be used."""
    usable = "name != '' AND value >= 0 AND value < double('Infinity')"
    unusable = rows.where(f"NOT coalesce({usable}, false)").first()
    if unusable is not None:
        raise OfflineInputError(
            f"{path}: expected names with finite numbers of 0 or more, "
            f"got {unusable['name']!r} with {unusable['value']}"
        )
    once = rows.groupBy("name").agg(F.min("value").alias("value"), F.max("value").alias("most"))
    twice = once.where("value < most").first()
    if twice is not None:
        raise OfflineInputError(
            f"{path}: {twice['name']!r} has two values, {twice['value']} and {twice['most']}; "
            "keep one"
        )
    return once.select("name", "value")
