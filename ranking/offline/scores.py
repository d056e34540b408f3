"""Tables of scores as files: TSV with a head line, or Parquet with the same columns.

Rows are sorted by score, the highest first, ties by id. TSV holds every number as the shortest
text that reads back as the same float64, so a table that was written and read is the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, Column, FloatArray, LongArray
from ranking.offline.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.layout import TAB
from ranking.offline.names import NumberNames, take
from ranking.offline.output import PARQUET, new_file, output_format
from ranking.offline.streams import STDIO
from ranking.offline.table import SCORE, ScoreTable
from ranking.offline.values import value_batches
from ranking.printing import shown

ROWS = 1 << 16  # rows of text held as Python objects at a time
GROUP = 1 << 20  # rows of a row group: what readers of Parquet work on at a time
NAME = "name"


def write_scores(
    path: str | Path,
    table: ScoreTable,
    *,
    top: int | None = None,
    precedence: int | None = None,
    rows: BoolArray | None = None,
) -> None:
    """Write a table, whole or not at all; the format follows the suffix, `-` is TSV on stdout.

    Args:
        path: .parquet, .tsv, or .tsv.gz, .bz2, .xz, .zst.
        table: names and columns.
        top: only so many of the best; None: all.
        precedence: number of levels for a column `precedence`, of all rows even if only the top
            is written; None: no such column.
        rows: (n,) which ids may be written; None: all.

    Raises:
        OfflineInputError: a name, suffix or number that cannot be used, a failure to write.
        MissingExtraError: the format needs a package that is not installed.

    """
    kind = output_format(path)
    if precedence is not None:
        table = table.with_precedence(precedence)
    order = table.best(top) if rows is None else _only(rows, table.best())[:top]
    with new_file(path) as file:
        if kind == PARQUET:
            _write_parquet(file, table, order)
        else:
            on_terminal = str(path) == STDIO and sys.stdout.isatty()
            for text in _lines(table, order):
                file.write(_readable(text).encode() if on_terminal else text.encode())


def _only(rows: BoolArray, order: LongArray) -> LongArray:
    kept: LongArray = order[rows[order]]
    return kept


def _lines(table: ScoreTable, order: npt.NDArray[Any]) -> Iterator[str]:
    yield "\t".join([NAME, *table.columns]) + "\n"
    for block in _blocks(order, ROWS):
        names = take(table.names, block)
        values = [map(repr, column[block].tolist()) for column in table.columns.values()]
        text = "\n".join(map("\t".join, zip(names, *values, strict=True))) + "\n"
        tabs, ends = len(names) * len(values), len(names)
        if "\r" in text or text.count("\n") != ends or text.count("\t") != tabs:
            raise _unwritable(names)
        yield text


def _readable(text: str) -> str:
    """Lines of a table for eyes; in a file or a pipe names are what they are."""
    return "\n".join("\t".join(map(shown, line.split("\t"))) for line in text.split("\n"))


def _unwritable(names: list[str]) -> OfflineInputError:
    bad = next(name for name in names if set("\t\r\n") & set(name))
    return OfflineInputError(
        f"the name {bad!r} holds a tab or a line end, which TSV cannot; write .parquet instead"
    )


def _blocks(order: npt.NDArray[Any], size: int) -> Iterator[npt.NDArray[Any]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _write_parquet(file: Any, table: ScoreTable, order: npt.NDArray[Any]) -> None:
    arrow = pyarrow("writing Parquet")
    parquet = pyarrow("writing Parquet", "pyarrow.parquet")
    types = {name: arrow.from_numpy_dtype(one.dtype) for name, one in table.columns.items()}
    name_type = arrow.int64() if isinstance(table.names, NumberNames) else arrow.string()
    schema = arrow.schema({NAME: name_type, **types})
    with parquet.ParquetWriter(file, schema) as writer:
        for block in _blocks(order, GROUP):
            values = [arrow.array(column[block]) for column in table.columns.values()]
            names = arrow.array(_names(table, block), name_type)
            writer.write_batch(arrow.record_batch([names, *values], schema=schema))


def _names(table: ScoreTable, ids: npt.NDArray[Any]) -> Any:
    """Names as they are in Parquet: integers stay integers."""
    if isinstance(table.names, NumberNames):
        return table.names.numbers[ids]
    return take(table.names, ids)


def read_scores(path: str | Path) -> tuple[list[str], FloatArray]:
    """Names and scores (n,) of a table, in the order of the file.

    A table is what `write_scores` writes; text without a head line has the score in its second
    column. Raises OfflineInputError for a file that cannot be read and for a bad line, with its
    number.
    """
    names: list[str] = []
    scores = Column(np.float64)
    for batch in value_batches(path, TAB, SCORE):
        names += [batch.name(k) for k in range(len(batch.starts))]
        scores.extend(batch.values)
    return names, scores.array
