"""The results of revisits: changes of each page, and what they mean for its next revisit."""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.backend.revisits.known_pages import CrawlClock, KnownPages, SeenPages
from frontier.records import RevisitRow
from frontier.refresh.chances import DAY
from frontier.refresh.change_finder import ChangeFinder
from frontier.refresh.changes import TELLING, past_revisits, revised, with_revisit
from frontier.refresh.pauses import (
    PERMANENT,
    WEEK,
    earliest,
    failures,
    has_moved,
    is_down,
    met_notice,
)
from frontier.states import FORBIDDEN_BY_ROBOTS, GONE_ERROR, UNSEEN, Change, State
from frontier.store import PLAIN, UNSAVED, schema

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.backend.ledger import UrlLedger
    from frontier.records import Lease, Page, UrlRecord
    from frontier.refresh.policy import RefreshPolicy
    from frontier.store import Store
    from frontier.verdict import Verdict
    from ranking.arrays import BoolArray, LongArray

logger = logging.getLogger(__name__)

CHECKED: Final = 20
"""One revisit in so many that are answered by 304 is checked by a full fetch."""
FIRST_REST: Final = 3600.0
"""Seconds for which a host is left alone after a revisit that failed; twice as long each time."""
MOST_REST: Final = WEEK
UNMODIFIED: Final = 304
"""HTTP status of a page that has not changed, as it was asked for."""
_MISSING: Final = (404, 410)
_OVER: Final = (Change.GONE, Change.FORBIDDEN)
"""Results after which a page is not revisited any more, unless a link still leads to it."""
_SAVED_EVERY: Final = 1000
"""Revisits after which the places of noise are saved; they are saved at the end, too."""
_UNSETTLED: Final = 2000
"""Changes that may still be taken back."""
_LATEST: Final = 1000
"""Pages that speak for their hosts when a crawl goes on."""
_MOST_DATED: Final = 10_000
_STAYS: Final = (Change.UNCHANGED, Change.MISSED, Change.FORBIDDEN, *UNSEEN)
"""Results after which the last version of a page is kept."""
_SEEN: Final = (Change.NEW, Change.UNCHANGED, Change.CHANGED)
_LEFT: Final = (Change.GONE, Change.MOVED)


