"""Requests that leave in one turn of the engine: taken together, so that one commit does for all.

The engine asks for one request after the other until the downloader has no place left, and nothing
is learned in between; a transaction for each of them would cost more than all that it writes. So
whoever is asked first takes as many as there are places, one by one by the same rules, and writes
their leases down before any of them leaves.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request


class ReadyRequests:
    """Requests that were taken and have not left.

    Invariant: what is ready is leased, and the store's file says so.
    """

    def __init__(
        self,
        take: Callable[[], Request | None],
        commit: Callable[[], None],
        places: Callable[[], int],
    ) -> None:
        """`places` says how many the engine is going to ask for, at least; less than one: one."""
        self._take = take
        self._commit = commit
        self._places = places
        self._requests: deque[Request] = deque()

    def __bool__(self) -> bool:
        return bool(self._requests)

    def next(self) -> Request | None:
        """Return the one to leave, None where there is none."""
        if not self._requests:
            try:
                self._fill()
            finally:
                # Also what was taken before another one failed leaves with the next call.
                self._commit()
        return self._requests.popleft() if self._requests else None

    def _fill(self) -> None:
        for _ in range(max(1, self._places())):
            request = self._take()
            if request is None:
                return
            self._requests.append(request)


def places_of(downloader: Any) -> int:
    """Return how many more requests a downloader takes now; 1 where it does not say."""
    try:
        return int(downloader.total_concurrency - len(downloader.active))
    except AttributeError:
        return 1
