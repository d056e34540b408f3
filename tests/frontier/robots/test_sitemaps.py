"""Sitemaps as they are written, and as somebody would write them to do harm."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.robots.sitemaps import LONGEST_URL, Sitemap, read_sitemap

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
A, B = "http://h.example/a", "http://h.example/b?c=d&e"


def urlset(*urls: str, more: str = "") -> str:
    listed = "".join(f"<url><loc> {one.replace('&', '&amp;')}\n</loc>{more}</url>" for one in urls)
    return f"{XML}<urlset {SPACE}>{listed}</urlset>"


INDEX = f"{XML}<sitemapindex {SPACE}><sitemap><loc>{A}</loc></sitemap></sitemapindex>"
RSS = f"<rss><channel><link>http://h.example/</link><item><link>{A}</link></item></channel></rss>"
ATOM = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{A}"/></entry></feed>'


@pytest.mark.parametrize(
    ("body", "listed"),
    [
        (urlset(A, B).encode(), Sitemap((A, B))),
        (urlset(A, A).encode(), Sitemap((A,))),
        (urlset(A).replace(f" {SPACE}", "").encode(), Sitemap((A,))),
        (
            urlset(A, more="<image><loc>http://h.example/i.png</loc></image>").encode(),
            Sitemap((A,)),
        ),
        (urlset(A).replace("UTF-8", "UTF-16").encode("utf-16"), Sitemap((A,))),
        (gzip.compress(urlset(A).encode(), mtime=0), Sitemap((A,))),
        (INDEX.encode(), Sitemap((), (A,))),
        (RSS.encode(), Sitemap((A,))),
        (ATOM.encode(), Sitemap((A,))),
        (f"\ufeff{A}\r\n{B}\nnonsense\n".encode(), Sitemap((A, B))),
        (urlset(A, B).encode()[:-40], Sitemap((A,))),
        (b"", Sitemap()),
        (b"<html><body><a href='/x'>", Sitemap()),
        (b"\x1f\x8b broken", Sitemap()),
        (bytes(range(256)) * 9, Sitemap()),
        (urlset("http://h.example/" + "a" * LONGEST_URL).encode(), Sitemap()),
    ],
)
def test_what_a_file_lists(body: bytes, listed: Sitemap) -> None:
    assert read_sitemap(body) == listed


H = "http://h.example/"


def listed(*locs: str, root: str = "urlset") -> str:
    """A sitemap with each `<loc>` as it is written."""
    return f"<{root}>" + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs) + f"</{root}>"


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        # What is written wrongly in an address, or oddly
        (listed("/a?b=1&c=2&copy=3&sect=4", "/b"), ["/a?b=1&c=2&copy=3&sect=4", "/b"]),
        (listed("/a?b=1&amp;c=&#50;&#x33;&nosuch;"), ["/a?b=1&c=23&nosuch;"]),
        (listed("<![CDATA[/a?b=1&c=2]]>", " <![CDATA[ /b ]]>\n"), ["/a?b=1&c=2", "/b"]),
        (listed("/a<!-- a comment -->b", "/<?pi x?>c"), ["/ab", "/c"]),
        (listed("\n  /a/\r\n  b  \n"), ["/a/b"]),
        (listed("/a<b", "/c > d ]]>"), ["/a<b", "/c > d ]]>"]),
        (listed("/a<b>c</b>", "/d"), ["/d"]),
        (listed("/\x01a", "/b&#1;"), ["/\x01a", "/b&#1;"]),
        # Elements that are not closed, closed twice, or something else
        ("<urlset><url><loc>/a</url><url><loc>/b</url></urlset>", ["/a", "/b"]),
        ("<urlset>" + "<url><loc>/a</loc><priority>1" * 99 + listed("/b"), ["/a", "/b"]),
        ("<url><loc>/a<lastmod>2026</lastmod></loc></url>", ["/a"]),
        ("<urlset></urlset></x>" + listed("/a") + listed("/b"), ["/a", "/b"]),
        ("<urlset><url x=1 y y='2' y=\"><loc>/a</loc></url>" + listed("/b"), ["/a", "/b"]),
        ("<urlset>< url><!x><?xml?><url/><loc>/x</loc><url><loc/></url>" + listed("/a"), ["/a"]),
        # What stands before and between
        ("<?php?><br />\n<b>Warning</b>: x\n" + XML + listed("/a"), ["/a"]),
        ("Warning: 1 < 2\n" + XML + listed("/a"), ["/a"]),
        ("<!DOCTYPE urlset SYSTEM 'x.dtd'>" + listed("/a"), ["/a"]),
        ("<!-- a --><?xsl x?><urlset><!-- b --><?c?><url><!-- c --><loc>/a</loc></url>", ["/a"]),
        # Names and namespaces
        ("<URLSET><Url><LOC>/a</LOC></Url></URLSET>", ["/a"]),
        ("<s:urlset><s:url><s:loc>/a</s:loc></s:url></s:urlset>", ["/a"]),
        (
            "<urlset><url><image:image><image:loc>/i.png</image:loc></image:image><image:loc>/j.png"
            "</image:loc><video:video><video:player_loc>/v</video:player_loc></video:video>"
            "<image><loc>/k.png</loc></image><loc>/a</loc>"
            "<xhtml:link rel='alternate' hreflang='de' href='/de'/></url></urlset>",
            ["/a"],
        ),
        # RSS and Atom
        (
            "<rss><channel><link>/</link><image><url>/i</url><link>/i</link></image><item><title>"
            "<![CDATA[<!DOCTYPE html><html><item><link>/no</link></item>]]></title><link>/a</link>"
            "<source url='/s'/></item></channel></rss>",
            ["/a"],
        ),
        (
            "<rdf:RDF><item><link>/a</link></item><item><link> /b </link></item></rdf:RDF>",
            list("ab"),
        ),
        (
            "<feed><link href='/'/><entry><link rel='self' href='/s'/><link rel='edit' href='/e'/>"
            "<link rel='enclosure' href='/m.mp3'/><link rel='alternate' href='/a?b=1&amp;c=2'/>"
            "<link href='/b'/><source><link href='/no'/></source></entry></feed>",
            ["/a?b=1&c=2", "/b"],
        ),
        ("<rss><item><atom:link rel='self' href='/s'/><link>/a</link></item></rss>", ["/a"]),
        # Lists
        ("# all pages\r\n\r\n http://h.example/a \r\nhttp://h.example/b\r", ["/a", "/b"]),
        ("not found", []),
        ("<!DOCTYPE html><pre>\nhttp://h.example/a\n</pre>", []),
    ],
)
def test_what_can_be_read_of_an_odd_file_is_read(body: str, pages: list[str]) -> None:
    found = read_sitemap(body.encode(), url=H + "sitemap.xml")
    assert list(found.pages) == [H + page.removeprefix("/") for page in pages]
    assert found.sitemaps == ()


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        *((name, "") for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be")),
        *((name, "UTF-16") for name in ("utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le")),
        *(("utf-8", wrong) for wrong in ("UTF-16", "ISO-8859-1", "nonsense")),
        ("latin-1", "ISO-8859-1"),
        ("latin-1", "UTF-8"),
        ("cp1251", "windows-1251"),
    ],
)
def test_every_charset_is_read(
    encoding: str, declared: str, packed: Callable[[bytes], bytes]
) -> None:
    letters = "\u044f" * 9 if encoding == "cp1251" else "\xe9t\xe9"
    said = f"<?xml version='1.0' encoding='{declared}'?>" if declared else ""
    for text in (said + urlset(A, H + letters), "\n".join([A, H + letters, ""])):
        if encoding != "cp1251" or text.startswith("<?"):
            assert read_sitemap(packed(text.encode(encoding))).pages == (A, H + letters)


def test_all_members_and_layers_of_gzip_are_unpacked() -> None:
    body = urlset(*(f"{H}{n}" for n in range(300))).encode()
    members = gzip.compress(body[:999]) + gzip.compress(body[999:])
    for packed in (members, gzip.compress(members), members + b"\0" * 9):
        found = read_sitemap(packed)
        assert (len(found.pages), found.problems) == (300, ())


def test_of_what_breaks_off_nothing_is_made_up() -> None:
    urls = [f"{H}{n:09}" for n in range(2_000)]
    for body in (urlset(*urls).encode(), "\n".join(urls).encode()):
        packed = gzip.compress(body)
        for cut in (len(packed) // 2, len(packed) - 12):
            found = read_sitemap(packed[:cut])
            assert 100 < len(found.pages) < 2_001
            assert found.pages == tuple(urls[: len(found.pages)])
            assert any("breaks off" in problem for problem in found.problems)
        end = body.rindex(b"9") - 2
        assert read_sitemap(body[:end], cut="truncated").pages == tuple(urls[:-1])
        assert read_sitemap(body, most_bytes=300).pages < tuple(urls[:20])


def test_addresses_are_relative_to_the_file_and_to_the_bases_around_them() -> None:
    atom = (
        "<feed xml:base='/blog/'><entry xml:base='one/'><link href='x'/></entry>"
        "<entry><link href='y'/><link xml:base='/z/' href='z'/></entry></feed>"
    )
    assert read_sitemap(atom.encode(), url=H + "d/atom").pages == (
        *(f"{H}blog/one/x", f"{H}blog/y", f"{H}z/z"),
    )
    index = "<sitemapindex><sitemap><loc>b.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(index.encode(), url=f"{H}maps/a.xml").sitemaps == (f"{H}maps/b.xml",)
    assert read_sitemap(index.encode()).sitemaps == ("b.xml",)


@pytest.mark.parametrize(
    ("body", "skipped", "problems"),
    [
        (urlset(A, B), 0, 0),
        (urlset(A, "") + "<url></url>", 2, 1),
        (urlset(A, B)[:-40], 1, 2),
        (f"{A}\nnonsense\n\n# {B}\n", 1, 1),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]>" + urlset(A), 0, 1),
        ("<html>not found</html>", 0, 1),
        ("", 0, 1),
    ],
)
def test_what_was_skipped_is_counted_and_named(body: str, skipped: int, problems: int) -> None:
    found = read_sitemap(body.encode())
    assert (found.skipped, len(found.problems)) == (skipped, problems)


BOMB = (
    '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    f'<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    f"<urlset {SPACE}><url><loc>&b;&f;</loc></url></urlset>"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_not_even_defined(encoding: str) -> None:
    assert read_sitemap(BOMB.encode(encoding)) == Sitemap()


def test_what_is_unpacked_and_listed_is_bounded() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    line = b"http://h.example/%d\n"
    bomb = b"".join(packer.compress(line % n * 50) for n in range(20_000)) + packer.flush()
    assert len(read_sitemap(bomb, most_bytes=10_000).pages) < 12
    many = urlset(*(f"http://h.example/{n}" for n in range(200)))
    assert len(read_sitemap(many.encode(), most_urls=70).pages) == 70


@pytest.mark.parametrize("junk", ["<a>", "<url>", "<a '", "<![CDATA[", "<!--", "<", "&", "</a>"])
def test_what_is_endless_ends(junk: str) -> None:
    """What is tried twice anywhere takes minutes here."""
    body = f"<urlset><url><loc>{A}</loc></url>" + junk * 100_000
    assert read_sitemap(body.encode()) == Sitemap((A,))


def test_tags_are_bounded() -> None:
    found = read_sitemap(b"<urlset>" + b"<a>" * 700_000 + urlset(A).encode())
    assert found == Sitemap()
    assert "600,000" in found.problems[0]


@given(st.binary(max_size=300))
def test_nothing_makes_it_raise(body: bytes) -> None:
    for packed in (body, b"\x1f\x8b" + body, b"<urlset>" + body, gzip.compress(body)):
        assert read_sitemap(packed).sitemaps == ()
