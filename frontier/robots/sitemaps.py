"""What a sitemap lists (sitemaps.org protocol 0.9): pages, or further sitemaps.

Files are XML, plain lists of URLs, RSS or Atom, compressed or not, in any charset. They come from
strangers: what is decompressed is bounded, no entity is expanded, and what is damaged costs itself
only (`frontier.parsing.xml_tokens`): no address is made up of the pieces of a broken one. What was
skipped is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from frontier.errors import PageError
from frontier.parsing.charset import charset_of, decoded
from frontier.parsing.decompress import unpack
from frontier.parsing.xml_tokens import attributes_of, joined, pieces

MOST_BYTES = 50 * 1024 * 1024
"""Bytes, decompressed: the protocol's own limit for one file."""
MOST_URLS = 50_000
"""URLs of one file, likewise."""
LONGEST_URL = 2048

_GZIP = b"\x1f\x8b"
_MOST_LAYERS = 4
_CHILDREN = {"url": "loc", "sitemap": "loc", "item": "link", "entry": "link"}
"""What lists a URL, and the child that has it."""
_ROOT = re.compile(
    r"<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex|rss|feed|rdf|channel|url|sitemap)[\s>]",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)
_LINE = re.compile(r"https?://\S+", re.IGNORECASE)
_BREAK = re.compile(r"\s*[\r\n]\s*")
_NOTES = re.compile(r"<(lastmod|changefreq|priority)>[^<]*</\1>")
"""Half of most sitemaps, and nothing that is of use here."""
_MOST_TAGS = 600_000
"""Tags that are looked at: 50,000 URLs with an image each, and a second or two of work."""
_DEEPEST = 64
"""Elements within each other; a sitemap has four."""


