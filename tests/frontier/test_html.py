"""The reader of pages: what it must find, what it must survive."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from frontier.hrefs import MAX_URL, Resolver
from frontier.html import Link, PageContent, plain_page, read_page

PAGE = "http://site.example/docs/page.html"


def read(markup: str, base_url: str = PAGE, **options: int) -> PageContent:
    return read_page(Selector(text=markup).root, base_url, **options)


def urls(markup: str, base_url: str = PAGE, **options: int) -> list[str]:
    return [link.url for link in read(markup, base_url, **options).links]


# text and title


def test_title_and_text_are_collapsed_and_apart() -> None:
    page = read("<head><title> A\n title </title></head><body><p>One\t two</p>\n three")
    assert page == PageContent("A title", "One two three", [])


def test_what_a_reader_does_not_see_is_not_text() -> None:
    markup = """<p>seen</p><script>var a = "<a href='/js'>js</a>";</script><style>p {}</style>
        <noscript><a href=/no>no</a></noscript><template><a href=/t>t</a></template>
        <!-- comment --><?php echo 1 ?><p>also seen"""
    page = read(markup)
    assert page.text == "seen also seen"
    assert page.links == []


def test_text_after_a_hidden_element_a_comment_or_an_instruction_is_kept() -> None:
    assert read("<p>a<script>x</script> b<!-- x --> c<?x y?> d</p>").text == "a b c d"


def test_blocks_end_a_word_and_inline_elements_do_not() -> None:
    markup = "<ul><li>one</li><li>t<b>w</b>o</li></ul>a<br>b <a href=/1>x</a><a href=/2>y</a>"
    assert read(markup).text == "one two a b x y"


def test_title_of_a_drawing_does_not_replace_the_title_of_the_page() -> None:
    assert read("<title>page</title><svg><title>icon</title></svg>").title == "page"


def test_endless_title_is_cut() -> None:
    assert len(read(f"<title>{'x' * 100_000}</title>").title) == 500


def test_plain_text_has_no_title_and_no_links() -> None:
    assert plain_page(" a  <a href=/x>\n b ") == PageContent("", "a <a href=/x> b", [])


@pytest.mark.parametrize("root", [None, "text", 3, object()])
def test_what_is_no_element_is_an_empty_page(root: Any) -> None:
    assert read_page(root, PAGE) == PageContent("", "", [])


@pytest.mark.parametrize("root", [etree.Comment("c"), etree.ProcessingInstruction("a", "b")])
def test_a_root_that_is_a_comment_has_no_links(root: Any) -> None:
    assert read_page(root, PAGE).links == []


def test_text_behind_the_root_belongs_to_somebody_else() -> None:
    first = lxml.html.fragment_fromstring("<div><p>mine</p>not mine</div>")[0]
    assert read_page(first, PAGE).text == "mine"


def test_namespaced_documents_are_read_too() -> None:
    root = etree.fromstring(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head>'
        '<body><p>w<b>or</b>d</p><script>no</script><a href="x">y</a></body></html>'
    )
    page = read_page(root, PAGE)
    assert (page.title, page.text) == ("t", "word y")
    assert [link.url for link in page.links] == ["http://site.example/docs/x"]


# links


def test_a_link_has_its_anchor_and_its_surroundings() -> None:
    page = read('<p>Read <i>more</i> about <a href="/pr">Page <b>Rank</b></a> here.</p>')
    assert page.links == [
        Link("http://site.example/pr", "Page Rank", "Read more about here.", False)
    ]


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


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("other.html", "http://site.example/docs/other.html"),
        ("a/b.html?x=1&y=%20", "http://site.example/docs/a/b.html?x=1&y=%20"),
        ("/root", "http://site.example/root"),
        ("../up", "http://site.example/up"),
        ("./here", "http://site.example/docs/here"),
        ("?q=1", "http://site.example/docs/page.html?q=1"),
        ("//other.example/x", "http://other.example/x"),
        ("https://other.example", "https://other.example"),
        ("HTTP://other.example/x", "http://other.example/x"),
        ("other.html#part", "http://site.example/docs/other.html"),
        ("  other.html\n", "http://site.example/docs/other.html"),
        ("ot\nher\t.html", "http://site.example/docs/other.html"),
        ("\\root\\x?a\\b", "http://site.example/root/x?a\\b"),
        ("http://other.example:8080/x", "http://other.example:8080/x"),
        ("http://other.example:80/x", "http://other.example/x"),
        ("https://other.example:443", "https://other.example"),
        ("https://other.example:80/x:443/y", "https://other.example:80/x:443/y"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://[fe80::80]/x", "http://[fe80::80]/x"),
        ("http://[::1]/x", "http://[::1]/x"),
        ("ä.html", "http://site.example/docs/ä.html"),
    ],
)
def test_href_becomes_absolute(href: str, url: str) -> None:
    assert urls(f'<a href="{href}">x</a>') == [url]


@pytest.mark.parametrize(
    "href",
    [
        "",
        "#part",
        "page.html",
        "page.html#part",
        "mailto:a@b.example",
        "javascript:void(0)",
        "ftp://x.example/",
        "file:///etc/passwd",
        "data:text/html,x",
        "tel:123",
        "http://",
        "https:///x",
        "http://[::1/x",
        "http://[bad]/x",
        "http://x.example:port/",
        "http://x.example:99999/",
        "http://x.example:0/",
        "http://a b.example/",
        "http://a..example/",
        "http://.",
        f"http://{'a' * 64}.example/",
        "/" + "x" * MAX_URL,
        "//",
    ],
)
def test_what_cannot_be_fetched_or_is_the_page_itself_is_no_link(href: str) -> None:
    assert urls(f'<a href="{href}">x</a><a href="/next">y</a>') == ["http://site.example/next"]


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://cdn.example/a/", "http://cdn.example/a/x"),
        ("/other/", "http://site.example/other/x"),
        ("http://cdn.example/a//b/", "http://cdn.example/a/b/x"),
        ("javascript:0", "http://site.example/docs/x"),
        ("http://[bad/", "http://site.example/docs/x"),
    ],
)
def test_base_element_is_honoured_where_it_is_usable(base: str, url: str) -> None:
    assert urls(f'<head><base href="{base}"></head><a href="x">x</a>') == [url]


def test_first_base_element_wins_wherever_it_stands() -> None:
    markup = '<a href="x">x</a><base target="_top"><base href="/one/"><base href="/two/">'
    assert urls(markup) == ["http://site.example/one/x"]


def test_relative_links_need_a_base_that_is_a_web_address() -> None:
    assert urls('<a href="x">x</a><a href="http://a.example/">y</a>', "about:blank") == [
        "http://a.example/"
    ]


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


# bounds and hostile pages


def test_number_of_links_is_bounded_and_repetitions_do_not_count() -> None:
    markup = "".join(f'<a href="/{i // 2}">x</a>' for i in range(100))
    assert urls(markup, max_links=3) == [f"http://site.example/{i}" for i in range(3)]


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
    assert page.links == [Link("http://site.example/x", "link", "bottom", False)]


def test_walk_over_an_endless_page_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontier.html._MAX_EVENTS", 100)
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


BASES = st.sampled_from(
    [
        *(
            "http://h.example",
            "http://h.example/",
            "https://h.example/a/b",
            "http://h.example:80/a/",
        ),
        *("http://h.example/a/../b/", "http://h.example/a//b/c", "http://h.example/a/b?c/d", PAGE),
    ]
)
HREFS = st.text(st.sampled_from("ab./?=&%;:@-_~+,!$'()*20é "), max_size=14)


def joined(base: str, href: str) -> str:
    """By the standard library; 80 and 443 go without saying."""
    parts = urlsplit(urljoin(base, href))
    own = {"http": ":80", "https": ":443"}[parts.scheme]
    return parts._replace(netloc=parts.netloc.removesuffix(own)).geturl()


@settings(max_examples=500)
@given(BASES, HREFS | HREFS.map("/".__add__) | HREFS.map("http://h".__add__))
def test_fast_way_of_resolving_equals_the_standard_library(base: str, href: str) -> None:
    found = Resolver(base, None)(href)
    if found is not None:
        assert found == joined(base, href.strip())


def test_fast_way_serves_the_links_of_a_plain_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontier.hrefs.urljoin", None)
    resolve = Resolver(PAGE, None)
    assert resolve("a/b.html?c=d#e") == "http://site.example/docs/a/b.html?c=d"
    assert resolve("/a") == "http://site.example/a"
    assert resolve("https://x.example/y") == "https://x.example/y"


@pytest.mark.parametrize("port", [1, 80, 443, 9999, 10000, 59999, 64999, 65000, 65535])
@pytest.mark.parametrize("href", ["/p/1", "q", "../z", "?a=1", "//other:8080/y", "http://other/x"])
def test_addresses_with_a_port_are_joined_as_urljoin_joins_them(port, href):
    base = f"http://127.0.0.1:{port}/a/b?x=1"
    assert Resolver(base, None)(href) == joined(base, href)


@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_an_address_with_a_port_that_cannot_be_is_none(port):
    assert Resolver("http://example.com/", None)(f"http://example.com:{port}/") is None
