"""From what a link says to an address, as browsers resolve it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsel import Selector

from frontier.parsing.html import PageContent, read_page
from frontier.urls.canonical import canonical_url
from frontier.urls.resolve import MAX_URL, Resolver

PAGE = "http://site.example/docs/page.html"


def read(markup: str, base_url: str = PAGE, **options: int) -> PageContent:
    return read_page(Selector(text=markup).root, base_url, **options)


def urls(markup: str, base_url: str = PAGE, **options: int) -> list[str]:
    return [link.url for link in read(markup, base_url, **options).links]


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
    ("href", "url"),
    [
        ("http:other.html", "http://site.example/docs/other.html"),
        ("http:/root", "http://site.example/root"),
        ("https:/other.example/x", "https://other.example/x"),
        ("https:other.example", "https://other.example"),
        ("http:///other.example/x", "http://other.example/x"),
        ("///other.example/x", "http://other.example/x"),
        ("\\\\other.example\\x", "http://other.example/x"),
        ("/\\other.example/x", "http://other.example/x"),
        ("http://other.example?q=1", "http://other.example?q=1"),
        ("http://other.example:/x", "http://other.example/x"),
        ("http://other.example:00080/x", "http://other.example/x"),
        ("http://user:pw@other.example:8080/x", "http://other.example:8080/x"),
        ("http://a:b@c:d@other.example/x", "http://other.example/x"),
        ("http://%6fther.example/x", "http://other.example/x"),
        ("http://bücher.example/x", "http://bücher.example/x"),
        ("http://other.example./x", "http://other.example./x"),
        ("a b.html", "http://site.example/docs/a b.html"),
        ("/a//b/../c", "http://site.example/a//c"),
        ("/a/%2E%2e/b", "http://site.example/b"),
        ("/a/./b/.", "http://site.example/a/b/"),
        ("../../../x", "http://site.example/x"),
        ("/..", "http://site.example/"),
        ("\x01 /x\x1f", "http://site.example/x"),
        ("#a/../b", None),
        ("java\nscript:alert(1)", None),
        ("http://user@/x", None),
    ],
)
def test_odd_addresses_are_read_as_browsers_read_them(href: str, url: str | None) -> None:
    found = Resolver(PAGE, None)(href)
    assert (None if found == PAGE else found) == url


@pytest.mark.parametrize(
    ("charset", "href", "url"),
    [
        ("utf-8", "/ä?q=ä", "http://site.example/ä?q=ä"),
        ("cp1252", "/ä?q=ä&ö=ü", "http://site.example/ä?q=%E4&%F6=%FC"),
        ("cp1252", "?q=д", "http://site.example/docs/page.html?q=%26%231076%3B"),
        ("koi8-r", "?q=да", "http://site.example/docs/page.html?q=%C4%C1"),
        ("cp932", "?q=表", "http://site.example/docs/page.html?q=%95%5C"),
        ("euc_jp", "?q=日本", "http://site.example/docs/page.html?q=%C6%FC%CB%DC"),
        ("gb18030", "?q=中", "http://site.example/docs/page.html?q=%D6%D0"),
        ("big5hkscs", "?q=中", "http://site.example/docs/page.html?q=%A4%A4"),
        ("iso2022_jp_ext", "?q=日x", "http://site.example/docs/page.html?q=%1B%24BF%7C%1B%28Bx"),
        ("utf-16-le", "?q=ä", "http://site.example/docs/page.html?q=ä"),
        ("cp1252", "http://o.example/?ä#ä", "http://o.example/?%E4"),
    ],
)
def test_queries_are_written_in_the_charset_of_the_page(charset: str, href: str, url: str) -> None:
    assert Resolver(PAGE, None, charset)(href) == url


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
        "https:///",
        "http://:80/",
        "http://x.example:8 0/",
        "http://x.example:٣/",
        "http://[::1]x/",
        "http://[fe80::1%25eth0]/",
        "blob:http://x.example/y",
        "localhost:8080/x",
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
        ("http://cdn.example/a//b/", "http://cdn.example/a//b/x"),
        ("javascript:0", "http://site.example/docs/x"),
        ("http://[bad/", "http://site.example/docs/x"),
    ],
)
def test_base_element_is_honoured_where_it_is_usable(base: str, url: str) -> None:
    assert urls(f'<head><base href="{base}"></head><a href="x">x</a>') == [url]


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


@settings(max_examples=100)
@given(
    BASES | BASES.map("http://h/a/b/".__add__),
    HREFS | HREFS.map("/".__add__) | HREFS.map("http://h".__add__) | HREFS.map("../".__add__),
)
def test_fast_way_of_resolving_equals_the_thorough_one(base: str, href: str) -> None:
    found = Resolver(base, None)(href)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("frontier.urls.resolve._PLAIN_URL", lambda _: None)
        assert Resolver(base, None)(href) == found


@settings(max_examples=100)
@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(["utf-8", "cp1252", "cp932"]))
def test_what_was_resolved_stays_as_it_is(base: str, href: str, charset: str) -> None:
    found = Resolver("http://h.example/" + base, None, charset)(href)
    assert found is None or Resolver(PAGE, None, charset)(found) == found


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/\x1b[2J", "http://a.example/%1B[2J"),
        ("x\x7f?q=\x9b\u202e", "http://a.example/x%7F?q=%C2%9B%E2%80%AE"),
        ("http://b.example/\x00", "http://b.example/"),
        ("http://b.example/\x00x", "http://b.example/%00x"),
    ],
)
def test_what_a_terminal_obeys_is_percent_encoded(href: str, expected: str) -> None:
    found = Resolver("http://a.example/", None)(href)
    assert found == expected
    assert canonical_url(found) == canonical_url(f"{found}#")
