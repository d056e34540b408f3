"""Reads markup within bounds of bytes, links and hosts, without stalling the parser.

An ordinary page is parsed once: the spider's callback uses the same tree. libxml2 stops at the
2,048th nested element, and compares every attribute of a tag with all others. So elements deeper
than in browsers and tags with thousands of attributes are removed before such a page is parsed;
their content is read.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.errors import PageError
from frontier.parsing.content import NOTHING, plain_page
from frontier.parsing.feed import feed_as_page, is_feed
from frontier.parsing.html import parsed, read_page
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frontier.parsing.content import Link, PageContent

_SMALL = 65_536
"""Characters of a page whose tags cannot stall the parser: a quarter of a second at worst."""
_LIBXML2_DEEPEST = 2_000
"""Nested elements; libxml2 stops at 2,048 and reads nothing behind."""
_DEEPEST = 500
"""Nested elements kept of a deeper page; browsers stop at 512."""
_BLOCK = 8_192
"""Characters; a tag twice as long covers a whole block and leaves no ">" in it."""
_MOST_HIDING = 500
"""Quoted ">" of a page, each of which hides the rest of its tag."""
_MAX_ATTRIBUTES = 2_000
"""Attributes of a tag, counted by their separators."""
_FLAT = frozenset(
    (
        *("a", "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link"),
        *("meta", "param", "source", "track", "wbr"),
    )
)
"""Elements without content, and <a>, which is always kept."""
_RAW = frozenset(
    (
        *("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"),
        "plaintext",
    )
)
"""Elements whose content is text."""
# Nothing behind a repetition can fail, so that there is no backtracking.
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(/?)([a-zA-Z][^\s/>]*)((?:[^>\"']+|\"[^\"]*\"|'[^']*')*)>?", re.DOTALL
)
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{6000,}")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_SEPARATOR = re.compile(r"[\s/]+")
_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_HEAD = 1_024
_FEW_CONTROLS = 32
"""Control characters that a text may have in its first _HEAD characters."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """The limits of reading a page."""

    body: int = 4 * 1024 * 1024
    """Unpacked bytes, as many as the ready-made crawl downloads: a third of a second, and 150 MiB
    while they are parsed."""
    links: int = 5_000
    """A page of a million links must not fill the frontier."""
    hosts: int = 500
    """Hosts that a page may link to; the largest link directories have some hundred."""


def read_html(
    text: str,
    tree: Callable[[], Any],
    charset: str,
    url: str,
    max_links: int,
    *,
    blocks: bool = False,
) -> PageContent:
    """Read a page from the tree that the callback of its response has as well.

    `tree` parses the page; it is not called if that may take long. `blocks`: the content has the
    blocks of the text, too. Raises PageError for a body that is no text.
    """
    _refuse_binary(text)
    if not _may_stall(text):
        with suppress(ValueError):  # of Scrapy, for an address in the page that is none
            root = tree()
            if not _stopped_early(root):
                return read_page(root, url, max_links, charset, blocks=blocks)
    return read_markup(text, charset, url, max_links, blocks=blocks)


def read_markup(
    text: str, charset: str, url: str, max_links: int, *, blocks: bool = False
) -> PageContent:
    """Read a page, or a feed or sitemap as a page; `blocks` as above.

    Raises PageError for a body that is no text.
    """
    _refuse_binary(text)
    text = text.replace("\0", "")
    if is_feed(text):
        text = feed_as_page(text, url, max_links)
    root = None if _may_stall(text) else parsed(text)
    if root is None or _stopped_early(root):
        root = parsed(_harmless(text))
    return NOTHING if root is None else read_page(root, url, max_links, charset, blocks=blocks)


def read_plain(text: str, *, blocks: bool = False) -> PageContent:
    """Read a text without markup, `blocks` as above; raises PageError for what is no text."""
    _refuse_binary(text)
    return plain_page(text, blocks=blocks)


def _stopped_early(root: Any) -> bool:
    """Whether the parser has stopped because the page is too deep."""
    node, depth = root, 0
    while depth < _LIBXML2_DEEPEST and len(node):
        node, depth = node[-1], depth + 1
    return depth >= _LIBXML2_DEEPEST


def _may_stall(text: str) -> bool:
    """Whether a tag may have thousands of attributes, by a quick check; takes 0.01 ms."""
    if len(text) <= _SMALL:
        return False
    if text.count('=">') + text.count("='>") > _MOST_HIDING:
        return True
    starts = range(0, len(text) - _BLOCK + 1, _BLOCK)
    if all(text.find(">", at, at + _BLOCK) >= 0 for at in starts):
        return False
    return any(_has_many(tag[0]) for tag in _LONG_TAG.finditer(text))


def _harmless(text: str) -> str:
    """Return markup without tags that are too deep or have too many attributes.

    Their content stays. Takes linear time.
    """
    kept: list[str] = []
    open_: list[str] = []
    at = copied = 0
    while (tag := _TAG.search(text, at)) is not None:
        at = tag.end()
        if tag[2] is None:  # a comment
            continue
        name, attributes = tag[2].lower(), tag[3]
        drop = len(attributes) > _MAX_ATTRIBUTES and _has_many(attributes)
        if tag[1]:
            if open_ and open_[-1] == name:
                open_.pop()
        elif name in _RAW:
            at = _end_of(name, text, at)
        elif name not in _FLAT and not attributes.endswith("/"):
            drop = drop or len(open_) >= _DEEPEST
            if not drop:
                open_.append(name)
        if drop:
            kept.append(text[copied : tag.start()] + " ")
            copied = tag.end()
    return "".join([*kept, text[copied:]])


def _has_many(attributes: str) -> bool:
    bare = _QUOTED.sub("", attributes)
    return max(bare.count("="), len(_SEPARATOR.findall(bare))) > _MAX_ATTRIBUTES


def _end_of(name: str, text: str, at: int) -> int:
    end = re.compile(f"</{name}", re.IGNORECASE).search(text, at)
    return len(text) if end is None else end.start()


def _refuse_binary(text: str) -> None:
    head = text[:_HEAD]
    if len(_CONTROLS.findall(head)) > max(_FEW_CONTROLS, len(head) // 10):
        raise PageError("expected text as its server says, but its bytes are not text")


def of_few_hosts(
    links: Iterable[Link], most: int, refuse: Callable[[str], object] | None = None
) -> list[Link]:
    """Return the links to the first `most` hosts; `refuse` gets the URLs of the others."""
    hosts: set[str] = set()
    kept = []
    for link in links:
        host = slot_of(link.url)
        if host in hosts or len(hosts) < most:
            hosts.add(host)
            kept.append(link)
        elif refuse is not None:
            refuse(link.url)
    return kept
