"""How many pages were relevant, by labels that people give, and how many relevant ones are left.

The topic model ranks pages well, and where its scale should be cut differs from topic to topic
(docs/estimates.md). So the harvest rate is told where people have looked at pages that were drawn
by chance, likely ones with a better chance.

Each page has a weight and a draw, a random number divided by it, and of those with the smallest
draws every one must be labelled: priority sampling (Duffield, Lund, Thorup, Priority sampling for
estimation of arbitrary subset sums, JACM 54, 2007). A page with weight w has a draw below t with a
chance of min(1, w t), and counts for as many pages as that is the inverse of. t is the draw of the
last labelled page, whose label does not count. The estimate is the weighted mean of Hajek (Comment
on a paper by D. Basu, 1971). Labels that were given for another reason count where the draw is
small enough.

A crawl that goes on fetches pages with smaller draws than some that are labelled. Those labels
still are a sample of what had been fetched before. Of all pairs of a draw and a time for which
every page with at most this draw, fetched before this time, is labelled, the one with the most
pages counts: that depends on which pages are labelled, not on the labels.

The interval is that of Wilson (Probable inference, the law of succession, and statistical
inference, JASA 22, 1927), at as many even labels as would leave the same variance. It has no width
where every page is labelled.

Left are the relevant pages (as the topic model judges) that links from here lead to, found already
or not. In a focused crawl the best comes first, and the chance that the x-th answer is relevant
falls about as 1/x; anchored at the harvest of the last fifth of the crawl that leaves

    r t ln(1 + K / A)

pages, r the harvest rate of that fifth, t the pages judged, A the URLs answered in any way, K those
queued. An order that does not look at the topic has no reason to fall off: r t K / A.

The logarithm of the truth over the estimate has a standard deviation of about SPREAD, beside the
chance in the few relevant pages that r was counted from; so the interval is a factor of at least 4
either way, and is meant to hold in four crawls of five. A judge that is not sure widens it: if
relevance is how likely a page is relevant, its sum is how many are. The upper end follows from this
sum where it is more than was counted, the lower end where it is less. Neither the estimate nor its
ends exceed K, and what pages still bring for each of those: where that is much, nothing of this
holds (`frontier.backend.outlook`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from ranking.arrays import FloatArray, IntArray

FOUR_OF_FIVE = 1.2816
"""Standard deviations either way that hold 80 % of a normal distribution."""
FEWEST = 10
"""Labelled pages before anything is said: of fewer the interval is half of all there could be."""
LAST = 100
"""Judged pages of which is told how many were relevant."""
RECENT = 0.2
"""Share of the crawl whose harvest rate counts: a tenth or a third of it do hardly worse."""
FEWEST_JUDGED = 20
"""Judged pages before it is said what is left, and of which the recent ones are at least."""
SPREAD = 1.1
"""Of ln(truth / estimate), on the development topics of two recorded webs."""
DOUBT = 2 / 3
"""Of the relevance from which on a page is relevant: from here on it may be. That is 1/3, odds of
one to two."""
_STEPS = 255


class Harvest:
    """How relevant the judged pages were, in crawl order: two bytes a page."""

    def __init__(self, relevance: npt.ArrayLike = (), relevant_from: float = 0.5) -> None:
        """Begin with pages of earlier runs: (k,) relevance, in [0, 1]."""
        known = np.asarray(relevance, np.float64)
        self._from = relevant_from
        self._flags = bytearray((known >= relevant_from).tobytes())
        self._steps = bytearray(np.rint(_STEPS * known).astype(np.uint8).tobytes())
        self.relevant = self._flags.count(1)
        self._older = self._relevant_older = 0
        """Pages before the last fifth, as it was when last asked for, and the relevant of them."""

    @property
    def pages(self) -> int:
        """Judged pages."""
        return len(self._flags)

    def add(self, relevance: float) -> None:
        """Count a judged page."""
        self._flags.append(relevance >= self._from)
        self._steps.append(round(_STEPS * relevance))
        self.relevant += self._flags[-1]

    def last(self, pages: int = LAST) -> tuple[int, int]:
        """Relevant and judged pages of the last so many."""
        return self._flags.count(1, max(self.pages - pages, 0)), min(pages, self.pages)

    def recent_share(self, pages: int = LAST) -> float | None:
        """Share of relevant pages among the last so many judged ones; None before the first."""
        relevant, judged = self.last(pages)
        return relevant / judged if judged else None

    def in_doubt(self, pages: int = LAST) -> int:
        """How many of the last so many judged pages are not relevant, but may be."""
        last = np.frombuffer(self._steps, np.uint8)[-pages:]
        relevant, _ = self.last(pages)
        return int(np.count_nonzero(last >= _STEPS * DOUBT * self._from)) - relevant

    def recent(self) -> tuple[int, float, int]:
        """Of the last fifth, FEWEST_JUDGED pages at least: relevant pages, relevance, pages.

        The relevance is their sum: how many are relevant, if it is how likely each is.
        """
        fifth = max(math.ceil(RECENT * self.pages), FEWEST_JUDGED)
        older = max(self.pages - fifth, 0)  # never fewer than before: only the new ones are counted
        self._relevant_older += self._flags.count(1, self._older, older)
        self._older = older
        likely = sum(self._steps[older:]) / _STEPS
        return self.relevant - self._relevant_older, likely, self.pages - older


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
    last_relevance = relevance[len(pages) - 1 - last]
    kept = (states[ids] == State.CRAWLED) & ~np.isnan(last_relevance)
    order = np.argsort(first[kept])
    return np.asarray(last_relevance[kept][order], np.float64)


class Drawn(NamedTuple):
    """A page that was drawn."""

    draw: float
    """A number in [0, 1) that chance gave it, divided by its weight."""
    weight: float
    """Larger than 0: how likely it was drawn, compared with others."""
    fetched: float
    """Unix seconds."""
    wanted: bool | None
    """What was said of it; None: it is not labelled."""


class HarvestRate(NamedTuple):
    """Share of relevant pages among those fetched before a time, in [0, 1], and its interval."""

    estimate: float
    low: float
    high: float
    labelled: int
    """Pages that it was told from."""
    until: float
    """Unix seconds; infinity: of all pages there are."""


def harvest_rate(pages: Sequence[Drawn], *, complete: bool) -> HarvestRate | None:
    """Estimate the rate from pages in the order of their draws; None where few are labelled.

    `pages` must be all those of a crawl that drew no larger number than the last of them; if they
    are `complete`, all there are.
    """
    counted, until = _sample(pages)
    if len(counted) < FEWEST:
        return None
    if complete and len(counted) == sum(page.fetched < until for page in pages):
        share = sum(bool(page.wanted) for page in counted) / len(counted)
        return HarvestRate(share, share, share, len(counted), until)
    return HarvestRate(*_estimated(counted[:-1], counted[-1].draw), len(counted), until)


def _sample(pages: Iterable[Drawn]) -> tuple[list[Drawn], float]:
    """The largest sample, of equal ones the latest, and the time before which it was fetched."""
    until, counted = math.inf, list[Drawn]()
    best = counted, until
    for page in pages:
        if page.wanted is None:
            until = min(until, page.fetched)
            counted = [kept for kept in counted if kept.fetched < until]
        elif page.fetched < until:
            counted = [*counted, page]
            if len(counted) > len(best[0]):
                best = counted, until
    return best


def _estimated(pages: Sequence[Drawn], bound: float) -> tuple[float, float, float]:
    """The share of relevant pages, and the ends of its interval, from those that drew less."""
    stand_for = [max(1.0, 1.0 / (page.weight * bound)) for page in pages]
    all_pages = math.fsum(stand_for)
    relevant = math.fsum(n for page, n in zip(pages, stand_for, strict=True) if page.wanted)
    share = min(relevant / all_pages, 1.0)
    deviations = (
        n * (n - 1.0) * (bool(page.wanted) - share) ** 2
        for page, n in zip(pages, stand_for, strict=True)
    )
    variance = math.fsum(deviations) / all_pages**2
    even = share * (1.0 - share) / variance if variance else float(len(pages))
    return share, *_wilson(share, even)


def _wilson(share: float, n: float) -> tuple[float, float]:
    """The shares of which this one among n pages is not too far away."""
    z2 = FOUR_OF_FIVE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = FOUR_OF_FIVE * math.sqrt(share * (1 - share) / n + z2 / (4 * n**2)) / (1 + z2 / n)
    # Where all pages say the same, rounding could leave their share outside.
    return min(max(centre - reach, 0.0), share), max(min(centre + reach, 1.0), share)


class Remaining(NamedTuple):
    """Relevant pages left, and the ends of the interval."""

    estimate: float
    low: float
    high: float


class Outlook(NamedTuple):
    """What is left to fetch, or why that is not known."""

    remaining: Remaining | None = None
    unknown: str = ""
    """"" where it is known, and before FEWEST_JUDGED pages of this run are judged."""
    growth: float = 0.0
    """Relevant pages that the recent pages brought for each relevant one of them, at most."""
    unsearched: tuple[str, ...] = ()
    """Hosts that are slow or want a pause, and have URLs that look relevant."""


def remaining(
    harvest: Harvest, queued: int, known: int, *, falling: bool, most: int | None = None
) -> Remaining | None:
    """What is left of a crawl.

    Args:
        harvest: of the whole crawl.
        queued: URLs that wait, those in flight included.
        known: these, and URLs of which is known what they are, pages or not.
        falling: whether the harvest falls off as 1/x: of an order that prefers what is relevant;
            otherwise it stays what it is.
        most: that can be left; None: the queued URLs.

    Returns:
        None before FEWEST_JUDGED judged pages.

    """
    if harvest.pages < FEWEST_JUDGED:
        return None
    growth = queued / max(known - queued, 1)
    n_relevant, likely, pages = harvest.recent()
    each = harvest.pages / (pages + 1) * (math.log1p(growth) if falling else growth)

    def end(relevant: float, side: int) -> float:
        spread = math.hypot(SPREAD, 1 / math.sqrt(relevant + 0.5))
        return (relevant + 0.5) * each * math.exp(side * FOUR_OF_FIVE * spread)

    estimate = (n_relevant + 0.5) * each
    low, high = (
        math.floor(end(min(n_relevant, likely), -1)),
        math.ceil(end(max(n_relevant, likely), 1)),
    )
    most = queued if most is None else most
    return Remaining(*(min(value, most) for value in (estimate, low, high)))
