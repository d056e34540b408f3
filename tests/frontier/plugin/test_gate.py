"""Which hosts may be asked now."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.plugin.crawl.gate import HostGate
from frontier.politeness import PolitenessPolicy
from tests.frontier.politeness.test_policy import Clock


def gate(
    concurrency: int = 1,
    delay: float = 0.0,
    slots: dict[str, Any] | None = None,
    settings: dict[str, dict[str, Any]] | None = None,
    **more: Any,
) -> tuple[HostGate, Clock]:
    clock = Clock()
    return HostGate(concurrency, delay, slots or {}, settings or {}, clock, **more), clock


def test_without_delay_a_host_has_room_for_its_concurrency() -> None:
    host, _ = gate(concurrency=2)
    assert host.room("a") == 2
    host.leave("a")
    assert (host.room("a"), host.room("b")) == (1, 2)
    host.leave("a")
    assert host.room("a") == 0
    host.done("a")
    assert host.room("a") == 1
    assert host.take_wait() is None


def test_with_a_delay_a_host_has_room_for_one_when_it_is_over() -> None:
    host, clock = gate(concurrency=8, delay=2.0)
    assert host.room("a") == 1
    host.leave("a")
    host.done("a")
    assert host.room("a") == 0
    assert host.take_wait() == pytest.approx(2.0)
    assert host.take_wait() is None, "the wait is told once"
    clock.now += 2.0
    assert host.room("a") == 1


def test_what_the_downloader_says_of_a_live_slot_counts() -> None:
    slot = SimpleNamespace(concurrency=1, delay=0.0)
    host, clock = gate(concurrency=8, delay=9.0, slots={"a": slot})
    assert host.room("a") == 1
    host.leave("a")
    host.done("a")
    assert host.room("a") == 1
    slot.delay = 5.0
    host.leave("a")
    host.done("a")
    assert host.room("a") == 0
    clock.now += 5.0
    assert host.room("a") == 1


def test_settings_of_a_slot_count_before_the_downloader_has_made_it() -> None:
    host, _ = gate(concurrency=8, settings={"a": {"concurrency": 3}, "b": {"delay": 1.0}})
    assert host.room("a") == 3
    assert host.room("b") == 1


def test_a_slot_that_does_not_answer_is_overdue_until_it_does() -> None:
    host, clock = gate()
    host.leave("a")
    clock.now += 0.9
    host.leave("b")
    assert host.overdue(1.0) == []
    clock.now += 0.2
    assert host.overdue(1.0) == ["a"]
    host.done("a")
    assert host.overdue(1.0) == []


def test_hosts_whose_delay_is_over_are_forgotten_and_the_others_are_not() -> None:
    host, clock = gate(delay=1.0)
    for number in range(10_000):
        host.leave(f"old{number}")
        host.done(f"old{number}")
        clock.now += 0.01
    assert len(host._ready_at) <= 2001
    assert host.room("old9999") == 0
    assert host.room("old0") == 1


@pytest.mark.parametrize(("places", "room"), [(1, 1), (2, 0)])
def test_one_request_at_a_time_does_not_pass_over_a_short_pause(places: int, room: int) -> None:
    clock = Clock()
    politeness = PolitenessPolicy(clock=clock)
    host = HostGate(1, 0.0, {}, {}, clock, politeness, places)
    politeness.pause("a", 5.0, "Retry-After")
    assert host.room("a") == room
    assert host.patience == (5.0 if room else 1.0)


def test_a_long_pause_is_passed_over_until_it_ends() -> None:
    clock = Clock()
    politeness = PolitenessPolicy(clock=clock)
    host = HostGate(1, 0.0, {}, {}, clock, politeness, places=1)
    politeness.pause("a", 20.0, "Retry-After")
    assert host.room("a") == 0
    clock.now += 18.0
    assert host.room("a") == 0, "its end is no short pause"
    clock.now += 2.0
    assert host.room("a") == 1


def test_an_answer_nobody_asked_for_is_a_mistake_of_ours() -> None:
    host, _ = gate()
    with pytest.raises(KeyError):
        host.done("a")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=60), st.integers(1, 3))
def test_never_more_in_flight_than_the_concurrency(
    steps: list[tuple[str, bool]], concurrency: int
) -> None:
    host, _ = gate(concurrency)
    active = {"a": 0, "b": 0}
    for slot, comes_back in steps:
        if comes_back and active[slot]:
            host.done(slot)
            active[slot] -= 1
        elif host.room(slot):
            host.leave(slot)
            active[slot] += 1
        assert host.room(slot) == concurrency - active[slot]
        assert host.active == sum(active.values())


def test_what_a_host_asks_for_is_waited_for_like_a_delay() -> None:
    clock = Clock()
    politeness = PolitenessPolicy(clock=clock)
    host = HostGate(1, 0.0, {}, {}, clock, politeness)
    politeness.pause("a", 7.0, "Retry-After")
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
    host, _ = gate(concurrency=concurrency, may_go_ahead=True)
    for _ in range(concurrency):
        host.leave("a")
    assert host.room("a") == 0
    with host.going_ahead():
        assert host.room("a") == more
    assert host.room("a") == 0
    slow, _ = gate(concurrency=concurrency, delay=1.0, may_go_ahead=True)
    slow.leave("a")
    with slow.going_ahead():
        assert slow.room("a") == 0


@pytest.mark.parametrize("slots", [{}, {"a": SimpleNamespace(concurrency=8, delay=2.0)}])
def test_the_delay_of_a_host_that_was_taken_over_is_counted_from_then(
    slots: dict[str, Any],
) -> None:
    clock = Clock()
    politeness = PolitenessPolicy(clock=clock, asked_by_others=lambda _: 999.0)
    settings = {"a": {"delay": 2.0}, "b": {"delay": 0.0}}
    host = HostGate(8, 3.0, slots, settings, clock, politeness)
    assert [host.room(slot) for slot in "abc"] == [0, 8, 0]
    assert host.take_wait() == pytest.approx(1.0)
    clock.now += 1.0
    assert [host.room(slot) for slot in "abc"] == [1, 8, 0]
    assert host.take_wait() == pytest.approx(1.0)
    clock.now += 1.0
    assert [host.room(slot) for slot in "abc"] == [1, 8, 1]
    host.leave("c")
    host.done("c")
    assert host.room("c") == 0
    assert host.take_wait() == pytest.approx(3.0), "its own last request is the later one by now"


def test_hosts_that_no_other_process_has_asked_are_asked_at_once() -> None:
    clock = Clock()
    politeness = PolitenessPolicy(clock=clock, asked_by_others=lambda _: float("-inf"))
    host = HostGate(8, 3.0, {}, {}, clock, politeness)
    assert host.room("a") == 1


def test_a_host_that_others_may_still_be_asking_has_no_room() -> None:
    clock = Clock()
    politeness = PolitenessPolicy(clock=clock, asked_by_others=lambda _: 1005.0)
    host = HostGate(8, 0.0, {}, {}, clock, politeness)
    assert host.room("a") == 0
    assert host.take_wait() == pytest.approx(5.0)
    clock.now += 5.0
    assert host.room("a") == 8
