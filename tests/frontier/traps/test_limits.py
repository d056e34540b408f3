"""Which links are refused by how they are spelled, and which odd ones are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.traps.limits import (
    ARGUMENT_REPEATS,
    ESCAPED_ESCAPES,
    REPEATS,
    TOO_DEEP,
    TOO_LONG,
    TOO_MANY_ARGUMENTS,
    TrapLimits,
)

SITE = "http://site.example"
USUAL = TrapLimits()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/" + "x" * 2083, TOO_LONG),
        ("/" + "/".join(map(str, range(21))), TOO_DEEP),
        ("/a/a/a", REPEATS),
        ("/x/a/a/a/", REPEATS),
        ("/a/A/a/y", REPEATS),
        ("/a/b/a/b/a/b", REPEATS),
        ("/shop/a/b/c/a/b/c/a/b/c/page.html", REPEATS),
        ("/a/x/a/y/a/z/a/w/a/v", REPEATS),
        ("/x////y", REPEATS),
        ("/11/11/11/11/11/11", REPEATS),
        ("/1/2/1/2/1/2/1/2/1/2/1/2", REPEATS),
        ("/?" + "&".join(f"a{n}=1" for n in range(25)), TOO_MANY_ARGUMENTS),
        ("/?" + "&".join(f"a={n}" for n in range(9)), ARGUMENT_REPEATS),
        ("/?next=%2525252F", ESCAPED_ESCAPES),
        ("/?a=1&amp;amp;amp;b=2", ESCAPED_ESCAPES),
    ],
)
def test_what_a_program_wrote_is_refused(path: str, reason: str) -> None:
    assert USUAL.refusal(SITE + path) == reason


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/en/en/",
        "/a/b/a",
        "/a/b/a/b/",
        "/2011/11/11/11/a-post",
        "/2024/05/06/",
        "/wiki/Category:Rivers_of_Wales",
        "/wiki/Special:Search?search=a+river",
        "/web/20200101000000/http://www.site.example/a//b",
        "/forum/thread-77?page=12&sort=date",
        "/shop/product/12345?colour=red&size=9",
        "/api/v1/api/v1.html",
        "/a/" + "/".join("bcdefghijklmnop"),
        "/?" + "&".join(f"tag={n}" for n in range(8)),
        "/?" + "&".join(f"a{n}=1" for n in range(24)),
        "/100%25",
        "/?url=http%253A%252F%252Fa.example",
        "/ask?a=1&amp;b=2",
        "/" + "x" * 2000,
    ],
)
def test_what_is_only_odd_is_not(path: str) -> None:
    assert USUAL.refusal(SITE + path) is None


def test_the_length_of_a_url_can_be_chosen() -> None:
    long = SITE + "/" + "x" * 4000
    assert TrapLimits(url_length=0).refusal(long) is None
    assert TrapLimits(url_length=20).refusal(SITE + "/ab") == TOO_LONG


@given(st.text(max_size=300))
def test_it_never_raises(text: str) -> None:
    for url in (text, f"http://{text}", f"{SITE}/{text}"):
        USUAL.refusal(url)
