"""Which URLs have one pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.traps.patterns import pattern_number, pattern_of

SITE = "http://site.example"


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("", "/"),
        ("/", "/"),
        ("/about.html", "/w.html"),
        ("/About.HTML", "/w.html"),
        ("/wiki/Rivers_of_Wales", "/wiki/w"),
        ("/wiki/Special:Search", "/wiki/special:w"),
        ("/blog/2024/05/a-day-out.html", "/blog/#/#/w.html"),
        ("/calendar/2024/5", "/calendar/#/#"),
        ("/calendar/2024/05", "/calendar/#/#"),
        ("/page7/x", "/page#/w"),
        ("/files/3f2504e04f8941d3/a", "/files/@/w"),
        ("/files/3f2504e0-4f89-41d3-9a0c-0305e82c3301/a", "/files/@/w"),
        ("/s/a1b2c3d4/a", "/s/@/w"),
        ("/shop/item?id=17&colour=red", "/shop/w?colour&id"),
        ("/shop/item?colour=blue&id=4", "/shop/w?colour&id"),
        ("/search?q1=a&q2=b", "/w?q#"),
        ("/list?", "/w"),
        ("/a/#top", "/w/"),
        ("/news/a-day-out/", "/news/w/"),
        ("/news/2024/", "/news/#/"),
        ("/news//", "/w/"),
        ("/shop/item/?id=4", "/shop/w/?id"),
    ],
)
def test_what_is_counted_up_falls_away(path: str, pattern: str) -> None:
    assert pattern_of(SITE + path) == pattern


@given(st.text(max_size=200))
def test_it_never_raises_and_knows_no_case(text: str) -> None:
    pattern_number(text, text)
    plain = f"{SITE}/{text}"
    assert pattern_of(plain) == pattern_of(plain.lower())
