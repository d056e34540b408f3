"""Two tables, one of nodes and one of edges: CSV and Parquet; and the bare list of edges.

Pages choose titles, texts and URLs, and spreadsheets compute what begins with a sign such as "=".
So cells of CSV with text are written as OWASP advises against CSV injection, unless they are to be
raw: https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from frontier.export.columns import WEIGHT, Column, Kind, Row, Value, cleaned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frontier.export.crawled import CrawledGraph

_ROWS = 1 << 14
"""Rows of a row group of Parquet, all that is held of a table: about 5 MB."""


def write_csv(
    file: IO[bytes], columns: tuple[Column, ...], rows: Iterable[Row], *, raw: bool = False
) -> None:
    """Write a table with a head line, UTF-8; unknown is empty, truth is true or false.

    No cell is a formula to a spreadsheet, unless texts are to be raw, for programs that compute
    nothing.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    cell = _field if raw else _harmless
    writer.writerows(map(cell, row) for row in rows)
    text.flush()
    text.detach()


def _field(value: Value) -> Value:
    if isinstance(value, str):
        # Python's writer does not quote a carriage return, which ends a line to many readers.
        return cleaned(value).replace("\r\n", "\n").replace("\r", "\n")
    return str(value).lower() if isinstance(value, bool) else value


# At the beginning of a cell, and of what another separator or another quote would make a cell.
_COMPUTED = "=+\\-@\t\r\n＝＋－＠"
_BEGINS_CELL = re.compile(rf"^(?=\s*[{_COMPUTED}])|(?<=[,;|\t\r\n\"'])(?=[{_COMPUTED}])")


def _harmless(value: Value) -> Value:
    """A cell in which a spreadsheet finds text where there is text."""
    found = _field(value)
    return _BEGINS_CELL.sub("'", found) if isinstance(found, str) else found


def edge_lines(graph: CrawledGraph) -> Iterator[str]:
    """Yield source, target and weight of each edge, separated by tabs (the NCOL format)."""
    for source, target, *values in graph.edges():
        yield f"{source}\t{target}\t{values[WEIGHT]}\n"


def write_parquet(file: IO[bytes], columns: tuple[Column, ...], rows: Iterable[Row]) -> None:
    """Write a table in row groups; raises MissingExtraError without pyarrow."""
    from ranking.offline.extras import pyarrow

    arrow = pyarrow("writing Parquet")
    parquet = pyarrow("writing Parquet", "pyarrow.parquet")
    kinds = arrow.string(), arrow.int32(), arrow.float64(), arrow.bool_()
    types = dict(zip(Kind, kinds, strict=True))
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
