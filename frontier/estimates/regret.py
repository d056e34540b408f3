"""What reality cost the order: relevant pages that the same requests would have brought more.

Three things keep a crawl from the ideal order. A better URL waited for its host (politeness). The
answers that were in flight would have led to a better one (batching). The scores were old: by those
known one re-rank later another would have been better (staleness). A request that left while one of
these held is put on record. Had it gone to the better URL, and that URL's own request to the next
one, and so on, then the crawl would today be ahead by the best URL that still waits, and would lack
the page the request brought. So k requests on record cost

    Σ max(0, p(best waiting i) − p(worst on record i)),   i = 1 .. k

relevant pages, where p is the probability that a page is relevant, calibrated on what the requests
of this run brought (`ranking.calibration`). A request on record that nothing waiting exceeds any
more is forgotten: the ideal order would have come to it as well. What politeness merely delays
costs nothing in the end, and a crawl that fetches all there is loses nothing.

It is an estimate, and rather a low one: a page's own relevance, known by then, raises its fresh
score a little; only the links of an answer are looked at, not what it teaches of others; of many
requests on record the KEPT worst count.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ranking.calibration import Calibration
from ranking.priority import SEED_PRIORITY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ranking.arrays import FloatArray

    Best = Callable[[int], FloatArray]

POLITENESS, BATCHING, STALENESS = "politeness", "batching", "staleness"
CAUSES = (POLITENESS, BATCHING, STALENESS)
PAIRS = 2_000
"""Latest answers that calibrate: enough for a rate of 1 %, recent enough for scores that drift."""
FEWEST = 50
"""Answers before anything is calibrated."""
KEPT = 4_096
"""Requests on record, and requests looked back at when scores are renewed."""
IN_FLIGHT = 64
"""Latest requests that an answer is compared with: a few times what a crawl has under way."""


@dataclass(slots=True, eq=False)
class _Handout:
    """A request: what the URL was taken for, and why that was not the best, if it was not."""

    number: int
    url_id: int
    priority: float
    cause: str | None = None
    worth: float | None = None


class Losses(NamedTuple):
    """Relevant pages lost, by cause."""

    politeness: float
    batching: float
    staleness: float


class Regret:
    """The account of one run.

    Invariant: `_record` holds the requests with a cause that were not forgotten; those with a worth
    come first.
    """

    def __init__(self) -> None:
        self._pairs: deque[tuple[float, bool]] = deque(maxlen=PAIRS)
        self._in_flight: deque[_Handout] = deque(maxlen=IN_FLIGHT)
        self._since: deque[_Handout] = deque(maxlen=KEPT)
        self._record: list[_Handout] = []
        self.losses: Losses | None = None
        """As of the last `settle`; None while there is too little to calibrate on."""

    def handed_out(self, number: int, url_id: int, priority: float, better: int) -> None:
        """A request left; `better` counts the URLs that were better and waited for their hosts.

        `number` ascends with each hand-out. Seeds have no priority to speak of and do not count.
        """
        if priority >= SEED_PRIORITY / 2:
            return
        handout = _Handout(number, url_id, priority)
        self._in_flight.append(handout)
        self._since.append(handout)
        if better:
            self._put_on_record(handout, POLITENESS)

    def answered(self, priority: float, *, relevant: bool) -> None:
        """An answer came, page or not, to a request that had this priority."""
        if priority < SEED_PRIORITY / 2:
            self._pairs.append((priority, relevant))

    def taught(self, number: int, links: Callable[[], FloatArray]) -> None:
        """The answer to hand-out `number` has been learned.

        `links` gives the priorities now of the queued URLs it links to; only called if later
        requests have left already.
        """
        since = takewhile(lambda one: one.number > number, reversed(self._in_flight))
        later = [one for one in since if one.cause is None]
        if not later:
            return
        later.sort(key=lambda one: one.priority)
        for handout, better in zip(later, _descending(links()).tolist(), strict=False):
            if better <= handout.priority:
                return
            self._put_on_record(handout, BATCHING)

    def renewed(
        self, before: FloatArray, after: FloatArray, fresh: Callable[[list[int]], FloatArray]
    ) -> None:
        """Scores were renewed: which requests since the last time would have gone elsewhere.

        Args:
            before: (n,) priorities of everything queued, as they were.
            after: (n,) as they are now.
            fresh: gives the priorities now of URLs that were handed out.

        """
        since = [one for one in self._since if one.cause is None]
        self._since.clear()
        if not since or not before.size:
            return
        rising = _rising(before, after, len(since))
        if not rising.size:
            return
        values = fresh([one.url_id for one in since])
        order = np.argsort(values, kind="stable").tolist()
        for at, better in zip(order, rising.tolist(), strict=False):
            if better <= values[at]:
                return
            since[at].priority = float(values[at])
            self._put_on_record(since[at], STALENESS)

    def settle(self, best: Best) -> None:
        """Bring `losses` up to date; `best(k)` gives the k best priorities that wait, descending.

        Best before priorities change their scale: what requests were worth is fixed here.
        """
        if len(self._pairs) < FEWEST:
            return
        calibrated = Calibration(*zip(*self._pairs, strict=True))
        self._fix_worth(calibrated)
        worth = np.array([one.worth for one in self._record])
        waiting = calibrated(best(len(worth)))
        gains = waiting - worth[: len(waiting)]
        lost = gains[gains > 0]
        del self._record[len(lost) :]
        totals = dict.fromkeys(CAUSES, 0.0)
        for handout, gain in zip(self._record, lost.tolist(), strict=True):
            assert handout.cause is not None
            totals[handout.cause] += gain
        self.losses = Losses(*(totals[cause] for cause in CAUSES))

    def _fix_worth(self, calibrated: Calibration) -> None:
        """Give those that are new on record their worth, and keep the worst, worst first."""
        new = [one for one in self._record if one.worth is None]
        values = calibrated(np.array([one.priority for one in new]))
        for handout, value in zip(new, values.tolist(), strict=True):
            handout.worth = value
        self._record.sort(key=lambda one: (one.worth, one.number))
        del self._record[KEPT:]

    def _put_on_record(self, handout: _Handout, cause: str) -> None:
        handout.cause = cause
        self._record.append(handout)


def waiting_best(priorities: FloatArray, k: int) -> FloatArray:
    """The k best of the priorities (n,) that are no seeds', descending; fewer if there are none."""
    plain = priorities[priorities < SEED_PRIORITY / 2]
    if 0 < k < plain.size:
        plain = np.partition(plain, -k)[-k:]
    return _descending(plain)[:k]


def _rising(before: FloatArray, after: FloatArray, k: int) -> FloatArray:
    """Priorities now, descending, of those that are among the k best now and were not before."""
    plain = (before < SEED_PRIORITY / 2) & (after < SEED_PRIORITY / 2)
    before, after = before[plain], after[plain]
    if k >= before.size:
        return np.empty(0)
    cuts = [np.partition(values, -k)[-k] for values in (before, after)]
    return _descending(after[(before < cuts[0]) & (after >= cuts[1])])


def _descending(values: FloatArray) -> FloatArray:
    return np.asarray(np.sort(values)[::-1], np.float64)
