"""Sitemaps as they are written, and as somebody would write them to do harm."""

from __future__ import annotations

import gzip
import zlib

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


def test_depth_costs_nothing() -> None:
    assert read_sitemap(b"<a>" * 100_000) == Sitemap()


@given(st.binary(max_size=300))
def test_nothing_makes_it_raise(body: bytes) -> None:
    for packed in (body, b"\x1f\x8b" + body, b"<urlset>" + body, gzip.compress(body)):
        assert read_sitemap(packed).sitemaps == ()
