"""The content of an HTML page, read in one walk over its tree (`_tree.pyx`).

The tree belongs to the response and is shared with the user's callback, so it is only read. A
link's anchor and its context are slices cut once the text is complete. Links are resolved last,
because `<base href>` may stand anywhere.

The text of an element that ends a line on a screen, without that of smaller ones, is a block of
text. A date in a block (`time`) applies to the links in it, as in lists of articles.

A page of frames shows other pages under its own title, which is their link text. Of the contents
for readers without scripts only the links are read.

Bounds keep a hostile page cheap: `max_links` distinct addresses, `_MAX_SPANS` mentions of each,
`MAX_URL` characters of an address, `_MAX_EVENTS` steps of the walk, `MAX_TEXT` characters of text.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice, repeat
from typing import Any, Final

from lxml import etree

from frontier.parsing._tree import BLOCK_END, Text, Walk
from frontier.parsing.content import MAX_TEXT, Link, PageContent, collapse
from frontier.parsing.dates import moment
from frontier.parsing.head import Declared, language_of
from frontier.urls.resolve import Resolver

__all__ = ["MAX_LINKS", "Link", "PageContent", "parsed", "read_page"]

MAX_LINKS: Final = 10_000
"""Distinct addresses read from a page by default."""

_MAX_ANCHOR = 200  # characters; longer anchors are whole teasers, the words come early
_MAX_TITLE = 500  # characters; it is kept with every page
_MAX_CONTEXT = 60  # characters each side of an anchor
_MAX_SPANS = 4  # navigation repeats a link; later mentions say nothing new
_MAX_EVENTS = 500_000  # starts and ends of elements: about 5 MB of ordinary markup
_SLACK = 3  # markup is full of white space: cut this many times more before collapsing

_HIDDEN = ("script", "style", "template")
_SPECIAL = (
    *("a", "area", "frame", "iframe", "img", "title", "base", "meta", "link", "noframes"),
    "noscript",
)
INLINE = (
    *("abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"),
    *("font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike"),
    *("strong", "sub", "sup", "tt", "u", "var", "wbr"),
)
"""Elements that may stand inside a word, and so may <time>. Every other one ends a word, as it does
on a screen; so does <a>, because menus put links side by side without white space."""
# Tag -> kind of an element; without a kind it is a block. The walk itself knows "inline", "time",
# "lines", "hidden" and "heading"; for the others it returns to the reader.
_KINDS: dict[str, str] = {}
for _prefix in ("", "{http://www.w3.org/1999/xhtml}"):
    _KINDS.update((_prefix + tag, tag) for tag in _SPECIAL)
    _KINDS.update((_prefix + tag, "inline") for tag in INLINE)
    _KINDS.update((_prefix + tag, "hidden") for tag in _HIDDEN)
    _KINDS.update({_prefix + "time": "time", _prefix + "pre": "lines", _prefix + "h1": "heading"})
_NOT_ENDORSED = frozenset({"nofollow", "ugc", "sponsored"})


def read_page(
    root: Any,
    base_url: str,
    max_links: int = MAX_LINKS,
    charset: str = "utf-8",
    *,
    blocks: bool = False,
) -> PageContent:
    """Read an lxml tree (`response.selector.root`); never raises on odd markup.

    `base_url` is the address the page came from, `charset` the codec it is written in. An address
    that occurs several times is kept once, at its first place; a link from the page to itself is
    no link. At most `max_links` distinct addresses are read. `blocks`: the text is wanted block by
    block as well. Anything but an element (None, a string) gives an empty page.
    """
    if not etree.iselement(root) or not isinstance(root.tag, str):
        return PageContent("", "", [])
    walk = _Walk(max_links, places=blocks)
    for element in _roots(root):
        walk.run(element)
    raw = str(walk.text)
    title, heading = (
        collapse(text, 0, _SLACK * _MAX_TITLE)[:_MAX_TITLE] for text in (walk.title, walk.heading)
    )
    text = collapse(raw, 0, _SLACK * MAX_TEXT) or (title if walk.frames else "")
    resolve, declared = Resolver(base_url, walk.base, charset), walk.declared
    page, refresh = base_url.partition("#")[0], declared.refresh(resolve)
    links, link_places = _links(walk, raw, page, resolve)
    texts, places = _blocks(walk, raw) if blocks else ((), ())
    return PageContent(
        title,
        text[:MAX_TEXT],
        links,
        tuple(declared.robots),
        declared.canonical(resolve),
        refresh,
        walk.truncated or len(text) > MAX_TEXT or len(raw) > _SLACK * MAX_TEXT,
        declared.sitemaps(resolve),
        texts,
        places,
        link_places,
        heading,
        tuple(declared.asks),
        language_of(root.get("lang") or root.get("xml:lang") or "") or declared.language,
    )


def _blocks(walk: _Walk, raw: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The blocks of a page that hold a text, and their places."""
    texts = map(collapse, raw[: _SLACK * MAX_TEXT].split(BLOCK_END))
    # A page that holds BLOCK_END itself has more blocks than places.
    places = chain(_places(walk), repeat(0))
    pairs = [pair for pair in zip(texts, places, strict=False) if pair[0]]
    return tuple(text for text, _ in pairs), tuple(place for _, place in pairs)


