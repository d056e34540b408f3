"""The queue leases exactly what sorting all of it would, whatever happened to it before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from frontier.queue import tiers
from frontier.queue import url_queue as module
from frontier.queue.columns import KeyColumns
from frontier.queue.url_queue import UrlQueue
from ranking.arrays import Column

N_IDS = 40
N_HOSTS = 5
UNLIMITED = 1000
IDS = st.integers(0, N_IDS - 1)
PRIORITIES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(-1e9, 1e9))
CLASSES = st.sampled_from([0, 0, 0, 10, -5, 2**31 - 1, 1 - 2**31])
ROOMS = st.dictionaries(st.integers(0, N_HOSTS - 1), st.integers(0, 3))


def host_of(url_id: int) -> int:
    return url_id * url_id % N_HOSTS


def fingerprint_of(url_id: int) -> int:
    # Some are equal: then the id decides.
    return (url_id * 7919 % 13) - 6


def queue_of(hosts: Sequence[int] | NDArray[Any], **sizes: int) -> UrlQueue:
    """A queue for URLs 0, 1, ... of these hosts; the fingerprint of each is its id."""
    columns = KeyColumns(
        Column.adopt(np.arange(len(hosts), dtype=np.int64)),
        Column.adopt(np.array(hosts, np.int32)),
    )
    return UrlQueue(columns, **sizes)


def rooms(room: dict[int, int], default: int = UNLIMITED) -> Callable[[int], int]:
    return lambda host: room.get(host, default)


class NaiveQueue:
    """Sorts everything for each URL it leases."""

    def __init__(self) -> None:
        self.keys: dict[int, tuple[int, float]] = {}
        self.due: dict[int, int] = {}
        self.left: dict[int, int] = {}
        self.popped = 0

    def order(self, url_id: int) -> tuple[float, ...]:
        priority_class, priority = self.keys[url_id]
        return -priority_class, -priority, fingerprint_of(url_id), url_id

    def push(self, url_id: int, priority: float, priority_class: int) -> None:
        self.keys[url_id] = priority_class, priority

    def defer(self, url_id: int, priority: float, priority_class: int, after: int) -> None:
        self.push(url_id, priority, priority_class)
        self.due[url_id] = self.popped + after

    def update(self, url_id: int, priority: float) -> None:
        if url_id in self.keys:
            self.keys[url_id] = self.keys[url_id][0], priority

    def remove(self, url_id: int) -> None:
        self.keys.pop(url_id, None)
        self.due.pop(url_id, None)

    def pop(self, n: int, room: dict[int, int], default: int) -> list[tuple[int, float]]:
        used: Counter[int] = Counter()
        taken = []
        for _ in range(n):
            free = [i for i in self.keys if used[host_of(i)] < room.get(host_of(i), default)]
            self.due = {i: due for i, due in self.due.items() if due > self.popped}
            ready = [i for i in free if i not in self.due]
            if ready:
                best = min(ready, key=self.order)
            elif free:
                best = min(free, key=lambda i: (self.due[i], self.order(i)))
            else:
                break
            taken.append((best, self.keys[best][1]))
            self.left[best] = self.keys[best][0]
            used[host_of(best)] += 1
            self.remove(best)
            self.popped += 1
        return taken

    def ahead_of(self, url_id: int, priority: float) -> int:
        key = self.left[url_id], priority
        waiting = [key for one, key in self.keys.items() if one not in self.due]
        return sum(one > key for one in waiting)


class QueueMachine(RuleBasedStateMachine):
    """A pool of three URLs, so that nearly everything is outside."""

    pool_size = 3
    bulk = 6

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(module, "_BULK", self.bulk)
        self.patch.setattr(tiers, "_OVERSAMPLING", 2)
        self.patch.setattr(tiers, "_HOST_REFILL", 2)
        self.queue = UrlQueue(self.columns(), self.pool_size, 1, 5)
        self.model = NaiveQueue()

    n_known = N_IDS

    def columns(self) -> KeyColumns:
        ids = range(self.n_known)
        return KeyColumns(
            Column.adopt(np.array([fingerprint_of(url_id) for url_id in ids], np.int64)),
            Column.adopt(np.array([host_of(url_id) for url_id in ids], np.int32)),
        )

    def teardown(self) -> None:
        self.patch.undo()

    @rule(urls=st.dictionaries(IDS, st.tuples(PRIORITIES, CLASSES), max_size=12))
    def push(self, urls: dict[int, tuple[float, int]]) -> None:
        self.queue.push(
            list(urls),
            [priority for priority, _ in urls.values()],
            [priority_class for _, priority_class in urls.values()],
        )
        for url_id, (priority, priority_class) in urls.items():
            self.model.push(url_id, priority, priority_class)

    @rule(urls=st.dictionaries(IDS, PRIORITIES, max_size=12))
    def update(self, urls: dict[int, float]) -> None:
        self.queue.update(list(urls), list(urls.values()))
        for url_id, priority in urls.items():
            self.model.update(url_id, priority)

    @rule(url_id=IDS, priority=PRIORITIES, priority_class=CLASSES, after=st.integers(0, 6))
    def defer(self, url_id: int, priority: float, priority_class: int, after: int) -> None:
        self.queue.defer(url_id, priority, priority_class, after=after)
        self.model.defer(url_id, priority, priority_class, after)

    @rule(url_id=IDS)
    def remove(self, url_id: int) -> None:
        self.queue.remove(url_id)
        self.model.remove(url_id)

    @rule(n=st.integers(1, 5), room=ROOMS, default=st.sampled_from([0, 1, UNLIMITED]))
    def pop(self, n: int, room: dict[int, int], default: int) -> None:
        taken = self.queue.pop(n, rooms(room, default))
        assert taken == self.model.pop(n, room, default)
        for url_id, priority in taken if n == 1 else ():
            # What left is better than what stayed, but for what had to wait for its host. Of
            # several that leave together, others may have come due after the first had left.
            assert self.queue.ahead_of(url_id) == self.model.ahead_of(url_id, priority)

    @rule(n=st.integers(1, 10), change=st.sampled_from([0.0, 1.0, -1.0, 0.5]))
    def reprice_the_foremost(self, n: int, change: float) -> None:
        ids = self.queue.foremost(n).tolist()
        assert len(ids) <= n
        assert ids == sorted(set(ids) & set(self.model.keys))
        values = [change * self.model.keys[url_id][1] for url_id in ids]
        self.queue.update(ids, values)
        for url_id, value in zip(ids, values, strict=True):
            self.model.update(url_id, value)

    @invariant()
    def knows_what_is_queued(self) -> None:
        assert len(self.queue) == len(self.model.keys)
        assert self.queue.queued().tolist() == sorted(self.model.keys)
        assert self.queue.hosts_waiting == len({host_of(url_id) for url_id in self.model.keys})
        assert all(url_id in self.queue for url_id in self.model.keys)


class RoomyQueueMachine(QueueMachine):
    """A pool that often holds everything."""

    pool_size = 20
    bulk = 100


class SharingQueueMachine(QueueMachine):
    """A queue that shares columns with whoever knows more URLs."""

    n_known = 2 * N_IDS


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(max_examples=40, stateful_step_count=40)
TestRoomyQueue = RoomyQueueMachine.TestCase
TestRoomyQueue.settings = settings(max_examples=20, stateful_step_count=40)
TestSharingQueue = SharingQueueMachine.TestCase
TestSharingQueue.settings = settings(max_examples=20, stateful_step_count=40)


def filled(priorities: list[float], hosts: list[int], **sizes: int) -> UrlQueue:
    queue = queue_of(hosts, **sizes)
    queue.push(range(len(priorities)), priorities, 0)
    return queue


def popped(queue: UrlQueue, n: int, room: dict[int, int] | None = None) -> list[int]:
    return [url_id for url_id, _ in queue.pop(n, rooms(room or {}))]


def test_a_host_gets_no_more_than_its_room_and_keeps_its_turn() -> None:
    queue = filled([0.9, 0.8, 0.7, 0.1], [0, 0, 0, 1])
    assert popped(queue, 4, {0: 1}) == [0, 3]
    assert popped(queue, 4, {0: 0}) == []
    assert popped(queue, 4) == [1, 2]


def test_a_deferred_url_waits_for_as_many_others_as_it_was_told() -> None:
    queue = queue_of([0, 0, 0, 0])
    queue.push(range(3), [0.5, 0.4, 0.3], 0)
    queue.defer(3, 1.0, 0, after=2)
    assert len(queue) == 4
    assert popped(queue, 4) == [0, 1, 3, 2]


@given(st.sampled_from([float("nan"), float("inf"), -float("inf")]))
def test_a_priority_that_is_no_number_is_refused(priority: float) -> None:
    with pytest.raises(AssertionError, match="finite"):
        filled([priority], [0])
    with pytest.raises(AssertionError, match="finite"):
        filled([0.5], [0]).update([0], [priority])


def test_with_a_share_only_the_best_leave_before_better_ones_of_busy_hosts() -> None:
    priorities = np.arange(100.0)
    queue = queue_of(priorities < 95)  # the best five are on host 0, which is busy
    queue.push(np.arange(100), priorities, 0)
    room = rooms({0: 0})
    queue.wait_for(0)
    assert queue.pop(10, room, share=0.05) == []
    assert queue.pop(2, room, share=0.07) == [(94, 94.0), (93, 93.0)]
    assert [one for one, _ in queue.pop(2, room)] == [92, 91]


def test_with_a_share_a_host_with_room_gives_its_best_whatever_their_rank() -> None:
    queue = queue_of([0] * 10)
    queue.push(np.arange(10), np.arange(10.0), 0)
    assert [url_id for url_id, _ in queue.pop(10, rooms({}), share=0.001)] == list(range(9, -1, -1))


def test_nothing_waits_for_a_host_that_never_answered_or_is_slow() -> None:
    queue = queue_of([0, 1, 1, 1])
    queue.push(np.arange(4), np.arange(4.0), 0)
    room = rooms({1: 0})
    assert queue.pop(1, room, share=0.01) == [(0, 0.0)]
    queue.push([0], 0.0, 0)
    queue.wait_for(1)
    assert queue.pop(1, room, share=0.01) == []
    queue.do_not_wait_for(1)
    assert queue.pop(1, room, share=0.01) == [(0, 0.0)]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), min_size=1, max_size=60),
    st.sets(st.integers(0, 3)),
    st.floats(0.01, 1.0),
)
def test_what_leaves_with_a_share_has_a_place_in_it(
    rows: list[tuple[int, int]], busy: set[int], share: float
) -> None:
    hosts = np.array([host for host, _ in rows])
    priorities = np.array([float(priority) for _, priority in rows])
    queue = queue_of(hosts, pool_size=8, host_share=2)
    queue.push(np.arange(len(rows)), priorities, 0)
    for host in range(4):
        queue.wait_for(host)
    popped = queue.pop(1, rooms(dict.fromkeys(busy, 0)), share=share)
    free = [one for one in range(len(rows)) if hosts[one] not in busy]
    best_free = max((priorities[one] for one in free), default=None)
    places = int(np.ceil(share * len(rows)))
    allowed = best_free is not None and np.count_nonzero(priorities > best_free) < places
    assert bool(popped) == allowed
    if popped:
        assert popped[0][1] == best_free


def test_what_left_before_better_ones_of_busy_hosts_is_counted() -> None:
    queue = queue_of([0, 0, 1, 1])
    queue.push(np.arange(4), np.arange(4.0), 0)
    assert queue.pop(1, rooms({})) == [(3, 3.0)]
    assert queue.passed_over == 0
    assert queue.pop(1, rooms({1: 0})) == [(1, 1.0)]
    assert queue.passed_over == 1
    assert queue.pop(1, rooms({})) == [(2, 2.0)]
    assert queue.pop(1, rooms({1: 0})) == [(0, 0.0)]
    assert queue.passed_over == 1


def test_the_foremost_are_the_best_whatever_is_queued() -> None:
    priorities = np.random.default_rng(1).random(5000)
    queue = filled(priorities.tolist(), [i % 3 for i in range(5000)])
    best = np.sort(np.argsort(-priorities)[:1500])
    assert queue.foremost(1500).tolist() == best.tolist()
    assert len(queue.foremost(10_000)) == 2000
    assert queue_of([]).foremost(5).tolist() == []


def test_the_foremost_are_found_again_when_half_of_them_have_left() -> None:
    priorities = np.arange(5000.0)
    queue = filled(priorities.tolist(), [0] * 5000)
    queue.foremost(2000)
    queue.pop(900, rooms({}))
    assert len(queue.foremost(2000)) == 1100
    queue.pop(200, rooms({}))
    assert queue.foremost(2000).tolist() == list(range(1900, 3900))
