"""Files of names and values: restart values, relevance, seeds, scores.

One `name<TAB>value` a line, or `name,value` in .csv, and the value 1 in a file of names alone; a
table of scores is such a file, as text or Parquet. A name that is not in the graph cannot be
ranked: such names are counted and shown, and if no name is known the file is refused, for then it
belongs to another graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ranking.arrays import FloatArray
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import value_layout
from ranking.offline.names import UNKNOWN, ReadNames
from ranking.offline.tables import names_of, numbers_of, parquet_rows, text_rows


def read_values(path: str | Path, names: ReadNames) -> tuple[FloatArray, list[str]]:
    """Values by id (n,), 0 for names that the file does not hold; and its names that are unknown.

    Args:
        path: text, perhaps compressed, or Parquet; "-" for standard input.
        names: n names, by id.

    Raises:
        OfflineInputError: a file that cannot be read, a bad row (by number), a name with two
            different values, or no known name at all.
        MissingExtraError: pyarrow is not installed.

    """
    arrow = pyarrow("reading values")
    parts = list(value_parts(path))
    given = arrow.chunked_array([part for part, _ in parts], arrow.large_string())
    given = given.combine_chunks()
    ids, numbers = names.find(given), np.concatenate([np.empty(0), *(v for _, v in parts)])
    missing, known = np.flatnonzero(ids == UNKNOWN), np.flatnonzero(ids != UNKNOWN)
    unknown = given.take(arrow.array(missing)).to_pylist()
    if not known.size:
        shown = f", such as {unknown[0]!r}" if unknown else ""
        raise OfflineInputError(
            f"{path}: none of its {len(unknown)} names is in the graph{shown}; expected lines of "
            f"name<TAB>value with names such as {names[0]!r}"
        )
    values = np.zeros(len(names))
    # Backwards: of several values the first stays.
    values[ids[known][::-1]] = numbers[known][::-1]
    other = known[values[ids[known]] != numbers[known]]
    if other.size:
        row = int(other[0])
        raise OfflineInputError(
            f"{path}: {given[row].as_py()!r} has two values, {values[ids[row]]} and "
            f"{numbers[row]}; keep one"
        )
    return values, unknown


def value_parts(path: str | Path) -> Iterator[tuple[Any, FloatArray]]:
    """Names (a pyarrow array) and values of a file, part by part; see `read_values`."""
    if input_format(path) == PARQUET:
        parts = parquet_rows(path, partial(_value_columns, path=path))
    else:
        parts = text_rows(path, value_layout)
    for rows in parts:
        names = names_of(rows, "name")
        yield names, numbers_of(rows, "value") if "value" in rows.columns else np.ones(len(names))


def _value_columns(names: list[str], path: str | Path) -> dict[str, str]:
    if len(names) < 2:
        raise OfflineInputError(
            f"{path}: expected a column of names and a column of values, "
            f"got {', '.join(names) or 'none'}"
        )
    return {"name": names[0], "value": names[1]}
