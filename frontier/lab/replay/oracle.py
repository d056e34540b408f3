"""The greedy oracle: an upper bound by a frontier that sees all labels and recorded links.

The next URL is the known URL with the fewest recorded links to a target not requested yet, 0 for a
target itself; of equal ones the URL discovered first. If no target can be reached any more, the
next URL is the one discovered first. This is no optimum (a detour that opens many targets at once
is not foreseen), but no strategy comes near it. It reads labels, so strategies must not import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.lab.replay.records import Leased, ReplayFrontier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from frontier.lab.replay.webfile import RecordedAnswer, WebFile


class GreedyOracle(ReplayFrontier):
    """Invariant: `_waiting` holds the discovered URLs not leased, in order of discovery."""

    def __init__(self, web: WebFile, targets: Collection[int]) -> None:
        self._web = web
        self._known: set[int] = set()
        self._waiting: dict[int, None] = {}
        self._seeds: dict[int, None] = {}
        self._wanted = np.zeros(len(web.urls), np.bool_)
        """Whether a URL is a target not requested yet."""
        self._wanted[list(targets)] = True
        self._hops: NDArray[np.uint64] | None = None

    def seed(self, numbers: Sequence[int]) -> None:
        self._discover(numbers)
        # Seeds come first, as in every strategy.
        self._seeds = dict.fromkeys(map(self._resolved, numbers))

    def next(self) -> Leased | None:
        if not self._waiting:
            return None
        number = self._best(self._seeds or self._waiting)
        del self._waiting[number]
        self._seeds.pop(number, None)
        if self._wanted[number]:
            self._wanted[number] = False
            self._hops = None
        return Leased(number, None)

    def _best(self, among: Collection[int]) -> int:
        """The nearest to a target."""
        numbers = np.fromiter(among, np.int64, len(among))
        # If a target waits, no distances have to be computed.
        wanted = self._wanted[numbers]
        at = wanted.argmax() if wanted.any() else self._distances()[numbers].argmin()
        return int(numbers[at])

    def _distances(self) -> NDArray[np.uint64]:
        """(n,) links to the nearest remaining target; UNREACHED is the largest unsigned number."""
        if self._hops is None:
            # A path may lead through fetched pages: then a URL behind them is known, and nearer.
            left = np.flatnonzero(self._wanted).tolist()
            self._hops = self._web.hops_to(left).view(np.uint64)
        return self._hops

    def page(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        self._discover(answer.links.tolist())

    def redirect(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        self._discover([answer.location])

    def retry(self, leased: Leased) -> None:
        self._waiting[leased.number] = None

    def _discover(self, numbers: Iterable[int]) -> None:
        for number in map(self._resolved, numbers):
            if number not in self._known:
                self._known.add(number)
                self._waiting[number] = None

    def _resolved(self, number: int) -> int:
        answered_by = int(self._web.answers[number])
        return answered_by if answered_by >= 0 else number
