"""The greedy oracle: what could be reached by one who sees all labels and all recorded links.

Next is the known URL that is fewest recorded links away from a target not requested yet, a target
itself being 0 links away; of equals the one discovered first. Where no target can be reached any
more it takes what was discovered first. That is no optimum (a detour that opens many targets at
once is not foreseen), but no order comes near it. It reads labels, so nothing of it may be imported
by an order.
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
        """The targets that are left."""
        self._wanted[list(targets)] = True
        self._hops: NDArray[np.uint64] | None = None

    def seed(self, numbers: Sequence[int]) -> None:
        self._discover(numbers)
        # Seeds come first, as they do in every order, whatever they are worth.
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
        # Where a target waits, no distance has to be computed.
        wanted = self._wanted[numbers]
        at = wanted.argmax() if wanted.any() else self._distances()[numbers].argmin()
        return int(numbers[at])

    def _distances(self) -> NDArray[np.uint64]:
        """(n,) links to the nearest target that is left; unsigned, UNREACHED is the farthest."""
        if self._hops is None:
            # Paths are not barred from fetched pages: where one leads through them, a URL beyond
            # is in the frontier and nearer.
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
