"""Files of names and values: restart values, relevance, seeds, earlier scores.

One `name<TAB>value` a line, the value 1 where it is missing; a table that this package wrote is
such a file as well. A name that is not in the graph cannot be ranked: such names are counted and
shown, and if no name is known the file is refused, for then it belongs to another graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ranking.arrays import BoolArray, FloatArray, IntArray, LongArray
from ranking.offline.errors import OfflineInputError
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import Layout, value_layout
from ranking.offline.lines import Piece, data_lines, pieces, tokens, without_head
from ranking.offline.names import UNKNOWN, Names, Text
from ranking.offline.parquet import read_columns
from ranking.offline.streams import open_source

SHOWN = 5  # unknown names that are shown


@dataclass(frozen=True, eq=False)
class NamedValues:
    """Values by id.

    Attributes:
        values: (n,) finite numbers >= 0; 0 for names that the file does not hold.
        known: names of the file that are in the graph.
        unknown: names of the file that are not.
        examples: the first few of those.

    """

    values: FloatArray
    known: int
    unknown: int
    examples: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ValueBatch:
    """Names and values of a part of a file: (k,) starts and lengths in a text, (k,) values."""

    text: Text
    starts: LongArray
    lengths: IntArray
    values: FloatArray

    def name(self, k: int) -> str:
        """Name k of the batch."""
        start = int(self.starts[k])
        return bytes(self.text[start : start + int(self.lengths[k])]).decode()


def read_values(
    path: str | Path, names: Names, separator: str, *, column: str | None = None
) -> NamedValues:
    """Values of the names of a graph.

    Args:
        path: text, perhaps compressed, or Parquet; "-" for standard input.
        names: n names, by id.
        separator: of the edge list; a tab in the first line goes before it.
        column: the column of the values, for files whose head line names columns; None: the
            second.

    Raises:
        OfflineInputError: a file that cannot be read, a bad line (by number), a name with two
            different values, or no known name at all.
        MissingExtraError: the file needs a package that is not installed.

    """
    values, seen = np.zeros(len(names)), np.zeros(len(names), np.bool_)
    unknown, examples = 0, list[str]()
    for batch in value_batches(path, separator, column):
        ids = names.find(batch.text, batch.starts, batch.lengths)
        missing = np.flatnonzero(ids == UNKNOWN)
        unknown += len(missing)
        examples += [batch.name(int(k)) for k in missing[: SHOWN - len(examples)]]
        found = np.flatnonzero(ids != UNKNOWN)
        _store(path, batch, found, ids[found], values, seen)
    known = int(seen.sum())
    if not known:
        shown = f", such as {examples[0]!r}" if examples else ""
        raise OfflineInputError(
            f"{path}: none of its {unknown} names is in the graph{shown}; expected lines of "
            f"name<TAB>value with names such as {names[0]!r}"
        )
    return NamedValues(values, known, unknown, tuple(examples))


def _store(
    path: str | Path,
    batch: ValueBatch,
    found: LongArray,
    ids: IntArray,
    values: FloatArray,
    seen: BoolArray,
) -> None:
    """Put the values in place; raises OfflineInputError for a name that has another one."""
    given = batch.values[found]
    again = seen[ids]
    # Backwards: of several values the first stays.
    values[ids[~again][::-1]] = given[~again][::-1]
    seen[ids] = True
    other = np.flatnonzero(values[ids] != given)
    if other.size:
        k = int(other[0])
        raise OfflineInputError(
            f"{path}: {batch.name(int(found[k]))!r} has two values, {values[ids[k]]} and "
            f"{given[k]}; keep one"
        )


def value_batches(path: str | Path, separator: str, column: str | None) -> Iterator[ValueBatch]:
    """The lines or rows of a file, in order; arguments and errors as in `read_values`."""
    if input_format(path) == PARQUET:
        for (text, starts, lengths), values in read_columns(path, column):
            yield ValueBatch(text, starts, lengths, values)
        return
    layout: Layout | None = None
    with open_source(path) as source:
        for piece in pieces(source):
            if layout is None:
                head = data_lines(piece, 1)
                if not head:
                    continue
                layout = _layout(source.name, head, separator, column)
                piece = without_head(piece) if layout.head else piece
            yield _batch(piece, layout, source.name)


def _batch(piece: Piece, layout: Layout, name: str) -> ValueBatch:
    found = tokens(piece, layout, name)
    values = np.ones(len(found.starts)) if found.values is None else found.values
    return ValueBatch(piece.text, found.starts, found.lengths, values)


def _layout(name: str, head: list[str], separator: str, column: str | None) -> Layout:
    try:
        return value_layout(head, separator, column)
    except OfflineInputError as error:
        raise OfflineInputError(f"{name}: {error}") from error
