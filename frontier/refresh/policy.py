"""Whether a crawl revisits pages, how often and with how many of its requests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from frontier.errors import SettingsError
from frontier.refresh.blocks import ALONE
from frontier.utils import within

OFF: Final = "off"
SWEEP: Final = "sweep"
AUTO: Final = "auto"
WAYS: Final = (OFF, SWEEP, AUTO)


@dataclass(frozen=True)
class RefreshPolicy:
    """How known pages are revisited; `docs/refresh.md` tells what it does.

    Attributes:
        way: OFF: never. SWEEP: the page that was not seen for longest is next. AUTO: the page
            where a revisit is worth most.
        least_share: share of the requests that revisit known pages, at least, in [0, 1], as far as
            any page may be looked at.
        most_share: the same, at most, as long as there are URLs that were never fetched.
        least: seconds between two looks at a page, at least; > 0.
        most: seconds after which a page is looked at whatever that is worth.
        numbers: which figures of a page count as its text, see `frontier.refresh.blocks.NUMBERS`.

    """

    way: str = OFF
    least_share: float = 0.1
    most_share: float = 0.9
    least: float = 3600.0
    most: float = 30 * 86400.0
    numbers: str = ALONE

    def __post_init__(self) -> None:
        within("FRONTIER_REFRESH_MIN", self.least, 1.0, 10 * 365 * 86400.0)
        within("FRONTIER_REFRESH_MAX", self.most, 1.0, 10 * 365 * 86400.0)
        if self.least > self.most:
            raise SettingsError(
                f"FRONTIER_REFRESH_MAX must be at least FRONTIER_REFRESH_MIN, {self.least:g} "
                f"seconds, but is {self.most:g}. Raise it, or lower the other one."
            )

    @property
    def between(self) -> float:
        """Seconds, the geometric mean of the least and the most: how often a page is thought to
        change while nothing is known, and how late those that tell of others are looked at.
        """
        return math.sqrt(self.least * self.most)

    @property
    def enabled(self) -> bool:
        """Whether known pages are revisited at all."""
        return self.way != OFF


REFRESH: Final = RefreshPolicy()
"""That of a crawl that sets none."""


def shares(given: list[str]) -> tuple[float, float]:
    """Read the least and the greatest share; SettingsError for what is none."""
    try:
        least, most = (float(part) for part in given)
    except ValueError:
        least, most = 1.0, 0.0
    if not 0 <= least <= most <= 1:
        raise SettingsError(
            "FRONTIER_REFRESH_SHARE must be two numbers between 0 and 1, the smaller one first, "
            f"but is {given!r}. Set it to something like 0.1,0.9, or leave it out for that default."
        )
    return least, most
