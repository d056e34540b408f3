"""What the frontier takes from a page, as plain values that can be pickled and compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frontier.parsing._tree import collapse
from frontier.states import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ranking.topics.judging import PageText

__all__ = ["MAX_TEXT", "NOTHING", "Link", "PageContent", "blocks_of", "collapse", "plain_page"]


MAX_TEXT = 1_000_000
"""Characters of text: a thick book; a topic model needs 0.1 s for it."""


@dataclass(frozen=True, slots=True)
class Link:
    """One address a page points to.

    `url` is absolute, http or https, without a fragment. `anchor` (at most 200
    characters) is the text of the link, else the alternative text of its image, else
    its title, of a frame also that of the page; texts of further mentions follow when
    they differ. `context` is what stands up to 60 characters before and after the first
    mention. `nofollow`: no mention of the address endorses it (rel nofollow, ugc or
    sponsored, or robots meta). `zone`: where on the page the first mention stands, as a
    number of 32 bits for the names of the elements it is in; 0 where it stands on none.
    `modified`: when its target is said to have changed, in Unix seconds: by a sitemap, a
    feed, or a `time` element in the same block of text; the last of several.
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

    `robots` holds what its meta elements ask of crawlers, as (name in lower case, content):
    `robots` and every other name whose content holds a rule. `canonical` is the absolute address
    that its head names as the one to keep, None where it names none or two. `refresh` is where it
    sends its readers, as (seconds, absolute address). `truncated`: there is more than was read.
    `sitemaps` are the absolute addresses of those that it names in its head, and of those that a
    sitemap of sitemaps lists, at most 50. `blocks`, where they were asked for, is the text by
    paragraphs, items of lists, cells, headings, lines of code ...; () where they were not. `places`
    are 32 bits for where each of them stands, by the names and classes of the elements it is in;
    those of `link_places` are of the blocks in which addresses are mentioned first. `heading` is
    the text of its first h1 that has any.
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

    @property
    def marks(self) -> Mark:
        """What of it is noted with the page."""
        return Mark.TRUNCATED if self.truncated else Mark(0)

    @property
    def spoken(self) -> PageText:
        """What a topic model judges."""
        # Here, so that what reads pages without a topic does not load topic models.
        from ranking.topics.judging import PageText

        return PageText(self.text, self.title, self.heading)


NOTHING = PageContent("", "", [])
"""The content of what is no text."""


def plain_page(text: str, *, blocks: bool = False) -> PageContent:
    """Return the content of a body that is not markup: no title, no links; its lines are blocks."""
    words = collapse(text, 0, 2 * MAX_TEXT)
    lines = blocks_of(text[:MAX_TEXT].splitlines()) if blocks else ()
    return PageContent("", words[:MAX_TEXT], [], truncated=len(text) > MAX_TEXT, blocks=lines)


def blocks_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Collapse the white space of texts, and leave out those that hold nothing else."""
    return tuple(filter(None, map(collapse, texts)))
