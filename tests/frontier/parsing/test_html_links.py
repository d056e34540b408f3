"""The reader of pages: links, their anchors and what stands around them."""

from __future__ import annotations

import pytest
from lxml import etree
from parsel import Selector

from frontier.parsing.html import Link, PageContent, read_page

PAGE = "http://site.example/docs/page.html"


def read(markup: str, base_url: str = PAGE, **options: int) -> PageContent:
    return read_page(Selector(text=markup).root, base_url, **options)


def urls(markup: str, base_url: str = PAGE, **options: int) -> list[str]:
    return [link.url for link in read(markup, base_url, **options).links]


def test_a_link_has_its_anchor_and_its_surroundings() -> None:
    page = read('<p>Read <i>more</i> about <a href="/pr">Page <b>Rank</b></a> here.</p>')
    assert page.links == [
        Link(
            *("http://site.example/pr", "Page Rank", "Read more about here.", False),
            zone=zone_of("p", "body", "html"),
        )
    ]


def zone_of(*names: str) -> int:
    """FNV-1a of the names of the elements that a link is in, the innermost first."""
    found = 2166136261
    for byte in "".join(f"{name}/" for name in names).encode():
        found = (found ^ byte) * 16777619 % 2**32
    return found


def test_a_zone_is_named_by_the_elements_around_that_end_a_word() -> None:
    page = read(
        "<nav><ul><li><a href=/1>1</a><li class=on><b><a href=/2>2</a></b></ul></nav>"
        "<main><p>See <em><a href=/3>3</a></em> <a href=/1>once more</a>.</p></main>"
    )
    menu = zone_of("li", "ul", "nav", "body", "html")
    assert [link.zone for link in page.links] == [menu, menu, zone_of("p", "main", "body", "html")]


def test_a_zone_is_the_same_on_pages_of_any_host_and_namespace() -> None:
    page = "<html{}><body><ol><li><a href='/x'>x</a></li></ol></body></html>"
    roots = [
        Selector(text=page.format("")).root,
        etree.fromstring(page.format(' xmlns="http://www.w3.org/1999/xhtml"')),
    ]
    found = {
        link.zone
        for root in roots
        for host in ("a", "b")
        for link in read_page(root, f"http://{host}.example/").links
    }
    assert found == {zone_of("li", "ol", "body", "html")}


def test_context_is_bounded_at_word_ends() -> None:
    words = " ".join(f"word{i:03}" for i in range(100))
    link = read(f"<p>{words} <a href=/x>mid</a> {words}</p>").links[0]
    before = " ".join(f"word{i:03}" for i in range(93, 100))
    after = " ".join(f"word{i:03}" for i in range(7))
    assert link.context == f"{before} {after}"


def test_context_without_spaces_is_cut_all_the_same() -> None:
    link = read(f"<p>{'字' * 500}<a href=/x>錨</a>{'文' * 500}</p>").links[0]
    assert link.context == "字" * 60 + " " + "文" * 60


def test_long_anchor_is_bounded() -> None:
    assert len(read(f"<a href=/x>{'long words ' * 100}</a>").links[0].anchor) == 200


@pytest.mark.parametrize(
    ("markup", "anchor"),
    [
        ('<a href="/x"><img src="i.png" alt="a picture"></a>', "a picture"),
        ('<a href="/x" title="a title"></a>', "a title"),
        ('<a href="/x" title="a title"><img alt="a picture"></a>', "a title"),
        ('<a href="/x" title="a title">text</a>', "text"),
        ('<a href="/x"><img alt="first"><img alt="second"></a>', "first"),
        ('<map><area href="/x" alt="an area"></map>', "an area"),
        ('<iframe src="/x" title="a frame"></iframe>', "a frame"),
        ('<frameset><frame src="/x" name="menu"></frameset>', "menu"),
        ('<a href="/x"></a>', ""),
    ],
)
def test_anchor_of_a_link_without_text(markup: str, anchor: str) -> None:
    [link] = read(markup).links
    assert (link.url, link.anchor) == ("http://site.example/x", anchor)


