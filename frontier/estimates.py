"""Estimates: the harvest rate by labels, and the number of relevant pages left.

The topic model ranks pages well, but the right threshold on its scale differs from topic to topic
(docs/estimates.md). So the harvest rate is estimated from labels of pages that are drawn at random,
likely relevant pages with a higher chance.

Priority sampling: a page with weight w has the draw u / w, u uniform in [0, 1), and the pages with
the smallest draws must all be labelled (Duffield, Lund, Thorup, Priority sampling for estimation of
arbitrary subset sums, JACM 54, 2007). A page has a draw below t with chance min(1, w t), and counts
for the inverse of that chance in pages. t is the draw of the last labelled page, whose own label
does not count. The estimate is the weighted mean of Hajek (Comment on a paper by D. Basu, 1971).
Labels given for other reasons count if the draw is small enough.

A crawl that goes on fetches pages with smaller draws than some labelled pages. The labels are still
a sample of the pages fetched before. Of all pairs of a draw and a time such that every page with at
most this draw, fetched before this time, is labelled, the pair with the most pages counts: it
depends on which pages are labelled, not on the labels.

The interval is that of Wilson (Probable inference, the law of succession, and statistical
inference, JASA 22, 1927), for the number of equally weighted labels with the same variance. It has
no width if every page is labelled.

The relevant pages left (by the topic model) are those that links lead to from here, found already
or not. In a focused crawl the best pages come first, and the chance that the x-th answer is
relevant falls about as 1/x; with the harvest of the last fifth of the crawl that leaves

    r t ln(1 + K / A)

pages, r the harvest rate of that fifth, t the judged pages, A the URLs answered in any way, K the
queued URLs. In a strategy that ignores the topic the harvest does not fall: r t K / A.

The logarithm of truth / estimate has a standard deviation of about SPREAD, beside the chance in the
few relevant pages that r is counted from; so the interval is a factor of at least 4 either way, and
is meant to hold in four crawls of five. An unsure topic model widens it: if relevance is a
probability, its sum is the expected number of relevant pages. The upper end follows from this sum
if it is larger than the count, the lower end if it is smaller. Neither the estimate nor its ends
exceed K / (1 - growth), the queued URLs and those that they still bring; where the growth is large,
nothing of this holds (`frontier.backend.progress.outlook`).
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
"""Fewest labelled pages of an estimate: with fewer, the interval is half of the possible range."""
LAST = 100
"""Last judged pages whose relevant ones are counted."""
RECENT = 0.2
"""Share of the crawl whose harvest rate counts: a tenth or a third are hardly worse."""
FEWEST_JUDGED = 20
"""Fewest judged pages of an estimate of the pages left, and fewest recent pages."""
SPREAD = 1.1
"""Of ln(truth / estimate), on the development topics of two recorded webs."""
DOUBT = 2 / 3
"""Share of the threshold of relevance above which a page is in doubt: 1/3, odds of one to two."""
_STEPS = 255


class Harvest:
    """The relevance of the judged pages in crawl order, two bytes for each page."""

    def __init__(self, relevance: npt.ArrayLike = (), relevant_from: float = 0.5) -> None:
        """Begin with pages of earlier runs: (k,) relevance, in [0, 1]."""
        known = np.asarray(relevance, np.float64)
        self._from = relevant_from
        self._flags = bytearray((known >= relevant_from).tobytes())
        self._steps = bytearray(np.rint(_STEPS * known).astype(np.uint8).tobytes())
        self.relevant = self._flags.count(1)
        self._older = self._relevant_older = 0
        """Pages, and relevant pages, before the last fifth at the last call of `recent`."""

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
        """Relevant and judged pages among the last `pages`."""
        return self._flags.count(1, max(self.pages - pages, 0)), min(pages, self.pages)

    def recent_share(self, pages: int = LAST) -> float | None:
        """Share of relevant pages among the last so many judged ones; None before the first."""
        relevant, judged = self.last(pages)
        return relevant / judged if judged else None

    def in_doubt(self, pages: int = LAST) -> int:
        """Number of pages in doubt among the last `pages`: not relevant, but nearly."""
        last = np.frombuffer(self._steps, np.uint8)[-pages:]
        relevant, _ = self.last(pages)
        return int(np.count_nonzero(last >= _STEPS * DOUBT * self._from)) - relevant

    def recent(self) -> tuple[int, float, int]:
        """Of the last fifth, FEWEST_JUDGED pages at least: relevant pages, relevance, pages.

        The relevance is a sum: the expected number of relevant pages if it is a probability.
        """
        fifth = max(math.ceil(RECENT * self.pages), FEWEST_JUDGED)
        older = max(self.pages - fifth, 0)  # never fewer than before: only new ones are counted
        self._relevant_older += self._flags.count(1, self._older, older)
        self._older = older
        likely = sum(self._steps[older:]) / _STEPS
        return self.relevant - self._relevant_older, likely, self.pages - older


def judged(
    pages: IntArray, relevance: FloatArray, states: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64]:
    """The last relevance of every fetched and judged page of a stored crawl.

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
    """A page of the sample."""

    draw: float
    """A random number in [0, 1) divided by the weight."""
    weight: float
    """Relative chance to be drawn, above 0."""
    fetched: float
    """Unix seconds."""
    wanted: bool | None
    """Its label; None: it is not labelled."""


