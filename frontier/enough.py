"""When a crawl for a topic has found enough, and closes by itself.

Of two signs the first that is seen counts: the last judged pages brought a smaller share of
relevant ones than was asked for, or what is left is estimated below a number, by the upper end of
its interval (`frontier.estimates.remaining`). Neither counts while URLs that look relevant wait for
a host that is slow or wants a pause: it is not searched. And what is left cannot be below a number
while it is not known (`frontier.backend.outlook`).

Pages are counted, not time, so that a crawl of the same web ends at the same page. Only those count
that were judged in this run and for the first time: a resumed crawl looks at as many new pages as a
young one before it closes again, and a revisit says nothing of what is still to be
found.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from frontier.errors import SettingsError
from frontier.estimates import FEWEST_JUDGED, LAST
from frontier.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.estimates import Harvest, Outlook

SHARE, LEFT = "enough_share", "enough_left"
"""Scrapy's `finish_reason` of a crawl that closed for either."""


class Reached(NamedTuple):
    """Why a crawl may close."""

    reason: str
    """SHARE or LEFT."""
    text: str
    """What was found, and how sure it is, as a sentence."""


@dataclass(frozen=True)
class Enough:
    """When to close; without `share` and `left` never.

    Attributes:
        last: judged pages of this run that there must be at least, and that `share` is of.
        share: of relevant ones among the last pages, in (0, 1]; the crawl goes on from it.
        left: relevant pages that may be left, 1 or more; the crawl goes on from so many.

    """

    last: int = LAST
    share: float | None = None
    left: float | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.last, int) and self.last >= FEWEST_JUDGED):
            raise _wrong("last", f"a whole number of pages, {FEWEST_JUDGED} or more", self.last)
        if self.share is not None and not 0 < self.share <= 1:
            raise _wrong("share", "a share above 0 and up to 1, such as 0.02 for 2 %", self.share)
        if self.left is not None and not 1 <= self.left < inf:
            raise _wrong("left", "a number of pages, 1 or more", self.left)

    @property
    def is_set(self) -> bool:
        """Whether the crawl may close by itself at all."""
        return self.share is not None or self.left is not None

    def reached(self, harvest: Harvest, new: int, outlook: Callable[[], Outlook]) -> Reached | None:
        """Why the crawl may close, None if it may not; `new` pages of `harvest` are of this run."""
        if new < self.last:
            return None
        little = self._little(harvest)
        if (little is None and self.left is None) or outlook().unsearched:
            return None
        if little is not None:
            return Reached(SHARE, f"Enough: {little}.")
        left = outlook().remaining
        if self.left is not None and left is not None and left.high < self.left:
            pages = "page is" if left.high == 1 else "pages are"
            text = f"at most {left.high:,.0f} relevant {pages} left to fetch (90 % sure)"
            return Reached(LEFT, f"Enough: {text}, fewer than {self.left:,.6g}.")
        return None

    def _little(self, harvest: Harvest) -> str | None:
        """What the last pages brought, where that is less than `share`, pages in doubt included."""
        relevant, pages = harvest.last(self.last)
        if self.share is None or relevant >= self.share * pages:
            return None
        in_doubt = harvest.in_doubt(self.last)
        share = (relevant + in_doubt) / pages
        if share >= self.share:
            return None
        doubt = f" and {in_doubt:,} in doubt" if in_doubt else ""
        return (
            f"the last {self.last:,} pages brought {counted(relevant, 'relevant one')}"
            f"{doubt} ({100 * share:.3g} %), less than {100 * self.share:.3g} %"
        )


NEVER = Enough()


def _wrong(name: str, wanted: str, given: object) -> SettingsError:
    return SettingsError(
        f"{name} in FRONTIER_ENOUGH must be {wanted}, but is {given!r}. Correct it, or leave it "
        f"out."
    )