_FRAMES = "<title>Keeping bees</title><frameset><frame src=menu.htm name=menu>{}</frameset>"


def test_page_of_frames_says_its_title_of_them_and_of_itself() -> None:
    page = read(_FRAMES.format("<frame src=hives.htm title=Hives>"))
    assert page.text == "Keeping bees"
    assert [link.anchor for link in page.links] == ["Keeping bees", "Hives"]


def test_what_a_page_has_for_readers_without_frames_is_read() -> None:
    page = read(_FRAMES.format("<noframes><body>Honey <a href=all.htm>and wax</a></noframes>"))
    assert page.text == "Honey and wax"
    assert [link.anchor for link in page.links] == ["Keeping bees", "and wax"]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("", "Keeping bees"),
        ("<!-- nothing -->", "Keeping bees"),
        ("no markup &amp; such", "no markup & such"),
        ("<noframes>" * 5_000, "Keeping bees"),
        ('<?xml version="1.0" encoding="latin-1"?>Bienenwärter', "Bienenwärter"),
    ],
)
def test_odd_text_for_readers_without_frames(inside: str, text: str) -> None:
    assert read(_FRAMES.format(f"<noframes>{inside}</noframes>")).text == text


def test_title_is_no_text_of_a_page_without_frames() -> None:
    assert read("<title>Keeping bees</title><iframe src=/x></iframe>").text == ""


@pytest.mark.parametrize("rel", ["nofollow", "UGC", "noopener  sponsored"])
def test_links_that_endorse_nothing_are_marked(rel: str) -> None:
    links = read(f'<a href="/a" rel="{rel}">a</a><a href="/b" rel="next">b</a>').links
    assert [link.nofollow for link in links] == [True, False]


@pytest.mark.parametrize("content", ["noindex, NOFOLLOW", "none", "nofollow"])
def test_robots_meta_speaks_for_every_link_of_the_page(content: str) -> None:
    markup = f'<a href="/a">a</a><meta name="Robots" content="{content}"><a href="/b">b</a>'
    assert [link.nofollow for link in read(markup).links] == [True, True]


def test_repeated_address_is_one_link_at_its_first_place_with_all_its_anchors() -> None:
    markup = """<p>top <a href="/a">Home</a> <a href="/b">B</a>
        <a href="/a#part">the home page</a> <a href="/a">Home</a></p>"""
    links = read(markup).links
    assert [(link.url, link.anchor) for link in links] == [
        ("http://site.example/a", "Home the home page"),
        ("http://site.example/b", "B"),
    ]
    assert links[0].context.startswith("top B")


def test_one_endorsing_mention_is_enough() -> None:
    markup = '<a href="/a" rel="nofollow">x</a><a href="/a">y</a><a href="/a#z" rel="ugc">z</a>'
    assert [link.nofollow for link in read(markup).links] == [False]


def test_joined_anchors_stay_bounded() -> None:
    markup = "".join(f'<a href="/a#{i}">{"word" * 10}{i}</a>' for i in range(50))
    [link] = read(markup).links
    assert len(link.anchor) <= 200


def test_a_date_in_the_block_of_a_link_is_when_its_target_changed() -> None:
    day = 86_400.0
    first = 1_609_459_200.0  # 2021-01-01
    page = read(
        "<ul><li><a href=/1>One</a> <time datetime=2021-01-01>Jan 1</time>"
        "<li><time>2021-01-02</time> <a href=/2>Two</a>, <time datetime=2021-01-01></time>"
        "<li><a href=/3>Three</a><time datetime=PT5M>5 min</time><li><a href=/4>Four</a></ul>"
        "<p><time datetime=2021-01-03></time></p><a href=/5>Five</a>"
        "<div><a href=/1#top>Once more</a> <i><time datetime=2021-01-04T00:00Z>x</time></i></div>"
    )
    assert {link.url[-1]: link.modified for link in page.links} == {
        "1": first + 3 * day,
        "2": first + day,
        **dict.fromkeys("345"),
    }
    assert "Jan 1" in page.text
