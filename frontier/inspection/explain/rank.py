"""Where a queued URL stands: its rank in the frontier, and what stands next to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frontier.inspection.explain.records import Neighbour
from frontier.inspection.reports import number_or_none
from frontier.inspection.resumed import Known, best_first
from frontier.states import State
from frontier.store import StoreReader


class Queue:
    """The frontier of a crawl in the order in which it would leave if all hosts allowed it."""

    def __init__(
        self, reader: StoreReader, known: Known, queued: NDArray[np.int64] | None = None
    ) -> None:
        self._reader, self._known = reader, known
        self._queued = np.flatnonzero(known.states == State.QUEUED) if queued is None else queued

    def __len__(self) -> int:
        return len(self._queued)

    def of_host(self, host: int) -> Queue:
        """The part of it that waits for one host."""
        part = self._queued[self._known.hosts[self._queued] == host]
        return Queue(self._reader, self._known, part)

    def spread(self, n: int) -> NDArray[np.int64]:
        """Up to n of its ids, evenly spaced in the order of discovery."""
        n = min(n, len(self._queued))
        return self._queued[np.linspace(0, max(len(self._queued) - 1, 0), n).astype(np.int64)]

    def rank(self, url_id: int) -> int:
        """Rank of a queued URL: 1 + those of a higher class, or priority, or tie-breaker."""
        known, ids = self._known, self._queued
        classes, values, ties = (
            column[ids] for column in (known.classes, known.priority, known.fingerprints)
        )
        own = known.classes[url_id], known.priority[url_id], known.fingerprints[url_id]
        same = classes == own[0]
        equal = same & (values == own[1])
        better = (classes > own[0]) | (same & (values > own[1])) | (equal & (ties < own[2]))
        return 1 + int(better.sum())

    def around(self, url_id: int, n: int) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
        """The n URLs before a queued one and the n after it, nearest first; of others none."""
        known = self._known
        if known.states[url_id] != State.QUEUED:
            return (), ()
        rank = self.rank(url_id)
        best = best_first(self._queued, rank + n, known.priority, known.fingerprints, known.classes)
        first = max(rank - n, 1)
        near = best[first - 1 :].tolist()
        told = tuple(
            Neighbour(place, url, number_or_none(known.priority[one]))
            for place, (one, url) in enumerate(
                zip(near, self._reader.urls_of(near), strict=True), start=first
            )
        )
        own = rank - first
        return told[:own][::-1], told[own + 1 :]
