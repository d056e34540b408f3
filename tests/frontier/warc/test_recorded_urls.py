from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.warc.recorded_urls import host_of, normal_url, other_scheme


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://a.example", "http://a.example/"),
        ("http://a.example?q=1", "http://a.example/?q=1"),
        ("HTTP://A.Example/Path", "http://a.example/Path"),
        ("http://a.example:80/", "http://a.example/"),
        ("https://a.example:443/", "https://a.example/"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("http://a.example/#part", "http://a.example/"),
        ("http://a.example/%7euser", "http://a.example/~user"),
        ("http://a.example/%c3%a9", "http://a.example/%C3%A9"),
        ("http://a.example/é x", "http://a.example/%C3%A9%20x"),
        ("http://a.example/?b=1&a=2", "http://a.example/?b=1&a=2"),
        ("http://a.example/%2F", "http://a.example/%2F"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
    ],
)
def test_equivalent_spellings_become_one(url: str, normal: str) -> None:
    assert normal_url(url) == normal


@pytest.mark.parametrize("url", ["", "dns:a.example", "http://", "http://[", "http://a:port/"])
def test_what_is_no_http_url_is_left_alone(url: str) -> None:
    assert normal_url(url) == url


@given(st.text(max_size=60) | st.text(max_size=40).map(lambda rest: f"http://a.example/{rest}"))
def test_never_raises_and_is_idempotent(url: str) -> None:
    assert normal_url(normal_url(url)) == normal_url(url)


def test_other_scheme_swaps_http_and_https_only() -> None:
    assert other_scheme("http://a/http:") == "https://a/http:"
    assert other_scheme("https://a/") == "http://a/"
    assert other_scheme("ftp://a/") == "ftp://a/"
    assert other_scheme("nothing") == "nothing"


def test_host() -> None:
    assert host_of("http://a.example:8080/x") == "a.example:8080"
