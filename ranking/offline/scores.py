"""Tables of scores as files, and of other values: TSV with a head line, or Parquet with the same.

Rows are sorted by score, the highest first, ties by id. TSV holds every number as the shortest
text that reads back as the same float64, so a table that was written and read is the same table.

A file of values (restart values, relevance, seeds) is one `name<TAB>value` a line, or `name,value`
in .csv, and the value 1 in a file of names alone; a table of scores is such a file. A name that is
not in the graph cannot be ranked: such names are counted and shown, and if no name is known the
file is refused, for then it belongs to another graph.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, LongArray
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import PARQUET, STDIO, input_format, new_file, output_format
from ranking.offline.tables import (
    FileLayout,
    TableRows,
    names_of,
    numbers_of,
    parquet_rows,
    text_rows,
    value_layout,
)
from ranking.printing import shown

Columns = Mapping[str, npt.NDArray[Any]]
SCORE = "score"
NAME = "name"
UNKNOWN = -1
ROWS = 1 << 16  # rows of text held as Python objects at a time
GROUP = 1 << 20  # rows of a row group: what readers of Parquet work on at a time


def write_scores(
    path: str | Path,
    names: Any,
    columns: Columns,
    *,
    top: int | None = None,
) -> None:
    """Write a table, whole or not at all; the format follows the suffix, `-` is TSV on stdout.

    Args:
        path: .parquet, .tsv, or .tsv.gz, .bz2, .xz.
        names: n names, by id: `EdgeList.names`, or any sequence of str.
        columns: name of the column -> (n,) numbers, by id; "score" is one of them.
        top: only so many of the best, 1 or more; None: all.

    Raises:
        OfflineInputError: a name or suffix that cannot be used, a failure to write.
        MissingExtraError: pyarrow is not installed.

    """
    if top is not None and top < 1:
        raise OfflineInputError(f"the number of top scores must be 1 or more, got {top}")
    kind = output_format(path)
    arrow = pyarrow("writing scores")
    order = np.argsort(-np.asarray(columns[SCORE], np.float64), kind="stable")[:top]
    if not isinstance(names, arrow.Array):
        names = arrow.array(names, arrow.large_string())
    with new_file(path) as file:
        if kind == PARQUET:
            table = {NAME: names, **columns}
            table = {key: arrow.array(rows).take(arrow.array(order)) for key, rows in table.items()}
            # Without the schema names are strings to all readers.
            pyarrow("writing scores", "pyarrow.parquet").write_table(
                arrow.table(table), file, row_group_size=GROUP, store_schema=False
            )
            return
        on_terminal = str(path) == STDIO and sys.stdout.isatty()
        for text in _lines(names, columns, order):
            file.write((_readable(text) if on_terminal else text).encode())


def _lines(names: Any, columns: Columns, order: LongArray) -> Iterator[str]:
    yield "\t".join([NAME, *columns]) + "\n"
    for start in range(0, len(order), ROWS):
        block = order[start : start + ROWS]
        texts = names.take(pyarrow("writing scores").array(block)).to_pylist()
        values = [map(repr, column[block].tolist()) for column in columns.values()]
        text = "\n".join(map("\t".join, zip(texts, *values, strict=True))) + "\n"
        tabs, ends = len(texts) * len(values), len(texts)
        if "\r" in text or text.count("\n") != ends or text.count("\t") != tabs:
            bad = next(name for name in texts if set("\t\r\n") & set(name))
            raise OfflineInputError(
                f"the name {bad!r} holds a tab or a line end, which TSV cannot; write .parquet "
                "instead"
            )
        yield text


def _readable(text: str) -> str:
    """Lines of a table for eyes; in a file or a pipe names are what they are."""
    return "\n".join("\t".join(map(shown, line.split("\t"))) for line in text.split("\n"))


def read_values(path: str | Path, names: Any) -> tuple[FloatArray, list[str]]:
    """Values by id (n,), 0 for names that the file does not hold; and its names that are unknown.

    Args:
        path: text, perhaps compressed, or Parquet; "-" for standard input.
        names: (n,) array of pyarrow, by id, such as `EdgeList.names`.

    Raises:
        OfflineInputError: a file that cannot be read, a bad row (by number), a name with two
            different values, or no known name at all.
        MissingExtraError: pyarrow is not installed.

    """
    arrow = pyarrow("reading values")
    parts = list(value_parts(path))
    given = arrow.chunked_array([part for part, _ in parts], arrow.large_string())
    given = given.combine_chunks()
    places = pyarrow("reading values", "pyarrow.compute").index_in(given, value_set=names)
    ids = np.asarray(places.fill_null(UNKNOWN), np.int32)
    numbers = np.concatenate([np.empty(0), *(v for _, v in parts)])
    missing, known = np.flatnonzero(ids == UNKNOWN), np.flatnonzero(ids != UNKNOWN)
    unknown = given.take(arrow.array(missing)).to_pylist()
    if not known.size:
        shown = f", such as {unknown[0]!r}" if unknown else ""
        raise OfflineInputError(
            f"{path}: none of its {len(unknown)} names is in the graph{shown}; expected lines of "
            f"name<TAB>value with names such as {names[0].as_py()!r}"
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


def value_rows(
    path: str | Path, layout_of: Callable[[list[str], str], FileLayout] = value_layout
) -> Iterator[TableRows]:
    """Rows of a file with the columns `name` and perhaps `value`; see `read_values`.

    Those of text are the columns of the layout; see `text_rows`.
    """
    if input_format(path) == PARQUET:
        return parquet_rows(path, partial(_value_columns, path=path))
    return text_rows(path, layout_of)


def value_parts(path: str | Path) -> Iterator[tuple[Any, FloatArray]]:
    """Names (a pyarrow array) and values of a file, part by part; see `read_values`."""
    for rows in value_rows(path):
        names = names_of(rows, "name")
        yield names, numbers_of(rows, "value") if "value" in rows.columns else np.ones(len(names))


def _value_columns(names: list[str], path: str | Path) -> dict[str, str]:
    if len(names) < 2:
        raise OfflineInputError(
            f"{path}: expected a column of names and a column of values, "
            f"got {', '.join(names) or 'none'}"
        )
    return {"name": names[0], "value": names[1]}