@dataclass(frozen=True)
class Sitemap:
    """The URLs of pages and of further sitemaps that one file lists, in its order, each once.

    `problems` are what of the file could not be read, in words; `skipped` is how many of its
    entries have no URL that can be used.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    problems: tuple[str, ...] = field(default=(), compare=False)
    skipped: int = field(default=0, compare=False)


def read_sitemap(
    body: bytes,
    most_bytes: int = MOST_BYTES,
    most_urls: int = MOST_URLS,
    *,
    url: str = "",
    content_type: str = "",
    cut: str = "",
) -> Sitemap:
    """Read a file; never raises. What is no sitemap lists nothing.

    Relative URLs are joined to `url`, where the file lies, if it is given. `content_type` is the
    header it came with, `cut` why the download ended early ("": it did not).
    """
    reading = _Reading(url, most_urls)
    content, broken = _unpacked(body, most_bytes)
    text = decoded(content, charset_of(content, content_type)).replace("\0", "")
    root = _ROOT.search(text)
    if root and _ENTITY.search(text, 0, root.start()):
        reading.problems.append("it defines entities, which no sitemap needs, and is not read")
    elif root:
        reading.read_xml(text)
    elif text.lstrip()[:1] != "<":
        reading.read_lines(text, is_cut=bool(broken or cut))
    if broken or cut:
        reading.problems.append(f"it breaks off ({broken or cut})")
    return reading.result()


def _unpacked(body: bytes, most: int) -> tuple[bytes, str]:
    """Content of a file, whatever its server says of it, and why that is not all of it."""
    cut = f"more than {most:,} bytes" if len(body) > most else ""
    content = body[:most]
    for _ in range(_MOST_LAYERS):
        if not content.startswith(_GZIP):
            break
        try:
            layer = unpack(content, ["gzip"], most)
        except PageError as error:
            return b"", str(error)
        content, cut = layer.body, layer.cut or cut
    return content, cut


class _Element(NamedTuple):
    name: str
    prefix: str
    base: str


class _Reading:
    """One file, as far as it was read.

    Invariant: `_open` holds the elements that the reading is inside of, at most `_DEEPEST`, and
    `_in_address` is whether the innermost one is a URL's, and nothing but text came in it.
    """

    def __init__(self, base: str, most: int) -> None:
        self.problems: list[str] = []
        self._most = most
        self._base = base
        self._open: list[_Element] = []
        self._in_address = False
        self._entries = self._used = 0
        self._has_url = False
        self._pages: dict[str, None] = {}
        self._sitemaps: dict[str, None] = {}

    def read_lines(self, text: str, *, is_cut: bool) -> None:
        """Read a list of URLs; the last line of a list that was cut may be half of one."""
        lines = text.splitlines()
        for line in lines[:-1] if is_cut and text[-1:] not in "\r\n" else lines:
            written = line.strip()
            if not written or written.startswith("#"):
                continue
            self._entry()
            if _LINE.fullmatch(written):
                self._take(written, self._base, self._pages)
            if self._is_full():
                return

    def read_xml(self, text: str) -> None:
        """Read a sitemap, an index, RSS or Atom."""
        for number, (before, tag, attributes, is_end) in enumerate(pieces(_NOTES.sub("", text))):
            prefix, _, name = tag.rpartition(":")
            if not name:
                break  # the end of the file
            if number >= _MOST_TAGS:
                self.problems.append(f"it has more than {_MOST_TAGS:,} tags")
                return
            if is_end:
                self._end(name, before)
                if name in _CHILDREN and self._is_full():
                    return
            else:
                self._start(prefix, name, attributes)
        if self._open:
            self.problems.append("it ends inside an element")

    def result(self) -> Sitemap:
        """Return what was read, and say what was not."""
        skipped = self._entries - self._used
        if skipped:
            self.problems.append(f"{skipped:,} of {self._entries:,} entries have no usable URL")
        if not (self._entries or self.problems):
            self.problems.append("it lists nothing")
        pages, sitemaps = tuple(self._pages), tuple(self._sitemaps)
        return Sitemap(pages, sitemaps, tuple(self.problems), skipped)

    def _is_full(self) -> bool:
        return len(self._pages) + len(self._sitemaps) >= self._most

    def _start(self, prefix: str, name: str, attributes: str) -> None:
        if name in _CHILDREN:
            self._close(name)  # one that was not closed: they are never inside of each other
            self._entry()
        parent = self._open[-1] if self._open else _Element("", "", self._base)
        base = parent.base
        if "xml:base" in attributes:
            base = joined(base, attributes_of(attributes).get("xml:base", "").strip())
        is_address = _CHILDREN.get(parent.name) == name
        if is_address and name == "link":
            self._take(_linked_page(attributes), base, self._pages)
        is_open = not attributes.endswith("/") and len(self._open) < _DEEPEST
        # Not an image's or a video's. Where another element begins the end of a URL is not known.
        self._in_address = is_open and is_address and prefix == parent.prefix
        if is_open:
            self._open.append(_Element(name, prefix, base))

    def _end(self, name: str, text: str) -> None:
        if self._in_address:
            parent, element = self._open[-2:]
            urls = self._sitemaps if parent.name == "sitemap" else self._pages
            self._take(text, element.base, urls)
            self._in_address = False
        self._close(name)

    def _close(self, name: str) -> None:
        """Leave the innermost element of a name, and whatever was not closed in it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].name == name:
                del self._open[at:]
                return

    def _entry(self) -> None:
        self._entries += 1
        self._has_url = False

    def _take(self, written: str, base: str, urls: dict[str, None]) -> None:
        address = _BREAK.sub("", written.strip())
        url = joined(base, address) if address and base else address
        if url and len(url) <= LONGEST_URL:
            urls[url] = None
            self._used += not self._has_url
            self._has_url = True


def _linked_page(tag: str) -> str:
    """Where an Atom link leads if that is the entry's own page; "" otherwise."""
    attributes = attributes_of(tag)
    is_page = attributes.get("rel", "").strip().lower() in ("", "alternate")
    return attributes.get("href", "") if is_page else ""
