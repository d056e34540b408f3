"""What is printed holds nothing that a terminal obeys."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.printing import as_json, columns, cut, padded, say, shown, shown_lines

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")),
        st.sampled_from("\x1b\x07\x7f\x9b\u202e\u2066\u2028\ud800\u200d漢"),
    )
)
HARMLESS_JOINERS = {"\u200c", "\u200d"}


@given(HOSTILE)
def test_nothing_that_is_shown_is_a_control_character(text: str) -> None:
    left = {one for one in shown(text) if unicodedata.category(one)[0] == "C"}
    assert left <= HARMLESS_JOINERS
    assert not set(shown(text)) & {"\u2028", "\u2029"}
    assert shown(shown(text)) == shown(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J\x7f", "\\x9b2J\\x7f"),
        ("a\tb\nc\r", "a\\tb\\nc\\r"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\u2028", "\\u2028"),
        ("\udc80", "\\udc80"),
        ("\xa0\u3000.", "  ."),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_lines_stay_lines_where_they_are_meant() -> None:
    assert shown_lines("one\n\x1bc\n") == "one\n\\x1bc\n"


@given(HOSTILE, st.integers(1, 40))
def test_a_cut_text_fits_its_places_also_with_wide_characters(text: str, most: int) -> None:
    assert columns(cut(shown(text), most)) <= most
    assert columns(padded(cut(shown(text), most), most, left=True)) == most


def test_wide_and_combining_characters_are_counted_as_they_are_drawn() -> None:
    assert [columns(one) for one in ("abc", "漢字", "e\u0301", "ｆ")] == [3, 4, 1, 2]
    assert cut("漢字漢字", 5) == "漢字…"
    assert (padded("漢", 4, left=True), padded("漢", 4, left=False)) == ("漢  ", "  漢")


@given(HOSTILE)
def test_json_is_printable_ascii_that_reads_back(text: str) -> None:
    lines = as_json({"title": text, "urls": [text]})
    assert all(line.isprintable() and line.isascii() for line in lines)
    found = json.loads("\n".join(lines))["title"]
    # Two halves of a character, one after the other, are that character to JSON.
    assert found.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")


def test_a_stream_without_the_characters_gets_others() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    say(["caf\xe9 \x1b[2J", "漢"], stream)
    assert stream.buffer.getvalue() == b"caf? \\x1b[2J\n?\n"