def _places(walk: _Walk) -> list[int]:
    """The places of all blocks; the last block has no end, and is in no element."""
    return [*(walk.text.places or ()), 0]


def _roots(root: Any) -> list[Any]:
    """The root, and the roots that newer parsers begin behind `</html>`."""
    if root.getparent() is not None:
        return [root]
    return [root, *(sibling for sibling in root.itersiblings() if isinstance(sibling.tag, str))]


class _Mention:
    """A distinct href of a page, its zone, and its places in the text.

    A place has a beginning, an end, and the number of its block.
    """

    __slots__ = ("label", "nofollow", "spans", "zone")

    def __init__(self, zone: int) -> None:
        self.label = ""
        self.nofollow = True
        self.zone = zone
        self.spans: list[list[int]] = []


class _Walk:
    """One pass in document order.

    Places are characters of `text`. Invariant: `open` holds an entry for each <a> around the
    current element, None for one that is no link.
    """

    def __init__(self, max_links: int, *, places: bool = False) -> None:
        self.text = Text(places)
        self.title = self.heading = ""
        self.base: str | None = None
        self.declared = Declared()
        self.frames = False
        self.frameless = False
        self.truncated = False
        self.mentions: dict[str, _Mention] = {}
        self.dates: dict[int, float] = {}
        """The last date of a block, by its number."""
        self.open: list[_Mention | None] = []
        self._addresses: set[str] = set()
        self._max_links = max_links

    def run(self, root: Any) -> None:
        walk = Walk(root, self.text, _KINDS, "a", _MAX_EVENTS)
        for kind in walk:
            if kind is None:
                self._close()
            elif not kind:
                self.open.append(None)
            elif self._start(kind, walk):
                walk.skip()
        self.truncated = self.truncated or walk.stopped

    def _start(self, tag: str, node: Walk) -> bool:
        """Read a special element; True if its text is not visible."""
        if tag == "a":
            href = node.get("href") or node.get("xlink:href")  # the latter in drawings
            self.open.append(self._mention(node, href, node.get("title")))
        elif tag == "img":
            if self.open and (link := self.open[-1]) is not None and not link.label:
                link.label = node.get("alt") or ""
        elif tag == "time":
            self._date(node.get("datetime") or node.leading)
        elif tag == "area":
            self._mention(node, node.get("href"), node.get("alt") or node.get("title"))
        elif tag == "title":
            self.title = self.title or node.all_text()
            return True
        elif tag == "heading":
            self.heading = self.heading.strip() or node.all_text()
        elif tag == "base":
            self.base = node.get("href") if self.base is None else self.base
        elif tag == "meta":
            self.declared.meta(node)
        elif tag == "link":
            self.declared.link(node)
        elif tag == "noframes":
            return self._without_frames(node)
        elif tag == "noscript":
            return self._without_scripts(node)
        elif tag == "frame":
            self.frames = True
            label = node.get("title") or self.title or node.get("name")
            self._mention(node, node.get("src"), label)
        else:
            self._mention(node, node.get("src"), node.get("title") or node.get("name"))
        return False

    def _without_frames(self, node: Walk) -> bool:
        """Read markup that newer parsers leave as text; True if there is nothing else."""
        if not node.is_leaf:
            return False
        # Once, as nested noframes would be parsed again and again.
        markup = node.leading
        if not self.frameless and markup.strip():
            self.frameless = True
            root = parsed(markup)
            if root is not None:
                self.run(root)
        return True

    def _without_scripts(self, node: Walk) -> bool:
        """Read only the links, which scripts would make; returns True.

        The text asks for scripts, and the frames count visitors.
        """
        for _ in islice(node.within("a", "area"), _MAX_EVENTS):
            self._mention(node, node.get("href"), node.leading or node.get("title"))
        return True

    def _mention(self, node: Walk, href: str | None, label: str | None) -> _Mention | None:
        if not href or href[0] == "#":
            return None
        mention = self.mentions.get(href)
        if mention is None:
            if len(self.mentions) >= self._max_links and self._is_full(href):
                return None
            mention = self.mentions[href] = _Mention(node.zone)
        if len(mention.spans) < _MAX_SPANS:
            mention.spans.append([self.text.length, -1, self.text.blocks])
        if label and not mention.label:
            mention.label = label
        if mention.nofollow:
            rel = node.get("rel") or ""
            mention.nofollow = bool(rel) and not _NOT_ENDORSED.isdisjoint(rel.lower().split())
        return mention

    def _date(self, text: str) -> None:
        when, block = moment(text), self.text.blocks
        if when is not None:
            self.dates[block] = max(when, self.dates.get(block, when))

    def _is_full(self, href: str) -> bool:
        """Whether a new href exceeds the links of the page; fragments of known addresses do not."""
        if not self._addresses:
            self._addresses.update(href.partition("#")[0] for href in self.mentions)
        address = href.partition("#")[0]
        if address in self._addresses:
            return True
        self.truncated = self.truncated or len(self._addresses) >= self._max_links
        if not self.truncated:
            self._addresses.add(address)
        return self.truncated

    def _close(self) -> None:
        link = self.open.pop()
        if link is not None and link.spans[-1][1] < 0:
            link.spans[-1][1] = self.text.length


