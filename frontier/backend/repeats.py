"""Known URLs that are fetched again: further requests of spiders, and URLs that failed.

A further request for a URL that waits or is leased waits beside it; a URL that has its answer is
queued again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.backend.frontier_queue import FrontierQueue
    from frontier.backend.ledger import UrlLedger
    from frontier.records import UrlRecord
    from frontier.store import Store


class Repeats:
    """Queues known URLs of one crawl again."""

    def __init__(
        self,
        store: Store,
        ledger: UrlLedger,
        queue: FrontierQueue,
        identify: Callable[[str], int],
    ) -> None:
        """`identify` gives the fingerprint of a plain request for a URL."""
        self._store = store
        self._ledger = ledger
        self._queue = queue
        self._identify = identify

    def store_requests(self, requests: Sequence[UrlRecord]) -> None:
        """Store the parts of requests that their URLs do not hold, and queue those made again."""
        for request in requests:
            if request.is_new:
                if request.body is not None:
                    self._ledger.requests.set(request.url_id, request)
            elif request.again:
                self._fetch_again(request.url_id, request)

    def _fetch_again(self, url_id: int, request: UrlRecord) -> None:
        if not self._ledger.state_of(url_id).is_final:
            is_queued = self._ledger.state_of(url_id) is State.QUEUED
            self._ledger.requests.append(url_id, request, is_queued=is_queued)
            return
        self._ledger.requests.set(url_id, request)
        self._ledger.set_state(url_id, State.QUEUED)
        self._queue.schedule([url_id])

    def requeue_failed(self, reason: str) -> None:
        """Queue, as plain links, URLs that ended with an error that begins with `reason`."""
        ended = np.flatnonzero(np.isin(self._ledger.state.array, [State.ROBOTS, State.ERROR]))
        failed = [url_id for url_id in ended.tolist() if self._failed_for(url_id, reason)]
        for url_id in failed:
            self._ledger.requeue(url_id)
        self._queue.schedule(failed)

    def _failed_for(self, url_id: int, reason: str) -> bool:
        """Whether a URL failed for a reason, and was asked for by a plain link."""
        row = self._store.page_row(url_id)
        if row is None or not (row.error or "").startswith(reason):
            return False
        url = self._store.fetch_urls([url_id])[url_id].url
        return self._identify(url) == int(self._ledger.fingerprint.array[url_id])
