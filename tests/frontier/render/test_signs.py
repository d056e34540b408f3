"""The signs of a page: what each means, whatever the host and the framework."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html

from frontier.render.signs import Content, content_of, gain_of, signs_of

URL = "http://app.example/list/1"
WORDS = "word " * 200
LINKS = "".join(f"<a href=/p/{number}>p</a>" for number in range(8))


def page(body: str, head: str = "") -> Any:
    return html.document_fromstring(f"<html><head>{head}</head><body>{body}</body></html>")


def test_words_and_links_are_those_that_stand_in_elements() -> None:
    root = page(
        "one two<script>let three</script><noscript>four</noscript><a href='../x#y'>five</a>"
        "<a href='#top'></a><a href='mailto:a@b.example'></a><a href='http://['></a>"
    )
    assert content_of(root, URL) == Content(3, frozenset({"http://app.example/x"}))
    assert content_of(None, URL) == Content(0, frozenset())


def test_the_gain_is_the_share_of_links_and_words_that_are_new() -> None:
    few, many = Content(25, frozenset({"a"})), Content(75, frozenset({"a", "b"}))
    assert gain_of(few, many) == pytest.approx((1 + 2) / (2 + 3))
    assert gain_of(many, few) == 0
    assert gain_of(Content(0, frozenset()), Content(20, frozenset())) == 0


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        ("<div id=anything></div><script src=x.js></script>", "an empty element for the page"),
        ("<my-app>Loading...</my-app><script>1</script>", "an empty element for the page"),
        (f"{WORDS}{LINKS}<div id=late></div><script>1</script>", "an empty element beside others"),
        ("<noscript>Bitte JavaScript einschalten</noscript>", "noscript asks for scripts"),
        (f"<script>{'run();' * 100}</script>", "much script"),
        ("hardly a text", "few words"),
        (WORDS, "few links"),
    ],
)
def test_a_page_that_needs_a_browser_shows_it(body: str, sign: str) -> None:
    assert signs_of(page(body), URL).values[sign] > 0


def test_a_whole_page_shows_nothing_of_it() -> None:
    signs = signs_of(page(f"<main id=root>{WORDS}{LINKS}</main><script src=app.js></script>"), URL)
    assert set(signs.values) == {"scripts of their own files", "script app (text, links)"}
    assert signs.in_json is None


def test_marks_are_whatever_the_page_has_without_numbers() -> None:
    code = "<script type=module src='/assets/main-chunk.3f2a91.js?v=2'></script>"
    signs = signs_of(page("<div id=outlet data-brand-new-framework></div>", code), URL)
    assert {
        "element outlet (no text, no links)",
        "script main (no text, no links)",
        "a module (no text, no links)",
        "attribute data-brand-new-framework (no text, no links)",
    } <= set(signs.values)
