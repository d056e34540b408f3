"""RSS and Atom feeds and sitemaps, rewritten as HTML pages.

Each entry becomes a link with its title as text, followed by its dates and its text, so that feeds
are read by the same code as pages, within the same bounds. An entry of a sitemap has only its
address. The sitemaps listed by a sitemap are also named in the head.

Sources: RSS 2.0 specification (link, guid), RSS 1.0, RFC 4287 (Atom), RFC 5005 (pages of feeds),
XML Base (`xml:base` of any element around a link), https://www.sitemaps.org/protocol.html.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from itertools import islice
from operator import itemgetter
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from frontier.parsing.dates import moment

_PROLOG = 4_096
"""Characters at the beginning that must hold the root of a feed."""
_MOST_TAGS = 100_000
"""Elements that are read: some 10 MB of an ordinary feed."""
_LONGEST = 2_000
"""Characters of an address, of a title."""
_MOST_LINKS = 8
"""Of an entry."""
_MOST_SITEMAPS = 50
"""Sitemaps in a head: those that changed last."""
# A text can match in one way only, so that there is no backtracking.
_FIRST = re.compile(
    r"(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*"
    r"<(?:rss|feed|atom:feed|rdf:RDF|urlset|sitemapindex)[\s>]",
    re.DOTALL,
)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_LITERAL = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_LONE = re.compile(r"&(?!(?:#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);)")
_FEEDS = frozenset({"channel", "feed"})
_ENTRIES = _FEEDS | {"item", "entry", "url", "sitemap"}
_DATES = frozenset(
    ("lastmod", "pubdate", "updated", "published", "modified", "dc:date", "dcterms:modified")
)
"""Elements with a date of an entry; a feed's own date is mostly the time of the request."""
_TEXTS = frozenset({"description", "summary", "content", "content:encoded", "subtitle"})
_RELATIONS = frozenset({"", "alternate", "related", "via", "replies", "next", "previous"})
"""Relations of Atom links that lead to pages, not to the feed itself, editors or media."""


def is_feed(text: str) -> bool:
    """Whether a text is a feed, by its first element."""
    return _FIRST.match(text, 0, _PROLOG) is not None


def feed_as_page(text: str, url: str = "", most: int = 5_000) -> str:
    """Return the feed at `url` as HTML, as far as it can be parsed; never raises.

    Of more than `most` entries those that changed last come first. Entities declared in the
    document are not expanded.
    """
    entries = []
    for element in islice(_elements(text, url), _MOST_TAGS):
        name = _name(element)
        if name in _ENTRIES:
            entries.append((math.inf if name in _FEEDS else _changed(element), name, element))
    if len(entries) > most:
        # One more entry makes the page count as truncated.
        entries = sorted(entries, key=itemgetter(0), reverse=True)[: most + 1]
    title, paragraphs, sitemaps = "", [], []
    for changed, name, element in entries:
        own, links, paragraph = _entry(element, is_feed=name in _FEEDS)
        paragraphs.append(paragraph)
        title = title or (own if name in _FEEDS else "")
        if name == "sitemap":
            sitemaps += [(changed, link) for link in links]
    named = sorted(sitemaps, key=itemgetter(0), reverse=True)[:_MOST_SITEMAPS]
    head = f"<html><head><title>{escape(title)}</title>"
    head += "".join(f'<link rel="sitemap" href="{link}">' for _, link in named)
    return f"{head}</head><body>{''.join(paragraphs)}</body></html>"


def _elements(text: str, url: str) -> Iterator[Any]:
    """The elements of a feed in their order."""
    parser = etree.XMLParser(
        recover=True,
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    # All `&` but those of XML entities are literal.
    parts = _LITERAL.split(text)
    parts[::2] = [_LONE.sub("&amp;", part) for part in parts[::2]]
    try:
        # As bytes: of a string lxml refuses a declaration of its encoding.
        markup = "".join(parts).encode("utf-8", "replace")
        root = etree.fromstring(markup, parser, base_url=url or None)
    except etree.XMLSyntaxError:
        root = None
    return iter(()) if root is None else root.iter(etree.Element)


def _changed(entry: Any) -> float:
    """The last change of an entry in Unix seconds; 0 if it is unknown."""
    children = entry.iterchildren(etree.Element)
    dates = (child.text for child in children if _name(child) in _DATES)
    return max((moment(date or "") or 0.0 for date in dates), default=0.0)


def _entry(element: Any, *, is_feed: bool) -> tuple[str, list[str], str]:
    """Title, links (escaped) and paragraph of an entry or a feed."""
    title, texts, links, dates = "", [], [], []
    for child in element.iterchildren(etree.Element):
        name, text = _name(child), " ".join(child.itertext())
        if name == "title":
            title = title or " ".join(_MARKUP.sub(" ", text[:_LONGEST]).split())
        elif name in _TEXTS:
            texts.append(_MARKUP.sub(" ", text))
        elif name in _DATES:
            dates += [] if is_feed else [text]
        elif name == "loc":
            links.append(_address(child, text))
            texts.append(text)
        elif name == "link" and (child.get("rel") or "").lower() in _RELATIONS:
            links.append(_address(child, child.get("href") or text))
        elif name == "guid" and child.get("isPermaLink", "").lower() != "false":
            links.append(_address(child, text) if "://" in text else "")
    anchors = [escape(link) for link in links if link][:_MOST_LINKS]
    # Without a text, so that the title stands on the page once.
    label = escape(title[:200])
    more = [f'<a href="{link}" title="{label}"></a>' for link in anchors[1:]]
    first = f'<a href="{anchors[0]}">{escape(title)}</a>' if anchors else escape(title)
    times = [f'<time datetime="{escape(date.strip()[:_LONGEST])}"></time>' for date in dates]
    paragraph = f"<p>{first}{''.join(more + times)} {escape(' '.join(texts))}</p>\n"
    return title, anchors, paragraph


def _address(element: Any, address: str) -> str:
    """The absolute address by the XML bases of an element; "" if it is invalid."""
    address = address.strip()
    try:
        return urljoin(element.base or "", address) if 0 < len(address) <= _LONGEST else ""
    except ValueError:
        return address


def _name(element: Any) -> str:
    """The name of an element in lower case, with its prefix unless that is Atom's."""
    return _written(element.tag, element.prefix)


@lru_cache(256)
def _written(tag: str, prefix: str | None) -> str:
    name = tag.rpartition("}")[2]
    return (f"{prefix}:{name}" if prefix else name).lower().removeprefix("atom:")
