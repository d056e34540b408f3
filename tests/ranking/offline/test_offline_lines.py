"""Lines and fields against Python's csv module and plain splitting; errors by line."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ranking.errors import OfflineInputError
from ranking.offline.layout import BLANKS, COMMA, NONE, SEMICOLON, TAB, Layout
from ranking.offline.lines import PIECE, Piece, data_lines, pieces, tokens, without_head
from tests.support.told import telling

words = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs"), exclude_characters='"#%,;'), min_size=1
)


def split(text: str, layout: Layout) -> list[tuple[str, ...]]:
    found = tokens(Piece(bytearray(text.encode()), 1), layout, "file")
    names = [found.name(k) for k in range(len(found.starts))]
    return list(zip(*(names[k :: layout.names] for k in range(layout.names)), strict=True))


def values(text: str, layout: Layout) -> list[float] | None:
    found = tokens(Piece(bytearray(text.encode()), 1), layout, "file")
    return found.values.tolist() if found.valued else None


class Chunks:
    """A source that gives a few bytes at a time."""

    name, position, size = "file", 0, None

    def __init__(self, data: bytes, size: int) -> None:
        self._file, self._size = io.BytesIO(data), size

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, self._size))


@pytest.mark.parametrize("separator", [TAB, BLANKS, COMMA, SEMICOLON])
@given(st.lists(st.tuples(words, words), max_size=20), st.sampled_from(["\n", "\r\n"]))
def test_two_columns_are_what_was_joined(
    separator: str, rows: list[tuple[str, str]], end: str
) -> None:
    text = "".join(separator.join(row) + end for row in rows)
    assert split(text, Layout(separator)) == rows


cells = st.text(st.sampled_from("ab \",;'é"), min_size=1).filter(lambda cell: cell == cell.strip())


@given(st.lists(st.tuples(cells, cells), max_size=10))
@example([('"', ',"'), ('a""b', '","')])
def test_quoted_fields_are_read_as_the_csv_module_writes_them(rows) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    assert split(text.getvalue(), Layout(COMMA)) == rows


def test_columns_may_stand_anywhere() -> None:
    layout = Layout(COMMA, first=3, second=1, value=0)
    assert split("2,b,x,a,y\n", layout) == [("a", "b")]
    assert values("2,b,x,a,y\n", layout) == [2.0]


def test_blanks_around_fields_comments_and_empty_lines_do_not_count() -> None:
    text = "# a\tb\n\n  % c\n a \t b \n\t\n\r\nc\td\t\t\n"
    assert split(text, Layout(TAB)) == [("a", "b"), ("c", "d")]
    assert tokens(Piece(bytearray(text.encode()), 1), Layout(TAB), "file").comments == 2


def test_a_line_without_a_number_counts_one() -> None:
    assert values("a\tb\n", Layout(TAB)) is None
    assert values("a\tb\nb\tc\t0.5\nc\td\t\n", Layout(TAB)) == [1, 0.5, 1]
    assert values("a\tb\tx\n", Layout(TAB, value=NONE)) is None


@given(st.floats(min_value=0, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
@example(9007199254740993.0)
def test_every_number_that_python_writes_is_read_exactly(number: float) -> None:
    for text in (repr(number), f"{number:.17e}", f"+{number!r}", f"{number:.3f}"):
        if len(text) <= 63:
            assert values(f"a\t{text}\n", Layout(TAB, second=NONE, value=1)) == [float(text)]


@pytest.mark.parametrize("text", ["0", "00.50", ".5", "5.", "1e3", "123456789012345678", "-0"])
def test_numbers_may_be_written_in_many_ways(text: str) -> None:
    (number,) = values(f"a\t{text}\n", Layout(TAB, second=NONE, value=1))
    assert number == float(text)
    assert math.copysign(1, number) == 1 or text == "-0"


@pytest.mark.parametrize(
    "text", ["x", "-1", "nan", "inf", "1e999", "0x10", ".", "-", "+", "1 2", "1_0", "1e", "1" * 99]
)
def test_what_is_no_finite_number_of_0_or_more_is_refused(text: str) -> None:
    with pytest.raises(OfflineInputError, match=telling("file, line 2", "finite")):
        values(f"a\tb\t1\na\tb\t{text}\n", Layout(TAB))


@pytest.mark.parametrize(
    ("line", "separator", "facts"),
    [
        ("c", TAB, ("source", "target", "tab", "'c'")),
        ("c d", TAB, ("tab", "'c d'")),
        ("c", BLANKS, ("blanks",)),
        ("c", COMMA, ("comma",)),
        ("a b c d", BLANKS, ("weight", "blanks")),
        ("a,,1", COMMA, ("empty",)),
        ("\tb", TAB, ("empty",)),
        ('"a"x,b', COMMA, ("quote",)),
        ('"a,b', COMMA, ("quote",)),
    ],
)
def test_a_bad_line_is_named_and_shown(line: str, separator: str, facts) -> None:
    text = f"# x\na{separator}b\n\n{line}\nc{separator}d\n"
    limit = 3 if separator == BLANKS else 0
    with pytest.raises(OfflineInputError, match=telling("file, line 14", *facts)):
        tokens(Piece(bytearray(text.encode()), 11), Layout(separator, limit=limit), "file")


def test_a_long_bad_line_is_shown_in_part() -> None:
    with pytest.raises(OfflineInputError) as raised:
        split("x" * 5000 + "\n", Layout(TAB))
    assert len(str(raised.value)) < 300


@given(st.lists(st.text("ab\t\r\u00e9", max_size=9), max_size=12), st.integers(1, 20))
def test_pieces_are_the_file_cut_between_lines(lines: list[str], size: int) -> None:
    data = "\n".join(lines).encode()
    found = list(pieces(Chunks(data, size)))
    assert b"".join(piece.text for piece in found) == data + (
        b"" if data.endswith(b"\n") or not data else b"\n"
    )
    number = 1
    for piece in found:
        assert piece.line == number
        assert piece.text.endswith(b"\n")
        number += piece.text.count(b"\n")


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    (piece,) = pieces(Chunks(b"\xef\xbb\xbfa\tb\n", 99))
    assert piece.text == b"a\tb\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\tb\nc\0\td\n", "line 2.* binary"),
        (b"a\tb\n\xe9\tb\n", "line 2.* UTF-8"),
        ("a\tb\n".encode("utf-16"), "binary"),
        (b"PAR1\0\0", "Parquet"),
        (b"%%MatrixMarket matrix\n3 3 2\n1 2 1\n", "Matrix Market"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(OfflineInputError, match=message):
        list(pieces(Chunks(data, PIECE)))


def test_comments_may_be_in_any_encoding() -> None:
    (piece,) = pieces(Chunks(b"# L\xe9on\na\tb\n", PIECE))
    assert data_lines(piece, 2) == ["a\tb"]


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory(monkeypatch) -> None:
    monkeypatch.setattr("ranking.offline.lines.LONGEST_LINE", 1000)
    with pytest.raises(OfflineInputError, match=telling("line 1", "longer")):
        list(pieces(Chunks(b"x" * 5000, 100)))
    with pytest.raises(OfflineInputError, match="binary"):
        list(pieces(Chunks(b"x" * 50 + b"\0" * 500, 100)))


def test_what_follows_a_head_line_keeps_its_line_numbers() -> None:
    piece = Piece(bytearray(b"# a\tb\na\tb\nc\td\n"), 1)
    assert data_lines(piece, 5) == ["a\tb", "c\td"]
    cut = without_head(piece)
    assert data_lines(cut, 5) == ["c\td"]
    assert cut.number(cut.text.index(b"c\td")) == 3


def test_positions_are_those_of_the_text() -> None:
    found = tokens(Piece(bytearray(b"ab cde\n"), 1), Layout(BLANKS), "file")
    assert found.starts.tolist() == [0, 3]
    assert found.lengths.tolist() == [2, 3]
    assert found.starts.dtype == np.int64


@given(
    st.text(st.sampled_from('ab\t ,;"#%\r\n-.5eé'), max_size=60),
    st.sampled_from([TAB, BLANKS, COMMA, SEMICOLON]),
    st.sampled_from([(0, 1, 2, 3), (0, 1, NONE, 0), (2, 0, 1, 0), (0, NONE, 1, 0)]),
)
def test_any_text_is_tokens_within_it_or_a_bad_line(text: str, separator: str, columns) -> None:
    first, second, value, limit = columns
    layout = Layout(separator, first, second, value, limit)
    piece = Piece(bytearray(text.encode()), 1)
    try:
        found = tokens(piece, layout, "file")
    except OfflineInputError:
        return
    names = [found.name(k) for k in range(len(found.starts))]
    assert all(names)
    assert not {"\n"} & set("".join(names))
    assert len(found.values) * layout.names == len(names)
    assert (found.values >= 0).all()
