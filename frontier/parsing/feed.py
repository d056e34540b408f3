"""RSS and Atom feeds, rewritten as the page that a reader of feeds would show.

Each entry becomes a link with its title as text, and what it says behind it, so that feeds are read
within the bounds of pages and by the same code.

Sources: RSS 2.0 specification (link, guid), RSS 1.0, RFC 4287 (Atom), RFC 5005 (pages of feeds),
XML Base (`xml:base` of any element around a link).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from html.entities import html5
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from frontier.parsing.content import collapse

__all__ = ["feed_as_page", "is_feed"]

_PROLOG = 4_096
"""Characters in which the root of a feed is looked for."""
_MOST_TAGS = 200_000
"""Starts and ends of elements that are looked at: some 10 MB of an ordinary feed."""
_LONGEST = 2_000
"""Characters of an address, of a title."""
_LABEL = 200
_LABELLED = 8
"""Characters of its title that further links of an entry are labelled with, and so many of them: a
page must not be much longer than the feed."""
# Every text can be matched in one way only, so that no other is tried.
_FIRST = re.compile(
    r"(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*"
    r"<(?:rss|feed|atom:feed|rdf:RDF)[\s>]",
    re.DOTALL,
)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_LITERAL = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_REFERENCE = re.compile(r"&amp;(#?[A-Za-z0-9]{1,31};)")
_XML = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_ENTRIES = frozenset({"channel", "feed", "item", "entry", "image", "textinput", "source"})
_FEEDS = frozenset({"channel", "feed"})
_TEXTS = frozenset({"description", "summary", "content", "content:encoded", "subtitle"})
_RELATIONS = frozenset(
    (
        *("", "alternate", "related", "via", "replies", "first", "last", "next", "previous"),
        *("prev-archive", "next-archive"),
    )
)
"""Of Atom's links those that lead to pages; not the feed itself, its editors and recordings."""


def is_feed(text: str) -> bool:
    """Whether a text is a feed, by its first element."""
    return _FIRST.match(text, 0, _PROLOG) is not None


def feed_as_page(text: str, url: str = "") -> str:
    """Return HTML that says what the feed at `url` does, as far as it can be parsed; never raises.

    No entity of a document's own is expanded.
    """
    root, title, done = _parsed(text, url), "", list[str]()
    opened = [_Entry()]
    walk = etree.iterwalk(etree.Element("none") if root is None else root, ("start", "end"))
    for event, element in islice(walk, _MOST_TAGS):
        name = _name(element)
        if name in _ENTRIES:
            if event == "start":
                opened.append(_Entry(name in _FEEDS))
            else:
                done.append(opened[-1].html())
                title = title or (opened[-1].title if opened[-1].is_feed else "")
                opened.pop()
        elif event == "start" and opened[-1].take(name, element):
            walk.skip_subtree()
    done += [entry.html() for entry in reversed(opened)]
    head = f"<html><head><title>{escape(title)}</title></head><body>"
    return f"{head}{''.join(done)}</body></html>"


@dataclass(slots=True)
class _Entry:
    """What one entry, or the feed itself, says of itself."""

    is_feed: bool = False
    title: str = ""
    texts: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def take(self, name: str, element: Any) -> bool:
        """Take an element; whether all that is in it was taken."""
        if name == "link" and (element.get("rel") or "").lower() in _RELATIONS:
            self._link(element, element.get("href") or "".join(element.itertext()))
        elif name == "guid" and element.get("isPermaLink", "").lower() != "false":
            address = "".join(element.itertext()).strip()
            if address.lower().startswith(("http://", "https://")):
                self._link(element, address)
        elif name == "title":
            self.title += _MARKUP.sub(" ", " ".join(element.itertext())[:_LONGEST])
        elif name in _TEXTS:
            self.texts.append(_MARKUP.sub(" ", " ".join(element.itertext())))
        return name in ("link", "guid", "title") or name in _TEXTS

    def html(self) -> str:
        """Return a paragraph; "" of an entry that says nothing."""
        title, text = collapse(self.title), escape(" ".join(self.texts))
        if not (title or text or self.links):
            return ""
        first, label = escape(title), escape(title[:_LABEL])
        if self.links:
            first = f'<a href="{escape(self.links[0])}">{first}</a>'
        # Links without a text of their own: the title stands on the page once.
        others = [escape(url) for url in self.links[1:]]
        more = [f'<a href="{url}" title="{label}"></a>' for url in others[:_LABELLED]]
        more += [f'<a href="{url}"></a>' for url in others[_LABELLED:]]
        return f"<p>{first}{''.join(more)} {text}</p>\n"

    def _link(self, element: Any, address: str) -> None:
        address = address.strip()
        if not address or len(address) > _LONGEST:
            return
        try:
            self.links.append(urljoin(element.base or "", address))
        except ValueError:
            self.links.append(address)


def _parsed(text: str, url: str) -> Any:
    """Root of a feed, None where there is none."""
    # As bytes: of a string lxml refuses a declaration of its encoding.
    parser = etree.XMLParser(
        recover=True,
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    markup = _repaired(text).encode("utf-8", "replace")
    try:
        return etree.fromstring(markup, parser, base_url=url or None)
    except etree.XMLSyntaxError:
        return None


def _repaired(text: str) -> str:
    """Write names of HTML, and an `&` that stands for itself, as XML has them."""
    parts = _LITERAL.split(text)
    parts[::2] = [_REFERENCE.sub(_character, part.replace("&", "&amp;")) for part in parts[::2]]
    return "".join(parts)


def _character(reference: re.Match[str]) -> str:
    name = reference[1]
    if name in _XML or name.startswith("#"):
        return f"&{name}"
    return escape(html5[name]) if name in html5 else reference[0]


def _name(element: Any) -> str:
    """The name of an element in lower case, with its prefix but for that of Atom."""
    name = element.tag.rpartition("}")[2]
    written = f"{element.prefix}:{name}" if element.prefix else name
    return str(written).lower().removeprefix("atom:")
