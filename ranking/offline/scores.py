"""Tables of scores as files: TSV with a head line, or Parquet with the same columns.

Rows are sorted by score, the highest first, ties by id. TSV holds every number as the shortest
text that reads back as the same float64, so a table that was written and read is the same table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray
from ranking.offline.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.output import PARQUET, new_file, output_format
from ranking.offline.table import SCORE, ScoreTable

ROWS = 1 << 16  # rows held as Python objects at a time
NAME = "name"


def write_scores(
    path: str | Path,
    table: ScoreTable,
    *,
    top: int | None = None,
    precedence: int | None = None,
) -> None:
    """Write a table, whole or not at all; the format follows the suffix, `-` is TSV on stdout.

    Args:
        path: .parquet, .tsv, or .tsv.gz, .bz2, .xz, .zst.
        table: names and columns.
        top: only so many of the best; None: all.
        precedence: number of levels for a column `precedence`, of all rows even if only the top
            is written; None: no such column.

    Raises:
        OfflineInputError: a name, suffix or number that cannot be used, a failure to write.
        MissingExtraError: the format needs a package that is not installed.

    """
    kind = output_format(path)
    if precedence is not None:
        table = table.with_precedence(precedence)
    order = table.best(top)
    with new_file(path) as file:
        if kind == PARQUET:
            _write_parquet(file, table, order)
        else:
            for text in _lines(table, order):
                file.write(text.encode())


def _lines(table: ScoreTable, order: npt.NDArray[Any]) -> Iterator[str]:
    yield "\t".join([NAME, *table.columns]) + "\n"
    for block in _blocks(order):
        names = [table.names[i] for i in block.tolist()]
        values = [map(repr, column[block].tolist()) for column in table.columns.values()]
        text = "\n".join(map("\t".join, zip(names, *values, strict=True))) + "\n"
        if text.count("\n") != len(names) or text.count("\t") != len(names) * len(values):
            raise _unwritable(names)
        yield text


def _unwritable(names: list[str]) -> OfflineInputError:
    bad = next(name for name in names if "\t" in name or "\n" in name)
    return OfflineInputError(
        f"the name {bad!r} holds a tab or a line end, which TSV cannot; write .parquet instead"
    )


def _blocks(order: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    for start in range(0, len(order), ROWS):
        yield order[start : start + ROWS]


def _write_parquet(file: Any, table: ScoreTable, order: npt.NDArray[Any]) -> None:
    arrow = pyarrow("writing Parquet")
    parquet = pyarrow("writing Parquet", "pyarrow.parquet")
    types = {name: column.dtype for name, column in table.columns.items()}
    fields = [(name, arrow.from_numpy_dtype(dtype)) for name, dtype in types.items()]
    schema = arrow.schema([(NAME, arrow.string()), *fields])
    with parquet.ParquetWriter(file, schema) as writer:
        for block in _blocks(order):
            names = arrow.array([table.names[i] for i in block.tolist()], arrow.string())
            values = [arrow.array(column[block]) for column in table.columns.values()]
            writer.write_table(arrow.Table.from_arrays([names, *values], schema=schema))


def read_scores(path: str | Path) -> tuple[list[str], FloatArray]:
    """Names and scores (n,) of a file that `write_scores` wrote, in its order.

    Raises OfflineInputError where there is no such table, or a line is none of one.
    """
    text = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in text[1:]]
    column = text[0].split("\t").index(SCORE)
    return [row[0] for row in rows], np.array([float(row[column]) for row in rows])
