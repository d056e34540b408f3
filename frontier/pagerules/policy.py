"""What is made of a page's wishes: which marks it gets, which of its links are followed.

Two wishes share a word. `nofollow` of the *page* (an element or a header) asks not to follow its
links at all, and none is. `rel=nofollow`, `ugc` or `sponsored` of a *link* says that the page does
not vouch for where it leads: the address is worth knowing, so the link discovers it and hands it
no score. `FRONTIER_NOFOLLOW` says otherwise for those who want it otherwise.
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
    """What a page's rules mean for it: its marks, and of each of its links whether it is kept."""

    marks: Mark
    kept: tuple[bool, ...]

    @property
    def withholds(self) -> bool:
        """Whether a link of the page is not followed."""
        return not all(self.kept)


@dataclass(frozen=True)
class PagePolicy:
    """Settings of the page rules.

    `token` is the crawler's product token. `robots_meta` and `canonical` say whether these are
    heeded; `nofollow` is one of NOFOLLOW_WAYS. Raises SettingsError for another way.
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
        """Judge a page that was fetched at `now`, Unix seconds."""
        marks = self._marks(content, now)
        if Mark.NOFOLLOW in marks:
            return Ruling(marks, (False,) * len(content.links))
        if self.nofollow != SKIP:
            return Ruling(marks, (True,) * len(content.links))
        return Ruling(marks, tuple(not link.nofollow for link in content.links))

    def links(self, content: PageContent, ruling: Ruling) -> list[Link]:
        """Return the links of a page that are kept, as they are to be understood."""
        links: Sequence[Link] = content.links
        if ruling.withholds:
            links = [link for link, kept in zip(links, ruling.kept, strict=True) if kept]
        if self.nofollow == FOLLOW:
            return [replace(link, nofollow=False) if link.nofollow else link for link in links]
        return list(links)

    def canonical_of(self, content: PageContent, ruling: Ruling) -> str | None:
        """Return the address that a page names as the one to keep, if that is heeded.

        A page whose links are not to be followed is not left by this one either.
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
