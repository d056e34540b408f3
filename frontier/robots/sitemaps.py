"""What a sitemap lists (sitemaps.org protocol 0.9): pages, or further sitemaps.

Files are XML, plain lists of URLs, RSS or Atom, compressed or not. They come from strangers: a
document type is refused before a parser sees it, so that no entity can be defined, and what is
decompressed is bounded. Of a file that breaks off the beginning counts.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from lxml import etree

MOST_BYTES = 50 * 1024 * 1024
"""Bytes, decompressed: the protocol's own limit for one file."""
MOST_URLS = 50_000
"""URLs of one file, likewise."""
LONGEST_URL = 2048

_GZIP = b"\x1f\x8b"
_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_XML = re.compile(rb"^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<")
_LINE = re.compile(r"\s*(https?://\S+)\s*", re.IGNORECASE)
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Sitemap:
    """The URLs of pages and of further sitemaps that one file lists, in its order, each once."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read_sitemap(body: bytes, most_bytes: int = MOST_BYTES, most_urls: int = MOST_URLS) -> Sitemap:
    """Read a file; never raises. What is no sitemap lists nothing."""
    content = _unpacked(body, most_bytes)
    if not _XML.match(content):
        return Sitemap(pages=_of_lines(content, most_urls))
    # In UTF-16 each letter has a zero beside it.
    if _DOCTYPE.search(content.replace(b"\0", b"")):
        return Sitemap()
    return _of_xml(content, most_urls)


def _unpacked(body: bytes, most: int) -> bytes:
    if not body.startswith(_GZIP):
        return body[:most]
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        return unpacker.decompress(body, most)
    except zlib.error:
        return b""


def _of_lines(content: bytes, most: int) -> tuple[str, ...]:
    lines = content.decode("utf-8-sig", "replace").splitlines()
    found = (_LINE.fullmatch(line) for line in lines if len(line) <= LONGEST_URL)
    return tuple(dict.fromkeys(one[1] for one in found if one))[:most]


def _of_xml(content: bytes, most: int) -> Sitemap:
    parser = etree.XMLPullParser(
        events=("end",), recover=True, resolve_entities=False, no_network=True, huge_tree=False
    )
    pages: dict[str, None] = {}
    sitemaps: dict[str, None] = {}
    try:
        for start in range(0, len(content), _CHUNK):
            parser.feed(content[start : start + _CHUNK])
            for _, element in parser.read_events():
                url = _url_of(element)
                if url:
                    of_index = _name(element.getparent()) == "sitemap"
                    (sitemaps if of_index else pages)[url] = None
            if len(pages) + len(sitemaps) >= most:
                break
    except etree.LxmlError:
        pass  # what came before counts
    return Sitemap(tuple(pages)[:most], tuple(sitemaps)[:most])


def _name(element: etree._Element | None) -> str:
    tag = None if element is None else element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _url_of(element: etree._Element) -> str:
    """URL that an element names; it is emptied afterwards, for a file has very many."""
    name, parent = _name(element), _name(element.getparent())
    text = ""
    if (name == "loc" and parent in {"url", "sitemap"}) or (name == "link" and parent == "item"):
        text = element.text or ""
    elif name == "link" and parent == "entry":
        text = element.get("href") or ""
    if name in {"url", "sitemap", "item", "entry"}:
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    text = text.strip()
    return text if len(text) <= LONGEST_URL else ""
