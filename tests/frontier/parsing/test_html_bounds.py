"""The reader of pages: what it must survive."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from frontier.parsing.html import Link, PageContent, read_page

PAGE = "http://site.example/docs/page.html"


def read(markup: str, base_url: str = PAGE, **options: int) -> PageContent:
    return read_page(Selector(text=markup).root, base_url, **options)


def urls(markup: str, base_url: str = PAGE, **options: int) -> list[str]:
    return [link.url for link in read(markup, base_url, **options).links]


def test_number_of_links_is_bounded_and_repetitions_do_not_count() -> None:
    markup = "".join(f'<a href="/{i // 2}">x</a>' for i in range(100))
    assert urls(markup, max_links=3) == [f"http://site.example/{i}" for i in range(3)]


def test_parts_of_one_page_are_one_address() -> None:
    parts = "".join(f"<a href=/a#{i}>x</a>" for i in range(100))
    page = read(parts + "<a href=/b>y</a>" + parts, max_links=3)
    assert [link.url for link in page.links] == ["http://site.example/a", "http://site.example/b"]
    assert not page.truncated


@pytest.mark.parametrize(("links", "truncated"), [(3, False), (4, True)])
def test_page_of_more_links_than_are_read_is_truncated(links: int, truncated: bool) -> None:
    markup = "".join(f'<a href="/{i}">x</a>' for i in range(links))
    assert read(markup, max_links=3).truncated is truncated


def test_many_links_to_one_address_cost_one() -> None:
    [link] = read('<a href="/a">x</a>' * 20_000, max_links=10).links
    assert link.anchor == "x"


def test_deeply_nested_page_is_read() -> None:
    root = etree.Element("div")
    leaf = root
    for _ in range(10_000):  # recursion ends at 1,000
        leaf = etree.SubElement(leaf, "div")
    leaf.text = "bottom"
    etree.SubElement(leaf, "a", href="/x").text = "link"
    page = read_page(root, PAGE)
    assert page.text == "bottom link"
    [link] = page.links
    assert replace(link, zone=0) == Link("http://site.example/x", "link", "bottom", False)


def test_a_zone_is_told_by_the_nearest_elements_of_a_deep_page() -> None:
    def zone(depth: int) -> int:
        return read("<div>" * depth + "<a href=/x>x</a>").links[0].zone

    assert zone(60) != zone(61)
    assert zone(100) == zone(120)


def test_walk_over_an_endless_page_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontier.parsing.html._MAX_EVENTS", 100)
    page = read("".join(f"<a href=/{i}>link{i}</a>" for i in range(1_000)))
    assert 0 < len(page.links) < 100
    assert page.links[0].anchor == "link0"


def test_links_inside_links_are_read() -> None:
    root = etree.Element("div")
    leaf = root
    for i in range(5_000):
        leaf = etree.SubElement(leaf, "a", href=f"/{i}")
        leaf.text = "deep"
    links = read_page(root, PAGE, max_links=100).links
    assert len(links) == 100
    assert all(len(link.anchor) <= 200 for link in links)


def test_tree_is_left_as_it_was() -> None:
    markup = """<base href="/b/"><title>t</title><p>a<!-- c -->b<script>s</script>
        <a href=" x ">y<img alt=z></a><noscript><p>n</noscript>"""
    root = Selector(text=markup).root
    before = etree.tostring(root)
    read_page(root, PAGE)
    assert etree.tostring(root) == before


PIECES = st.sampled_from(
    [
        *(
            "<p>",
            "</p>",
            "<a href='",
            "'>",
            "</a>",
            "<b>",
            "<base href='",
            "<script>",
            "</script>",
        ),
        *("<title>", "<!--", "-->", "<?", "?>", "<img alt='", "<meta name=robots content='"),
        *("http://", "//", "[", "]", ":", "x.example", "\\", "#", "?", "\x00", "&#0;", "&amp;"),
        *("rel='nofollow'", "<svg><a xlink:href='", "<![CDATA[", "javascript:", " ", "\ud7ff"),
        *(
            "<frame src='",
            "<area href='",
            "<template>",
            "<iframe src='",
            "</title>",
            "é",
            "..",
            "/",
        ),
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join), st.text(max_size=20))
def test_random_markup_never_raises_and_gives_web_addresses_only(markup: str, base: str) -> None:
    root = Selector(text=markup or "x").root
    before = etree.tostring(root)
    for base_url in (PAGE, base, "http://" + base):
        page = read_page(root, base_url)
        for link in page.links:
            parts = urlsplit(link.url)
            assert parts.scheme in ("http", "https")
            assert parts.hostname
            assert "#" not in link.url
            assert len(link.anchor) <= 200
        assert len({link.url for link in page.links}) == len(page.links)
    assert etree.tostring(root) == before
