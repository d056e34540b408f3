"""URLs whose budget is spent: they stay QUEUED, out of the way of the queue.

They wait by registered domain, for what proves something there may let them leave again. When
nothing else is left to fetch they are given up, all of them, with the reason of each: a trap never
keeps a crawl from ending.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOOKED_AT = 40
"""URLs of a domain that are looked at when it has proved something."""
_RELEASED = 10
"""Of those the ones that leave at most: what they earn, if anything, lets others follow."""


class Parked(NamedTuple):
    """A URL that waits, and what it is judged by."""

    url_id: int
    host: str
    shape: int


class Waiting:
    """The URLs that wait, by registered domain, in the order in which they came."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Parked]] = {}
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def of(self, domain: str) -> int:
        """Return how many URLs of a domain wait."""
        return len(self._of.get(domain, ()))

    def park(self, domain: str, url: Parked) -> None:
        """Let a URL wait."""
        self._of.setdefault(domain, deque()).append(url)
        self._n += 1

    def release(self, domain: str, may_leave: Callable[[Parked], bool]) -> list[int]:
        """Return some of a domain's URLs that may leave by now; those looked at go last."""
        line = self._of.get(domain)
        if line is None:
            return []
        released: list[int] = []
        for _ in range(min(_LOOKED_AT, len(line))):
            one = line.popleft()
            if len(released) < _RELEASED and may_leave(one):
                released.append(one.url_id)
            else:
                line.append(one)
        self._n -= len(released)
        if not line:
            del self._of[domain]
        return released

    def abandon(self) -> Iterator[tuple[str, Parked]]:
        """Yield all of them with their domains, and forget them."""
        of, self._of, self._n = self._of, {}, 0
        for domain, line in of.items():
            for one in line:
                yield domain, one
