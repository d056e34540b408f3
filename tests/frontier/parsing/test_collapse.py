"""White space is what `str.split` takes for it, at any place of a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from frontier.parsing.content import collapse

TEXT = st.text(st.sampled_from(" \t\n\x1c\x85\xa0\u2003\u3000ax\xe9\u4e2d\U0001f600\ud800"))


@given(st.text() | TEXT, st.integers(0, 30), st.integers(0, 30))
def test_as_splitting_and_joining(text: str, start: int, end: int) -> None:
    assert collapse(text) == " ".join(text.split())
    assert collapse(text, start, end) == " ".join(text[start:end].split())


def test_places_outside_the_text_are_its_ends() -> None:
    assert collapse(" a  b ", -5, 3) == "a"
    assert collapse(" a  b ", 3, -1) == ""
    assert collapse(" a  b ", 7, 9) == ""


@given(st.characters())
def test_every_space_is_one(one: str) -> None:
    assert collapse(f"a{one}b") == " ".join(f"a{one}b".split())
