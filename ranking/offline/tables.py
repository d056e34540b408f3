"""Files of rows as batches of pyarrow: text by its CSV reader, Parquet by its datasets.

Text is UTF-8. Lines before the first row that start with # or %, as in the files of SNAP and
KONECT, are comments. The separator of .csv is the first of comma, semicolon and tab that the first
line has; of other files it is a tab, else a comma or semicolon if the line has no blank, else a
blank. A first line is a head line if it names the columns in one of the usual ways, or if it holds
words where the second line holds integers. All lines have as many fields as the first.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ranking.arrays import FINITE, FloatArray
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import Source, check_input, open_source

BLOCK = 1 << 24  # bytes of text at a time; no line is longer
ROWS = 1 << 18  # rows of Parquet at a time
TAB, BLANK, COMMA, SEMICOLON = "\t", " ", ",", ";"
SEPARATORS = {"tab": TAB, "space": BLANK, "comma": COMMA, "semicolon": SEMICOLON}

_COMMENTS = re.compile(rb"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*")
_ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("fromnodeid", "tonodeid"))
_TABLES = ("name", "url", "node", "id")
_NUMBERS = ("weight", "value")


class TableRows(NamedTuple):
    """Some rows: columns by name (pyarrow arrays), and where they are from, for messages."""

    columns: Mapping[str, Any]
    file: str
    before: int = 0

    def where(self, row: int) -> str:
        """File and number of a row, which is given by its index."""
        return f"{self.file}, row {self.before + row + 1:,}"


class FileLayout(NamedTuple):
    """Where the fields of a line are.

    Attributes:
        separator: one character.
        fields: fields of a line.
        columns: source and target and perhaps weight, or name and perhaps value -> place, from 0.
        head: the first line names the columns, and is no data.

    """

    separator: str
    fields: int
    columns: Mapping[str, int]
    head: bool = False


def edge_layout(lines: Sequence[str], path: str, separator: str | None = None) -> FileLayout:
    """The layout of an edge list.

    Args:
        lines: its first lines, one or two.
        path: for its suffix.
        separator: of SEPARATORS' values; None: to be found out.

    """
    separator = separator or _separator(path, lines[0])
    first, data = _split(lines[0], separator), _split(lines[-1], separator)
    low = [field.lower() for field in first]
    ends = next((ends for ends in _ENDS if {*ends} <= {*low}), None)
    if ends is not None:
        columns = dict(zip(("source", "target"), map(low.index, ends), strict=True))
        columns |= {"weight": low.index("weight")} if "weight" in low else {}
    else:
        columns = dict(zip(("source", "target", "weight"), range(max(len(first), 2)), strict=False))
    places = columns["source"], columns["target"]
    head = ends is not None or (_integers(data, *places) and "".join(first[:2]).isalpha())
    return FileLayout(separator, max(len(first), 2), columns, head)


def value_layout(lines: Sequence[str], path: str) -> FileLayout:
    """The layout of a file of names and values: with tabs, or with commas where it is .csv."""
    separator = COMMA if _is_csv(path) and TAB not in lines[0] else TAB
    fields = _split(lines[0], separator)
    head = len(fields) > 1 and fields[0].lower() in _TABLES and fields[1][:1].isalpha()
    columns = dict(zip(("name", "value"), range(len(fields)), strict=False))
    return FileLayout(separator, len(fields), columns, head)


def _integers(fields: list[str], *places: int) -> bool:
    """Whether the fields in two places are integers."""
    ends = [fields[place] for place in places if place < len(fields)]
    return len(ends) == 2 and all(end.isascii() and end.isdigit() for end in ends)


def _is_csv(path: str) -> bool:
    return ".csv" in map(str.lower, Path(path).suffixes[-2:])


def _separator(path: str, line: str) -> str:
    marks = (COMMA, SEMICOLON, TAB) if _is_csv(path) else (TAB, COMMA, SEMICOLON)
    first = next((mark for mark in marks if mark in line), BLANK)
    return BLANK if first != TAB and BLANK in line and not _is_csv(path) else first


def _split(line: str, separator: str) -> list[str]:
    if separator in (COMMA, SEMICOLON):
        return next(csv.reader([line], delimiter=separator), [])
    return line.split(separator)


def text_rows(
    path: str | Path, layout_of: Callable[[list[str], str], FileLayout]
) -> Iterator[TableRows]:
    """Rows with the columns of the layout, some of the file at a time.

    Names are large_string; numbers are float64, null where a field is empty.

    Args:
        path: a file, perhaps compressed, or "-" for standard input.
        layout_of: first lines, at most two, and the name of the file -> layout.

    Raises:
        OfflineInputError: a file that cannot be read, a bad row.
        MissingExtraError: pyarrow is not installed.

    """
    arrow, reader = pyarrow("reading text"), pyarrow("reading text", "pyarrow.csv")
    with open_source(path) as source:
        head, skipped = _first_lines(source)
        if not head:
            return
        layout = layout_of(head, source.name)
        fields = [f"field {k}" for k in range(layout.fields)]
        types = {
            fields[place]: arrow.float64() if column in _NUMBERS else arrow.large_string()
            for column, place in layout.columns.items()
        }
        skipped += layout.head
        quote = '"' if layout.separator in (COMMA, SEMICOLON) else False
        before = skipped
        try:
            with reader.open_csv(
                source,
                # One thread counts the rows for messages.
                reader.ReadOptions(
                    column_names=fields, skip_rows=skipped, block_size=BLOCK, use_threads=False
                ),
                reader.ParseOptions(delimiter=layout.separator, quote_char=quote),
                reader.ConvertOptions(
                    column_types=types, include_columns=[*types], null_values=[""]
                ),
            ) as batches:
                for batch in batches:
                    if len(batch):
                        columns = dict(zip(layout.columns, batch.columns, strict=True))
                        yield TableRows(columns, source.name, before)
                    before += len(batch)
        except arrow.ArrowInvalid as error:
            if "Empty CSV file" not in str(error):
                raise _bad_row(str(error), source.name) from error


def _first_lines(source: Source) -> tuple[list[str], int]:
    """At most two lines of data, and how many lines are skipped before them."""
    text = source.head
    if b"\0" in text:
        raise OfflineInputError(
            f"{source.name} is a binary file; expected text, one link a line, or a Parquet file by "
            "its path"
        )
    if text.startswith(b"%%MatrixMarket"):
        raise OfflineInputError(
            f"{source.name} is a Matrix Market file, whose first line of numbers is no link; "
            "remove its head, up to and with that line"
        )
    text = text.removeprefix(b"\xef\xbb\xbf")
    comments = _COMMENTS.match(text)
    skipped = text[: comments.end() if comments else 0]
    lines = text[len(skipped) :].split(b"\n", 2)[:2]
    shown = [line.decode(errors="replace").strip("\r") for line in lines if line.strip()]
    return shown, skipped.count(b"\n")


def _bad_row(problem: str, name: str) -> OfflineInputError:
    """The error for what pyarrow reports."""
    what = problem.partition("\n")[0].replace("Row #", "row ")
    return OfflineInputError(
        f"{name}: {what}. Expected UTF-8, and as many fields as in the first line; correct or "
        "remove the line (--separator and --unweighted change how lines are read)"
    )


def parquet_rows(
    path: str | Path, columns_of: Callable[[list[str]], dict[str, str]]
) -> Iterator[TableRows]:
    """The rows of a Parquet file, or of all in a directory and its subdirectories.

    Args:
        path: the file or directory.
        columns_of: names of all columns -> name of a column of `TableRows`: its name in the file.

    Raises:
        OfflineInputError: a file that cannot be read, columns that are missing, empty fields.
        MissingExtraError: pyarrow is not installed.

    """
    check_input(path)
    before = 0
    with _reported(path):
        source = pyarrow("reading Parquet", "pyarrow.dataset").dataset(str(path), format="parquet")
    chosen = columns_of(list(source.schema.names))
    # Little is read ahead: a table of links may be larger than memory.
    batches = source.to_batches(
        columns=[*chosen.values()], batch_size=ROWS, batch_readahead=1, fragment_readahead=1
    )
    while True:
        with _reported(path):
            batch = next(batches, None)
        if batch is None:
            return
        if len(batch):
            yield TableRows(
                {column: batch[name] for column, name in chosen.items()}, str(path), before
            )
        before += len(batch)


@contextmanager
def _reported(path: str | Path) -> Iterator[None]:
    """Errors of pyarrow as OfflineInputError."""
    arrow = pyarrow("reading Parquet")
    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        reason = str(error).strip().partition("\n")[0]
        raise OfflineInputError(f"cannot read {path} as Parquet: {reason}") from error


def numbers_of(rows: TableRows, column: str, most: float = FINITE) -> FloatArray:
    """Numbers from 0 to `most`, 1 where a field is empty; raises OfflineInputError for others."""
    arrow = pyarrow("reading numbers")
    numbers = rows.columns[column]
    try:
        values: FloatArray = np.asarray(numbers.cast(arrow.float64(), safe=False).fill_null(1.0))
    except arrow.ArrowException as error:
        raise OfflineInputError(
            f"{rows.where(0)}: expected numbers as {column}, got a column of {numbers.type}"
        ) from error
    bad = np.flatnonzero(~((values >= 0) & (values <= most)))
    if bad.size:
        raise OfflineInputError(
            f"{rows.where(int(bad[0]))}: expected a number from 0 to {most:.3g} as {column}, got "
            f"{values[bad[0]]}; correct it"
        )
    return values


def names_of(rows: TableRows, column: str) -> Any:
    """Names as large_string; raises OfflineInputError where some are empty, or no text."""
    arrow = pyarrow("reading names")
    compute, types = pyarrow("reading names", "pyarrow.compute"), arrow.types
    names = rows.columns[column]
    if types.is_dictionary(names.type):
        names = names.dictionary_decode()
    if types.is_floating(names.type) or types.is_boolean(names.type) or types.is_nested(names.type):
        raise OfflineInputError(
            f"{rows.where(0)}: expected integers or strings as names, got a column of {names.type}"
        )
    with _reported(rows.where(0)):
        names = names.cast(arrow.large_string())
    empty = compute.equal(names, "").fill_null(True)
    if compute.any(empty).as_py():
        row = compute.index(empty, True).as_py()
        raise OfflineInputError(f"{rows.where(row)}: a name is empty; fill or remove it")
    return names
