"""Markup without what parsers stumble over: what it says stays the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector

from frontier.parsing.dispatch import read_markup, stopped_early
from frontier.parsing.html import read_page
from frontier.parsing.sanitize import is_tame, tamed
from frontier.web.recorded_web import RecordedWeb

PAGE = "http://site.example/docs/page.html"


@pytest.mark.parametrize(
    ("markup", "left"),
    [
        ("a<b>c</b>d<p>e", "a<body>cd e"),
        ("<a class=x HREF = '/x' href=/y>z</A>", '<body><a href="/x">z</a>'),
        ("<a title='say \"x\"'>", '<body><a title="say &quot;x&quot;">'),
        ("<a href=x&amp;y>", '<body><a href="x&amp;y">'),
        ("<script>if (a<b) '<a>'</SCRIPT >x", " " + " x"),
        ("<title>a<b></title>", "<title>a&lt;b></title>"),
        ("<textarea><a></textarea>", "<body> &lt;a> "),
        ("<!-- <a> -->x<!doctype y><?z?></ >w", "xw"),
        ("<!--><a><!-->x", "<body><a>x"),
        ("1 < 2 <3", "1 &lt; 2 &lt;3"),
        ("x<!-- y", "x"),
        ("x<a href=", "x"),
        ("x<style>y", "x "),
        ("<p title='>'>x", "<body> x"),
        ("<p title=a'>x", "<body> x"),
        ("<meta name=a><div><link rel=b>", '<meta name="a"><body> <link rel="b">'),
    ],
)
def test_only_what_is_read_is_left(markup: str, left: str) -> None:
    assert tamed(markup) == (left, True)


def test_dull_tags_of_endless_pages_do_not_hide_the_others() -> None:
    markup, whole = tamed("<p class='x'><b>" * 500_000 + "<a href=/x>" + "<" * 99 + " y")
    assert whole
    assert markup.endswith('<a href="/x">  y')


def test_more_links_than_are_read_are_cut() -> None:
    markup, whole = tamed("<a href=/x>" * 100_000)
    assert not whole
    assert markup.count("<a") == 75_000


@pytest.mark.parametrize(
    "markup",
    [
        "<p " + " ".join(f"a{i}" for i in range(9_000)) + ">",
        "<p " + " ".join(f"a{i}=1" for i in range(9_000)) + ">",
        "<p " + " ".join(f"a{i}='>'" for i in range(20_000)) + ">",
    ],
)
def test_tags_of_thousands_of_attributes_are_noticed(markup: str) -> None:
    assert not is_tame(markup.encode() + b"<p>" * 9_000)


@pytest.mark.parametrize(
    "markup",
    [b"<p>word</p>" * 10_000, b"word " * 20_000, b"<script>" + b"a=b; " * 20_000 + b"</script>"],
)
def test_ordinary_pages_are_left_to_the_parser(markup: bytes) -> None:
    assert is_tame(markup)


@pytest.mark.parametrize(("depth", "stopped"), [(1_000, False), (3_000, True)])
def test_pages_that_are_too_deep_for_the_parser_are_noticed(depth: int, stopped: bool) -> None:
    root = Selector(text="<div>" * depth + "<a href=/x>x</a>").root
    assert stopped_early(root) is stopped


MARKUP = st.lists(
    st.sampled_from(
        [
            *("<p>", "</p>", "<a href=", "'", '"', ">", "</a>", "<b>", "<!--", "-->", "<script>"),
            *("</script>", "<title>", "</title>", "<", "</", "<!", "<?", "=", " ", "/x", "&amp;"),
            *(
                "<base href=/b/>",
                "<iframe src=/f>",
                "<img alt=i>",
                "<meta name=robots content=none>",
            ),
            *("word", "\0", "<svg>", "<table><tr><td>", "<br/>", "<textarea>", "<noframes>"),
        ]
    )
    | st.text(max_size=3),
    max_size=30,
).map("".join)


@given(MARKUP)
def test_any_markup_is_tamed_and_stays_so(markup: str) -> None:
    once, _ = tamed(markup)
    again, whole = tamed(once)
    assert whole
    assert read_markup(again.encode(), "utf-8", PAGE, 99) == read_markup(
        once.encode(), "utf-8", PAGE, 99
    )


@given(st.binary(max_size=200), st.sampled_from(["utf-8", "cp932", "utf-16-le", "gb18030"]))
def test_any_bytes_are_read(body: bytes, charset: str) -> None:
    read_markup(body, charset, PAGE, 99)


@pytest.mark.slow
def test_real_pages_say_the_same_either_way(shared: Path) -> None:
    with RecordedWeb([shared / "webs/docs.warc.gz"]) as web:
        for url in list(web.urls())[::100]:
            body = web.read(url).body
            parsed = read_page(Selector(text=body.decode("utf-8", "replace")).root, url)
            found = read_markup(body, "utf-8", url, 10_000)
            assert found.text == parsed.text
            assert found.title == parsed.title
            assert [(one.url, one.anchor) for one in found.links] == [
                (one.url, one.anchor) for one in parsed.links
            ]
