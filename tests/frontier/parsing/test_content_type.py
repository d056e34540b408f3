"""Fetch Standard, "extract a MIME type": its examples, and what servers and proxies make of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.parsing.content_type import is_listed, media_type


@pytest.mark.parametrize(
    ("values", "meant"),
    [
        # The examples of the standard.
        (["text/plain;charset=gbk, text/html"], "text/html"),
        (["text/html;charset=gbk;a=b, text/html;x=y"], "text/html; charset=gbk"),
        (["text/html;charset=gbk;a=b", "text/html;x=y"], "text/html; charset=gbk"),
        (["text/html;charset=gbk", "x/x", "text/html;x=y"], "text/html"),
        (["text/html", "cannot-parse"], "text/html"),
        (["text/html", "*/*"], "text/html"),
        (["text/html", ""], "text/html"),
        # Of one and of several.
        (["text/html, text/html"], "text/html"),
        (["text/html; charset=utf-8, text/html; charset=koi8-r"], "text/html; charset=koi8-r"),
        (["TEXT/HTML , Text/Html ; Charset=UTF-8"], "text/html; charset=UTF-8"),
        (["image/png, text/html"], "text/html"),
        (["text/html, application/pdf"], "application/pdf"),
        ([",,text/html,,"], "text/html"),
        (['text/html; title="a, b/c", text / plain'], "text/html"),
        (['text/html; charset="koi8-r", text/html'], "text/html; charset=koi8-r"),
        (['text/html; x="never ended, text/plain'], "text/html"),
        (["text/html x, text/html"], "text/html"),
        (["html, */*, /, text/"], ""),
        ([], ""),
    ],
)
def test_the_last_valid_type_counts(values: list[str], meant: str) -> None:
    assert media_type(values) == meant


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        ([], False),
        (["text/html; charset=utf-8"], False),
        (["text/html, text/html"], True),
        (["text/html", "text/html"], True),
    ],
)
def test_only_what_may_be_a_list_is_looked_at_as_one(values: list[str], listed: bool) -> None:
    assert is_listed(values) is listed


@given(st.lists(st.text(alphabet='a/;,="\\ *charset', max_size=60), max_size=4))
def test_it_never_raises_and_what_it_says_says_the_same(values: list[str]) -> None:
    meant = media_type(values)
    assert media_type([meant]).partition(";")[0] == meant.partition(";")[0]


def test_a_header_without_end_is_read_in_no_time() -> None:
    assert media_type(['text/html; x="' + '\\"' * 500_000]) == "text/html"
    assert media_type(["," * 1_000_000]) == ""
