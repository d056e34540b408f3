"""Two tables, one of nodes and one of edges: CSV and Parquet; and the bare list of edges."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from frontier.export.columns import ENDS, ID, WEIGHT, Column, Kind, Row, Value
from frontier.export.xml import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frontier.export.crawled import CrawledGraph

_ROWS = 1 << 14
"""Rows of a row group of Parquet, all that is held of a table: about 5 MB."""


def node_table(graph: CrawledGraph) -> tuple[tuple[Column, ...], Iterator[Row]]:
    """Return columns and rows of the nodes."""
    return (ID, *graph.node_columns), graph.nodes()


def edge_table(graph: CrawledGraph) -> tuple[tuple[Column, ...], Iterator[Row]]:
    """Return columns and rows of the edges."""
    return (*ENDS, *graph.edge_columns), graph.edges()


def write_csv(file: IO[bytes], columns: tuple[Column, ...], rows: Iterable[Row]) -> None:
    """Write a table with a head line, UTF-8; unknown is empty, truth is true or false."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows(map(_field, row) for row in rows)
    text.flush()
    text.detach()


def _field(value: Value) -> Value:
    if isinstance(value, str):
        return cleaned(value)
    return str(value).lower() if isinstance(value, bool) else value


def edge_lines(graph: CrawledGraph) -> Iterator[str]:
    """Yield source, target and weight of each edge, separated by tabs (the NCOL format)."""
    for source, target, *values in graph.edges():
        yield f"{source}\t{target}\t{values[WEIGHT]}\n"


def write_parquet(file: IO[bytes], columns: tuple[Column, ...], rows: Iterable[Row]) -> None:
    """Write a table in row groups; raises MissingExtraError without pyarrow."""
    from ranking.offline.extras import pyarrow

    arrow = pyarrow("writing Parquet")
    parquet = pyarrow("writing Parquet", "pyarrow.parquet")
    types = {
        Kind.TEXT: arrow.string(),
        Kind.INTEGER: arrow.int32(),
        Kind.REAL: arrow.float64(),
        Kind.BOOLEAN: arrow.bool_(),
    }
    schema = arrow.schema([(name, types[kind]) for name, kind in columns])
    remaining = iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while portion := list(islice(remaining, _ROWS)):
            arrays = [
                arrow.array(_arrow_values(column, values), types[column.kind])
                for column, values in zip(columns, zip(*portion, strict=True), strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _arrow_values(column: Column, values: tuple[Any, ...]) -> list[Any]:
    if column.kind is not Kind.TEXT:
        return list(values)
    return [None if value is None else cleaned(value) for value in values]
