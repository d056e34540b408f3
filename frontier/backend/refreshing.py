"""Known pages that are looked at again: which ones, when, and what becomes of them.

Looks are hand-outs like any other. `plan` puts the pages that are worth most into the queue, a few
at a time, in a class of their own: they leave as soon as their host may be asked. Between a look
and the URL that would be fetched instead decides one number, what a request is going to bring: of a
page its importance times the chance that it has changed, of a new URL the mean importance of what
was lately fetched for the first time. Importance is relevance, or without a topic the score by its
mean, or 1.

All known pages are weighed together, in portions: what is looked at was the best at most WEIGHED
seconds ago, or before as many looks as make a hundredth of the pages. A page is due when it may
have changed (DUE), or is said to have, FRONTIER_REFRESH_MIN after its last look at the earliest and
FRONTIER_REFRESH_MAX at the latest.

Invariant: a page that waits for a look is QUEUED, with a request of class LOOK_CLASS; so a crawl
that is resumed goes on with it.
"""

from __future__ import annotations

from collections import Counter, deque
from heapq import heappush, heappushpop
from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.backend.known_pages import CrawlClock, KnownPages
from frontier.records import Look
from frontier.refresh.blocks import ChangeFinder
from frontier.refresh.changes import with_look
from frontier.refresh.policy import SWEEP
from frontier.refresh.worth import UNSEEN_EVERY, due
from frontier.states import Change, Mark, State
from frontier.store import PLAIN, schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from frontier.backend.components import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.config import CrawlConfig
    from frontier.records import HandedOut, PageRecord, UrlRecord
    from frontier.store import Store
    from frontier.strategy.order_driver import OrderDriver
    from ranking.arrays import FloatArray, LongArray

AHEAD: Final = 16
"""Looks that wait in the queue at most, AHEAD_OF_HOST of one host: others may not be kept by it."""
AHEAD_OF_HOST: Final = 2
WEIGHED: Final = 60.0
"""Seconds after which all pages are weighed anew."""
PORTION: Final = (64, 4096)
"""Pages that are chosen at a time: a hundredth of all, within these bounds."""
DUE: Final = 0.05
"""Chance to have changed from which a page is due: asked more often, it has hardly ever changed."""
CHECKED: Final = 20
"""Answers of a host that a page was not modified, of which one is checked by a full fetch."""
FIRST_REST: Final = 3600.0
"""Seconds for which a host is left alone after a look that failed; twice as long each time."""
MOST_REST: Final = 7 * 86400.0
_UNMODIFIED: Final = 304
_MISSING: Final = (404, 410)
_DAY: Final = 86400.0
_POLL: Final = 0.25
_LATEST: Final = 1000
"""Pages that speak for their hosts when a crawl goes on."""
_AT_A_TIME: Final = 10_000
_MOST_DATED: Final = 10_000
_SOME: Final = 50
"""Fetches by which it is known what a new URL brings."""
_FORGET: Final = 0.999
"""Weight of older hand-outs in the share of looks."""
_AT_ONCE: Final = 1e12
_ENDED: Final = (Change.GONE, Change.MOVED, Change.FORBIDDEN)
"""Found of pages that are not asked for any more."""
_STAYS: Final = (Change.UNCHANGED, Change.MISSED, Change.FAILED, Change.FORBIDDEN)
"""Found of pages whose last version is kept."""
_UNSAVED: Final = b""


