"""Which pages may be leased now, on a clock that the test moves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.politeness import PolitenessPolicy
from frontier.politeness.hosts import KEPT
from tests.frontier.politeness.test_policy import Clock


def politeness(
    concurrency: int = 1, delay: float = 0.0, **more: Any
) -> tuple[PolitenessPolicy, Clock]:
    clock = Clock()
    return PolitenessPolicy(pace=lambda _: (concurrency, delay), clock=clock, **more), clock


def test_without_delay_a_host_has_room_for_its_concurrency() -> None:
    policy, _ = politeness(concurrency=2)
    assert policy.room("a") == 2
    policy.lease("a")
    assert (policy.room("a"), policy.room("b")) == (1, 2)
    policy.lease("a")
    assert policy.room("a") == 0
    policy.take_back("a")
    assert policy.room("a") == 1
    assert policy.take_wait() is None


def test_with_a_delay_a_host_has_room_for_one_when_it_is_over() -> None:
    policy, clock = politeness(concurrency=8, delay=2.0)
    assert policy.room("a") == 1
    policy.lease("a")
    policy.take_back("a")
    assert policy.room("a") == 0
    assert policy.take_wait() == pytest.approx(2.0)
    assert policy.take_wait() is None, "the wait is told once"
    clock.now += 2.0
    assert policy.room("a") == 1


def test_a_slot_that_does_not_answer_is_overdue_until_it_does() -> None:
    policy, clock = politeness()
    policy.lease("a")
    clock.now += 0.9
    policy.lease("b")
    assert policy.overdue(1.0) == []
    clock.now += 0.2
    assert policy.overdue(1.0) == ["a"]
    policy.take_back("a")
    assert policy.overdue(1.0) == []


def test_hosts_whose_delay_is_over_are_forgotten_and_the_others_are_not() -> None:
    policy, clock = politeness(delay=1.0)
    for number in range(30_000):
        policy.lease(f"old{number}")
        policy.take_back(f"old{number}")
        clock.now += 0.01
    assert len(policy._hosts) <= KEPT
    assert policy.room("old29999") == 0
    assert policy.room("old0") == 1


@pytest.mark.parametrize(("places", "room"), [(1, 1), (2, 0)])
def test_one_request_at_a_time_does_not_pass_over_a_short_pause(places: int, room: int) -> None:
    policy, _ = politeness(places=places)
    policy.postpone("a", 5.0, "Retry-After")
    assert policy.room("a") == room
    assert policy.max_wait_seconds == (5.0 if room else 1.0)


def test_a_long_pause_is_passed_over_until_it_ends() -> None:
    policy, clock = politeness(places=1)
    policy.postpone("a", 20.0, "Retry-After")
    assert policy.room("a") == 0
    clock.now += 18.0
    assert policy.room("a") == 0, "its end is no short pause"
    clock.now += 2.0
    assert policy.room("a") == 1


def test_an_answer_nobody_asked_for_is_a_mistake_of_ours() -> None:
    policy, _ = politeness()
    with pytest.raises(KeyError):
        policy.take_back("a")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=60), st.integers(1, 3))
def test_never_more_in_flight_than_the_concurrency(
    steps: list[tuple[str, bool]], concurrency: int
) -> None:
    policy, _ = politeness(concurrency)
    active = {"a": 0, "b": 0}
    for slot, comes_back in steps:
        if comes_back and active[slot]:
            policy.take_back(slot)
            active[slot] -= 1
        elif policy.room(slot):
            policy.lease(slot)
            active[slot] += 1
        assert policy.room(slot) == concurrency - active[slot]
        assert policy.leased == sum(active.values())


def test_what_a_host_asks_for_is_waited_for_like_a_delay() -> None:
    policy, clock = politeness()
    policy.postpone("a", 7.0, "Retry-After")
    assert policy.room("a") == 0
    assert policy.take_wait() == 7.0
    assert policy.overdue(1.0) == ["a"]
    clock.now += 7.0
    assert policy.room("a") == 1
    assert policy.overdue(1.0) == []


@pytest.mark.parametrize(("concurrency", "more"), [(1, 1), (2, 1), (8, 4)])
def test_ahead_of_its_turn_a_host_gets_half_as_many_more_and_none_with_a_delay(
    concurrency: int, more: int
) -> None:
    policy, _ = politeness(concurrency=concurrency)
    for _ in range(concurrency):
        policy.lease("a")
    assert policy.room("a") == 0
    assert policy.room("a", ahead=True) == more
    assert policy.room("a") == 0
    slow, _ = politeness(concurrency=concurrency, delay=1.0)
    slow.lease("a")
    assert slow.room("a", ahead=True) == 0


def test_hosts_that_no_other_process_has_asked_are_asked_at_once() -> None:
    policy, _ = politeness(8, 3.0, asked_by_others=lambda _: float("-inf"))
    assert policy.room("a") == 1


def test_a_host_that_others_may_still_be_asking_has_no_room() -> None:
    policy, clock = politeness(8, asked_by_others=lambda _: 1005.0)
    assert policy.room("a") == 0
    assert policy.take_wait() == pytest.approx(5.0)
    clock.now += 5.0
    assert policy.room("a") == 8
