"""When a crawl for a topic has found enough, and closes by itself.

A crawl closes at the first of two signs: the share of relevant pages among the last judged ones is
below a limit, or the upper end of the estimate of relevant pages left is below a number
(`frontier.estimates.remaining`). Neither counts while URLs that look relevant wait for a host that
is slow or wants a pause, because that host is not searched; nor does the second while the number
left is not known (`frontier.backend.progress.outlook`).

Pages are counted, not time, so that a crawl of the same web ends at the same page. Only pages
judged in this run, for the first time, count: a resumed crawl fetches as many new pages as a new
crawl before it closes again, and a revisit says nothing about pages that are not yet found.
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
"""Scrapy's `finish_reason` for the two signs."""


class Reached(NamedTuple):
    """Why a crawl may close."""

    reason: str
    """SHARE or LEFT."""
    text: str
    """The sign and its figures, as a sentence."""


@dataclass(frozen=True)
class Enough:
    """When to close; without `share` and `left` never.

    Attributes:
        last: fewest judged pages of this run, and the last pages that `share` is about.
        share: share of relevant pages in (0, 1] below which the crawl closes.
        left: number of relevant pages left, 1 or more, below which the crawl closes.

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
        """Whether the crawl may close by itself."""
        return self.share is not None or self.left is not None

    def reached(self, harvest: Harvest, new: int, outlook: Callable[[], Outlook]) -> Reached | None:
        """Why the crawl may close, None if not; `new` pages of `harvest` are of this run."""
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
        """The harvest of the last pages, if it is below `share` even with the pages in doubt."""
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
