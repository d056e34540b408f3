"""Tables of scores, as files (TSV with a head line, or Parquet with the same columns) and levels.

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

from ranking.arrays import BoolArray, Column, FloatArray, IntArray, as_values
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, STDIO, in_parts, new_directory, new_file, output_format
from ranking.offline.layout import TAB
from ranking.offline.names import NumberNames, take
from ranking.offline.values import value_batches
from ranking.printing import shown

SCORE = "score"
NAME = "name"
ROWS = 1 << 16  # rows of text held as Python objects at a time
PART = 1 << 24  # rows of a file where there are many
GROUP = 1 << 20  # rows of a row group: what readers of Parquet work on at a time
MAX_LEVELS = 2**31 - 1
UNWRITABLE = "holds a tab or a line end, which TSV cannot; write .parquet instead"


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

    def with_precedence(self, levels: int) -> ScoreTable:
        """The same table with one more column, int32 `precedence` in [1, levels]."""
        level = precedence(self.columns[SCORE], levels)
        return ScoreTable(self.names, {**self.columns, "precedence": level})


def precedence(scores: npt.ArrayLike, levels: int) -> IntArray:
    """Quantile levels, 1 for the best n / levels scores, `levels` for the worst.

    Level of the score in place p (0 is the best) of n: 1 + ⌊p · levels / n⌋. Equal scores get
    one level, that of the best place among them, so levels may be left out where many scores
    are equal. Heritrix queues URIs by such integers, lower first.

    Args:
        scores: (n,) finite numbers >= 0.
        levels: from 1 to MAX_LEVELS.

    Returns:
        (n,) int32 in [1, levels].

    Raises:
        OfflineInputError: levels out of range.
        RankingInputError: scores of the wrong shape or range.

    """
    values = np.asarray(scores, np.float64)
    as_values("scores", values, values.size)
    if not 1 <= levels <= MAX_LEVELS:
        raise OfflineInputError(f"precedence levels must be from 1 to {MAX_LEVELS}, got {levels}")
    place = np.searchsorted(np.sort(-values), -values)
    return (1 + place * levels // max(values.size, 1)).astype(np.int32)


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
        path: .parquet, .tsv, or .tsv.gz, .bz2, .xz, .zst; DIR/ for a directory of Parquet files.
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
    if top is not None and top < 1:
        raise OfflineInputError(f"the number of top scores must be 1 or more, got {top}")
    order = np.argsort(-np.asarray(table.columns[SCORE], np.float64), kind="stable")
    order = (order if rows is None else order[rows[order]])[:top]
    if in_parts(path):
        with new_directory(path) as directory:
            for number, block in enumerate(_blocks(order, PART)):
                with new_file(directory / f"part-{number:05}.parquet") as file:
                    _write_parquet(file, table, block)
        return
    with new_file(path) as file:
        if kind == PARQUET:
            _write_parquet(file, table, order)
        else:
            on_terminal = str(path) == STDIO and sys.stdout.isatty()
            for text in _lines(table, order):
                file.write(_readable(text).encode() if on_terminal else text.encode())


def _lines(table: ScoreTable, order: npt.NDArray[Any]) -> Iterator[str]:
    yield "\t".join([NAME, *table.columns]) + "\n"
    for block in _blocks(order, ROWS):
        names = take(table.names, block)
        values = [map(repr, column[block].tolist()) for column in table.columns.values()]
        text = "\n".join(map("\t".join, zip(names, *values, strict=True))) + "\n"
        tabs, ends = len(names) * len(values), len(names)
        if "\r" in text or text.count("\n") != ends or text.count("\t") != tabs:
            bad = next(name for name in names if set("\t\r\n") & set(name))
            raise OfflineInputError(f"the name {bad!r} {UNWRITABLE}")
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
    types = {name: arrow.from_numpy_dtype(one.dtype) for name, one in table.columns.items()}
    numbers = table.names.numbers if isinstance(table.names, NumberNames) else None
    name_type = arrow.string() if numbers is None else arrow.int64()
    schema = arrow.schema({NAME: name_type, **types})
    with parquet.ParquetWriter(file, schema) as writer:
        for block in _blocks(order, GROUP):
            values = [arrow.array(column[block]) for column in table.columns.values()]
            names = take(table.names, block) if numbers is None else numbers[block]
            columns = [arrow.array(names, name_type), *values]
            writer.write_batch(arrow.record_batch(columns, schema=schema))


def read_scores(path: str | Path) -> tuple[list[str], FloatArray]:
    """Names and scores (n,) of a table, in the order of the file.

    A table is what `write_scores` writes, or what has the score in its second column. Raises
    OfflineInputError for a file that cannot be read and for a bad line, with its number.
    """
    names: list[str] = []
    scores = Column(np.float64)
    for rows in value_batches(path, TAB):
        names += map(rows.name, range(len(rows.starts)))
        scores.extend(rows.values)
    return names, scores.array
