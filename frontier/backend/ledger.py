"""Every URL ever met: its id, its state, what is pending for it.

The ledger joins the fingerprint index, the arrays of the running crawl and the store's write side:
what one of them learns, the others learn in the same call. It knows nothing of priorities.

Invariant: a URL has one id and one row for ever, and `state[id]` equals the state that the store
would derive from its tables; but an answer that is held, because what was made of it is not done,
is LEASED there until it is let go.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import fields, replace
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from frontier.backend import _links
from frontier.records import Lease, LinkArrays, Page, PageRow, UrlRecord
from frontier.states import NAMED, REDIRECT, TOPICAL, State
from frontier.store import PLAIN, LeaseRow
from frontier.store.fingerprints import FingerprintIndex
from frontier.store.rows import features_of, stored_features, stored_predictions
from frontier.verdict import Verdict
from ranking.arrays import Column
from ranking.page_update import ADDRESS, MATCH_STEPS, MATCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frontier.store import Loaded, Store
    from ranking.arrays import SingleArray

REVISIT_CLASS = 2**30 - 1
"""Priority class of revisits, of which few are queued at a time: they leave first."""
MOST_CLASS = REVISIT_CLASS - 1
"""Of what a request's `priority` can tell apart: twice as much and one must fit into 32 bits."""
_COLUMNS_OF = attrgetter(
    *("fingerprint", "url", "canonical", "slot", "depth", "anchor", "seed", "zone")
)
_TOPICAL_FROM = MATCH_STEPS // 2 + 1
"""Least match that is at least 1/2."""
_INHERITS = REDIRECT | NAMED
"""Links whose target has text and referrer of the page, which nobody wrote there: see
`frontier.backend.doubles`.
"""
_NO_LINKS = LinkArrays(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.uint8), ())


_DECIDED = {"state", "error", "fetched", "relevance", "similarity", "marks"}
_STORED = {field.name for field in fields(PageRow)}
_AS_READ = tuple(field.name for field in fields(Page) if field.name in _STORED - _DECIDED)
"""Fields of a page that are stored as they were read."""
_LEASED = ("attempts", "leased", "priority", "score", "rank", "features")
"""Fields of a lease that are stored with its page."""
_as_read, _leased = attrgetter(*_AS_READ), attrgetter(*_LEASED)


