"""Files of names and values: restart values, relevance, seeds.

One `name<TAB>value` a line, the value 1 where it is missing; a table of scores is such a file. A
name that is not in the graph cannot be ranked: such names are counted and shown, and if no name is
known the file is refused, for then it belongs to another graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ranking.arrays import BoolArray, FloatArray, IntArray
from ranking.errors import OfflineInputError
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import value_layout
from ranking.offline.lines import read_lines
from ranking.offline.names import UNKNOWN, Names, Tokens
from ranking.offline.parquet import value_rows

SHOWN = 5  # unknown names that are shown


@dataclass(frozen=True, eq=False)
class NamedValues:
    """Values by id.

    Attributes:
        values: (n,) finite numbers >= 0; 0 for names that the file does not hold.
        unknown: names of the file that are not.
        examples: the first few of those.

    """

    values: FloatArray
    unknown: int
    examples: tuple[str, ...]


def read_values(path: str | Path, names: Names, separator: str) -> NamedValues:
    """Values of the names of a graph.

    Args:
        path: text, perhaps compressed, or Parquet; "-" for standard input.
        names: n names, by id.
        separator: of the edge list; a tab in the first line goes before it.

    Raises:
        OfflineInputError: a file that cannot be read, a bad line (by number), a name with two
            different values, or no known name at all.
        MissingExtraError: the file needs a package that is not installed.

    """
    values, seen = np.zeros(len(names)), np.zeros(len(names), np.bool_)
    unknown, examples = 0, list[str]()
    for rows in value_batches(path, separator):
        ids = names.find(rows.text, rows.starts, rows.lengths)
        missing = np.flatnonzero(ids == UNKNOWN)
        unknown += len(missing)
        examples += [rows.name(int(k)) for k in missing[: SHOWN - len(examples)]]
        _store(path, rows, ids, values, seen)
    if not seen.any():
        shown = f", such as {examples[0]!r}" if examples else ""
        raise OfflineInputError(
            f"{path}: none of its {unknown} names is in the graph{shown}; expected lines of "
            f"name<TAB>value with names such as {names[0]!r}"
        )
    return NamedValues(values, unknown, tuple(examples))


def _store(
    path: str | Path, rows: Tokens, ids: IntArray, values: FloatArray, seen: BoolArray
) -> None:
    """Put the values in place; raises OfflineInputError for a name that has another one."""
    found = np.flatnonzero(ids != UNKNOWN)
    ids, given = ids[found], rows.values[found]
    again = seen[ids]
    # Backwards: of several values the first stays.
    values[ids[~again][::-1]] = given[~again][::-1]
    seen[ids] = True
    other = np.flatnonzero(values[ids] != given)
    if other.size:
        k = int(other[0])
        raise OfflineInputError(
            f"{path}: {rows.name(int(found[k]))!r} has two values, {values[ids[k]]} and "
            f"{given[k]}; keep one"
        )


def value_batches(path: str | Path, separator: str) -> Iterator[Tokens]:
    """The lines or rows of a file, in order; arguments and errors as in `read_values`."""
    if input_format(path) == PARQUET:
        return value_rows(path)
    return read_lines(path, lambda head, _: value_layout(head, separator))
