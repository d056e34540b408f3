"""Columns of nodes and edges, and how tables are written: CSV and Parquet.

Pages choose titles, texts and URLs, and spreadsheets compute what begins with a sign such as "=".
So cells of CSV with text are written as OWASP advises against CSV injection:
https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

import csv
import io
import re
from enum import Enum
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Value = str | int | float | bool | None
Row = tuple[Value, ...]
"""The id of a node, or both of an edge, and the values of its columns."""


class ColumnKind(Enum):
    """What the values of a column are; any of them may be unknown, None."""

    TEXT = "string"
    INTEGER = "int32"
    REAL = "double"
    BOOLEAN = "bool"


class ExportColumn(NamedTuple):
    """A name and what stands under it."""

    name: str
    kind: ColumnKind


ID = ExportColumn("id", ColumnKind.INTEGER)
NODE_COLUMNS = (
    ExportColumn("url", ColumnKind.TEXT),
    ExportColumn("state", ColumnKind.TEXT),
    ExportColumn("host", ColumnKind.TEXT),
    ExportColumn("depth", ColumnKind.INTEGER),
    ExportColumn("seed", ColumnKind.BOOLEAN),
    ExportColumn("status", ColumnKind.INTEGER),
    ExportColumn("error", ColumnKind.TEXT),
    ExportColumn("title", ColumnKind.TEXT),
    ExportColumn("fetched", ColumnKind.TEXT),
    ExportColumn("relevance", ColumnKind.REAL),
    ExportColumn("priority", ColumnKind.REAL),
    ExportColumn("in_links", ColumnKind.INTEGER),
    ExportColumn("marks", ColumnKind.TEXT),
    ExportColumn("twin", ColumnKind.INTEGER),
)
"""Behind them stands a column of reals for each score of the crawl's order."""
ENDS = (ExportColumn("source", ColumnKind.INTEGER), ExportColumn("target", ColumnKind.INTEGER))
WEIGHT = 1
EDGE_COLUMNS = (
    ExportColumn("anchor", ColumnKind.TEXT),
    ExportColumn("weight", ColumnKind.REAL),
    ExportColumn("promise", ColumnKind.REAL),
    ExportColumn("redirect", ColumnKind.BOOLEAN),
)
_ROWS = 1 << 14
"""Rows of a row group of Parquet, all that is held of a table: about 5 MB."""
# XML 1.0, production 2 (Char).
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# At the beginning of a cell, and of what another separator or another quote would make a cell.
_COMPUTED = "=+\\-@\t\r\n＝＋－＠"
_BEGINS_CELL = re.compile(rf"^(?=\s*[{_COMPUTED}])|(?<=[,;|\t\r\n\"'])(?=[{_COMPUTED}])")


def cleaned(text: str) -> str:
    """Return a text with U+FFFD for what XML cannot hold: most controls, lone surrogates, U+FFFE.

    All formats get the same text: many readers of CSV and UTF-8 stumble over the same.
    """
    return _ILLEGAL.sub("\ufffd", text)


def write_csv(file: IO[bytes], columns: tuple[ExportColumn, ...], rows: Iterable[Row]) -> None:
    """Write a table with a head line, UTF-8; unknown is empty, truth is true or false.

    No cell is a formula to a spreadsheet.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows(map(_cell, row) for row in rows)
    text.flush()
    text.detach()


def _cell(value: Value) -> Value:
    if isinstance(value, str):
        # Python's writer does not quote a carriage return, which ends a line to many readers.
        line = cleaned(value).replace("\r\n", "\n").replace("\r", "\n")
        return _BEGINS_CELL.sub("'", line)
    return str(value).lower() if isinstance(value, bool) else value


def write_parquet(file: IO[bytes], columns: tuple[ExportColumn, ...], rows: Iterable[Row]) -> None:
    """Write a table in row groups; raises MissingExtraError without pyarrow."""
    from ranking.offline.extras import pyarrow

    arrow = pyarrow("writing Parquet")
    parquet = pyarrow("writing Parquet", "pyarrow.parquet")
    schema = arrow.schema([(name, arrow.type_for_alias(kind.value)) for name, kind in columns])
    remaining = iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while portion := list(islice(remaining, _ROWS)):
            arrays = [
                arrow.array(map(clean, values), field.type)
                for field, values in zip(schema, zip(*portion, strict=True), strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def clean(value: Value) -> Value:
    """Return a text cleaned, and any other value as it is."""
    return cleaned(value) if isinstance(value, str) else value
