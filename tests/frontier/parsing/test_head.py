"""What a page declares in its head: rules, canonical address, where it sends on, sitemaps."""

from __future__ import annotations

import pytest
from parsel import Selector

from frontier.parsing.html import PageContent, read_page

PAGE = "http://site.example/docs/page.html"


def read(markup: str) -> PageContent:
    return read_page(Selector(text=markup).root, PAGE)


def test_rules_are_kept_with_the_crawler_they_are_meant_for() -> None:
    markup = """<meta name=Robots content="NoIndex, follow"><meta name=" probe " content=none>
        <meta name=description content="How bees keep warm"><meta name=robots content="">
        <body><meta name=googlebot content="unavailable_after: 2020-01-01">"""
    assert read(markup).robots == (
        ("robots", "NoIndex, follow"),
        ("probe", "none"),
        ("googlebot", "unavailable_after: 2020-01-01"),
    )


def test_rules_that_readers_without_scripts_get_are_no_rules() -> None:
    assert read("<body><noscript><meta name=robots content=noindex></noscript>").robots == ()


def test_rules_are_bounded() -> None:
    page = read('<meta name=robots content="' + "noindex " * 5_000 + '">' + _METAS)
    assert len(page.robots) == 50
    assert max(len(content) for _, content in page.robots) == 1_000


_METAS = "".join(f"<meta name=bot{i} content=noindex>" for i in range(1_000))


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ("<link rel=canonical href=/a>", "http://site.example/a"),
        ('<link rel="alternate Canonical" href="http://o.example/x#y">', "http://o.example/x"),
        ("<link rel=canonical href=page.html>", PAGE),
        ("<base href=/b/><link rel=canonical href=x>", "http://site.example/b/x"),
        ("<link rel=canonical href=/a><link rel=canonical href=/a#part>", "http://site.example/a"),
        ("<link rel=canonical href=/a><link rel=canonical href=/b>", None),
        (
            "<link rel=canonical href=javascript:0><link rel=canonical href=/b>",
            "http://site.example/b",
        ),
        ("<link rel=canonical>", None),
        ("<link rel=canonical href=''>", None),
        ("<link rel=stylesheet href=/a>", None),
        ("<link rel=canonical href=ftp://x.example/>", None),
        ("<!-- <link rel=canonical href=/a> -->", None),
        ("<link rel=canonical href=http://[bad/>", None),
    ],
)
def test_canonical_address(head: str, canonical: str | None) -> None:
    assert read(f"<head>{head}</head><body>x</body>").canonical == canonical


def test_canonical_address_in_the_body_was_written_by_somebody_else() -> None:
    assert read("<body><p>comment <link rel=canonical href=/a></p></body>").canonical is None


@pytest.mark.parametrize(
    ("content", "refresh"),
    [
        ("0;url=/a", (0.0, "http://site.example/a")),
        ("5; URL = '/a'", (5.0, "http://site.example/a")),
        ('3.7,url="/a" more', (3.0, "http://site.example/a")),
        (" 0 url=/a", (0.0, "http://site.example/a")),
        ("0;/a", (0.0, "http://site.example/a")),
        (".5;/a", (0.0, "http://site.example/a")),
        ("0;http://o.example/#x", (0.0, "http://o.example/")),
        ("0;url=page.html", (0.0, PAGE)),
        ("30", None),
        ("0;", None),
        ("0;url=", None),
        ("soon;url=/a", None),
        ("-1;url=/a", None),
        ("0;url=javascript:alert(1)", None),
        ("0;url=file:///etc/passwd", None),
        ("9" * 400 + ";url=/a", (999_999_999.0, "http://site.example/a")),
        ("", None),
    ],
)
def test_refresh_as_browsers_read_it(content: str, refresh: tuple[float, str] | None) -> None:
    quoted = content.replace('"', "&quot;")
    assert read(f'<meta http-equiv=Refresh content="{quoted}">').refresh == refresh


def test_first_refresh_that_leads_somewhere_counts() -> None:
    markup = """<meta http-equiv=refresh content="0;url=data:,x">
        <meta http-equiv=refresh content="1;url=/a"><meta http-equiv=refresh content="2;url=/b">"""
    assert read(markup).refresh == (1.0, "http://site.example/a")


def test_the_sitemaps_that_a_head_names_are_known() -> None:
    one = "<link rel='SiteMap alternate' href=/one.xml>"
    page = read(f"<head>{one}{one}<link rel=sitemap href=data:,><link rel=sitemap></head>{one}")
    assert page.sitemaps == ("http://site.example/one.xml",)
    many = "".join(f"<link rel=sitemap href=/{number}>" for number in range(60))
    assert len(read(f"<head>{many}<link rel=canonical href=/c></head>").sitemaps) == 50
    assert read(f"<head>{many}<link rel=canonical href=/c></head>").canonical is not None
    assert read(f"<body><div>{one}</div></body>").sitemaps == ()