class UrlLedger:
    """Knows every URL by fingerprint and by id.

    `state` (uint8), `host` (int32), `fingerprint` (int64) and `priority_class` are columns with one
    row an id.
    """

    def __init__(self, store: Store, loaded: Loaded) -> None:
        self._store = store
        self._index = FingerprintIndex(loaded.fingerprints)
        self.fingerprint = self._index.fingerprints
        self.state = Column(np.uint8)
        self.host = Column.adopt(loaded.hosts)
        self.priority_class = Column(np.int32)
        self._rid: dict[int, int] = {}
        self._more: dict[int, deque[tuple[int, int]]] = {}
        self._objects: dict[int, object] = {}
        self._attempts = dict(loaded.attempts)
        self.unanswered = frozenset(loaded.attempts)
        """Ids of what had been leased before this process began, and not answered."""
        self._next_rid = loaded.next_rid
        self._load(loaded)

    def __len__(self) -> int:
        return len(self.state.array)

    def _load(self, loaded: Loaded) -> None:
        n = len(loaded.states)
        self.state.extend(loaded.states)
        self.priority_class.resize(n)
        self.host_names = list(loaded.host_names)
        of_state: list[int] = np.bincount(loaded.states, minlength=max(State) + 1).tolist()
        self.counts = {state: of_state[state] for state in State}
        for url_id, requests in loaded.requests.items():
            first, *more = requests
            self._expect(url_id, *first)
            if more:
                self._more[url_id] = deque(more)

    def _expect(self, url_id: int, rid: int, priority_class: int) -> None:
        """Note the next request of a URL."""
        self._rid[url_id] = rid
        self._set_class(url_id, priority_class)
        if priority_class == REVISIT_CLASS:
            self.priority_class.array[url_id] = REVISIT_CLASS

    def is_revisit(self, url_id: int) -> bool:
        """Whether the next request of a URL, or that which is leased, revisits it."""
        return bool(self.priority_class.array.item(url_id) == REVISIT_CLASS)

    def request_number(self, url_id: int) -> int:
        """Number of the next request of a URL, which count up; 0 where its URL says all."""
        return self._rid.get(url_id, 0)

    def _set_class(self, url_id: int, priority_class: int) -> None:
        self.priority_class.array[url_id] = max(-MOST_CLASS, min(priority_class, MOST_CLASS))

    def find(self, fingerprints: Sequence[int]) -> list[int]:
        """Return the id of each fingerprint, -1 where it was never met."""
        return self._index.lookup(fingerprints)

    def identify(self, records: Sequence[UrlRecord]) -> None:
        """Set the id of each record, -1 where its URL was never met."""
        known = self.find([one.fingerprint for one in records])
        for one, url_id in zip(records, known, strict=True):
            one.url_id = url_id

    def admit(self, records: Sequence[UrlRecord], referrers: Sequence[int | None]) -> None:
        """Give URLs that were never met, each named once, the next ids and their rows."""
        first, n = len(self), len(self) + len(records)
        columns = zip(*map(_COLUMNS_OF, records), strict=True)
        fingerprints, urls, canonical, slots, depths, anchors, seeds, zones = columns
        hosts = list(map(self.host_id, slots))
        other = (None if one == url else one for one, url in zip(canonical, urls, strict=True))
        of_links = depths, repeat(time.time()), referrers, anchors, map(int, seeds), zones
        rows = zip(range(first, n), fingerprints, urls, other, hosts, *of_links, strict=False)
        self._store.add_urls(list(rows))
        self._index.add(fingerprints)
        self.host.extend(hosts)
        self.state.resize(n)
        self.state.array[first:] = State.QUEUED
        self.priority_class.resize(n)
        for url_id, one in enumerate(records, first):
            if one.priority_class:
                self._set_class(url_id, one.priority_class)
        self.counts[State.QUEUED] += len(records)

    def set_request(self, url_id: int, request: UrlRecord) -> None:
        """Store what the URL of the next request does not say about it."""
        self._expect(url_id, self._store_request(url_id, request), request.priority_class)

    def replace_request(self, url_id: int, request: UrlRecord) -> None:
        """Store how to ask for a QUEUED URL, in the place of how it was to be asked for."""
        before = self._rid.get(url_id)
        if before is not None:
            self._store.drop_request(before)
            self._forget_request(url_id)
        self.set_request(url_id, request)

    def add_waiting(self, url_id: int, request: UrlRecord) -> None:
        """Store one more request for a URL that is queued or leased; they go one by one."""
        if self.state_of(url_id) is State.QUEUED and url_id not in self._rid:
            # The plain request that is queued has no row, and one row alone would replace it.
            self._rid[url_id] = self._store_row(url_id, 0, PLAIN)
        rid = self._store_request(url_id, request)
        self._more.setdefault(url_id, deque()).append((rid, request.priority_class))

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
            rid = self._store_row(url_id, 0, PLAIN) if held.rid is None else held.rid
            self._store.hold_as_request(url_id, rid)
        pending = self._rid.get(url_id)
        attempts = self._attempts.get(url_id, 0) + 1
        leased = LeaseRow(
            url_id=url_id,
            rid=pending,
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
        """What is leased, in that order, as it left."""
        return [self._lease_of(row, features_of(row.features)) for row in self._store.leases()]

    def _lease_of(self, leased: LeaseRow, features: SingleArray | None) -> Lease:
        row, rid = self._store.url_row(leased.url_id), leased.rid
        assert row is not None, "a leased URL has a row"
        return Lease(
            url=row.url,
            fingerprint=row.fingerprint,
            canonical=row.known_as,
            slot=self.host_names[row.host],
            depth=row.depth,
            url_id=row.url_id,
            priority_class=int(self.priority_class.array[row.url_id]),
            seed=bool(row.seed),
            body=None if rid is None else self._store.request_body(rid),
            unsaved=None if rid is None else self._objects.get(rid),
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
            revisit=self.is_revisit(row.url_id),
        )

    def row(self, lease: Lease, page: Page, verdict: Verdict) -> PageRow:
        """Admit the links of a page, and return its row with them.

        The links that are known have their id already: see `identify`.
        """
        self._admit(verdict.links, lease.url_id)
        self._mark_seeds(verdict.links)
        return self._row(lease, page, verdict, self._link_arrays(verdict.links))

    def _row(self, lease: Lease, page: Page, verdict: Verdict, links: LinkArrays | None) -> PageRow:
        return PageRow(
            url_id=lease.url_id,
            lease_number=lease.number,
            **dict(zip(_LEASED, _leased(lease), strict=True)),
            **dict(zip(_AS_READ, _as_read(page), strict=True)),
            state=verdict.state_of(page),
            error=page.error if verdict.error is None else verdict.error,
            fetched=verdict.fetched_at(page),
            relevance=verdict.relevance_of(page),
            similarity=verdict.similarity_of(page),
            marks=page.marks | verdict.marks,
            twin=verdict.twin,
            links=links,
            refetched=verdict.refetched,
        )

    def answer(self, row: PageRow, *, held: bool) -> None:
        """Write down what became of a lease.

        Its URL is QUEUED where another request waits for it. Where the answer is `held` the URL is
        fetched once more after a crash before `let_go`: the file knows it as leased until then.
        """
        self._store.page(row, held=held)
        self._settle(row.url_id, row.state)

    def failed(self, lease: Lease, page: Page) -> None:
        """Write down that a lease brought no page."""
        self.answer(self._row(lease, page, Verdict([]), None), held=lease.held)

    def kept(self, lease: Lease) -> None:
        """End a revisit of a known page that stays as it is; `held` as in `answer`."""
        self._store.end_lease(lease.url_id, held=lease.held)
        self._settle(lease.url_id, self._store.last_state(lease.url_id) or State.CRAWLED)

    def _settle(self, url_id: int, state: State) -> None:
        """A lease ended in a state; or the next request of its URL is queued."""
        self._attempts.pop(url_id, None)
        self._forget_request(url_id)
        more = self._more.get(url_id)
        if more:
            self._expect(url_id, *more.popleft())
            if not more:
                del self._more[url_id]
        elif self.is_revisit(url_id):
            self.priority_class.array[url_id] = 0
        self.set_state(url_id, State.QUEUED if more is not None else state)

    def let_go(self, lease: Lease) -> None:
        """All that was made of an answer is done: it need not be fetched again."""
        self._store.let_go(lease.url_id, lease.number)

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
        rid = self._rid.get(url_id)
        if rid is not None:
            self._store.drop_request(rid)
        self._forget_request(url_id)
        if lease.revisit:
            self.queue_revisit(url_id, request.body, request.unsaved)
            return
        if request.body is not None:
            self._rid[url_id] = self._store_request(url_id, request)
        self._set_class(url_id, request.priority_class)
        self.set_state(url_id, State.QUEUED)

    def give_up(self, url_id: int, reason: str, state: State = State.TRAP) -> None:
        """Write down that a queued URL is not fetched, and forget the requests that it had."""
        first = self._rid.pop(url_id, None)
        more = [rid for rid, _ in self._more.pop(url_id, ())]
        for rid in more if first is None else [first, *more]:
            self._store.drop_request(rid)
            self._objects.pop(rid, None)
        self._store.page(
            PageRow(url_id=url_id, state=state, fetched=time.time(), attempts=0, error=reason)
        )
        self.set_state(url_id, state)

    def take_up(self, url_id: int) -> None:
        """Queue a URL that was given up, as a plain request for it."""
        self._expect(url_id, self._store_row(url_id, 0, PLAIN), 0)
        self.set_state(url_id, State.QUEUED)

    def queue_revisit(self, url_id: int, body: bytes | None, unsaved: object = None) -> None:
        """Queue a known page to be revisited, as its request asked for it."""
        rid = self._store_row(url_id, REVISIT_CLASS, PLAIN if body is None else body)
        if unsaved is not None:
            self._objects[rid] = unsaved
        self._expect(url_id, rid, REVISIT_CLASS)
        self.set_state(url_id, State.QUEUED)

    def _store_row(self, url_id: int, priority_class: int, body: bytes) -> int:
        rid = self._next_rid
        self._next_rid += 1
        self._store.add_request(rid, url_id, priority_class, body)
        return rid

    def _store_request(self, url_id: int, request: UrlRecord) -> int:
        body = PLAIN if request.body is None else request.body
        rid = self._store_row(url_id, request.priority_class, body)
        if request.unsaved is not None:
            self._objects[rid] = request.unsaved
        return rid

    def _forget_request(self, url_id: int) -> None:
        rid = self._rid.pop(url_id, None)
        if rid is not None:
            self._objects.pop(rid, None)

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
        for one in requests:
            if one.seed and not one.is_new:
                # A page led to it before anybody came to say that it is a seed.
                self._store.mark_seed(one.url_id)

    def _link_arrays(self, links: list[UrlRecord]) -> LinkArrays:
        """Return the links of a page as they are stored."""
        if not links:
            return _NO_LINKS
        k = len(links)
        targets, predicted, flags = np.empty(k, np.int32), np.empty(k), np.empty(k, np.uint8)
        matches = np.empty((k, MATCHES), np.uint8)
        read = _links.columns(links, _INHERITS, targets, predicted, flags, matches)
        anchors, contexts, weighed = read
        arrays = LinkArrays(targets, stored_predictions(predicted), flags, tuple(anchors))
        if not weighed:
            return arrays
        flags[matches[:, :ADDRESS].max(axis=1, initial=0) >= _TOPICAL_FROM] |= TOPICAL
        return replace(arrays, matches=matches, contexts=_kept(contexts, links, flags))

    def _admit(self, records: Sequence[UrlRecord], referrer: int | None) -> None:
        news = _links.number(list(records), len(self))
        if news:
            own = [one.referrer if one.flags & _INHERITS else referrer for one in news]
            self.admit(news, own)


def _kept(contexts: list[str], links: list[UrlRecord], flags: NDArray[np.uint8]) -> tuple[str, ...]:
    """Texts around the links that found a URL, or are the topic's; "" for the others."""
    kept = zip(contexts, links, flags.tolist(), strict=True)
    return tuple(text if one.is_new or flag & TOPICAL else "" for text, one, flag in kept)
