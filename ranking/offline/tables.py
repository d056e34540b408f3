"""Files of rows as columns of pyarrow: text in pieces of whole lines, Parquet in batches.

Text is UTF-8; lines end with LF or CR LF; lines before the first row that start with # or %, as in
the files of SNAP and KONECT, are comments. All lines have as many fields as the first. What is
wrong with a row is reported with its number, which counts no comment, head line or empty line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ranking.arrays import FINITE, MAX_ID, FloatArray, IntArray
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import Source, check_input, open_source
from ranking.offline.layout import BLANKS, COMMA, SEMICOLON, FileLayout

PIECE = 1 << 22  # bytes of text at a time; smaller and larger pieces are slower
ROWS = 1 << 18  # rows of Parquet at a time
LONGEST_LINE = 1 << 26  # bytes; whatever has longer lines is no list of links

_COMMENTS = re.compile(rb"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*")
_AROUND = re.compile(rb"^ | (?=\r?$)", re.MULTILINE)
_ROW = re.compile(r"Row #(\d+): ")


class NotAnIntegerError(OfflineInputError):
    """A name that is no integer which an id may be, where all before were."""


class TableRows(NamedTuple):
    """Some rows: columns by name (pyarrow arrays), and where they are from, for messages."""

    columns: Mapping[str, Any]
    file: str
    before: int = 0

    def where(self, row: int) -> str:
        """File and number of a row, which is given by its index."""
        return f"{self.file}, row {self.before + row + 1:,}"


def text_rows(
    path: str | Path, layout_of: Callable[[list[str], str], FileLayout]
) -> Iterator[TableRows]:
    """Rows with the columns of the layout, a piece of the file at a time.

    Names are large_string, or int32 where they are integers; numbers are float64, null where a
    field is empty.

    Args:
        path: a file, perhaps compressed, or "-" for standard input.
        layout_of: first lines, at most two, and the name of the file -> layout.

    Raises:
        OfflineInputError: a file that cannot be read, a bad row.
        MissingExtraError: pyarrow is not installed.

    """
    pyarrow("reading text", "pyarrow.csv")
    layout, before = None, 0
    with open_source(path) as source:
        for text in _pieces(source):
            if layout is None:
                text = _from_first_line(text, source.name)
                if not text:
                    continue
                lines = (line.decode(errors="replace") for line in text.split(b"\n", 2)[:2])
                layout = layout_of([line.strip("\r") for line in lines], source.name)
                text = text.partition(b"\n")[2] if layout.head else text
            if text and not text.isspace():
                rows = TableRows(_columns(text, layout, source.name, before), source.name, before)
                before += len(next(iter(rows.columns.values())))
                yield rows


def _pieces(source: Source) -> Iterator[bytes]:
    rest = b""
    while data := source.read(PIECE):
        whole, end, after = data.rpartition(b"\n")
        if end:
            yield b"".join((rest, whole, end))
            rest = after
        else:
            rest += data
        if len(rest) > LONGEST_LINE:
            raise OfflineInputError(
                f"{source.name}: a line is longer than {LONGEST_LINE >> 20} MB; expected a list, "
                "one link or name a line"
            )
    if rest:
        yield rest + b"\n"


def _from_first_line(text: bytes, name: str) -> bytes:
    """The text without comments before it; raises OfflineInputError for what is no list."""
    if b"\0" in text:
        raise OfflineInputError(
            f"{name} is a binary file; expected text, one link a line, or a Parquet file by its "
            "path"
        )
    if text.startswith(b"%%MatrixMarket"):
        raise OfflineInputError(
            f"{name} is a Matrix Market file, whose first line of numbers is no link; "
            "remove its head, up to and with that line"
        )
    text = text.removeprefix(b"\xef\xbb\xbf")
    comments = _COMMENTS.match(text)
    return text[comments.end() :] if comments else text


def _columns(text: bytes, layout: FileLayout, name: str, before: int) -> dict[str, Any]:
    arrow, reader = pyarrow("reading text"), pyarrow("reading text", "pyarrow.csv")
    if layout.separator == BLANKS:
        text = _with_single_blanks(text)
    fields = [f"field {k}" for k in range(layout.fields)]
    of_names = arrow.int32() if layout.integers else arrow.large_string()
    types = {
        fields[place]: arrow.float64() if column in ("weight", "value") else of_names
        for column, place in layout.columns.items()
    }
    quote = '"' if layout.separator in (COMMA, SEMICOLON) else False
    # One thread counts the rows for messages; one block makes one array a column.
    how = reader.ReadOptions(column_names=fields, use_threads=False, block_size=len(text) + 64)
    try:
        table = reader.read_csv(
            arrow.BufferReader(text),
            how,
            reader.ParseOptions(delimiter=layout.separator, quote_char=quote),
            reader.ConvertOptions(column_types=types, include_columns=[*types], null_values=[""]),
        )
    except arrow.ArrowInvalid as error:
        raise _bad_row(str(error), name, before) from error
    columns = {
        column: field.chunk(0) for column, field in zip(layout.columns, table.columns, strict=True)
    }
    mark = layout.separator.encode()
    if not layout.integers and (mark + b" " in text or b" " + mark in text):
        trim = pyarrow("reading text", "pyarrow.compute").ascii_trim
        columns |= {end: trim(columns[end], " ") for end in columns.keys() - {"weight", "value"}}
    return columns


def _with_single_blanks(text: bytes) -> bytes:
    text = text.replace(b"\t", b" ")
    if any(mark in text for mark in (b"  ", b"\n ", b" \n", b" \r")) or text.startswith(b" "):
        text = _AROUND.sub(b"", re.sub(rb" {2,}", b" ", text))
    return text


def _bad_row(problem: str, name: str, before: int) -> OfflineInputError:
    """The error for what pyarrow reports, which counts rows from the piece's first."""
    row = _ROW.search(problem)
    where = f"{name}, row {before + int(row[1]):,}" if row else name
    what = problem[row.end() if row else 0 :].partition("\n")[0]
    if "to int32" in what:
        return NotAnIntegerError(
            f"{where}: expected ids from 0 to {MAX_ID - 1}, as in the rows before; {what}. "
            "Read ids as names with --names"
        )
    return OfflineInputError(
        f"{where}: {what}. Expected UTF-8, and as many fields as in the first line; correct or "
        "remove the line (--separator, --names and --unweighted change how lines are read)"
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
        rows = TableRows({one: batch[name] for one, name in chosen.items()}, str(path), before)
        for name, column in rows.columns.items():
            if column.null_count:
                row = int(np.flatnonzero(column.is_null())[0])
                raise OfflineInputError(
                    f"{rows.where(row)}: column {name} is empty; fill or drop such rows"
                )
        before += len(batch)
        if len(batch):
            yield rows


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
    numbers, types = rows.columns[column], arrow.types
    kind = numbers.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise OfflineInputError(
            f"{rows.where(0)}: expected numbers as {column}, got a column of {kind}"
        )
    values: FloatArray = np.asarray(numbers.cast(arrow.float64(), safe=False).fill_null(1.0))
    bad = np.flatnonzero(~((values >= 0) & (values <= most)))
    if bad.size:
        raise OfflineInputError(
            f"{rows.where(int(bad[0]))}: expected a number from 0 to {most:.3g} as {column}, got "
            f"{values[bad[0]]}; correct it"
        )
    return values


def integers_of(rows: TableRows, column: str) -> IntArray:
    """Names as numbers in [0, MAX_ID); raises NotAnIntegerError for others."""
    names = rows.columns[column]
    if names.null_count:
        row = int(np.flatnonzero(names.is_null())[0])
        raise OfflineInputError(f"{rows.where(row)}: a name is empty; fill or remove it")
    numbers = names.to_numpy()
    if numbers.min() < 0 or numbers.max() >= MAX_ID:
        row = int(np.flatnonzero((numbers < 0) | (numbers >= MAX_ID))[0])
        raise NotAnIntegerError(
            f"{rows.where(row)}: expected ids from 0 to {MAX_ID - 1}, got {numbers[row]}. Read ids "
            "as names with --names"
        )
    return np.asarray(numbers, np.int32)


def names_of(rows: TableRows, column: str) -> Any:
    """Names as large_string; raises OfflineInputError where some are empty or no text."""
    arrow = pyarrow("reading names")
    compute, types = pyarrow("reading names", "pyarrow.compute"), arrow.types
    names = rows.columns[column]
    if types.is_dictionary(names.type):
        names = names.dictionary_decode()
    kind = names.type
    texts = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
    if not any(is_kind(kind) for is_kind in (types.is_integer, *texts)):
        raise OfflineInputError(
            f"{rows.where(0)}: expected integers or strings as names, got a column of {kind}"
        )
    with _reported(rows.where(0)):
        names = names.cast(arrow.large_string())
    lengths = compute.binary_length(names)
    if compute.min(lengths).as_py() == 0:
        row = compute.index(lengths, 0).as_py()
        raise OfflineInputError(f"{rows.where(row)}: a name is empty; fill or remove it")
    return names
