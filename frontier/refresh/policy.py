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
    """How known pages are revisited; see `docs/refresh.md`.

    Attributes:
        way: OFF: never. SWEEP: the page that was seen longest ago is next. AUTO: the page where a
            revisit is worth most.
        least_share: least share of the requests that revisit known pages, in [0, 1], as far as any
            page may be revisited.
        most_share: the greatest share, as long as there are URLs that were never fetched.
        least: least seconds between two revisits of a page; > 0.
        most: seconds after which a page is revisited whatever that is worth.
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
        """Seconds, the geometric mean of the least and the most: the time between changes that is
        assumed while nothing is known, and the longest until a page that dates its links is due.
        """
        return math.sqrt(self.least * self.most)

    @property
    def enabled(self) -> bool:
        """Whether known pages are revisited at all."""
        return self.way != OFF


REFRESH: Final = RefreshPolicy()
"""The policy of a crawl without settings."""


def shares(given: list[str]) -> tuple[float, float]:
    """Read the least and the greatest share; SettingsError for other values."""
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
