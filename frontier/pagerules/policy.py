"""The effect of a page's rules: its marks, and which of its links are followed.

`nofollow` has two meanings. Of a *page* (an element or a header) it forbids to follow any of its
links. Of a *link* (`rel=nofollow`, `ugc` or `sponsored`) it means that the page does not endorse
the
target: the target is discovered, but gets no score from the link. `FRONTIER_NOFOLLOW` changes the
latter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from frontier.errors import SettingsError
from frontier.pagerules.directives import rules_for
from frontier.states import NO_MARKS, Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.parsing.content import Link, PageContent

DISCOVER, SKIP, FOLLOW = "discover", "skip", "follow"
NOFOLLOW_WAYS: Final = {
    DISCOVER: "followed, but it passes on no score",
    SKIP: "not followed",
    FOLLOW: "a link like any other",
}


class Ruling(NamedTuple):
    """The effect of a page's rules: its marks, and for each of its links whether it is kept."""

    marks: Mark
    kept: tuple[bool, ...]

    @property
    def withholds(self) -> bool:
        """Whether a link of the page is not followed."""
        return not all(self.kept)


@dataclass(frozen=True)
class PagePolicy:
    """Settings of the page rules.

    `token` is the crawler's product token. `robots_meta` and `canonical` switch the obedience to
    these; `nofollow` is one of NOFOLLOW_WAYS. Raises SettingsError for another value.
    """

    token: str = ""
    robots_meta: bool = True
    canonical: bool = True
    nofollow: str = DISCOVER

    def __post_init__(self) -> None:
        if self.nofollow not in NOFOLLOW_WAYS:
            raise SettingsError(
                f"FRONTIER_NOFOLLOW must be one of {', '.join(NOFOLLOW_WAYS)}, but is "
                f"{self.nofollow!r}. Correct it, or leave it out for the default {DISCOVER}."
            )

    def ruling(self, content: PageContent, now: float) -> Ruling:
        """Return the ruling for a page fetched at `now`, Unix seconds."""
        marks = self._marks(content, now)
        if Mark.NOFOLLOW in marks:
            return Ruling(marks, (False,) * len(content.links))
        if self.nofollow != SKIP:
            return Ruling(marks, (True,) * len(content.links))
        return Ruling(marks, tuple(not link.nofollow for link in content.links))

    def links(self, content: PageContent, ruling: Ruling) -> list[Link]:
        """Return the kept links of a page, by FOLLOW without nofollow."""
        links: Sequence[Link] = content.links
        if ruling.withholds:
            links = [link for link, kept in zip(links, ruling.kept, strict=True) if kept]
        if self.nofollow == FOLLOW:
            return [replace(link, nofollow=False) if link.nofollow else link for link in links]
        return list(links)

    def canonical_of(self, content: PageContent, ruling: Ruling) -> str | None:
        """Return the canonical address of a page, if canonical addresses are obeyed.

        For a nofollow page it is None: no link of it is followed, and neither is this one.
        """
        heeded = self.canonical and Mark.NOFOLLOW not in ruling.marks
        return content.canonical if heeded else None

    def _marks(self, content: PageContent, now: float) -> Mark:
        if not self.robots_meta or not content.robots:
            return NO_MARKS
        noindex, nofollow = rules_for(content.robots, self.token, now)
        marks = Mark.NOINDEX if noindex else NO_MARKS
        return marks | Mark.NOFOLLOW if nofollow else marks


PAGE_POLICY: Final = PagePolicy()
"""The defaults, for a crawler without a name."""
