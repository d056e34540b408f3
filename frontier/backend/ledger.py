"""Every URL ever met: its id, its state, what is pending for it.

The ledger joins the fingerprint index, the arrays of the running crawl and the store's write side:
what one of them learns, the others learn in the same call. It knows nothing of priorities.

Invariant: a URL has one id and one row for ever, and `state[id]` equals the state that the store
would derive from its tables; but an answer that is held, because what was made of it is not done,
is LEASED there until it is finished.
"""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from frontier.backend import _links
from frontier.backend.page_rows import INHERITS, link_arrays, page_row
from frontier.backend.url_requests import UrlRequests
from frontier.records import Lease, Page, PageRow, UrlRecord
from frontier.states import State
from frontier.store import PLAIN, LeaseRow
from frontier.store.fingerprints import FingerprintIndex
from frontier.store.rows import features_of, stored_features
from frontier.verdict import Verdict
from ranking.arrays import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.store import Loaded, Store
    from ranking.arrays import SingleArray

_COLUMNS_OF = attrgetter(
    *("fingerprint", "url", "canonical", "slot", "depth", "anchor", "seed", "zone")
)


class UrlLedger:
    """Knows every URL by fingerprint and by id.

    `state` (uint8), `host` (int32) and `fingerprint` (int64) are columns with a row for each id.
    """

    def __init__(self, store: Store, loaded: Loaded) -> None:
        self._store = store
        self._index = FingerprintIndex(loaded.fingerprints)
        self.fingerprint = self._index.fingerprints
        self.state = Column(np.uint8)
        self.host = Column.adopt(loaded.hosts)
        self.requests = UrlRequests(store, loaded)
        self._attempts = dict(loaded.attempts)
        self._unanswered = frozenset(loaded.attempts)
        """Ids of URLs that were leased before this process began, and not answered."""
        self.state.extend(loaded.states)
        self.host_names = list(loaded.host_names)
        of_state: list[int] = np.bincount(loaded.states, minlength=max(State) + 1).tolist()
        self.counts = {state: of_state[state] for state in State}

    def __len__(self) -> int:
        return len(self.state.array)

    def find(self, fingerprints: Sequence[int]) -> list[int]:
        """Return the id of each fingerprint, -1 where it was never met."""
        return self._index.lookup(fingerprints)

    def identify(self, records: Sequence[UrlRecord]) -> None:
        """Set the id of each record, -1 where its URL was never met."""
        known = self.find([record.fingerprint for record in records])
        for record, url_id in zip(records, known, strict=True):
            record.url_id = url_id

    def admit(self, records: Sequence[UrlRecord], referrers: Sequence[int | None]) -> None:
        """Give URLs that were never met, each named once, the next ids and their rows."""
        first, n = len(self), len(self) + len(records)
        columns = zip(*map(_COLUMNS_OF, records), strict=True)
        fingerprints, urls, canonical, slots, depths, anchors, seeds, zones = columns
        hosts = list(map(self.host_id, slots))
        other = (
            None if known_as == url else known_as
            for known_as, url in zip(canonical, urls, strict=True)
        )
        of_links = depths, repeat(time.time()), referrers, anchors, map(int, seeds), zones
        rows = zip(range(first, n), fingerprints, urls, other, hosts, *of_links, strict=False)
        self._store.add_urls(list(rows))
        self._index.add(fingerprints)
        self.host.extend(hosts)
        self.state.resize(n)
        self.state.array[first:] = State.QUEUED
        self.requests.admit(first, records)
        self.counts[State.QUEUED] += len(records)

    def state_of(self, url_id: int) -> State:
        """Return the state of a URL; NumPy takes ten microseconds to compare one with a `State`."""
        return State(self.state.array.item(url_id))

    def set_state(self, url_id: int, state: State) -> None:
        """Move a URL from its state to another."""
        self.counts[self.state_of(url_id)] -= 1
        self.counts[state] += 1
        self.state.array[url_id] = state

    def read_rows(self, ids: Sequence[int]) -> None:
        """Read the rows of URLs that are asked about one by one now, together: in half the time."""
        self._store.fetch_urls(ids)

    def lease(
        self,
        url_id: int,
        number: int,
        priority: float,
        score: float | None,
        rank: int | None,
        row: SingleArray | None,
    ) -> Lease:
        """Record a lease and return it; `row` is what its order knows."""
        held = self._store.holds(url_id)
        if held is not None:
            rid = self.requests.add_row(url_id, 0, PLAIN) if held.rid is None else held.rid
            self._store.hold_as_request(url_id, rid)
        attempts = self._attempts.get(url_id, 0) + 1
        leased = LeaseRow(
            url_id=url_id,
            rid=self.requests.number(url_id),
            seq=number,
            at=time.time(),
            attempts=attempts,
            priority=priority,
            score=None if score is None else float(score),
            rank=None if rank is None else int(rank),
            features=stored_features(row),
        )
        self._store.lease(leased)
        self.set_state(url_id, State.LEASED)
        return self._lease_of(leased, row)

    def leased(self) -> list[Lease]:
        """Leases that are not answered, in the order in which they left."""
        return [self._lease_of(row, features_of(row.features)) for row in self._store.leases()]

    def _lease_of(self, leased: LeaseRow, features: SingleArray | None) -> Lease:
        row = self._store.url_row(leased.url_id)
        assert row is not None, "a leased URL has a row"
        body, unsaved = self.requests.body(leased.rid)
        return Lease(
            url=row.url,
            fingerprint=row.fingerprint,
            canonical=row.known_as,
            slot=self.host_names[row.host],
            depth=row.depth,
            url_id=row.url_id,
            priority_class=int(self.requests.priority_class.array[row.url_id]),
            seed=bool(row.seed),
            body=body,
            unsaved=unsaved,
            referrer=row.referrer,
            anchor=row.anchor,
            zone=row.zone,
            number=leased.seq,
            attempts=leased.attempts,
            leased=leased.at,
            priority=leased.priority,
            score=leased.score,
            rank=leased.rank,
            features=features,
            revisit=self.requests.is_revisit(row.url_id),
            interrupted=row.url_id in self._unanswered,
        )

    def row(self, lease: Lease, page: Page, verdict: Verdict) -> PageRow:
        """Admit the links of a page, and return its row with them.

        The links that are known have their id already: see `identify`.
        """
        self._admit(verdict.links, lease.url_id)
        self._mark_seeds(verdict.links)
        return page_row(lease, page, verdict, link_arrays(verdict.links))

    def answer(self, row: PageRow, *, held: bool) -> None:
        """Write down what became of a lease.

        Its URL is QUEUED where another request waits for it. Where the answer is `held` the URL is
        fetched once more after a crash before `finish`: the file knows it as leased until then.
        """
        self._store.page(row, held=held)
        self._settle(row.url_id, row.state)

    def failed(self, lease: Lease, page: Page) -> None:
        """Write down that a lease brought no page."""
        self.answer(page_row(lease, page, Verdict([]), None), held=lease.held)

    def kept(self, lease: Lease) -> None:
        """End a revisit of a known page that stays as it is; `held` as in `answer`."""
        self._store.end_lease(lease.url_id, held=lease.held)
        self._settle(lease.url_id, self._store.last_state(lease.url_id) or State.CRAWLED)

    def _settle(self, url_id: int, state: State) -> None:
        """A lease ended in a state; or the next request of its URL is queued."""
        self._attempts.pop(url_id, None)
        self.set_state(url_id, State.QUEUED if self.requests.answered(url_id) else state)

    def finish(self, lease: Lease) -> None:
        """All that was made of an answer is done: it need not be fetched again."""
        self._store.finish(lease.url_id, lease.number)

    def corrected(self, url_id: int, relevance: float) -> PageRow:
        """Write down a page that was CRAWLED once more, with another relevance, and return it.

        Sees pages that were committed.
        """
        assert self.state_of(url_id) is State.CRAWLED, "only what was fetched has a relevance"
        row = self._store.page_row(url_id)
        assert row is not None
        assert row.links is not None
        return self.rewrite(replace(row, relevance=relevance))

    def rewrite(self, row: PageRow) -> PageRow:
        """Write the last answer of a URL down once more, as it is seen now, and return it."""
        assert row.links is not None, "a page of the link graph"
        row = replace(row, refetched=True)
        self._store.page(row)
        self.set_state(row.url_id, row.state)
        return row

    def retry(self, lease: Lease, request: UrlRecord) -> None:
        """Take a lease back that had no answer; `request` is how to ask the next time."""
        url_id = lease.url_id
        self._store.release(url_id)
        self._attempts[url_id] = lease.attempts
        if lease.revisit:
            self.requests.drop(url_id)
            self.queue_revisit(url_id, request.body, request.unsaved)
        else:
            self.requests.retry(url_id, request)
            self.set_state(url_id, State.QUEUED)

    def drop(self, url_id: int, reason: str, state: State = State.TRAP) -> None:
        """Write down that a queued URL is not fetched, and drop the requests that it had."""
        self.requests.drop_all(url_id)
        row = PageRow(url_id=url_id, state=state, fetched=time.time(), attempts=0, error=reason)
        self._store.page(row)
        self.set_state(url_id, state)

    def requeue(self, url_id: int) -> None:
        """Queue a URL that was dropped or failed, as a plain request for it."""
        self.requests.set_plain(url_id)
        self.set_state(url_id, State.QUEUED)

    def queue_revisit(self, url_id: int, body: bytes | None, unsaved: object = None) -> None:
        """Queue a known page to be revisited, as its request asked for it."""
        self.requests.set_revisit(url_id, body, unsaved)
        self.set_state(url_id, State.QUEUED)

    def host_of(self, url_id: int) -> int:
        """Number of the host of a URL."""
        return int(self.host.array[url_id])

    def host_id(self, name: str) -> int:
        """Number of a host, given when it is first met."""
        host = self._store.add_host(name)
        if host == len(self.host_names):
            self.host_names.append(name)
        return host

    # -- URLs get their rows, and pages their links ----------------------------------------------

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        """Admit requests that no page led to; sets their id, and whether they are new."""
        self.identify(seeds)
        self._admit(seeds, None)
        self._mark_seeds(seeds)

    def _mark_seeds(self, requests: Sequence[UrlRecord]) -> None:
        for request in requests:
            if request.seed and not request.is_new:
                # A page linked to the URL before it was added as a seed.
                self._store.mark_seed(request.url_id)

    def _admit(self, records: Sequence[UrlRecord], referrer: int | None) -> None:
        news = _links.number(list(records), len(self))
        if news:
            own = [link.referrer if link.flags & INHERITS else referrer for link in news]
            self.admit(news, own)