class HarvestRate(NamedTuple):
    """Share of relevant pages among those fetched before a time, in [0, 1], and its interval."""

    estimate: float
    low: float
    high: float
    labelled: int
    """Number of labelled pages in the sample."""
    until: float
    """Unix seconds; infinity: of all pages."""


def harvest_rate(pages: Sequence[Drawn], *, complete: bool) -> HarvestRate | None:
    """Estimate the rate from pages in the order of their draws; None with fewer than FEWEST labels.

    `pages` must be all pages of a crawl up to the draw of the last of them; if `complete`, all
    pages of the crawl.
    """
    counted, until = _sample(pages)
    if len(counted) < FEWEST:
        return None
    if complete and len(counted) == sum(page.fetched < until for page in pages):
        share = sum(bool(page.wanted) for page in counted) / len(counted)
        return HarvestRate(share, share, share, len(counted), until)
    return HarvestRate(*_estimated(counted[:-1], counted[-1].draw), len(counted), until)


def _sample(pages: Iterable[Drawn]) -> tuple[list[Drawn], float]:
    """The largest sample, the latest of equal ones, and the time before which it was fetched."""
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
    """The share of relevant pages and its interval, from pages with draws below `bound`."""
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
    """The Wilson score interval of a share of n pages."""
    z2 = FOUR_OF_FIVE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = FOUR_OF_FIVE * math.sqrt(share * (1 - share) / n + z2 / (4 * n**2)) / (1 + z2 / n)
    # If all labels are equal, rounding could leave their share outside.
    return min(max(centre - reach, 0.0), share), max(min(centre + reach, 1.0), share)


class Remaining(NamedTuple):
    """Relevant pages left, and the ends of the interval."""

    estimate: float
    low: float
    high: float


class Outlook(NamedTuple):
    """The relevant pages left, or why their number is not known."""

    remaining: Remaining | None = None
    unknown: str = ""
    """"" if it is known, and before FEWEST_JUDGED pages of this run are judged."""
    growth: float = 0.0
    """Upper bound of the relevant pages brought by each relevant recent page."""
    unsearched: tuple[str, ...] = ()
    """Slow or pausing hosts with URLs that look relevant."""


def remaining(
    harvest: Harvest, queued: int, known: int, *, falling: bool, most: int | None = None
) -> Remaining | None:
    """Estimate the relevant pages left.

    Args:
        harvest: of the whole crawl.
        queued: URLs that wait, those in flight included.
        known: these and all answered URLs, pages or not.
        falling: whether the harvest falls as 1/x, as in a strategy that prefers relevant URLs;
            otherwise it stays constant.
        most: upper bound of the pages left; None: the queued URLs.

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
