"""What looks at known pages find: what became of each page, and what that says of its next look."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.backend.known_pages import CrawlClock, KnownPages, SeenPages
from frontier.records import Look
from frontier.refresh.blocks import ChangeFinder
from frontier.refresh.chances import DAY
from frontier.refresh.changes import with_look
from frontier.states import ENDED, Change, State
from frontier.store import PLAIN, UNSAVED, schema

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.backend.ledger import UrlLedger
    from frontier.records import HandedOut, PageRecord, UrlRecord
    from frontier.store import Store
    from ranking.arrays import BoolArray, LongArray

CHECKED: Final = 20
"""Answers of a host that a page was not modified, of which one is checked by a full fetch."""
FIRST_REST: Final = 3600.0
"""Seconds for which a host is left alone after a look that failed; twice as long each time."""
MOST_REST: Final = 7 * 86400.0
UNMODIFIED: Final = 304
"""HTTP status of a page that has not changed, as it was asked for."""
_MISSING: Final = (404, 410)
_LATEST: Final = 1000
"""Pages that speak for their hosts when a crawl goes on."""
_MOST_DATED: Final = 10_000
_STAYS: Final = (Change.UNCHANGED, Change.MISSED, Change.FAILED, Change.FORBIDDEN)
"""Found of pages whose last version is kept."""


class LookFindings:
    """What looks at the pages of one crawl have found.

    `counts` are those of this run, by stat; `clock` gives Unix seconds that go on steadily.
    """

    def __init__(
        self,
        store: Store,
        ledger: UrlLedger,
        soon: Callable[[int | None], None],
        first_rate: float,
    ) -> None:
        """Go on with what a crawl that is resumed knows.

        `first_rate`: see `ChangeChances`. `soon` is called with the row of a page that is to be
        looked at next; with None where it may be any page.
        """
        self._store = store
        self._ledger = ledger
        self._soon = soon
        self.counts: Counter[str] = Counter()
        self.pages = KnownPages(ledger, first_rate)
        self.under_way: set[int] = set()
        """Pages that are QUEUED or LEASED because they are looked at."""
        self.dated = set(store.settings().get(schema.DATED) or ())
        """Pages that tell when others changed."""
        self._finder = ChangeFinder()
        self._liars: set[int] = set()
        self._confirmed: Counter[int] = Counter()
        self._in_full: set[int] = set()
        self._rests: dict[int, tuple[float, float]] = {}
        self.clock: Callable[[], float] = CrawlClock(self._resume())

    def _resume(self) -> float:
        """Take in what the store knows; return the time of the last look."""
        looks, ledger = self._store.look_columns(), self._ledger
        seen = SeenPages.of(self._store, looks, len(ledger))
        seen = seen.of_these(~seen.unkept)
        if not len(seen.ids):
            return 0.0
        places = seen.places(self._store)
        self.pages.restore(seen.ids, places, seen.first, seen.last, seen.changes)
        self.pages.chances.signal(np.flatnonzero(seen.signalled))
        state = ledger.state.array[seen.ids]
        for row in np.flatnonzero(seen.ended | (state > State.CRAWLED)).tolist():
            self.pages.end(row)
        self._liars.update(ledger.host.array[looks.ids[looks.lied]].tolist())
        for url_id in looks.ids[np.argsort(looks.last, kind="stable")[-_LATEST:]].tolist():
            look = self._store.look(url_id)
            if look is not None and look.blocks:
                self._finder.note(ledger.host_of(url_id), url_id, look.blocks)
        queued = seen.ids[state == State.QUEUED].tolist()
        self.under_way = {one for one in queued if ledger.is_look(one)}
        return float(seen.last.max())

    def tells(self, ids: LongArray) -> BoolArray:
        """bool[k]: which pages tell when others changed."""
        if len(ids) < len(self.dated):
            return np.array([one in self.dated for one in ids.tolist()], np.bool_)
        return np.isin(ids, list(self.dated))

    def resting(self, now: float) -> list[int]:
        """Hosts that are left alone because looks at them failed."""
        return [host for host in self._rests if self.rests(host, now)]

    def rests(self, host: int, now: float) -> bool:
        """Whether a host is left alone."""
        return host in self._rests and now < self._rests[host][0]

    def give_validators(self, handed: HandedOut) -> None:
        """Say what to ask with, unless the whole page is to be seen."""
        known, host = self._store.look(handed.url_id), self._ledger.host_of(handed.url_id)
        in_full = handed.url_id in self._in_full or host in self._liars
        if known is not None and not in_full:
            handed.etag, handed.last_modified = known.etag, known.modified

    def keeps(self, handed: HandedOut, links: Sequence[UrlRecord]) -> bool:
        """Take in an answer; True if it is a look at a page that stays as it is.

        Sets `change`, `share` and `previous` of its record. A page that a spider asked for once
        more is held against what it was, too.
        """
        self._heed_dates(handed, links)
        page = handed.page
        page.fetched = self.clock()  # one time of an answer, wherever it stands
        known = self.known(handed)
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
        self.note(handed, known)
        return True

    def known(self, handed: HandedOut) -> Look | None:
        """What was known before an answer; None: it is the first."""
        known = self._store.look(handed.url_id)
        if known is None and handed.look:
            row = self.pages.row(handed.url_id)
            at = self.clock() if row is None else float(self.pages.chances.last[row])
            return first_look(handed, at)
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
        if after is None or handed.page.status == UNMODIFIED:
            return 0.0
        return self._finder.share(self._ledger.host_of(handed.url_id), handed.url_id, before, after)

    def note(self, handed: HandedOut, known: Look) -> None:
        """Write down what a look found, and learn from it."""
        page, now, found = handed.page, handed.page.fetched, handed.page.change
        self.under_way.discard(handed.url_id)
        if found is None:
            return
        host = self._ledger.host_of(handed.url_id)
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
            rated=float(self.pages.chances.changes(np.array([row]))[0]),
            status=page.status,
            found=int(found),
            share=page.share if found is Change.CHANGED else known.share,
            lied=int(lied or known.lied),
            history=with_look(known.history, now, page.status, found),
        )
        if page.state is State.CRAWLED and page.status != UNMODIFIED:
            known = known._replace(
                etag=page.etag, modified=page.modified, blocks=page.blocks or known.blocks
            )
        self._store.keep_look(known)

    def _learn(self, handed: HandedOut, now: float, found: Change) -> int:
        """Take in what a look says of how the page changes; return its row."""
        pages = self.pages
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
            host = self._ledger.host_of(handed.url_id)
            self._finder.note(host, handed.url_id, handed.page.blocks)
        pages.end(row, over=found in ENDED)
        return row

    def _checked(self, handed: HandedOut, host: int, found: Change) -> bool:
        """Have some answers that a page was not modified checked; True where one was a lie."""
        url_id = handed.url_id
        if url_id in self._in_full:
            self._in_full.discard(url_id)
            if found is Change.CHANGED:
                self._liars.add(host)
                return True
        elif handed.page.status == UNMODIFIED:
            self._confirmed[host] += 1
            if self._confirmed[host] % CHECKED == 1:
                self._in_full.add(url_id)
                row = self.pages.row(url_id)
                if row is not None:
                    self._soon(row)
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
        self.counts["not_modified"] += page.status == UNMODIFIED
        if found is not Change.MISSED:
            self.counts[found.name.lower()] += 1

    def _heed_dates(self, handed: HandedOut, links: Sequence[UrlRecord]) -> None:
        """Take the dates of a page's links for signals, where they are new."""
        dated = [one for one in links if one.modified is not None]
        if not dated:
            return
        if handed.url_id not in self.dated and len(self.dated) < _MOST_DATED:
            self.dated.add(handed.url_id)
            self._store.set_setting(schema.DATED, sorted(self.dated))
        rows = self.pages.rows(np.array([one.url_id for one in dated], np.int64))
        last = self.pages.chances.last
        for one, row in zip(dated, rows.tolist(), strict=True):
            # A date without a time may be that of a later moment of its day.
            if row >= 0 and (one.modified or 0.0) + DAY > last[row]:
                self._signal(one, row)

    def _signal(self, link: UrlRecord, row: int) -> None:
        known = self._store.look(link.url_id)
        if known is None or (link.modified or 0.0) <= (known.signalled or known.first - DAY):
            return
        self._store.keep_look(known._replace(signalled=link.modified))
        self.pages.chances.signal([row])
        self.counts["signals"] += 1
        self._soon(None)


def first_look(handed: HandedOut, at: float) -> Look:
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
        request=None if handed.body in (UNSAVED, PLAIN) else handed.body,
    )
