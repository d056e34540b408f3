"""The content of a page, as plain values that can be pickled and compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frontier.parsing._tree import collapse
from frontier.states import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ranking.topics.judging import PageText

__all__ = ["MAX_TEXT", "NOTHING", "Link", "PageContent", "collapse", "collapsed", "plain_page"]


MAX_TEXT = 1_000_000
"""Characters of text: a thick book; a topic model needs 0.1 s for it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address to which a page links.

    `url` is absolute, http or https, without a fragment. `anchor` (at most 200 characters) is the
    text of the link, else the alternative text of its image, else its title, for a frame also that
    of the page; different texts of further mentions follow. `context` is the text up to 60
    characters before and after the first mention. `nofollow`: no mention endorses the address (rel
    nofollow, ugc or sponsored, or robots meta). `zone`: a number of 32 bits for the names of the
    elements around the first mention; 0 for a link of no page. `modified`: the last change of the
    target in Unix seconds, by a sitemap, a feed, or a `time` element in the same block of text; the
    latest of several.
    """

    url: str
    anchor: str
    context: str
    nofollow: bool
    zone: int = 0
    modified: float | None = None


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page's title, its visible text (white space collapsed), its links in page order, and more.

    `robots` holds the rules of its meta elements, as (name in lower case, content): those named
    `robots`, and others whose content holds a rule. `canonical` is the absolute canonical address
    in its head, None without one or with several. `refresh` is its refresh, as (seconds, absolute
    address). `truncated`: only a beginning was read. `sitemaps` are the absolute addresses of
    sitemaps in its head, or in a sitemap of sitemaps, at most 50. `blocks`, if they were requested,
    is the text by paragraphs, items of lists, cells, headings, lines of code ...; otherwise ().
    `places` has 32 bits for each of them, for the names and classes of the elements around it;
    `link_places` has those of the blocks in which addresses are mentioned first. `heading` is the
    text of its first h1 with text. `asks` are its TDM-Reservation, TDM-Policy and Content-Usage, as
    (name in lower case, value). `language` is its language tag (BCP 47) in lower case, "" without.
    """

    title: str
    text: str
    links: list[Link]
    robots: tuple[tuple[str, str], ...] = ()
    canonical: str | None = None
    refresh: tuple[float, str] | None = None
    truncated: bool = False
    sitemaps: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    link_places: Mapping[str, int] = field(default_factory=dict)
    heading: str = ""
    asks: tuple[tuple[str, str], ...] = ()
    language: str = ""

    @property
    def marks(self) -> Mark:
        """The marks that follow from the content."""
        return Mark.TRUNCATED if self.truncated else Mark(0)

    @property
    def spoken(self) -> PageText:
        """The text for a topic model."""
        # Here, so that a crawl without a topic does not load topic models.
        from ranking.topics.judging import PageText

        return PageText(self.text, self.title, self.heading)


NOTHING = PageContent("", "", [])
"""The content of a body that is no text."""


def plain_page(text: str, *, blocks: bool = False) -> PageContent:
    """Return the content of a body that is not markup: no title, no links; its lines are blocks."""
    words = collapse(text, 0, 2 * MAX_TEXT)
    lines = collapsed(text[:MAX_TEXT].splitlines()) if blocks else ()
    return PageContent("", words[:MAX_TEXT], [], truncated=len(text) > MAX_TEXT, blocks=lines)


def collapsed(texts: Iterable[str]) -> tuple[str, ...]:
    """Collapse the white space of texts, and leave out empty ones."""
    return tuple(filter(None, map(collapse, texts)))
