"""RFC 9309, 2.3: the scope of a file is scheme, host and port."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.robots import origin_of, robots_url


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://h.example/a?b#c", "http://h.example"),
        ("HTTP://H.Example:80/a", "http://h.example"),
        ("https://h.example:443", "https://h.example"),
        ("http://h.example:443/", "http://h.example:443"),
        ("https://h.example:8443/", "https://h.example:8443"),
        ("http://joe:secret@h.example/", "http://h.example"),
        ("http://[2001:db8::1]:8080/x", "http://[2001:db8::1]:8080"),
        ("ftp://h.example/", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("http://h.example:99999/", None),
        ("http://[broken/", None),
        ("http:///x", None),
        ("", None),
    ],
)
def test_an_origin(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


def test_where_the_file_lies() -> None:
    assert robots_url("http://h.example:81") == "http://h.example:81/robots.txt"


@given(st.text())
def test_nothing_makes_it_raise(url: str) -> None:
    origin_of(url)
