"""RSS and Atom feeds, rewritten as the page that a reader of feeds would show.

Each entry becomes a link with its title as text, and what it says behind it, so that feeds are read
within the bounds of pages and by the same code. `frontier.parsing.xml_tokens` cuts them into tags
and texts, so a feed with a mistake in it is read to its end.

Sources: RSS 2.0 specification (link, guid), RSS 1.0, RFC 4287 (Atom), RFC 5005 (pages of feeds),
XML Base (`xml:base` of any element around a link).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from frontier.parsing.content import collapse
from frontier.parsing.xml_tokens import attributes_of, joined, pieces

__all__ = ["feed_as_page", "is_feed"]

_PROLOG = 4_096
"""Characters in which the root of a feed is looked for."""
_MOST_TAGS = 200_000
"""Tags that are looked at: some 10 MB of an ordinary feed."""
_LONGEST = 2_000
"""Characters of an address, of a title."""
_LABEL = 200
_LABELLED = 8
"""Characters of its title that further links of an entry are labelled with, and so many of them: a
page must not be much longer than the feed."""
_DEEPEST = 8
"""Entries within each other; there are at most three, a feed's image or an entry's source."""
# Every text can be matched in one way only, so that no other is tried.
_FIRST = re.compile(
    r"(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*"
    r"<(?:rss|feed|atom:feed|rdf:RDF)[\s>]",
    re.DOTALL,
)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_ROOTS = frozenset({"rss", "rdf:rdf"})
_ENTRIES = frozenset({"channel", "feed", "item", "entry", "image", "textinput", "source"})
_FEEDS = frozenset({"channel", "feed"})
_TEXTS = {
    **dict.fromkeys(("description", "summary", "content", "content:encoded", "subtitle"), "text"),
    **{name: name for name in ("title", "link", "guid")},
}
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
    """Return HTML that says what the feed at `url` does.

    In time linear to its length; never raises.
    """
    feed = _Feed(url)
    for number, (before, tag, attributes, is_end) in enumerate(pieces(text)):
        if number >= _MOST_TAGS:
            break
        feed.say(before)
        name = tag.removeprefix("atom:")
        feed.end(name) if is_end else feed.start(name, attributes)
    return feed.finished()


@dataclass(slots=True)
class _Entry:
    """What one entry, or the feed itself, says of itself."""

    is_feed: bool = False
    base: str = ""
    """What its addresses are relative to; "" where that is the feed."""
    said: dict[str, list[str]] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)

    def html(self) -> str:
        title = collapse(_MARKUP.sub(" ", "".join(self.said.get("title", ()))[:_LONGEST]))
        text = escape(_MARKUP.sub(" ", "".join(self.said.get("text", ()))))
        first, label = escape(title), escape(title[:_LABEL])
        if self.links:
            first = f'<a href="{escape(self.links[0])}">{first}</a>'
        # Links without a text of their own: the title stands on the page once.
        others = [escape(url) for url in self.links[1:]]
        more = [f'<a href="{url}" title="{label}"></a>' for url in others[:_LABELLED]]
        more += [f'<a href="{url}"></a>' for url in others[_LABELLED:]]
        return f"<p>{first}{''.join(more)} {text}</p>\n"


class _Feed:
    """A feed as far as it was read.

    Invariant: `_open` holds the entries that the reading is inside of, the feed itself first, and
    `_into` the name of the element whose text is being read, None between such elements.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._open = [_Entry()]
        self._deeper = 0
        self._into: str | None = None
        self._quiet = False
        self._title = self._link_base = ""
        self._done: list[str] = []

    def start(self, name: str, tag: str) -> None:
        """Take the start of an element, or one that is empty."""
        if self._into is not None:  # XHTML within a text
            self.say(" ")
        elif name in _ROOTS:
            self._open[-1].base = self._base(tag)
        elif name in _ENTRIES:
            if len(self._open) < _DEEPEST:
                self._open.append(_Entry(name in _FEEDS, self._base(tag)))
            else:
                self._deeper += 1
        elif name in _TEXTS:
            attributes = attributes_of(tag) if name in ("link", "guid") else {}
            self._link_base = self._base(tag)
            if name == "link" and attributes.get("rel", "").lower() in _RELATIONS:
                self._link(attributes.get("href", ""))
            if not tag.endswith("/"):
                self._into = name
                self._quiet = attributes.get("ispermalink", "").lower() == "false"

    def end(self, name: str) -> None:
        """Take the end of an element."""
        if name in ("item", "entry"):  # whatever was not closed in it
            self._into = None
        if name == self._into:
            self._into = None
            if name in ("link", "guid"):
                address = "".join(self._open[-1].said.pop(_TEXTS[name], ()))
                self._link("" if self._quiet else address, is_absolute=name == "guid")
        elif self._into is None and name in _ENTRIES:
            if self._deeper:
                self._deeper -= 1
            elif len(self._open) > 1:
                self._close()

    def say(self, text: str) -> None:
        """Take a piece of text."""
        if self._into is not None and text:
            self._open[-1].said.setdefault(_TEXTS[self._into], []).append(text)

    def finished(self) -> str:
        """Return the page, whatever was not closed."""
        while self._open:
            self._close()
        head = f"<html><head><title>{escape(self._title)}</title></head><body>"
        return f"{head}{''.join(self._done)}</body></html>"

    def _close(self) -> None:
        entry = self._open.pop()
        if entry.is_feed:
            self._title = self._title or "".join(entry.said.get("title", ())).strip()[:_LONGEST]
        if entry.said or entry.links:
            self._done.append(entry.html())

    def _base(self, tag: str) -> str:
        """Base of the addresses in an element of the innermost entry."""
        outer = self._open[-1].base
        base = attributes_of(tag).get("xml:base", "") if "xml:base" in tag else ""
        return joined(outer or self._url, base.strip()) if base else outer

    def _link(self, address: str, *, is_absolute: bool = False) -> None:
        address = address.strip()
        if is_absolute and not address.lower().startswith(("http://", "https://")):
            return
        if address and self._link_base:
            address = joined(self._link_base, address)
        if address and len(address) <= _LONGEST:
            self._open[-1].links.append(address)
