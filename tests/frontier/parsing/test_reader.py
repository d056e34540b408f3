"""Markup within bounds: what would stall the parser is taken out, and what is in it is read."""

from __future__ import annotations

import pytest

from frontier.errors import PageError
from frontier.parsing.content import PageContent
from frontier.parsing.html import parsed
from frontier.parsing.reader import (
    ReadingLimits,
    of_few_hosts,
    read_html,
    read_markup,
    read_plain,
)

PAGE = "http://site.example/page"
LINK = "<a href=/x>x</a>"
MANY = " ".join(f"a{i}={i}" for i in range(200_000))


def read(markup: str) -> PageContent:
    return read_markup(markup, "utf-8", PAGE, ReadingLimits().links)


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 100_000 + LINK,
        "<span>" * 100_000 + "<div>" * 1_000 + LINK,
        "<table><tr><td>" * 100_000 + LINK,
        "<font><b><i>" * 100_000 + LINK,
        "<div>" * 100_000 + "</p></x>" * 100_000 + LINK,
        f"<p {MANY}>" + LINK,
        "<svg>" * 100_000 + "<a xlink:href=/x>x</a>",
        "<title>" * 100_000 + "</title>" + LINK,
        "<!--" + "<div>" * 100_000 + "-->" + LINK,
        "<script>" + "'<div>'" * 100_000 + "</script>" + LINK,
    ],
    ids=lambda markup: markup[:12],
)
def test_endless_markup_is_read_to_its_end(markup: str) -> None:
    """What costs a parser the square of its length takes minutes here."""
    assert [link.url for link in read(markup).links] == ["http://site.example/x"]


def test_links_of_ten_megabytes_are_read_up_to_their_bound() -> None:
    page = read("".join(f"<p><a href=/{i}>link {i}</a> and some text" for i in range(240_000)))
    assert len(page.links) == ReadingLimits().links
    assert page.truncated


def test_ordinary_page_is_read_from_the_tree_of_the_callback() -> None:
    tree = parsed("<p>seen by the callback")
    page = read_html("<p>text", lambda: tree, "utf-8", PAGE, 10)
    assert page.text == "seen by the callback"


@pytest.mark.parametrize(
    "markup",
    [
        "<p>text" * 40_000,
        "<svg>" + "<path d='M 0 0'/>" * 5_000 + "</svg>",
        "<img src='data:" + "A" * 200_000 + "'>",
        '<div title="' + "many words = " * 10_000 + '">x</div>',
        "<table>" + "<tr><td>1<td>2" * 6_000 + "</table>",
    ],
    ids=lambda markup: markup[:12],
)
def test_long_pages_of_the_usual_kind_are_read_from_it_too(markup: str) -> None:
    assert len(markup) > 65_536
    tree = parsed("<p>seen by the callback")
    assert read_html(markup, lambda: tree, "utf-8", PAGE, 10).text == "seen by the callback"


def test_of_a_page_that_is_too_deep_for_the_parser_all_words_are_read() -> None:
    markup = "<div>one<div>two<b>three</b> " * 2_000
    page = read_html(markup, lambda: parsed(markup), "utf-8", PAGE, 10)
    words = page.text.replace("twothree", "two three").split()
    assert words == ["one", "two", "three"] * 2_000


def test_page_of_which_the_spider_can_make_nothing_is_read() -> None:
    def tree() -> object:
        raise ValueError("no address")

    assert read_html("<p>text", tree, "utf-8", PAGE, 10).text == "text"


@pytest.mark.parametrize(
    "text", ["\x89PNG\r\n" + "\x01\x02" * 99, "".join(map(chr, range(32))) * 9]
)
def test_what_is_no_text_is_refused(text: str) -> None:
    for read_as in (read, read_plain):
        with pytest.raises(PageError, match="not text"):
            read_as(text)


def test_endless_text_is_cut() -> None:
    page = read_plain("word " * 400_000)
    assert page.truncated
    assert len(page.text) == 1_000_000


def test_links_to_more_hosts_than_are_followed_are_refused_by_name() -> None:
    page = read("".join(f"<a href=http://h{i % 3}.example/{i}>x</a>" for i in range(6)))
    refused: list[str] = []
    kept = of_few_hosts(page.links, 2, refused.append)
    assert [link.url[-1] for link in kept] == ["0", "1", "3", "4"]
    assert refused == ["http://h2.example/2", "http://h2.example/5"]