def parsed(markup: str) -> Any:
    """Return the root of markup, None for empty markup."""
    # As bytes: of a string lxml refuses a declaration of its encoding.
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    try:
        return etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:  # only skipped content
        return None


def _links(
    walk: _Walk, raw: str, page: str, resolve: Resolver
) -> tuple[list[Link], dict[str, int]]:
    """The links of a page, and the places of their blocks where these are known."""
    merged: dict[str, tuple[str, str, bool, int]] = {}
    places: dict[str, int] = {}
    known = _places(walk)
    dates: dict[str, float] = {}
    resolved = lru_cache(None)(resolve)  # of the parts of a page each has its href
    for href, mention in walk.mentions.items():
        url = resolved(href.partition("#")[0])
        if url is None or url == page:
            continue
        anchor, context, unendorsed, zone = merged.get(url, ("", "", True, mention.zone))
        merged[url] = (
            _join(anchor, _anchor(raw, mention)),
            context or _context(raw, *mention.spans[0][:2]),
            unendorsed and mention.nofollow,
            zone,
        )
        if walk.text.places is not None:
            places.setdefault(url, known[mention.spans[0][2]])
        for *_, block in mention.spans if walk.dates else ():
            if block in walk.dates:
                dates[url] = max(walk.dates[block], dates.get(url, 0.0))
    page_nofollow = walk.declared.nofollow
    links = [
        Link(url, anchor, near, page_nofollow or each, zone, dates.get(url))
        for url, (anchor, near, each, zone) in merged.items()
    ]
    return links, places


def _anchor(raw: str, mention: _Mention) -> str:
    anchor = ""
    for start, end, _ in mention.spans:
        anchor = _join(anchor, collapse(raw, start, min(end, start + _SLACK * _MAX_ANCHOR)))
    return (anchor or collapse(mention.label, 0, _SLACK * _MAX_ANCHOR))[:_MAX_ANCHOR]


def _context(raw: str, start: int, end: int) -> str:
    before = collapse(raw, start - _SLACK * _MAX_CONTEXT, start)
    end = max(start, end)  # -1 where the page's text is cut within the link
    after = collapse(raw, end, end + _SLACK * _MAX_CONTEXT)
    if len(before) > _MAX_CONTEXT:
        before = before[-_MAX_CONTEXT:]
        before = before.partition(" ")[2] or before  # a word cut in two is another word
    if len(after) > _MAX_CONTEXT:
        after = after[:_MAX_CONTEXT]
        after = after.rpartition(" ")[0] or after
    return f"{before} {after}" if before and after else before or after


def _join(first: str, second: str) -> str:
    if not first or not second or second in first:
        return first or second
    return f"{first} {second}"[:_MAX_ANCHOR]
