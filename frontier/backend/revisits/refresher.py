"""Known pages that are revisited: which ones, when, and what becomes of them.

Revisits are leases like any other. `plan` puts the pages that are worth most into the queue, a few
at a time, in a class of their own: they leave as soon as their host may be asked. A request goes to
a known page or to a new URL by its expected yield: for a known page its importance times the chance
that it has changed, for a new URL the mean importance of pages lately fetched for the first time.
Importance is relevance, or without a topic the score by its mean, or 1.

All known pages are weighed together, in portions: the page that is revisited was the best at most
WEIGHED seconds ago, or before as many revisits as make a hundredth of the pages. A page is due when
it may have changed (DUE), or is said to have, FRONTIER_REFRESH_MIN after its last visit at the
earliest and FRONTIER_REFRESH_MAX at the latest.

Invariant: a page that waits for a revisit is QUEUED, with a request of class REVISIT_CLASS; so a
crawl that is resumed goes on with it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.backend.revisits.results import RevisitResults, first_revisit
from frontier.refresh.policy import SWEEP
from frontier.refresh.worth import UNSEEN_EVERY, foremost, oldest_revisits, worth
from frontier.states import State
from frontier.store import UNSAVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.backend.frontier_queue import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.config import CrawlConfig
    from frontier.records import Lease, Page
    from frontier.store import Store
    from frontier.strategy.order_driver import OrderDriver
    from frontier.verdict import Verdict
    from ranking.arrays import BoolArray, FloatArray, LongArray

AHEAD: Final = 16
"""Revisits that wait in the queue at most, AHEAD_OF_HOST of each host: no host keeps the others."""
AHEAD_OF_HOST: Final = 2
WEIGHED: Final = 60.0
"""Seconds after which all pages are weighed anew."""
PORTION: Final = (64, 4096)
"""Pages that are chosen at a time: a hundredth of all, within these bounds."""
DUE: Final = 0.05
"""Chance to have changed from which a page is due: asked more often, it has hardly ever changed."""
_ASKED: Final = (State.CRAWLED, State.ERROR, State.REDIRECTED)
"""States of pages that are revisited unless they have ended: pages that moved, and pages of which a
further request failed, are among them."""
_POLL: Final = 0.25
_SOME: Final = 50
"""Fetches by which it is known what a new URL brings."""
_FORGET: Final = 0.999
"""Weight of older leases in the share of revisits."""
_AT_ONCE: Final = 1e12


class Refresher:
    """Revisits at the known pages of one crawl again."""

    def __init__(
        self,
        config: CrawlConfig,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        driver: OrderDriver,
    ) -> None:
        """Go on with what a crawl that is resumed knows."""
        self._policy = config.refresh
        self._focused = config.focused
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._driver = driver
        self._objects: dict[int, object] = {}
        self._candidates: deque[tuple[int, float]] = deque()
        self._unseen: deque[int] = deque()
        self._planned = 0
        self._weighed = self._idle_until = -np.inf
        self._revisits = self._others = 0.0
        self._brings = 1.0
        self._mean_score = 0.0
        self.findings = RevisitResults(store, ledger, self._soon, self._policy, self._targets)
        self._pages = self.findings.pages
        self._waiting = {url_id: self._ledger.host_of(url_id) for url_id in self.findings.under_way}

    def _soon(self, row: int | None) -> None:
        """A page is to be revisited next, or some page is."""
        self._idle_until = -np.inf
        if row is not None:
            self._candidates.appendleft((row, np.inf))

    def _targets(self, url_id: int) -> list[int]:
        targets: list[int] = self._driver.graph.links(url_id)[0].tolist()
        return targets

    @property
    def keeps_open(self) -> bool:
        """Whether any page may be revisited."""
        return self._pages.going > 0

    def seconds(self) -> float | None:
        """Seconds until a page may be due; None if one waits in the queue, or none will be."""
        if self._waiting or not self.keeps_open:
            return None
        return max(self._idle_until - self.findings.clock(), _POLL)

    def _importance(self, ids: LongArray) -> FloatArray:
        """float64[k] >= 0, of pages."""
        if self._focused:
            values = self._driver.evidence.relevance[ids].astype(np.float64)
        else:
            scores = self._driver.order.scores.get("score")
            values = np.ones(len(ids))
            if scores is not None and self._mean_score > 0:
                values = scores[ids] / self._mean_score
        sources = self.findings.is_change_source(ids)
        values[sources] = max(1.0, float(values.max(initial=0.0)))
        return values

    def _score_of_pages(self) -> float:
        """Mean score of what was fetched; 0 without scores."""
        scores = self._driver.order.scores.get("score")
        if self._focused or scores is None:
            return 0.0
        known = scores[self._driver.evidence.fetched[: len(scores)]]
        return float(known.mean()) if len(known) else 0.0

    # -- which pages are revisited --------------------------------------------------------------

    def plan(self) -> None:
        """Queue pages that are to be revisited before anything else is fetched."""
        now = self.findings.clock()
        put_off: list[tuple[int, float]] = []
        while len(self._waiting) < AHEAD and len(put_off) < AHEAD and self._has_candidates(now):
            row, value = self._candidates[0]
            url_id = self._pages.url_id(row)
            host = self._ledger.host_of(url_id)
            if not self._may_be_asked(row, now):
                self._candidates.popleft()
            elif list(self._waiting.values()).count(host) >= AHEAD_OF_HOST:
                put_off.append(self._candidates.popleft())
            elif self._is_worth(value):
                self._planned += 1
                if self._planned % UNSEEN_EVERY or not self._revisit_unseen(now):
                    self._candidates.popleft()
                    self._revisit(url_id)
            else:
                break
        self._candidates.extendleft(reversed(put_off))

    def _may_be_asked(self, row: int, now: float) -> bool:
        url_id = self._pages.url_id(row)
        is_known = self._ledger.state_of(url_id) in _ASKED and not self._pages.ended[row]
        is_time = now >= self._pages.earliest[row]
        return is_known and is_time and not self.findings.rests(self._ledger.host_of(url_id), now)

    def _is_worth(self, value: float) -> bool:
        """Whether a request brings more here than where it would go otherwise."""
        waiting = len(self._waiting)
        if self._queue.count() <= waiting and not self._queue.turn_is_open:
            return True
        share = (self._revisits + waiting) / max(self._revisits + self._others + waiting, 1.0)
        if share < self._policy.least_share:
            return True
        if share >= self._policy.most_share or self._policy.way == SWEEP:
            return False
        return value > self._brings

    def _revisit_unseen(self, now: float) -> bool:
        """Queue the page that was not seen for longest; False where there is none."""
        while self._unseen:
            row = self._unseen.popleft()
            if self._may_be_asked(row, now):
                self._revisit(self._pages.url_id(row))
                return True
        return False

    def _revisit(self, url_id: int) -> None:
        known = self._store.revisit(url_id)
        body = None if known is None else known.request
        kept = self._objects.get(url_id)
        self._ledger.queue_revisit(url_id, UNSAVED if kept is not None else body, kept)
        self._queue.schedule([url_id])
        self._waiting[url_id] = self._ledger.host_of(url_id)
        self.findings.under_way.add(url_id)

    def _has_candidates(self, now: float) -> bool:
        """Whether a page is due."""
        if not self._candidates or now - self._weighed > WEIGHED:
            if now < self._idle_until or not len(self._pages):
                return False
            self._weigh(now)
        return bool(self._candidates)

    def _weigh(self, now: float) -> None:
        """Choose the pages to revisit next, or know when to choose again."""
        pages, policy = self._pages, self._policy
        ids = pages.ids
        last = pages.chances.last.astype(np.float64)
        rates, chances = pages.chances.estimates(slice(None), now)
        latest = self._latest(ids)
        late = now - last >= latest
        late[list(self.findings.due)] = True
        is_due = np.ones(len(ids), np.bool_) if policy.way == SWEEP else (chances >= DUE) | late
        going = ~pages.ended
        resting = self.findings.resting(now)
        if resting:
            going &= ~np.isin(self._ledger.host.array[ids], resting)
        is_due &= going & (now >= pages.earliest)
        is_due &= np.isin(self._ledger.state.array[ids], _ASKED)
        self._weighed = now
        self._mean_score = self._score_of_pages()
        importance = self._importance(ids)
        brings = np.where(late, np.inf, importance * chances)
        importance[late] += _AT_ONCE
        most = min(max(len(ids) // 100, PORTION[0]), PORTION[1])
        if policy.way == SWEEP:
            rows = oldest_revisits(pages.chances, ~is_due, most)
        else:
            rows = foremost(np.where(is_due, worth(importance, rates, chances), -1.0), most)
        self._candidates = deque(zip(rows.tolist(), brings[rows].tolist(), strict=True))
        unseen = oldest_revisits(pages.chances, ~is_due, most // UNSEEN_EVERY)
        self._unseen = deque(unseen.tolist())
        self._idle_until = now if len(rows) else self._first_due(now, rates, last, latest, going)

    def _latest(self, ids: LongArray) -> FloatArray:
        """float64[k]: seconds after which pages are revisited whatever that is worth.

        Those that tell of others are as much more often than the rest as that is than it may be.
        """
        waits = np.full(len(ids), self._policy.most)
        waits[self.findings.is_change_source(ids)] = self._policy.between
        return waits

    def _first_due(
        self,
        now: float,
        rates: FloatArray,
        last: FloatArray,
        latest: FloatArray,
        going: BoolArray,
    ) -> float:
        """Time at which the first page may be due where none is now; at most a minute from now, as
        chances change meanwhile.
        """
        if self._policy.way == SWEEP:
            waits = np.full(len(last), self._policy.least)
        else:
            waits = np.maximum(-np.log1p(-DUE) / rates, self._policy.least)
            waits = np.minimum(waits, latest)
        waits[list(self.findings.due)] = 0.0
        first = np.maximum(last + waits, self._pages.earliest)[going]
        soonest = float(first.min(initial=np.inf))
        return min(max(soonest, now + 0.05), now + WEIGHED)

    def leaving(self, leases: Sequence[Lease]) -> None:
        """Count leases; revisits get what to ask with, unless they are to see the whole page."""
        for lease in leases:
            self._revisits *= _FORGET
            self._others *= _FORGET
            if not lease.revisit:
                self._others += 1
                continue
            self._revisits += 1
            self._waiting.pop(lease.url_id, None)
            self.findings.give_validators(lease)

    def answered(self, lease: Lease, page: Page, verdict: Verdict) -> None:
        """Note an answer that was stored: a new page, or a page that changed, moved or went."""
        is_page = verdict.state_of(page) is State.CRAWLED
        if not lease.revisit:
            brought = self._importance(np.array([lease.url_id]))[0] if is_page else 0.0
            self._brings += (float(brought) - self._brings) / _SOME
        known = self.findings.known(lease)
        if known is None:
            if not is_page or page.blocks is None:
                return
            known = first_revisit(lease, self.findings.clock())
            if lease.unsaved is not None:
                self._objects[lease.url_id] = lease.unsaved
        self.findings.note(lease, page, verdict, known)
