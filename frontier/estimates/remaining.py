"""How many relevant pages are left: an estimate from how the harvest falls off, and its interval.

Left are the relevant pages (as the crawl's own judge calls them) that links from here lead to,
found already or not. In a focused crawl the best comes first, and the chance that the x-th answer
is relevant falls about as 1/x; anchored at the harvest of the last fifth of the crawl that leaves

    r t ln(1 + K / A)

pages, r the harvest rate of that fifth, t the pages judged, A the URLs answered in any way, K those
queued. An order that does not look at the topic has no reason to fall off: r t K / A.

The logarithm of the truth over the estimate has a standard deviation of about SPREAD, beside the
chance in the few relevant pages that r was counted from; so the interval is a factor of at least 4
either way, and is meant to hold in four crawls of five. Neither it nor its ends exceed K.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.states import State

if TYPE_CHECKING:
    import numpy.typing as npt

    from ranking.arrays import FloatArray, IntArray


RECENT = 0.2
"""Share of the crawl whose harvest rate counts: a tenth or a third of it do hardly worse."""
FEWEST = 20
"""Judged pages before anything is said, and of which the recent ones are at least."""
SPREAD = 1.1
"""Of ln(truth / estimate), on the development topics of two recorded webs."""
FOUR_OF_FIVE = 1.2816
"""Standard deviations either way that hold 80 % of a normal distribution."""
LAST = 100
"""Judged pages of which is told how many were relevant."""


class Remaining(NamedTuple):
    """Relevant pages left, and the ends of the interval."""

    estimate: float
    low: float
    high: float


class Harvest:
    """Which judged pages were relevant, in crawl order: a byte a page."""

    def __init__(self, relevant: npt.ArrayLike = ()) -> None:
        """Begin with pages of earlier runs: (k,) whether each was relevant."""
        self._flags = bytearray(np.asarray(relevant, bool).tobytes())
        self.relevant = self._flags.count(1)

    @property
    def pages(self) -> int:
        """Judged pages."""
        return len(self._flags)

    def add(self, relevant: bool) -> None:  # noqa: FBT001 - a fact about the page, not a mode
        """Count a judged page."""
        self._flags.append(relevant)
        self.relevant += relevant

    def last(self, pages: int = LAST) -> tuple[int, int]:
        """Relevant and judged pages of the last so many."""
        return self._flags.count(1, max(self.pages - pages, 0)), min(pages, self.pages)

    def recent(self) -> tuple[int, int]:
        """Relevant and judged pages of the last fifth, of FEWEST pages at least."""
        return self.last(max(math.ceil(RECENT * self.pages), FEWEST))


def judged(
    pages: IntArray, relevance: FloatArray, states: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64]:
    """Relevance of every page of a stored crawl that was fetched and judged, as it was told last.

    Args:
        pages: (m,) ids in the order of their answers, possibly several times.
        relevance: (m,) in [0, 1], NaN where a page was not judged.
        states: (n,) `State` by id.

    Returns:
        float64 in [0, 1], in the order in which the pages were first fetched.

    """
    _, first = np.unique(pages, return_index=True)
    ids, last = np.unique(pages[::-1], return_index=True)
    told = relevance[len(pages) - 1 - last]
    kept = (states[ids] == State.CRAWLED) & ~np.isnan(told)
    order = np.argsort(first[kept])
    return np.asarray(told[kept][order], np.float64)


def remaining(harvest: Harvest, queued: int, known: int, *, falling: bool) -> Remaining | None:
    """What is left of a crawl, at most all of its queued URLs.

    Args:
        harvest: of the whole crawl.
        queued: URLs that wait, those in flight included.
        known: these, and URLs of which is known what they are, pages or not.
        falling: whether the harvest falls off as 1/x: of an order that prefers what is relevant;
            otherwise it stays what it is.

    Returns:
        None before FEWEST judged pages.

    """
    if harvest.pages < FEWEST:
        return None
    growth = queued / max(known - queued, 1)
    found, pages = harvest.recent()
    rate = (found + 0.5) / (pages + 1)
    estimate = rate * harvest.pages * (math.log1p(growth) if falling else growth)
    factor = math.exp(FOUR_OF_FIVE * math.hypot(SPREAD, 1 / math.sqrt(found + 0.5)))
    low, high = math.floor(estimate / factor), math.ceil(estimate * factor)
    return Remaining(*(min(value, queued) for value in (estimate, low, high)))