class RevisitResults:
    """Records the revisits of one crawl.

    `counts` are those of this run, by stat; `clock` gives Unix seconds that go on steadily.
    """

    def __init__(
        self,
        store: Store,
        ledger: UrlLedger,
        soon: Callable[[int | None], None],
        policy: RefreshPolicy,
        targets: Callable[[int], Sequence[int]],
    ) -> None:
        """Go on with what a crawl that is resumed knows.

        `soon` is called with the row of a page that is to be revisited next; with None where it may
        be any page. `targets` gives the ids of the URLs that a page leads to.
        """
        self._store = store
        self._ledger = ledger
        self._soon = soon
        self._policy = policy
        self._targets = targets
        self.counts: Counter[str] = Counter()
        self.pages = KnownPages(ledger, 1 / policy.between)
        self.under_way: set[int] = set()
        """Pages that are QUEUED or LEASED because they are revisited."""
        self.dated = set(store.settings().get(schema.DATED) or ())
        """Pages that tell when others changed."""
        self._gone: set[int] = set()
        self.due: set[int] = set()
        """Rows of pages that are due when their pause is over: the last revisit did not see
        them, or they were gone and something still leads to them."""
        self._finder = ChangeFinder()
        self._finder.restore(store.load_array(schema.NOISE))
        self._changed: OrderedDict[tuple[int, float], RevisitRow] = OrderedDict()
        """Changes found lately, by page and time, with what was known before them: some turn out to
        be none."""
        self._liars: set[int] = set()
        self._confirmed: Counter[int] = Counter()
        self._in_full: set[int] = set()
        self._rests: dict[int, tuple[float, float]] = {}
        self.clock: Callable[[], float] = CrawlClock(self._resume())

    def _resume(self) -> float:
        """Take in what the store knows; return the time of the last revisit."""
        revisits, ledger = self._store.revisit_columns(), self._ledger
        seen = SeenPages.of(self._store, revisits, len(ledger))
        seen = seen.of_these(~seen.unkept)
        if not len(seen.ids):
            return 0.0
        places = self._store.folder_keys()[seen.ids]
        self.pages.restore(seen.ids, places, seen.first, seen.last, seen.changes)
        self.pages.chances.signal(np.flatnonzero(seen.signalled))
        state = ledger.state.array[seen.ids]
        is_asked = np.isin(seen.result, (Change.MOVED, *UNSEEN))
        over = np.isin(seen.result, _OVER) | ((state > State.CRAWLED) & ~is_asked)
        for row in np.flatnonzero(over).tolist():
            self.pages.end(row)
        self._gone.update(seen.ids[seen.result == Change.GONE].tolist())
        self.pages.wait(np.arange(len(seen.ids)), seen.last + self._policy.least)
        for row in np.flatnonzero(is_asked).tolist():
            self._resume_pause(row, int(seen.ids[row]))
        self._liars.update(ledger.host.array[revisits.ids[revisits.lied]].tolist())
        for url_id in revisits.ids[np.argsort(revisits.last, kind="stable")[-_LATEST:]].tolist():
            revisit = self._store.revisit(url_id)
            if revisit is not None and revisit.blocks:
                self._finder.note(ledger.host_of(url_id), url_id, revisit.blocks)
        queued = seen.ids[state == State.QUEUED].tolist()
        self.under_way = {url_id for url_id in queued if ledger.requests.is_revisit(url_id)}
        return float(seen.last.max())

    def _resume_pause(self, row: int, url_id: int) -> None:
        """Leave a page alone that was not there, and its host, for as long as they were to be."""
        known, host = self._store.revisit(url_id), self._ledger.host_of(url_id)
        if known is None:
            return
        self.pages.wait(row, earliest(self._policy, known.last, known.history))
        self.due.add(row)
        failed = failures(known.history)
        if failed:
            rest = min(FIRST_REST * 2.0 ** (len(failed) - 1), MOST_REST)
            self._rests[host] = max(self._rests.get(host, (0.0, 0.0)), (failed[-1].at + rest, rest))

    def is_change_source(self, ids: LongArray) -> BoolArray:
        """bool[k]: which pages date changes of others: sitemaps, feeds, index pages."""
        if len(ids) < len(self.dated):
            return np.array([url_id in self.dated for url_id in ids.tolist()], np.bool_)
        return np.isin(ids, list(self.dated))

    def resting(self, now: float) -> list[int]:
        """Hosts that are left alone because looks at them failed."""
        return [host for host in self._rests if self.rests(host, now)]

    def rests(self, host: int, now: float) -> bool:
        """Whether a host is left alone."""
        return host in self._rests and now < self._rests[host][0]

    def give_validators(self, lease: Lease) -> None:
        """Set the validators of a lease, unless the whole page is to be fetched.

        `whole` is set where the page was not there at its last visit.
        """
        known, host = self._store.revisit(lease.url_id), self._ledger.host_of(lease.url_id)
        in_full = lease.url_id in self._in_full or host in self._liars
        lease.whole = self._store.last_state(lease.url_id) is not State.CRAWLED
        if known is not None and not in_full and not lease.whole and not met_notice(known.history):
            lease.etag, lease.last_modified = known.etag, known.modified

    def compare(self, lease: Lease, page: Page, so_far: Verdict) -> tuple[Verdict, bool]:
        """Compare an answer with the visit before; also where a spider asked for the page again.

        Returns what is decided, and whether it is a revisit of a page that stays as it is, which
        is noted then.
        """
        so_far = replace(so_far, fetched=page.fetched)
        self._heed_dates(lease, so_far.links)
        self._heed_links(lease, page, so_far.links)
        known = self.known(lease)
        if known is None:
            is_page = page.state is State.CRAWLED
            return replace(so_far, change=Change.NEW if is_page else None), False
        before = self._store.last_state(lease.url_id)
        change, share = self._compared(lease, page, known, before)
        error = f"{GONE_ERROR}{page.error}, twice" if change is Change.GONE else None
        if change is Change.MOVED and page.status not in PERMANENT:
            error = f"moved: HTTP {page.status} for days"
        verdict = replace(so_far, change=change, share=share, previous=known.last, error=error)
        leads_on = any(link.url_id < 0 or link.again or link.seed for link in so_far.links)
        # Also after an error, the first conclusion is a row: it is what follows a page to its end.
        is_repeated = change is Change.GONE and known.result == Change.GONE
        stays = change in _STAYS or is_repeated
        is_new = page.state is State.CRAWLED and (leads_on or before is not State.CRAWLED)
        # The version that is kept may be that of the notice, if it was recognised too late.
        is_new = (is_new or met_notice(known.history)) and change is not Change.NOTICE
        stays = lease.revisit and stays and not is_new
        if stays:
            self.note(lease, page, verdict, known)
        return verdict, stays

    def known(self, lease: Lease) -> RevisitRow | None:
        """What was known before an answer; None: it is the first."""
        known = self._store.revisit(lease.url_id)
        if known is None and lease.revisit:
            row = self.pages.row(lease.url_id)
            at = self.clock() if row is None else float(self.pages.chances.last[row])
            return first_revisit(lease, at)
        return known

    def _compared(
        self, lease: Lease, page: Page, known: RevisitRow, before: State | None
    ) -> tuple[Change, float | None]:
        """Return what a visit shows, and the share of the text that changed, if it was compared.

        `before` is the state of the page until now.
        """
        if page.state is not State.CRAWLED or known.blocks is None:
            is_page = page.state is State.CRAWLED
            return (Change.NEW if is_page else self._missing(page, known, before)), None
        share = self._share(lease, page, known)
        if share is None:
            return Change.NOTICE, None
        is_back = before is not State.CRAWLED
        return (Change.CHANGED if share or is_back else Change.UNCHANGED), share

    def _missing(self, page: Page, known: RevisitRow, before: State | None) -> Change:
        """Return why an answer brought no page."""
        if page.state is State.REDIRECTED:
            is_moved = page.status in PERMANENT or has_moved(known.history, page.fetched)
            return Change.MOVED if is_moved else Change.FAILED
        if page.status in _MISSING:
            is_gone = known.result == Change.MISSED or before is State.ERROR
            return Change.GONE if is_gone else Change.MISSED
        is_ruled_out = page.state is State.FILTERED and page.status in (None, *PERMANENT)
        if is_ruled_out or page.error == FORBIDDEN_BY_ROBOTS:
            return Change.FORBIDDEN
        return Change.FAILED

    def _share(self, lease: Lease, page: Page, known: RevisitRow) -> float | None:
        """Return the share of a page that changed, None for a notice; undo what it disproves."""
        before = known.blocks
        if before is None or page.blocks is None or page.status == UNMODIFIED:
            return 0.0
        host, at = self._ledger.host_of(lease.url_id), page.fetched
        compared = self._finder.find(host, (lease.url_id, at), before, page.blocks)
        for visit in compared.settled:
            self._take_back(*visit, Change.UNCHANGED)
        for visit in compared.notices:
            self._take_back(*visit, Change.NOTICE)
        if not compared.is_notice:
            return compared.share
        if has_moved(known.history, at):
            return 1.0
        if compared.notices:
            logger.info(
                "%s and %d other pages of its host show the same text, which is taken for a "
                "notice: their stored versions stay",
                lease.url,
                len(compared.notices),
            )
        return None

    def _take_back(self, url_id: int, at: float, change: Change) -> None:
        """Take back a change that a revisit recorded: the page was unchanged, or not there."""
        before, known = self._changed.pop((url_id, at), None), self._store.revisit(url_id)
        row = self.pages.row(url_id)
        if before is None or known is None or row is None:
            return
        history = revised(known.history, at, change)
        is_last = known.last == at and known.result == Change.CHANGED
        self.pages.chances.retract(row, 1.0)
        rated = float(self.pages.chances.changes(np.array([row]))[0])
        self.counts[Change.CHANGED.name.lower()] -= 1
        self.counts[change.name.lower()] += 1
        if is_last and change is Change.NOTICE:
            known = before
            self.pages.wait(row, earliest(self._policy, known.last, history))
            self.due.add(row)
        elif known.changed == at:
            changes = [visit.at for visit in past_revisits(history) if visit.change in TELLING]
            known = known._replace(changed=changes[-1] if changes else None, share=before.share)
        known = known._replace(
            changes=known.changes - (known is not before),
            rated=rated,
            result=int(change) if is_last else known.result,
            history=history,
        )
        self._store.keep_revisit(known)

    def note(self, lease: Lease, page: Page, verdict: Verdict, known: RevisitRow) -> None:
        """Write down the result of a visit, and learn from it."""
        now, change, state = page.fetched, verdict.change, verdict.state_of(page)
        self.under_way.discard(lease.url_id)
        if change is None:
            return
        host = self._ledger.host_of(lease.url_id)
        is_repeated = change in _LEFT and change == known.result
        row = self._learn(lease, page, state, change, is_repeated=is_repeated)
        is_down_now = state is not State.REDIRECTED and is_down(page.status)
        self._rest(host, now, failed=change is Change.FAILED and is_down_now)
        self._count(page, Change.UNCHANGED if is_repeated else change)
        has_answer = change not in (Change.FORBIDDEN, *UNSEEN)
        is_change = not is_repeated and change in (Change.CHANGED, *_LEFT)
        history = with_revisit(known.history, now, page.status, change)
        self.pages.wait(row, earliest(self._policy, now if has_answer else known.last, history))
        lied = self._checked(lease, page, change, known)
        if change is Change.CHANGED:
            self._changed[lease.url_id, now] = known
            if len(self._changed) > _UNSETTLED:
                self._changed.popitem(last=False)
        known = known._replace(
            last=now if has_answer else known.last,
            changed=now if is_change else known.changed,
            revisits=known.revisits + (has_answer and change is not Change.NEW),
            changes=known.changes + is_change,
            rated=float(self.pages.chances.changes(np.array([row]))[0]),
            status=page.status,
            result=int(change),
            share=verdict.share if change is Change.CHANGED else known.share,
            lied=int(lied or known.lied),
            history=history,
        )
        if state is State.CRAWLED and has_answer and page.status != UNMODIFIED:
            known = known._replace(
                etag=page.etag, modified=page.modified, blocks=page.blocks or known.blocks
            )
        self._store.keep_revisit(known)
        if self.counts["revisits"] % _SAVED_EVERY == 0:
            self.save()

    def save(self) -> None:
        """Write down what is known of noise, for a crawl that goes on."""
        self._store.save_array(schema.NOISE, 0, self._finder.saved())

    def _learn(
        self, lease: Lease, page: Page, state: State, change: Change, *, is_repeated: bool
    ) -> int:
        """Learn from a revisit how often the page changes; return its row.

        `is_repeated`: the page was gone at the revisit before, too.
        """
        pages, now = self.pages, page.fetched
        row = pages.row(lease.url_id)
        if row is None:
            row = pages.add(lease.url_id, lease.url, now)
        elif change.is_known and not is_repeated:
            changed = np.array([change is not Change.UNCHANGED])
            pages.chances.revisited(np.array([row]), now, changed)
        elif is_repeated or change in (Change.NEW, Change.MISSED):
            pages.chances.seen(np.array([row]), now)
        if change is Change.MISSED:
            pages.chances.signal([row])  # whether it is gone is to be known soon
        if change is Change.NEW and page.blocks is not None:
            host = self._ledger.host_of(lease.url_id)
            self._finder.note(host, lease.url_id, page.blocks)
        self._end(lease, row, state, change)
        return row

    def _end(self, lease: Lease, row: int, state: State, change: Change) -> None:
        """Note whether a page is to be revisited any more."""
        if change in (Change.MISSED, *UNSEEN):
            self.due.add(row)
        else:
            self.due.discard(row)
        if change is Change.GONE:
            self._gone.add(lease.url_id)
        elif change not in UNSEEN:
            self._gone.discard(lease.url_id)
        if change not in UNSEEN:
            is_merged = state is not State.CRAWLED and change in _SEEN
            self.pages.end(row, over=change in _OVER or is_merged)

    def _heed_links(self, lease: Lease, page: Page, links: Sequence[UrlRecord]) -> None:
        """Make pages that were gone due again that a page leads to, or still does."""
        if not self._gone or page.state is not State.CRAWLED:
            return
        is_same = lease.revisit and page.status == UNMODIFIED
        targets = self._targets(lease.url_id) if is_same else [link.url_id for link in links]
        for url_id in sorted(self._gone.intersection(targets) - {lease.url_id}):
            row, known = self.pages.row(url_id), self._store.revisit(url_id)
            if row is not None and known is not None and row not in self.due:
                self.due.add(row)
                self.pages.end(row, over=False)
                self.pages.wait(row, earliest(self._policy, known.last, known.history))
                self._soon(None)

    def _checked(self, lease: Lease, page: Page, change: Change, known: RevisitRow) -> bool:
        """Have a full fetch check some answers of 304; True where a check has found a change.

        The draw depends on the page, so that all pages of a host are checked in turn.
        """
        url_id = lease.url_id
        host = self._ledger.host_of(url_id)
        if url_id in self._in_full:
            self._in_full.discard(url_id)
            if change is Change.CHANGED:
                self._liars.add(host)
                return True
        elif page.status == UNMODIFIED:
            self._confirmed[host] += 1
            drawn = (known.revisits + lease.fingerprint) % CHECKED == 0
            row = self.pages.row(url_id)
            if row is not None and (drawn or self._confirmed[host] == 1):
                self._in_full.add(url_id)
                self.pages.wait(row, 0.0)
                self._soon(row)
        return False

    def _rest(self, host: int, now: float, *, failed: bool) -> None:
        """Leave a host alone, for longer each time that a revisit fails.

        Answers to revisits that left before that count for nothing.
        """
        if self.rests(host, now):
            return
        if failed:
            rest = min(2 * self._rests.get(host, (0.0, FIRST_REST / 2))[1], MOST_REST)
            self._rests[host] = now + rest, rest
        else:
            self._rests.pop(host, None)

    def _count(self, page: Page, change: Change) -> None:
        if change is Change.NEW:
            return
        self.counts["revisits"] += 1
        self.counts["not_modified"] += page.status == UNMODIFIED
        if change is not Change.MISSED:
            self.counts[change.name.lower()] += 1

    def _heed_dates(self, lease: Lease, links: Sequence[UrlRecord]) -> None:
        """Take the dates of a page's links for signals, where they are new."""
        dated = [link for link in links if link.modified is not None]
        if not dated:
            return
        if lease.url_id not in self.dated and len(self.dated) < _MOST_DATED:
            self.dated.add(lease.url_id)
            self._store.set_setting(schema.DATED, sorted(self.dated))
        rows = self.pages.rows(np.array([link.url_id for link in dated], np.int64))
        last = self.pages.chances.last
        for link, row in zip(dated, rows.tolist(), strict=True):
            # A date without a time may be that of a later moment of its day.
            if row >= 0 and (link.modified or 0.0) + DAY > last[row]:
                self._signal(link, row)

    def _signal(self, link: UrlRecord, row: int) -> None:
        known = self._store.revisit(link.url_id)
        if known is None or (link.modified or 0.0) <= (known.signalled or known.first - DAY):
            return
        self._store.keep_revisit(known._replace(signalled=link.modified))
        self.pages.chances.signal([row])
        self.counts["signals"] += 1
        self._soon(None)


def first_revisit(lease: Lease, at: float) -> RevisitRow:
    """What is known of a page before it was ever revisited."""
    return RevisitRow(
        url_id=lease.url_id,
        first=at,
        last=at,
        changed=None,
        revisits=0,
        changes=0,
        rated=0.0,
        status=None,
        result=int(Change.NEW),
        share=None,
        signalled=None,
        etag=None,
        modified=None,
        lied=0,
        blocks=None,
        history=b"",
        request=None if lease.body in (UNSAVED, PLAIN) else lease.body,
    )
