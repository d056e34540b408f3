"""Records as text."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.formatting import clean, duration, moment, number, pairs, percent, table
from frontier.inspection.in_links import Part
from frontier.inspection.rendering import rendered
from frontier.inspection.reports import BELOW, JSON_ONLY, PERCENT, SECONDS
from ranking.printing import columns, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0"),
        (1234567, "1,234,567"),
        (0.5, "0.5"),
        (0.000123456, "0.0001235"),
        (12345.678, "12,345.7"),
        (-12345.0, "-12,345"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_shares_and_moments() -> None:
    assert (percent(None), percent(2 / 3)) == ("-", "66.7 %")
    assert (moment(None), moment("2026-11-03T10:00:00Z")) == ("-", "2026-11-03 10:00:00 UTC")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.25, "0.2 s"), (59.4, "59.4 s"), (59.9, "1 min 0 s"), (3599, "59 min 59 s"),
     (3600, "1 h 0 min"), (90_061, "25 h 1 min"), (172_799, "47 h 59 min"), (172_800, "2 d 0 h"),
     (100_000_000, "1,157 d 9 h")],
)  # fmt: skip
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_columns_are_aligned() -> None:
    assert table(("#", "name", "URL"), [("1", "a", "u"), ("10", "long", "v")], left=(1, 2)) == [
        " #  name  URL",
        " 1  a     u",
        "10  long  v",
    ]
    assert pairs([("a", "1"), ("long", "2")]) == ["  a     1", "  long  2"]


@given(st.text(), st.integers(1, 50))
def test_clean_text_is_one_printable_line_of_that_width(text: str, width: int) -> None:
    cleaned = clean(text, width)
    assert cleaned == shown(cleaned)
    assert columns(cleaned) <= width
    assert clean(cleaned, width) == cleaned


@dataclass(frozen=True)
class Line:
    count: int
    share: float | None = field(metadata=PERCENT)
    never: float | None
    name: str
    urgent: bool
    words: tuple[Part, ...] = field(default=(), metadata=BELOW)
    hidden: int = field(default=7, metadata=JSON_ONLY)
    age: float | None = field(default=None, metadata=SECONDS)


@dataclass(frozen=True)
class Sample:
    name: str
    nothing: str | None
    at: str
    counts: dict[str, int]
    texts: tuple[str, ...]
    lines: tuple[Line, ...]


def test_a_record_is_its_values_and_then_its_sections() -> None:
    words = tuple(Part(1.5 - n, None, f"w{n}\x1b") for n in range(8))
    lines = (Line(1200, 0.5, None, "a", True, words), Line(3, None, None, "bcd", False))
    record = Sample("x\ny", None, "2026-11-03T10:00:00Z", {"b": 2, "c": 0}, ("one",), lines)
    assert rendered(record) == [
        "  name  x y",
        "  at    2026-11-03 10:00:00 UTC",
        "",
        "counts",
        "  2  b",
        "",
        "texts",
        "  one",
        "",
        "lines",
        "  count   share  name  urgent",
        "  1,200  50.0 %  a     yes",
        "      words: w0\\x1b +1.50, w1\\x1b +0.50, w2\\x1b -0.50, w3\\x1b -1.50, "
        "w4\\x1b -2.50, w5\\x1b -3.50 and 2 more",
        "      3       -  bcd",
    ]
    assert rendered(record, rows=1)[-1] == "  ... and 1 more (--json lists all)"


def test_a_section_in_which_all_is_0_is_left_out() -> None:
    record = Sample("x", None, "now", {"b": 0, "c": 0}, (), ())
    assert rendered(record) == ["  name  x", "  at    now"]


def test_spans_of_time_and_sections_of_sections_are_for_reading() -> None:
    line = Line(1, None, None, "a", False, age=3 * 86400.0)
    lines = rendered(Sample("x", None, "now", {}, (), (line,)))
    assert lines[-2:] == ["  count  name      age", "      1  a     3 d 0 h"]
    assert "" in rendered(Outer(Sample("x", None, "now", {"b": 1}, (), ())))[2:]


@dataclass(frozen=True)
class Outer:
    inner: Sample