class Refresher:
    """Looks at the known pages of one crawl again; `counts` are those of this run, by stat."""

    def __init__(
        self,
        config: CrawlConfig,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        driver: OrderDriver,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Go on with what a crawl that is resumed knows."""
        self._policy = config.refresh
        self._focused = config.focused
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._driver = driver
        self.counts: Counter[str] = Counter()
        self._pages = KnownPages(ledger)
        self._finder = ChangeFinder()
        self._objects: dict[int, object] = {}
        self._liars: set[int] = set()
        self._confirmed: Counter[int] = Counter()
        self._in_full: set[int] = set()
        self._rests: dict[int, tuple[float, float]] = {}
        self._dated = set(store.settings().get(schema.DATED) or ())
        self._waiting: dict[int, int] = {}
        self.under_way: set[int] = set()
        """Pages that are QUEUED or LEASED because they are looked at."""
        self._candidates: deque[tuple[int, float]] = deque()
        self._unseen: deque[int] = deque()
        self._planned = 0
        self._weighed = self._idle_until = -np.inf
        self._looks = self._others = 0.0
        self._brings = 1.0
        latest = self._resume()
        self._clock = clock or CrawlClock(latest)

    # -- what is known --------------------------------------------------------------------------

    def _resume(self) -> float:
        """Take in what the store knows; return the time of the last look."""
        ids, times, marks = self._store.fetch_times()
        fetched = dict(zip(ids.tolist(), times.tolist(), strict=True))
        asked = ids[(marks & Mark.REQUESTED) > 0]
        unkept = set(asked.tolist())  # how they are asked for, nobody knows any more
        latest: list[tuple[float, int, bytes]] = []
        known: dict[int, tuple[float, float, float]] = {}
        ended: list[int] = []
        signalled: list[int] = []
        for look in self._store.looks():
            url_id = look.url_id
            known[url_id] = look.first, look.last, look.rated
            unkept.discard(url_id)
            if look.lied:
                self._liars.add(self._host(url_id))
            if look.found in _ENDED:
                ended.append(url_id)
            if look.signalled is not None and look.signalled > look.last:
                signalled.append(url_id)
            if look.blocks:
                entry = look.last, url_id, look.blocks
                (heappush if len(latest) < _LATEST else heappushpop)(latest, entry)
        rows = sorted({*fetched, *known}.difference(unkept))
        if not rows:
            return 0.0
        seen = [known.get(one) or (fetched[one], fetched[one], 0.0) for one in rows]
        first, last, changes = np.array(seen, np.float64).T
        array = np.array(rows, np.int64)
        self._pages.restore(array, self._urls(rows), first, last, changes)
        self._pages.chances.signal(self._pages.rows(np.array(signalled, np.int64)))
        state = self._ledger.state.array[array]
        self._pages.ended[:] = state > State.CRAWLED
        self._pages.ended[self._pages.rows(np.array(ended, np.int64))] = True
        for _, url_id, blocks in sorted(latest):
            self._finder.note(self._host(url_id), url_id, blocks)
        queued = array[state == State.QUEUED].tolist()
        self._waiting = {one: self._host(one) for one in queued if self._ledger.is_look(one)}
        self.under_way = set(self._waiting)
        return float(last.max())

    def _urls(self, ids: Sequence[int]) -> Iterator[str]:
        """URLs of ascending ids, read in portions."""
        for portion, some in groupby(ids, lambda one: one // _AT_A_TIME):
            start = portion * _AT_A_TIME
            urls = self._store.urls_in(range(start, start + _AT_A_TIME))
            for one in some:
                yield urls[one - start]

    def _host(self, url_id: int) -> int:
        return int(self._ledger.host.array[url_id])

    @property
    def keeps_open(self) -> bool:
        """Whether any page may be looked at again."""
        return bool(len(self._pages)) and not bool(self._pages.ended.all())

    def seconds(self) -> float | None:
        """Seconds until a page may be due; None if one waits in the queue, or none will be."""
        if self._waiting or not self.keeps_open:
            return None
        return max(self._idle_until - self._clock(), _POLL)

    def _importance(self, ids: LongArray) -> FloatArray:
        """float64[k] >= 0, of pages."""
        if self._focused:
            values = self._driver.evidence.relevance[ids].astype(np.float64)
        else:
            scores = self._driver.order.scores.get("score")
            values = np.ones(len(ids))
            if scores is not None:
                known = scores[self._driver.evidence.fetched[: len(scores)]]
                mean = float(known.mean()) if len(known) else 0.0
                if mean > 0:
                    values = scores[ids] / mean
        if self._dated:
            values[np.isin(ids, list(self._dated))] = max(1.0, float(values.max(initial=0.0)))
        return values

    # -- which pages are looked at --------------------------------------------------------------

    def plan(self) -> None:
        """Queue pages that are to be looked at before anything else is fetched."""
        now = self._clock()
        put_off: list[tuple[int, float]] = []
        while len(self._waiting) < AHEAD and len(put_off) < AHEAD and self._has_candidates(now):
            row, value = self._candidates[0]
            url_id = self._pages.url_id(row)
            host = self._host(url_id)
            if self._ledger.state_of(url_id) is not State.CRAWLED or self._rests_at(host, now):
                self._candidates.popleft()
            elif list(self._waiting.values()).count(host) >= AHEAD_OF_HOST:
                put_off.append(self._candidates.popleft())
            elif self._is_worth(value):
                self._planned += 1
                if self._planned % UNSEEN_EVERY or not self._look_at_unseen(now):
                    self._candidates.popleft()
                    self._look_at(url_id)
            else:
                break
        self._candidates.extendleft(reversed(put_off))

    def _is_worth(self, value: float) -> bool:
        """Whether a request brings more here than where it would go otherwise."""
        waiting = len(self._waiting)
        if self._queue.count() <= waiting and not self._queue.turn_is_open:
            return True
        share = (self._looks + waiting) / max(self._looks + self._others + waiting, 1.0)
        if share < self._policy.least_share:
            return True
        if share >= self._policy.most_share or self._policy.way == SWEEP:
            return False
        return value > self._brings

    def _look_at_unseen(self, now: float) -> bool:
        """Queue the page that was not seen for longest; False where there is none."""
        while self._unseen:
            url_id = self._pages.url_id(self._unseen.popleft())
            is_known = self._ledger.state_of(url_id) is State.CRAWLED
            if is_known and not self._rests_at(self._host(url_id), now):
                self._look_at(url_id)
                return True
        return False

    def _look_at(self, url_id: int) -> None:
        known = self._store.look(url_id)
        body = None if known is None else known.request
        kept = self._objects.get(url_id)
        self._ledger.look_again(url_id, _UNSAVED if kept is not None else body, kept)
        self._queue.schedule([url_id])
        self._waiting[url_id] = self._host(url_id)
        self.under_way.add(url_id)

    def _has_candidates(self, now: float) -> bool:
        """Whether a page is due."""
        if not self._candidates or now - self._weighed > WEIGHED:
            if now < self._idle_until or not len(self._pages):
                return False
            self._weigh(now)
        return bool(self._candidates)

    def _weigh(self, now: float) -> None:
        """Choose the pages to look at next, or know when to choose again."""
        pages, policy = self._pages, self._policy
        ids = pages.ids
        last = pages.chances.last.astype(np.float64)
        rates, chances = pages.chances.estimates(slice(None), now)
        late = now - last >= self._latest(ids)
        is_due = np.ones(len(ids), np.bool_) if policy.way == SWEEP else (chances >= DUE) | late
        is_due &= now - last >= policy.least
        is_due &= ~pages.ended & (self._ledger.state.array[ids] == State.CRAWLED)
        resting = [host for host in self._rests if self._rests_at(host, now)]
        if resting:
            is_due &= ~np.isin(self._ledger.host.array[ids], resting)
        self._weighed = now
        importance = self._importance(ids)
        values = np.where(late, np.inf, importance * chances)
        importance[late] += _AT_ONCE
        importance[~is_due] = -1.0
        most = min(max(len(ids) // 100, PORTION[0]), PORTION[1])
        unseen = 1.0 if policy.way == SWEEP else 0.0
        rows = due(importance, pages.chances, now, most, unseen)
        self._candidates = deque(zip(rows.tolist(), values[rows].tolist(), strict=True))
        self._unseen = deque(
            due(importance, pages.chances, now, most // UNSEEN_EVERY, 1.0).tolist()
        )
        self._idle_until = now if len(rows) else self._first_due(now, rates, last)

    def _latest(self, ids: LongArray) -> FloatArray:
        """float64[k]: seconds after which pages are looked at whatever that is worth.

        Those that tell of others are as much more often than the rest as that is than it may be.
        """
        waits = np.full(len(ids), self._policy.most)
        if self._dated:
            both = np.sqrt(self._policy.least * self._policy.most)
            waits[np.isin(ids, list(self._dated))] = both
        return waits

    def _first_due(self, now: float, rates: FloatArray, last: FloatArray) -> float:
        """When a page may be due, none being so now; a minute from now at most, as more is found
        out meanwhile.
        """
        going = ~self._pages.ended
        if self._policy.way == SWEEP:
            waits = np.full(len(last), self._policy.least)
        else:
            waits = np.maximum(-np.log1p(-DUE) / rates, self._policy.least)
            waits = np.minimum(waits, self._latest(self._pages.ids))
        soonest = float((last + waits)[going].min()) if going.any() else np.inf
        return min(max(soonest, now + 0.05), now + WEIGHED)

    def _rests_at(self, host: int, now: float) -> bool:
        return host in self._rests and now < self._rests[host][0]

    def leaving(self, handed_out: Sequence[HandedOut]) -> None:
        """Count hand-outs; looks get what to ask with, unless they are to see the whole page."""
        for handed in handed_out:
            self._looks *= _FORGET
            self._others *= _FORGET
            if not handed.look:
                self._others += 1
                continue
            self._looks += 1
            self._waiting.pop(handed.url_id, None)
            known = self._store.look(handed.url_id)
            in_full = handed.url_id in self._in_full or self._host(handed.url_id) in self._liars
            if known is not None and not in_full:
                handed.etag, handed.last_modified = known.etag, known.modified

    # -- what looks find ------------------------------------------------------------------------

    def keeps(self, handed: HandedOut, links: Sequence[UrlRecord]) -> bool:
        """Take in an answer; True if it is a look at a page that stays as it is.

        Sets `change`, `share` and `previous` of its record. A page that a spider asked for once
        more is held against what it was, too.
        """
        self._heed_dates(handed, links)
        page = handed.page
        known = self._known(handed)
        if known is None:
            page.change = Change.NEW if page.state is State.CRAWLED else None
            return False
        page.previous = known.last
        page.change = self._found(handed, known)
        if page.change is Change.GONE:
            page.error = f"gone: {page.error}, twice"
        leads_on = any(one.url_id < 0 or one.again or one.seed for one in links)
        stays = page.change in _STAYS and not (page.state is State.CRAWLED and leads_on)
        if not handed.look or not stays or known.blocks is None:
            return False
        self._note(handed, known)
        return True

    def _known(self, handed: HandedOut) -> Look | None:
        """What was known before an answer; None: it is the first."""
        known = self._store.look(handed.url_id)
        if known is None and handed.look:
            row = self._pages.row(handed.url_id)
            at = self._clock() if row is None else float(self._pages.chances.last[row])
            return _first_look(handed, at)
        return known

    def _found(self, handed: HandedOut, known: Look) -> Change:
        page = handed.page
        if page.state is State.REDIRECTED:
            return Change.MOVED
        if page.state is State.CRAWLED:
            if known.blocks is None:
                return Change.NEW
            page.share = self._share(handed, known.blocks)
            return Change.CHANGED if page.share else Change.UNCHANGED
        if page.status in _MISSING:
            return Change.GONE if known.found == Change.MISSED else Change.MISSED
        if page.state in (State.ROBOTS, State.FILTERED):
            return Change.FORBIDDEN
        return Change.FAILED

    def _share(self, handed: HandedOut, before: bytes) -> float:
        after = handed.page.blocks
        if after is None or handed.page.status == _UNMODIFIED:
            return 0.0
        return self._finder.share(self._host(handed.url_id), handed.url_id, before, after)

    def answered(self, handed: HandedOut) -> None:
        """Note an answer that was written down: a new page, or one that changed, moved or went."""
        page = handed.page
        if not handed.look:
            is_page = page.state is State.CRAWLED
            worth = self._importance(np.array([handed.url_id]))[0] if is_page else 0.0
            self._brings += (float(worth) - self._brings) / _SOME
        known = self._known(handed)
        if known is None:
            if page.state is not State.CRAWLED or page.blocks is None:
                return
            known = _first_look(handed, self._clock())
            if handed.unsaved is not None:
                self._objects[handed.url_id] = handed.unsaved
        self._note(handed, known)

    def _note(self, handed: HandedOut, known: Look) -> None:
        """Write down what a look found, and learn from it."""
        page, now, found = handed.page, self._clock(), handed.page.change
        self.under_way.discard(handed.url_id)
        if found is None:
            return
        host = self._host(handed.url_id)
        row = self._learn(handed, now, found)
        self._rest(host, now, failed=found is Change.FAILED)
        lied = self._checked(handed, host, found)
        self._count(page, found)
        has_answer = found not in (Change.FAILED, Change.FORBIDDEN)
        is_change = found in (Change.CHANGED, Change.GONE, Change.MOVED)
        known = known._replace(
            last=now if has_answer else known.last,
            changed=now if is_change else known.changed,
            looks=known.looks + (has_answer and found is not Change.NEW),
            changes=known.changes + is_change,
            rated=float(self._pages.chances.changes(np.array([row]))[0]),
            status=page.status,
            found=int(found),
            share=page.share if found is Change.CHANGED else known.share,
            lied=int(lied or known.lied),
            history=with_look(known.history, now, page.status, found),
        )
        if page.state is State.CRAWLED and page.status != _UNMODIFIED:
            known = known._replace(
                etag=page.etag, modified=page.modified, blocks=page.blocks or known.blocks
            )
        self._store.keep_look(known)

    def _learn(self, handed: HandedOut, now: float, found: Change) -> int:
        """Take in what a look says of how the page changes; return its row."""
        pages = self._pages
        row = pages.row(handed.url_id)
        if row is None:
            row = pages.add(handed.url_id, handed.url, now)
        elif found.is_known:
            changed = np.array([found is not Change.UNCHANGED])
            pages.chances.looked(np.array([row]), now, changed)
        elif found in (Change.NEW, Change.MISSED):
            pages.chances.seen(np.array([row]), now)
        if found is Change.MISSED:
            pages.chances.signal([row])  # whether it is gone is to be known soon
        if found is Change.NEW and handed.page.blocks is not None:
            self._finder.note(self._host(handed.url_id), handed.url_id, handed.page.blocks)
        pages.ended[row] = found in _ENDED
        return row

    def _checked(self, handed: HandedOut, host: int, found: Change) -> bool:
        """Have some answers that a page was not modified checked; True where one was a lie."""
        url_id = handed.url_id
        if url_id in self._in_full:
            self._in_full.discard(url_id)
            if found is Change.CHANGED:
                self._liars.add(host)
                return True
        elif handed.page.status == _UNMODIFIED:
            self._confirmed[host] += 1
            if self._confirmed[host] % CHECKED == 1:
                self._in_full.add(url_id)
                row = self._pages.row(url_id)
                if row is not None:
                    self._candidates.appendleft((row, np.inf))
        return False

    def _rest(self, host: int, now: float, *, failed: bool) -> None:
        """Leave a host alone for longer each time that a look at it fails."""
        if failed:
            rest = min(2 * self._rests.get(host, (0.0, FIRST_REST / 2))[1], MOST_REST)
            self._rests[host] = now + rest, rest
        else:
            self._rests.pop(host, None)

    def _count(self, page: PageRecord, found: Change) -> None:
        if found is Change.NEW:
            return
        self.counts["looks"] += 1
        self.counts["not_modified"] += page.status == _UNMODIFIED
        if found is not Change.MISSED:
            self.counts[found.name.lower()] += 1

    def _heed_dates(self, handed: HandedOut, links: Sequence[UrlRecord]) -> None:
        """Take the dates of a page's links for signals, where they are new."""
        dated = [one for one in links if one.modified is not None]
        if not dated:
            return
        if handed.url_id not in self._dated and len(self._dated) < _MOST_DATED:
            self._dated.add(handed.url_id)
            self._store.set_setting(schema.DATED, sorted(self._dated))
        rows = self._pages.rows(np.array([one.url_id for one in dated], np.int64))
        last = self._pages.chances.last
        for one, row in zip(dated, rows.tolist(), strict=True):
            # A date without a time may be that of a later moment of its day.
            if row >= 0 and (one.modified or 0.0) + _DAY > last[row]:
                self._signal(one, row)

    def _signal(self, link: UrlRecord, row: int) -> None:
        known = self._store.look(link.url_id)
        if known is None or (link.modified or 0.0) <= (known.signalled or known.first - _DAY):
            return
        self._store.keep_look(known._replace(signalled=link.modified))
        self._pages.chances.signal([row])
        self.counts["signals"] += 1
        self._idle_until = -np.inf


def _first_look(handed: HandedOut, at: float) -> Look:
    """What is known of a page before it was ever looked at again."""
    return Look(
        url_id=handed.url_id,
        first=at,
        last=at,
        changed=None,
        looks=0,
        changes=0,
        rated=0.0,
        status=None,
        found=int(Change.NEW),
        share=None,
        signalled=None,
        etag=None,
        modified=None,
        lied=0,
        blocks=None,
        history=b"",
        request=None if handed.body in (_UNSAVED, PLAIN) else handed.body,
    )
