"""The greedy oracle: what could be reached by one who sees all labels and all recorded links.

It goes by shortest recorded paths. Next is the known URL that is fewest links away from a target
not asked for yet, a target itself being 0 links away; of equals the one discovered first whose
host has room. If none has, it waits: requests are scarce, time is not. Where no target can be
reached any more it takes what was discovered first. That is greedy and no optimum (a detour that
opens many targets at once is not foreseen), but no order comes near it, and all are measured
against the same.

It reads labels, so nothing of it may be imported by an order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.lab.replay.interface import Handout
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from frontier.lab.replay.interface import Room
    from frontier.lab.replay.web import RecordedAnswer
    from frontier.lab.replay.webfile import WebFile

FAR = 2**30
"""Links to a target from where none can be reached."""


class GreedyOracle:
    """Invariant: `_waiting` holds the discovered URLs not handed out, in order of discovery."""

    def __init__(self, web: WebFile, targets: Collection[int]) -> None:
        self._web = web
        self._targets = set(targets)
        self._known: set[int] = set()
        self._waiting: dict[int, None] = {}
        self._sources = np.repeat(np.arange(web.n_recorded, dtype=np.int32), np.diff(web.indptr))
        self._seeds: dict[int, None] = {}
        self._hops: NDArray[np.int64] | None = None
        self.passed_over = 0

    def seed(self, numbers: Sequence[int]) -> None:
        self._discover(numbers)
        # Seeds come first, as they do in every order, whatever they are worth.
        self._seeds = dict.fromkeys(map(self._resolved, numbers))

    def next(self, room: Room, now: float) -> Handout | None:
        number = self._best(self._seeds, room) if self._seeds else self._best(self._waiting, room)
        if number is None:
            return None
        del self._waiting[number]
        self._seeds.pop(number, None)
        if number in self._targets:
            self._targets.discard(number)
            self._hops = None
        return Handout(number, slot_of(self._web.urls[number]), None)

    def _best(self, among: Collection[int], room: Room) -> int | None:
        """The nearest to a target whose host has room; it waits rather than take a farther one."""
        if not among:
            return None
        numbers = np.fromiter(among, np.int64, len(among))
        hops = self._distances()[numbers]
        nearest = numbers[hops == hops.min()].tolist()
        urls = self._web.urls
        return next((number for number in nearest if room(slot_of(urls[number])) > 0), None)

    def _distances(self) -> NDArray[np.int64]:
        """(n,) links from each URL to the nearest target not fetched yet, over recorded links.

        Paths are not barred from fetched pages: where one leads through them, a URL beyond is in
        the frontier and nearer.
        """
        if self._hops is None:
            hops = np.full(len(self._web.urls), FAR, dtype=np.int64)
            front = np.zeros(len(hops), dtype=np.bool_)
            front[list(self._targets)] = True
            distance = 0
            while front.any():
                hops[front] = distance
                distance += 1
                before = self._sources[front[self._web.targets]]
                front = np.zeros(len(hops), dtype=np.bool_)
                front[before[hops[before] == FAR]] = True
            self._hops = hops
        return self._hops

    def seconds_to_wait(self) -> float | None:
        return None

    def page(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        self._discover(answer.links.tolist())

    def redirect(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        self._discover([answer.location])

    def fail(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        """Nothing is learned from it."""

    def refuse(self, handout: Handout, at: float) -> None:
        """Nothing is learned from it."""

    def retry(self, handout: Handout) -> None:
        self._waiting[handout.number] = None

    def close(self) -> None:
        """Nothing is held."""

    def _discover(self, numbers: Iterable[int]) -> None:
        for number in map(self._resolved, numbers):
            if number not in self._known:
                self._known.add(number)
                self._waiting[number] = None

    def _resolved(self, number: int) -> int:
        answered_by = int(self._web.answers[number])
        return answered_by if answered_by >= 0 else number
