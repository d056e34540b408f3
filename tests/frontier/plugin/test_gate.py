"""Which hosts may be asked now."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.plugin.crawl.gate import SlotPace
from frontier.politeness import PolitenessPolicy
from frontier.politeness.hosts import KEPT
from tests.frontier.politeness.test_policy import Clock


def politeness(
    concurrency: int = 1,
    delay: float = 0.0,
    slots: dict[str, Any] | None = None,
    settings: dict[str, dict[str, Any]] | None = None,
    **more: Any,
) -> tuple[PolitenessPolicy, Clock]:
    clock = Clock()
    pace = SlotPace(concurrency, delay, settings or {}, lambda: slots or {})
    return PolitenessPolicy(pace=pace, clock=clock, **more), clock


def test_without_delay_a_host_has_room_for_its_concurrency() -> None:
    host, _ = politeness(concurrency=2)
    assert host.room("a") == 2
    host.lease("a")
    assert (host.room("a"), host.room("b")) == (1, 2)
    host.lease("a")
    assert host.room("a") == 0
    host.take_back("a")
    assert host.room("a") == 1
    assert host.take_wait() is None


def test_with_a_delay_a_host_has_room_for_one_when_it_is_over() -> None:
    host, clock = politeness(concurrency=8, delay=2.0)
    assert host.room("a") == 1
    host.lease("a")
    host.take_back("a")
    assert host.room("a") == 0
    assert host.take_wait() == pytest.approx(2.0)
    assert host.take_wait() is None, "the wait is told once"
    clock.now += 2.0
    assert host.room("a") == 1


def test_what_the_downloader_says_of_a_live_slot_counts() -> None:
    slot = SimpleNamespace(concurrency=1, delay=0.0)
    host, clock = politeness(concurrency=8, delay=9.0, slots={"a": slot})
    assert host.room("a") == 1
    host.lease("a")
    host.take_back("a")
    assert host.room("a") == 1
    slot.delay = 5.0
    host.lease("a")
    host.take_back("a")
    assert host.room("a") == 0
    clock.now += 5.0
    assert host.room("a") == 1


def test_settings_of_a_slot_count_before_the_downloader_has_made_it() -> None:
    host, _ = politeness(concurrency=8, settings={"a": {"concurrency": 3}, "b": {"delay": 1.0}})
    assert host.room("a") == 3
    assert host.room("b") == 1


def test_a_slot_that_does_not_answer_is_overdue_until_it_does() -> None:
    host, clock = politeness()
    host.lease("a")
    clock.now += 0.9
    host.lease("b")
    assert host.overdue(1.0) == []
    clock.now += 0.2
    assert host.overdue(1.0) == ["a"]
    host.take_back("a")
    assert host.overdue(1.0) == []


def test_hosts_whose_delay_is_over_are_forgotten_and_the_others_are_not() -> None:
    host, clock = politeness(delay=1.0)
    for number in range(30_000):
        host.lease(f"old{number}")
        host.take_back(f"old{number}")
        clock.now += 0.01
    assert len(host._hosts) <= KEPT
    assert host.room("old29999") == 0
    assert host.room("old0") == 1


@pytest.mark.parametrize(("places", "room"), [(1, 1), (2, 0)])
def test_one_request_at_a_time_does_not_pass_over_a_short_pause(places: int, room: int) -> None:
    host, _ = politeness(places=places)
    host.postpone("a", 5.0, "Retry-After")
    assert host.room("a") == room
    assert host.max_wait_seconds == (5.0 if room else 1.0)


def test_a_long_pause_is_passed_over_until_it_ends() -> None:
    host, clock = politeness(places=1)
    host.postpone("a", 20.0, "Retry-After")
    assert host.room("a") == 0
    clock.now += 18.0
    assert host.room("a") == 0, "its end is no short pause"
    clock.now += 2.0
    assert host.room("a") == 1


def test_an_answer_nobody_asked_for_is_a_mistake_of_ours() -> None:
    host, _ = politeness()
    with pytest.raises(KeyError):
        host.take_back("a")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=60), st.integers(1, 3))
def test_never_more_in_flight_than_the_concurrency(
    steps: list[tuple[str, bool]], concurrency: int
) -> None:
    host, _ = politeness(concurrency)
    active = {"a": 0, "b": 0}
    for slot, comes_back in steps:
        if comes_back and active[slot]:
            host.take_back(slot)
            active[slot] -= 1
        elif host.room(slot):
            host.lease(slot)
            active[slot] += 1
        assert host.room(slot) == concurrency - active[slot]
        assert host.leased == sum(active.values())


def test_what_a_host_asks_for_is_waited_for_like_a_delay() -> None:
    host, clock = politeness()
    host.postpone("a", 7.0, "Retry-After")
    assert host.room("a") == 0
    assert host.take_wait() == 7.0
    assert host.overdue(1.0) == ["a"]
    clock.now += 7.0
    assert host.room("a") == 1
    assert host.overdue(1.0) == []


@pytest.mark.parametrize(("concurrency", "more"), [(1, 1), (2, 1), (8, 4)])
def test_ahead_of_its_turn_a_host_gets_half_as_many_more_and_none_with_a_delay(
    concurrency: int, more: int
) -> None:
    host, _ = politeness(concurrency=concurrency)
    for _ in range(concurrency):
        host.lease("a")
    assert host.room("a") == 0
    assert host.room("a", ahead=True) == more
    assert host.room("a") == 0
    slow, _ = politeness(concurrency=concurrency, delay=1.0)
    slow.lease("a")
    assert slow.room("a", ahead=True) == 0


@pytest.mark.parametrize("slots", [{}, {"a": SimpleNamespace(concurrency=8, delay=2.0)}])
def test_the_delay_of_a_host_that_was_taken_over_is_counted_from_then(
    slots: dict[str, Any],
) -> None:
    settings = {"a": {"delay": 2.0}, "b": {"delay": 0.0}}
    host, clock = politeness(8, 3.0, slots, settings, asked_by_others=lambda _: 999.0)
    assert [host.room(slot) for slot in "abc"] == [0, 8, 0]
    assert host.take_wait() == pytest.approx(1.0)
    clock.now += 1.0
    assert [host.room(slot) for slot in "abc"] == [1, 8, 0]
    assert host.take_wait() == pytest.approx(1.0)
    clock.now += 1.0
    assert [host.room(slot) for slot in "abc"] == [1, 8, 1]
    host.lease("c")
    host.take_back("c")
    assert host.room("c") == 0
    assert host.take_wait() == pytest.approx(3.0), "its own last request is the later one by now"


def test_hosts_that_no_other_process_has_asked_are_asked_at_once() -> None:
    host, _ = politeness(8, 3.0, asked_by_others=lambda _: float("-inf"))
    assert host.room("a") == 1


def test_a_host_that_others_may_still_be_asking_has_no_room() -> None:
    host, clock = politeness(8, asked_by_others=lambda _: 1005.0)
    assert host.room("a") == 0
    assert host.take_wait() == pytest.approx(5.0)
    clock.now += 5.0
    assert host.room("a") == 8
