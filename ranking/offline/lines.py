"""A text file as pieces of whole lines, and the tokens of each piece.

A piece is a megabyte or so, read, checked and split at once; what is wrong with a line is said
with its number and its text. Text is UTF-8; lines end with LF or CR LF; lines that start with #
or %, as in the files of SNAP and KONECT, are comments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from ranking.errors import OfflineInputError
from ranking.offline._lines import split_lines
from ranking.offline.extras import Progress
from ranking.offline.files import Source, open_source
from ranking.offline.layout import BLANKS, COMMA, SEMICOLON, TAB, Layout
from ranking.offline.names import Tokens

PIECE = 1 << 20  # bytes; splitting a bigger one leaves the cache and is slower
LONGEST_LINE = 1 << 26  # bytes; whatever has longer lines is no list of links
SHOWN = 80  # characters of a bad line in a message

_UTF8_MARK = b"\xef\xbb\xbf"
_SEPARATORS = {TAB: "a tab", BLANKS: "blanks", COMMA: "a comma", SEMICOLON: "a semicolon"}


@dataclass
class Piece:
    """Whole lines of a file.

    Attributes:
        text: the lines, each with its line end.
        line: number of the first, from 1.

    """

    text: bytearray
    line: int

    def number(self, at: int) -> int:
        """Number of the line that holds position `at`."""
        return self.line + self.text.count(b"\n", 0, at)


def read_lines(
    path: str | Path,
    layout_of: Callable[[list[str], str], Layout],
    progress: Progress | None = None,
) -> Iterator[Tokens]:
    """The tokens of a file, piece by piece.

    Args:
        path: a file, perhaps compressed, or "-" for standard input.
        layout_of: told the first lines, at most two, and the name of the file.
        progress: see `pieces`.

    Raises:
        OfflineInputError: a file that cannot be read, a bad line.
        MissingExtraError: what the file is compressed with needs a package.

    """
    layout: Layout | None = None
    with open_source(path) as source:
        for piece in pieces(source, progress):
            if layout is None:
                head = data_lines(piece, 2)
                if not head:
                    continue
                layout = layout_of(head, source.name)
                piece = without_head(piece) if layout.head else piece
            yield tokens(piece, layout, source.name)


def pieces(source: Source, progress: Progress | None = None) -> Iterator[Piece]:
    """The whole file; `progress` is told the position and size after each piece.

    Raises OfflineInputError for what cannot be text.
    """
    line, rest = 1, b""
    while data := source.read(PIECE):
        if line == 1 and not rest:
            data = _checked_start(data, source.name)
        whole, end, after = data.rpartition(b"\n")
        if end:
            piece = Piece(bytearray().join((rest, whole, end)), line)
            line += piece.text.count(b"\n")
            rest = after
            yield _checked(piece, source.name)
        else:
            rest += data
            _check_length(rest, line, source.name)
        if progress is not None:
            progress(source.position, source.size)
    if rest:
        yield _checked(Piece(bytearray(rest + b"\n"), line), source.name)


def data_lines(piece: Piece, count: int) -> list[str]:
    """The first `count` lines of a piece that are neither empty nor comments."""
    spans = islice(_data_spans(piece), count)
    return [piece.text[span].decode().rstrip("\r") for span in spans]


def without_head(piece: Piece) -> Piece:
    """What follows the first data line of a piece."""
    stop = next(_data_spans(piece)).stop + 1
    return Piece(piece.text[stop:], piece.number(stop))


def _data_spans(piece: Piece) -> Iterator[slice]:
    start = 0
    while start < len(piece.text):
        stop = piece.text.index(b"\n", start)
        line = piece.text[start:stop].lstrip(b" ")
        if line.strip() and not line.startswith((b"#", b"%")):
            yield slice(start, stop)
        start = stop + 1


def tokens(piece: Piece, layout: Layout, name: str) -> Tokens:
    """Split a piece; raises OfflineInputError that names the file, the line and what is wrong."""
    rows = piece.text.count(b"\n") + 1
    starts = np.empty(rows * layout.names, np.int64)
    lengths = np.empty(rows * layout.names, np.int32)
    values = np.empty(rows, np.float64)
    columns = layout.first, layout.second, layout.value, layout.limit, layout.commented
    rows, comments, valued, problem, start, stop = split_lines(
        piece.text, ord(layout.separator), *columns, starts, lengths, values
    )
    if problem:
        shown = _shown(bytes(piece.text[start:stop]))
        expected, remedy = _problem(problem, layout)
        raise OfflineInputError(
            f"{name}, line {piece.number(start)}: expected {expected}, got {shown}; {remedy}"
        )
    used = rows * layout.names
    return Tokens(
        *(piece.text, starts[:used], lengths[:used], values[:rows]),
        where=lambda k: f"{name}, line {piece.number(int(starts[k]))}",
        valued=valued,
        separator=layout.separator,
        comments=comments,
    )


def _problem(problem: int, layout: Layout) -> tuple[str, str]:
    """What was expected and what to do, for the numbers of ranking/offline/_lines.pyx."""
    between = _SEPARATORS[layout.separator]
    names = "a source and a target" if layout.names == 2 else "a name and a value"
    weight = "weight" if layout.names == 2 else "value"
    return {
        1: (f"{names} with {between} between them", "complete or remove the line"),
        2: (
            f"{names} and perhaps a {weight} with {between} between them",
            "separate names that hold blanks by tabs",
        ),
        3: (f"{names}, neither empty", "complete or remove the line"),
        4: (
            f"a finite number of 0 or more as {weight} in column {layout.value + 1}",
            "correct it" + (", or ignore weights with --unweighted" if layout.names == 2 else ""),
        ),
        5: ("a closing quote before the next field", "close it, or double quotes within quotes"),
    }[problem]


def _shown(line: bytes | bytearray) -> str:
    text = line.decode(errors="replace").rstrip("\r")
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def _checked_start(data: bytes, name: str) -> bytes:
    if data.startswith(b"%%MatrixMarket"):
        raise OfflineInputError(
            f"{name} is a Matrix Market file, whose first line of numbers is no link; "
            "remove its head, up to and with that line"
        )
    return data.removeprefix(_UTF8_MARK)


def _checked(piece: Piece, name: str) -> Piece:
    zero = piece.text.find(b"\0")
    if zero >= 0:
        raise _binary(name, piece.number(zero))
    if not piece.text.isascii():
        _check_utf8(piece, name)
    return piece


def _check_utf8(piece: Piece, name: str) -> None:
    if _is_utf8(piece.text):
        return
    for number, line in enumerate(piece.text.split(b"\n"), piece.line):
        # Comments may be anything: their encoding is nobody's business here.
        if not (_is_utf8(line) or line.lstrip(b" ").startswith((b"#", b"%"))):
            raise OfflineInputError(
                f"{name}, line {number}: expected UTF-8, got {_shown(line)}; convert the file, "
                "for example with iconv -f latin1 -t utf-8"
            )


def _is_utf8(text: bytearray) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_length(line: bytes, number: int, name: str) -> None:
    if b"\0" in line:
        raise _binary(name, number)
    if len(line) > LONGEST_LINE:
        raise OfflineInputError(
            f"{name}, line {number} is longer than {LONGEST_LINE >> 20} MB: this is no list of "
            "links, one a line"
        )


def _binary(name: str, line: int) -> OfflineInputError:
    return OfflineInputError(
        f"{name}, line {line}: a zero byte, so this is a binary file; expected text, one link a "
        "line, or a Parquet file by its path"
    )
