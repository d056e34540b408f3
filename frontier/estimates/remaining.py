"""How many relevant pages are left: an estimate from how the harvest falls off, and its interval.

Left are the relevant pages (as the crawl's own judge calls them) that links from here lead to,
found already or not. In a focused crawl the best comes first, and the chance that the x-th answer
is relevant falls about as 1/x; anchored at the harvest of the last fifth of the crawl that leaves

    r t ln(1 + K / A)

pages, r the harvest rate of that fifth, t the pages judged, A the URLs answered in any way, K those
queued. An order that does not look at the topic has no reason to fall off: r t K / A.

The logarithm of the truth over the estimate has a standard deviation of about SPREAD, beside the
chance in the few relevant pages that r was counted from; so the interval is a factor of at least 4
either way, and is meant to hold in four crawls of five. Neither it nor its ends exceed K. What it
was weighed against, and why that was worse, is told in docs/coverage.md.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
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
"""Judged pages of which is known at any time how many were relevant."""
_STEP = 0.01
"""Growth between two counts that are kept: a thousand of them for millions of pages."""


class Remaining(NamedTuple):
    """Relevant pages left, and the ends of the interval."""

    estimate: float
    low: float
    high: float


class Harvest:
    """How many of the first x judged pages were relevant, for enough x to look back.

    Invariant: `_pages` begins with 0 and ascends by a hundredth, by one at least; `_relevant` is
    the count at each of them.
    """

    def __init__(self, relevant: npt.ArrayLike = ()) -> None:
        """Begin with pages of earlier runs: (k,) whether each was relevant, in crawl order."""
        counts = np.cumsum(np.asarray(relevant, bool))
        self.pages = len(counts)
        self.relevant = int(counts[-1]) if self.pages else 0
        self._last = deque(np.asarray(relevant, bool)[-LAST:].tolist(), maxlen=LAST)
        self._pages, self._relevant = [0], [0]
        while (upcoming := self._upcoming()) <= self.pages:
            self._pages.append(upcoming)
            self._relevant.append(int(counts[upcoming - 1]))

    def _upcoming(self) -> int:
        return max(self._pages[-1] + 1, math.ceil(self._pages[-1] * (1 + _STEP)))

    def add(self, relevant: bool) -> None:  # noqa: FBT001 - a fact about the page, not a mode
        """Count a judged page."""
        self.pages += 1
        self.relevant += relevant
        self._last.append(relevant)
        if self.pages == self._upcoming():
            self._pages.append(self.pages)
            self._relevant.append(self.relevant)

    def last(self) -> tuple[int, int]:
        """Relevant and judged pages of the last LAST."""
        return sum(self._last), len(self._last)

    def recent(self) -> tuple[int, int]:
        """Relevant and judged pages of about the last fifth, of FEWEST pages at least."""
        until = min(self.pages * (1 - RECENT), self.pages - FEWEST)
        at = max(bisect_right(self._pages, until) - 1, 0)
        return self.relevant - self._relevant[at], self.pages - self._pages[at]


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
    """What is left of a crawl with so many queued URLs among the known ones, at most all of them.

    `falling` is the estimate of an order that prefers what is relevant. None before FEWEST judged
    pages.
    """
    left = (left_falling if falling else left_even)(harvest, queued, known - queued)
    return None if left is None else Remaining(*(min(value, queued) for value in left))


def left_falling(harvest: Harvest, queued: int, answered: int) -> Remaining | None:
    """What is left if the harvest falls off as 1/x: of an order that prefers what is relevant.

    Args:
        harvest: of the whole crawl.
        queued: URLs that wait, those handed out included.
        answered: URLs of which is known what they are, pages or not.

    Returns:
        None before FEWEST judged pages.

    """
    return _left(harvest, math.log1p(queued / max(answered, 1)))


def left_even(harvest: Harvest, queued: int, answered: int) -> Remaining | None:
    """What is left if the harvest stays what it is: of an order that does not look at the topic."""
    return _left(harvest, queued / max(answered, 1))


def _left(harvest: Harvest, growth: float) -> Remaining | None:
    """`growth`: pages like the recent ones that would hold what is left, by those there were."""
    if harvest.pages < FEWEST:
        return None
    found, pages = harvest.recent()
    estimate = (found + 0.5) / (pages + 1) * harvest.pages * growth
    factor = math.exp(FOUR_OF_FIVE * math.hypot(SPREAD, 1 / math.sqrt(found + 0.5)))
    return Remaining(estimate, math.floor(estimate / factor), math.ceil(estimate * factor))
