"""Feeds are read as pages of links, whatever is in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.parsing.content import PageContent
from frontier.parsing.feed import feed_as_page, is_feed
from frontier.parsing.reader import read_markup

FEED = "http://a.example/blog/feed"
RSS = """<?xml version="1.0"?><!-- a feed --><!DOCTYPE rss [<!ENTITY own "x">]>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>News &amp; more</title><link>http://a.example/</link>
<atom:link href="http://a.example/own" rel="self"/><atom:link href="/feed?page=2" rel="next"/>
<image><title>Logo</title><url>http://a.example/i.png</url><link>http://a.example/logo</link></image>
<item><title><![CDATA[One <b>bold</b>]]></title><link>/1?a=1&amp;b=2</link>
  <guid>http://a.example/?p=1</guid><description>&lt;p&gt;Text of one&lt;/p&gt;</description>
  <enclosure url="http://a.example/1.mp3"/></item>
<item><title>Two</title><link><![CDATA[ http://a.example/2 ]]></link>
  <guid isPermaLink="false">http://a.example/no</guid>
  <content:encoded><![CDATA[Words <a href="/in">within</a>]]></content:encoded></item>
<item><title>Three</title><guid>http://a.example/3</guid><guid>urn:3</guid></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base='http://b.example/'>
<title type="text">Comets</title><link rel="self" href="http://a.example/self"/>
<link rel="hub" href="http://a.example/hub"/><link href="http://a.example/home"/>
<entry><title type="html">&lt;i&gt;Halley&lt;/i&gt;</title><link rel='alternate' href="halley"/>
  <link rel="replies" href="/talk"/><link rel="edit" href="/edit"/>
  <link rel="enclosure" href="/comet.mp3"/><id>http://a.example/id</id>
  <content type="xhtml"><div>A <em>long</em> tail<a title="x>y" href="/z"/></div></content>
  <source><title>Elsewhere</title><link href="http://c.example/"/></source></entry></feed>"""


def read(feed: str, most: int = 5_000) -> PageContent:
    return read_markup(feed, "utf-8", FEED, most)


def anchors(feed: str) -> dict[str, str]:
    return {link.url: link.anchor for link in read(feed).links}


def test_rss_leads_to_its_items_by_their_titles() -> None:
    assert anchors(RSS) == {
        "http://a.example/": "News & more",
        "http://a.example/feed?page=2": "News & more",
        "http://a.example/1?a=1&b=2": "One bold",
        "http://a.example/?p=1": "One bold",
        "http://a.example/2": "Two",
        "http://a.example/3": "Three",
    }


def test_rss_says_what_its_items_say() -> None:
    page = read(RSS)
    assert page.title == "News & more"
    assert page.text == "News & more One bold Text of one Two Words within Three"
    assert not page.truncated


def test_atom_leads_to_pages_and_not_to_what_else_it_links_to() -> None:
    assert anchors(ATOM) == {
        "http://a.example/home": "Comets",
        "http://b.example/halley": "Halley",
        "http://b.example/talk": "Halley",
    }
    assert read(ATOM).title == "Comets"
    assert "A long tail" in read(ATOM).text


def test_items_of_rss_1_stand_beside_their_channel() -> None:
    feed = """<rdf:RDF><channel rdf:about="x"><title>Old</title><link>/old</link></channel>
    <item rdf:about="y"><title>First</title><link>/first</link></item></rdf:RDF>"""
    assert anchors(feed) == {"http://a.example/old": "Old", "http://a.example/first": "First"}
    assert read(feed).title == "Old"


@pytest.mark.parametrize(
    "text",
    [
        "<rss>",
        " \n<?xml version='1.0'?>\n<feed xmlns='x'>",
        "<!-- <html> --><rdf:RDF >",
        '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "x.dtd"><rss version="0.91">',
        "<!DOCTYPE rss [<!ENTITY a 'x'>\n<!ENTITY b '&a;'>]> <rss>",
        "<atom:feed xmlns:atom='x'>",
        "<urlset>",
        '<?xml version="1.0"?><sitemapindex xmlns="x">',
    ],
)
def test_a_feed_is_known_by_its_first_element(text: str) -> None:
    assert is_feed(text)


@pytest.mark.parametrize(
    "text",
    ["", "<html><rss>", "<feedback>", "text <rss>", "<!-- <rss> -->", "<urls>", "x" * 9_999],
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_feed(text)


def test_links_are_relative_to_the_bases_around_them() -> None:
    atom = (
        "<feed xml:base='/blog/'><entry xml:base='one/'><link href='x'/><entry><link href='z'/>"
        "</entry></entry><entry xml:base='http://b.example/'><link href='y'/></entry>"
        "<link href='w'/><entry><link xml:base='//c.example/d/' href='v'/></entry></feed>"
    )
    rss = (
        "<rss xml:base='http://b.example/r/'><channel><item><link>x</link></item>"
        "<item xml:base='s/'><link>y</link><guid>http://a.example/g</guid></item></channel></rss>"
    )
    a, b = "http://a.example/", "http://b.example/"
    assert set(anchors(atom)) == {
        *(f"{a}blog/one/x", f"{a}blog/one/z", f"{b}y", f"{a}blog/w", "http://c.example/d/v"),
    }
    assert set(anchors(rss)) == {f"{b}r/x", f"{b}r/s/y", f"{a}g"}
    assert set(anchors("<rss xml:base='http://['><item><link>x</link></item></rss>")) == {
        f"{a}blog/x"
    }


def test_a_sign_that_stands_for_itself_stays_in_an_address() -> None:
    feed = "<rss><item><link>/a?b=1&copy=2&lang=3&amp;c</link></item>"
    feed += "<item><link><![CDATA[/e?f&g]]></link></item></rss>"
    assert set(anchors(feed)) == {
        "http://a.example/a?b=1&copy=2&lang=3&c",
        "http://a.example/e?f&g",
    }


def test_entities_of_a_document_are_never_expanded() -> None:
    bomb = "".join(f"<!ENTITY e{n + 1} '{f'&e{n};' * 10}'>" for n in range(9))
    page = read(
        f"<!DOCTYPE rss [<!ENTITY e0 'lol'><!ENTITY f SYSTEM 'file:///etc/passwd'>{bomb}]>"
        "<rss><item><title>&e9; &f; &lt;</title><link>/x&e9;</link></item></rss>"
    )
    assert page.title == ""
    assert page.text == "&e9; &f; <"


def test_what_a_text_holds_declares_nothing() -> None:
    page = read(
        '<rss><item><title>t</title><link>/x</link><description><![CDATA[<base href="http://c.example/">'
        '<meta name="robots" content="none"><link rel="canonical" href="/c"></p></body>]]>'
        "</description></item><item><link>/y</link></item></rss>"
    )
    assert [link.url for link in page.links] == ["http://a.example/x", "http://a.example/y"]
    assert (page.robots, page.canonical) == ((), None)
    assert not any(link.nofollow for link in page.links)


def test_no_attribute_leaves_its_quotes() -> None:
    title, link = "\"&gt;&lt;a href='/evil'&gt;", '/x"&gt;&lt;a href=/evil'
    feed = f"<rss><item><title>{title}</title><link>{link}</link></item></rss>"
    assert len(read(feed).links) == 1


@pytest.mark.parametrize("end", ["", "</item>", "</item></channel>", "<item><link>/broken"])
def test_what_breaks_off_is_read_until_then(end: str) -> None:
    assert "http://a.example/x" in anchors(f"<rss><channel><item><link>/x</link>{end}")


@pytest.mark.parametrize(
    "endless",
    [
        *("<!-- -->", "<!--", "<![CDATA[", "<a>", "<item>", "<a '", "<", "&", "<?x", "<guid>"),
        *("<!DOCTYPE a[", "<link a ", "&lt;a", "</item>", "<title>x</title>", "<link a=' '/>"),
    ],
)
@pytest.mark.parametrize("start", ["", "<rss>", "<rss><item><title>", "<rss><item><link "])
def test_endless_repetitions_end(start: str, endless: str) -> None:
    """What is tried twice anywhere takes minutes here."""
    text = start + endless * (400_000 // len(endless))
    assert is_feed(text) is bool(start)
    page = feed_as_page(text)
    assert len(page) < 1_000_000


def test_no_more_links_are_read_than_of_a_page() -> None:
    page = read("<rss>" + "".join(f"<item><link>/{n}</link></item>" for n in range(99)), most=10)
    assert len(page.links) == 10
    assert page.truncated


def test_a_page_is_not_much_longer_than_its_feed() -> None:
    feed = "<rss><title>" + "x" * 2_000 + "</title>" + "<link>/1</link>" * 20_000
    assert len(feed_as_page(feed)) < 3 * len(feed)


PIECES = st.sampled_from(
    [
        *("<rss>", "<feed>", "<item>", "</item>", "<entry>", "</entry>", "<title>", "</title>"),
        *("<link>", "</link>", "<link href='/x'", "/>", ">", "<![CDATA[", "]]>", "<!--", "-->"),
        *("'", '"', "&amp;", "&", "/x", "http://", "<a href=", "\0", "é", "<source>", "</feed>"),
    ]
)


@given(st.lists(PIECES, max_size=60))
def test_it_never_raises(pieces: list[str]) -> None:
    text = "<rss>" + "".join(pieces)
    html = feed_as_page(text)
    assert html.endswith("</body></html>")
    read(text)


def dates(feed: str, most: int = 5_000) -> dict[str, float | None]:
    return {link.url: link.modified for link in read(feed, most).links}


DAY = 86_400.0
FIRST = 1_609_459_200.0  # 2021-01-01
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>http://a.example/1?a=1&amp;b=2</loc><lastmod>2021-01-01</lastmod>
  <changefreq>daily</changefreq><priority>0.5</priority></url>
<url><lastmod> 2021-01-02T01:00:00+01:00 </lastmod><loc> http://a.example/2 </loc>
  <image:image><image:loc>http://a.example/2.png</image:loc></image:image></url>
<url><loc>http://a.example/3</loc></url><url><loc>/4</loc><lastmod>soon</lastmod></url>
<url><lastmod>2021-01-01</lastmod></url><url><loc/></url><url><loc>ftp://a.example/</loc></url>
</urlset>"""
INDEX = """<sitemapindex><sitemap><loc>http://a.example/s1.xml</loc><lastmod>2021-01-01</lastmod>
</sitemap><sitemap><loc>/s2.xml.gz</loc><lastmod>2021-01-02</lastmod></sitemap></sitemapindex>"""


def test_a_sitemap_leads_to_its_pages_and_says_when_they_changed() -> None:
    page = read(SITEMAP)
    assert dates(SITEMAP) == {
        "http://a.example/1?a=1&b=2": FIRST,
        "http://a.example/2": FIRST + DAY,
        "http://a.example/3": None,
        "http://a.example/4": None,
    }
    assert {link.anchor for link in page.links} == {""}
    assert (page.title, page.sitemaps, page.truncated) == ("", (), False)


def test_a_sitemap_of_sitemaps_leads_to_them_and_names_them_last_changed_first() -> None:
    first, second = "http://a.example/s1.xml", "http://a.example/s2.xml.gz"
    assert dates(INDEX) == {first: FIRST, second: FIRST + DAY}
    assert read(INDEX).sitemaps == (second, first)
    many = "".join(f"<sitemap><loc>/{number}</loc></sitemap>" for number in range(60))
    assert len(read(f"<sitemapindex>{many}</sitemapindex>").sitemaps) == 50


def test_of_a_long_sitemap_the_pages_that_changed_last_are_read() -> None:
    days = "".join(
        f"<url><loc>/{day}</loc><lastmod>2021-01-{day:02}</lastmod></url>" for day in range(1, 29)
    )
    page = read(f"<urlset><url><loc>/never</loc></url>{days}</urlset>", 3)
    assert [link.url for link in page.links] == [f"http://a.example/{day}" for day in (28, 27, 26)]
    assert page.truncated
    same = "".join(f"<url><loc>/{n}</loc><lastmod>2021</lastmod></url>" for n in range(9))
    page = read(f"<urlset>{same}</urlset>", 2)
    assert [link.url for link in page.links] == ["http://a.example/0", "http://a.example/1"]


def test_items_of_feeds_say_when_they_changed_and_feeds_do_not() -> None:
    rss = """<rss><channel><link>/</link><pubDate>Sat, 02 Jan 2021 00:00:00 GMT</pubDate>
    <item><link>/1</link><guid>http://a.example/g</guid>
      <pubDate>Fri, 01 Jan 2021 01:00:00 +0100</pubDate></item>
    <item><link>/2</link><dc:date xmlns:dc="x">2021-01-02T00:00Z</dc:date></item>
    <item><link>/3</link><pubDate>yesterday</pubDate></item></channel></rss>"""
    atom = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/>
    <updated>2021-01-09T00:00:00Z</updated><entry><link href="/1"/>
      <updated>2021-01-02T00:00:00.123Z</updated><published>2021-01-01T00:00:00Z</published></entry>
    <entry><link href="/2"/><published>2021-01-01</published></entry></feed>"""
    root = "http://a.example/"
    rss_dates = {root: None, f"{root}1": FIRST, f"{root}g": FIRST}
    assert dates(rss) == {**rss_dates, f"{root}2": FIRST + DAY, f"{root}3": None}
    assert dates(atom) == {root: None, f"{root}1": FIRST + DAY, f"{root}2": FIRST}


def test_each_entry_of_a_feed_is_a_block() -> None:
    page = read_markup(RSS, "utf-8", FEED, 100, blocks=True)
    assert page.blocks == ("News & more", "One bold Text of one", "Two Words within", "Three")
