"""Tables of scores as files: TSV with a head line, or Parquet with the same columns.

Rows are sorted by score, the highest first, ties by id. TSV holds every number as the shortest
text that reads back as the same float64, so a table that was written and read is the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, FloatArray
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, STDIO, new_file, output_format
from ranking.offline.names import ReadNames, take
from ranking.offline.values import value_parts
from ranking.printing import shown

SCORE = "score"
NAME = "name"
ROWS = 1 << 16  # rows of text held as Python objects at a time
GROUP = 1 << 20  # rows of a row group: what readers of Parquet work on at a time


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores under the names of what was scored.

    Attributes:
        names: n names, by id; any sequence of str, such as `EdgeList.names`.
        columns: name of the column -> (n,) numbers, by id; the first is "score".

    Raises:
        OfflineInputError: columns of another length, or without "score" in front.

    """

    names: Sequence[str]
    columns: Mapping[str, npt.NDArray[Any]]

    def __post_init__(self) -> None:
        if next(iter(self.columns), None) != SCORE:
            raise OfflineInputError(
                f'a table of scores begins with a column "{SCORE}", got {", ".join(self.columns)}'
            )
        for name, column in self.columns.items():
            if np.shape(column) != (len(self.names),):
                raise OfflineInputError(
                    f"column {name!r} must have one value for each of the {len(self.names)} "
                    f"names, got shape {np.shape(column)}"
                )


def write_scores(
    path: str | Path, table: ScoreTable, *, top: int | None = None, rows: BoolArray | None = None
) -> None:
    """Write a table, whole or not at all; the format follows the suffix, `-` is TSV on stdout.

    Args:
        path: .parquet, .tsv, or .tsv.gz, .bz2, .xz.
        table: names and columns.
        top: only so many of the best, 1 or more; None: all.
        rows: (n,) which ids may be written; None: all.

    Raises:
        OfflineInputError: a name or suffix that cannot be used, a failure to write.
        MissingExtraError: Parquet without pyarrow.

    """
    if top is not None and top < 1:
        raise OfflineInputError(f"the number of top scores must be 1 or more, got {top}")
    kind = output_format(path)
    order = np.argsort(-np.asarray(table.columns[SCORE], np.float64), kind="stable")
    order = (order if rows is None else order[rows[order]])[:top]
    with new_file(path) as file:
        if kind == PARQUET:
            _write_parquet(file, table, order)
            return
        on_terminal = str(path) == STDIO and sys.stdout.isatty()
        for text in _lines(table, order):
            file.write((_readable(text) if on_terminal else text).encode())


def _lines(table: ScoreTable, order: npt.NDArray[Any]) -> Iterator[str]:
    yield "\t".join([NAME, *table.columns]) + "\n"
    for block in _blocks(order, ROWS):
        names = take(table.names, block)
        values = [map(repr, column[block].tolist()) for column in table.columns.values()]
        text = "\n".join(map("\t".join, zip(names, *values, strict=True))) + "\n"
        tabs, ends = len(names) * len(values), len(names)
        if "\r" in text or text.count("\n") != ends or text.count("\t") != tabs:
            bad = next(name for name in names if set("\t\r\n") & set(name))
            raise OfflineInputError(
                f"the name {bad!r} holds a tab or a line end, which TSV cannot; write .parquet "
                "instead"
            )
        yield text


def _readable(text: str) -> str:
    """Lines of a table for eyes; in a file or a pipe names are what they are."""
    return "\n".join("\t".join(map(shown, line.split("\t"))) for line in text.split("\n"))


def _blocks(order: npt.NDArray[Any], size: int) -> Iterator[npt.NDArray[Any]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _write_parquet(file: Any, table: ScoreTable, order: npt.NDArray[Any]) -> None:
    arrow = pyarrow("writing Parquet")
    parquet = pyarrow("writing Parquet", "pyarrow.parquet")
    integers = isinstance(table.names, ReadNames) and table.names.integers
    types = {name: arrow.from_numpy_dtype(one.dtype) for name, one in table.columns.items()}
    schema = arrow.schema({NAME: arrow.int64() if integers else arrow.string(), **types})
    with parquet.ParquetWriter(file, schema) as writer:
        for block in _blocks(order, GROUP):
            if isinstance(table.names, ReadNames):
                names = table.names.array.take(arrow.array(block))
            else:
                names = arrow.array(take(table.names, block), arrow.string())
            values = [column[block] for column in table.columns.values()]
            writer.write_table(arrow.table([names, *values], schema.names).cast(schema))


def read_scores(path: str | Path) -> tuple[list[str], FloatArray]:
    """Names and scores (n,) of a table, in the order of the file.

    A table is what `write_scores` writes, or what has the score in its second column. Raises
    OfflineInputError for a file that cannot be read and for a bad row, with its number.
    """
    names, scores = list[str](), [np.empty(0)]
    for some, values in value_parts(path):
        names += some.to_pylist()
        scores.append(values)
    return names, np.concatenate(scores)
