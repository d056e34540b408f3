"""URLs whose budget is spent, by registered domain: what proves something there lets them go on.

Millions may wait: each costs the eight bytes of its id and its shape. Whether they lie in the queue
behind all others or in none is up to who keeps them; they are QUEUED in the store in any case.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOOKED_AT = 40
"""URLs of a domain that are looked at when it has proved something."""
_RELEASED = 10
"""Of those the ones that leave at most: what they earn, if anything, lets others follow."""
_SHAPE_BITS = 32
_PASSED = 1024
"""Places at the head of a line that may be empty before it is moved up."""


class Parked(NamedTuple):
    """A URL that waits, and the shape that it is judged by."""

    url_id: int
    shape: int


class _Line:
    """Those of one domain, first in, first out."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._first = 0

    def __len__(self) -> int:
        return len(self._numbers) - self._first

    def append(self, url: Parked) -> None:
        self._numbers.append(url.url_id << _SHAPE_BITS | url.shape)

    def popleft(self) -> Parked:
        number = self._numbers[self._first]
        self._first += 1
        if self._first >= _PASSED and 2 * self._first >= len(self._numbers):
            del self._numbers[: self._first]
            self._first = 0
        return Parked(number >> _SHAPE_BITS, number & (1 << _SHAPE_BITS) - 1)


class Waiting:
    """The URLs that wait, by registered domain, in the order in which they came."""

    def __init__(self) -> None:
        self._of: dict[str, _Line] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def __bool__(self) -> bool:
        return bool(self._of)

    def of(self, domain: str) -> int:
        """Return how many URLs of a domain wait."""
        line = self._of.get(domain)
        return 0 if line is None else len(line)

    def park(self, domain: str, url: Parked) -> None:
        """Let a URL wait."""
        line = self._of.get(domain)
        if line is None:
            line = self._of[domain] = _Line()
        line.append(url)

    def release(
        self, domain: str, waits: Callable[[int], bool], may_leave: Callable[[Parked], bool]
    ) -> list[int]:
        """Return some of a domain's URLs that may leave by now; those looked at go last.

        Those that do not wait any more, by their ids, are forgotten.
        """
        line = self._of.get(domain)
        if line is None:
            return []
        released: list[int] = []
        for _ in range(min(_LOOKED_AT, len(line))):
            one = line.popleft()
            if not waits(one.url_id):
                continue
            if len(released) < _RELEASED and may_leave(one):
                released.append(one.url_id)
            else:
                line.append(one)
        if not line:
            del self._of[domain]
        return released

    def take(self, domain: str) -> list[Parked]:
        """Return those of a domain, and forget them."""
        line = self._of.pop(domain, None)
        return [] if line is None else [line.popleft() for _ in range(len(line))]

    def take_all(self) -> Iterator[tuple[str, Parked]]:
        """Yield all of them with their domains, and forget them."""
        for domain in list(self._of):
            for one in self.take(domain):
                yield domain, one
