"""The pending requests of each URL, which are made one after the other.

A URL without a row here is fetched as a plain link. Of several requests for one URL the first is
queued, and each answer queues the next. A request that cannot be stored waits as an object, for
this run.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from frontier.store import PLAIN
from ranking.arrays import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.records import UrlRecord
    from frontier.store import Loaded, Store

REVISIT_CLASS = 2**30 - 1
"""Priority class of revisits, of which few are queued at a time: they leave first."""
MOST_CLASS = REVISIT_CLASS - 1
"""Of what a request's `priority` can tell apart: twice as much and one must fit into 32 bits."""


class UrlRequests:
    """The requests of all URLs, by id; `priority_class` (int32) is a column with a row for each."""

    def __init__(self, store: Store, loaded: Loaded) -> None:
        """Go on with the requests of a crawl that is resumed."""
        self._store = store
        self._first: dict[int, int] = {}
        self._more: dict[int, deque[tuple[int, int]]] = {}
        self._objects: dict[int, object] = {}
        self._next_rid = loaded.next_rid
        self.priority_class = Column(np.int32)
        self.priority_class.resize(len(loaded.states))
        for url_id, requests in loaded.requests.items():
            first, *more = requests
            self._expect(url_id, *first)
            if more:
                self._more[url_id] = deque(more)

    def _expect(self, url_id: int, rid: int, priority_class: int) -> None:
        """Note the next request of a URL."""
        self._first[url_id] = rid
        if priority_class == REVISIT_CLASS:
            self.priority_class.array[url_id] = REVISIT_CLASS
        else:
            self._set_class(url_id, priority_class)

    def admit(self, first: int, records: Sequence[UrlRecord]) -> None:
        """Take the priorities of new URLs, which have the ids from `first` on."""
        self.priority_class.resize(first + len(records))
        for url_id, record in enumerate(records, first):
            if record.priority_class:
                self._set_class(url_id, record.priority_class)

    def _set_class(self, url_id: int, priority_class: int) -> None:
        """Set the priority that the next request asks for, within MOST_CLASS."""
        self.priority_class.array[url_id] = max(-MOST_CLASS, min(priority_class, MOST_CLASS))

    def is_revisit(self, url_id: int) -> bool:
        """Whether the next request of a URL, or the leased request, revisits it."""
        return bool(self.priority_class.array.item(url_id) == REVISIT_CLASS)

    def number(self, url_id: int) -> int | None:
        """Number of the next request of a URL, which count up; None for a plain link."""
        return self._first.get(url_id)

    def body(self, rid: int | None) -> tuple[bytes | None, object]:
        """Return a request as it is stored, and the object that it is in this run."""
        return (
            (None, None) if rid is None else (self._store.request_body(rid), self._objects.get(rid))
        )

    def set(self, url_id: int, request: UrlRecord) -> None:
        """Store what the URL of the next request does not say about it."""
        self._expect(url_id, self._add(url_id, request), request.priority_class)

    def replace(self, url_id: int, request: UrlRecord) -> None:
        """Store how to ask for a queued URL, instead of its next request."""
        self.drop(url_id)
        self.set(url_id, request)

    def retry(self, url_id: int, request: UrlRecord) -> None:
        """Store how to ask for a URL again that had no answer."""
        self.drop(url_id)
        if request.body is not None:
            self._first[url_id] = self._add(url_id, request)
        self._set_class(url_id, request.priority_class)

    def append(self, url_id: int, request: UrlRecord, *, is_queued: bool) -> None:
        """Store one more request for a URL that is queued or leased."""
        if is_queued and url_id not in self._first:
            # The plain request that is queued has no row, and one row alone would replace it.
            self._first[url_id] = self.add_row(url_id, 0, PLAIN)
        rid = self._add(url_id, request)
        self._more.setdefault(url_id, deque()).append((rid, request.priority_class))

    def set_plain(self, url_id: int) -> None:
        """Store a plain request for a URL that is queued again."""
        self._expect(url_id, self.add_row(url_id, 0, PLAIN), 0)

    def set_revisit(self, url_id: int, body: bytes | None, unsaved: object = None) -> None:
        """Store a revisit of a known page, as its request asked for it."""
        rid = self.add_row(url_id, REVISIT_CLASS, PLAIN if body is None else body)
        if unsaved is not None:
            self._objects[rid] = unsaved
        self._expect(url_id, rid, REVISIT_CLASS)

    def answered(self, url_id: int) -> bool:
        """End the leased request of a URL; returns whether another one waited, which is next."""
        self._forget(url_id)
        more = self._more.get(url_id)
        if more is None:
            if self.is_revisit(url_id):
                self.priority_class.array[url_id] = 0
            return False
        self._expect(url_id, *more.popleft())
        if not more:
            del self._more[url_id]
        return True

    def drop(self, url_id: int) -> None:
        """Delete the next request of a URL."""
        rid = self._first.get(url_id)
        if rid is not None:
            self._store.drop_request(rid)
            self._forget(url_id)

    def drop_all(self, url_id: int) -> None:
        """Delete all requests of a URL."""
        self.drop(url_id)
        for rid, _ in self._more.pop(url_id, ()):
            self._store.drop_request(rid)
            self._objects.pop(rid, None)

    def add_row(self, url_id: int, priority_class: int, body: bytes) -> int:
        """Store a request, and return its number."""
        rid = self._next_rid
        self._next_rid += 1
        self._store.add_request(rid, url_id, priority_class, body)
        return rid

    def _add(self, url_id: int, request: UrlRecord) -> int:
        body = PLAIN if request.body is None else request.body
        rid = self.add_row(url_id, request.priority_class, body)
        if request.unsaved is not None:
            self._objects[rid] = request.unsaved
        return rid

    def _forget(self, url_id: int) -> None:
        rid = self._first.pop(url_id, None)
        if rid is not None:
            self._objects.pop(rid, None)
