"""Which URLs are of one shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.traps.shapes import Shapes, shape_number, shape_of

SITE = "http://site.example"


@pytest.mark.parametrize(
    ("path", "shape"),
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
def test_what_is_counted_up_falls_away(path: str, shape: str) -> None:
    assert shape_of(SITE + path) == shape


def test_hosts_have_shapes_of_their_own() -> None:
    assert shape_number("a.example", "http://a.example/x") != shape_number(
        "b.example", "http://b.example/x"
    )


@given(st.text(max_size=200))
def test_it_never_raises_and_knows_no_case(text: str) -> None:
    shape_number(text, text)
    plain = f"{SITE}/{text}"
    assert shape_of(plain) == shape_of(plain.lower())


def test_a_shape_is_short_whatever_the_url() -> None:
    assert len(shape_of(SITE + "/abc" * 1000 + "?" + "&".join(map(chr, range(97, 123))))) < 200


def test_shapes_are_remembered_until_another_takes_their_place() -> None:
    shapes, url = Shapes(), "http://a.example/b/1.html"
    number = shape_number("a.example", url)
    assert [shapes.find(one) for one in (0, 5)] == [None, None]
    assert shapes.note(5, "a.example", url) == number
    assert shapes.note(5, "", "") == shapes.find(5) == number
    shapes.note(5 + 2**14, "", "")
    assert shapes.find(5) is None
