from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SettingsError
from frontier.lab.replay.interface import Handout
from frontier.lab.replay.simulated_fetcher import Fetcher, Politeness


def started(fetcher: Fetcher, *hosts: str) -> None:
    for number, host in enumerate(hosts):
        fetcher.start(Handout(number, host, None))


def answers(fetcher: Fetcher) -> list[tuple[float, int]]:
    """Times and numbers of all answers, until nothing happens any more."""
    found = []
    while True:
        going, handout = fetcher.step()
        if not going:
            return found
        if handout is not None:
            found.append((round(fetcher.now, 6), handout.number))


def test_an_answer_comes_one_latency_after_its_request() -> None:
    fetcher = Fetcher(Politeness(latency=0.5))
    started(fetcher, "a")

    assert not fetcher.has_room
    assert answers(fetcher) == [(0.5, 0)]
    assert fetcher.has_room


def test_a_host_gets_no_more_at_once_than_it_may_and_the_rest_waits() -> None:
    fetcher = Fetcher(Politeness(concurrency=4, per_host=2, latency=1))
    started(fetcher, "a", "a", "a", "b")

    assert (fetcher.room("a"), fetcher.room("b"), fetcher.room("c")) == (0, 1, 2)
    assert not fetcher.has_room
    assert answers(fetcher) == [(1, 0), (1, 1), (1, 3), (2, 2)]


def test_requests_to_a_host_start_a_delay_apart_whatever_else_happens() -> None:
    fetcher = Fetcher(Politeness(concurrency=9, per_host=9, delay=2, latency=0.5))
    assert fetcher.room("a") == 1
    started(fetcher, "a", "a", "b", "a")

    assert fetcher.room("a") == 0
    assert answers(fetcher) == [(0.5, 0), (0.5, 2), (2.5, 1), (4.5, 3)]


def test_a_host_has_room_again_when_its_delay_is_over_though_nothing_is_under_way() -> None:
    fetcher = Fetcher(Politeness(delay=2, latency=0.5))
    started(fetcher, "a")
    fetcher.step()
    assert (fetcher.now, fetcher.room("a")) == (0.5, 0)

    assert fetcher.step() == (True, None)
    assert (fetcher.now, fetcher.room("a")) == (2, 1)
    assert fetcher.step() == (False, None)


def test_a_frontier_that_waits_is_asked_again_in_time() -> None:
    fetcher = Fetcher(Politeness())
    fetcher.wake_after(None)
    assert fetcher.step() == (False, None)
    fetcher.wake_after(3)
    fetcher.wake_after(3)

    assert fetcher.step() == (True, None)
    assert fetcher.now == 3
    assert fetcher.step() == (False, None)


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=30),
    st.integers(1, 5),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3, 1.0, 2.5]),
)
def test_the_rules_hold_for_any_requests(
    hosts: list[str], concurrency: int, per_host: int, delay: float
) -> None:
    fetcher = Fetcher(Politeness(concurrency, per_host, delay, latency=1))
    starts: dict[str, list[float]] = {}
    left = [Handout(number, host, None) for number, host in enumerate(hosts)]
    answered = 0
    while True:
        while left and fetcher.has_room:
            fetcher.start(left.pop(0))
        assert fetcher.busy <= concurrency
        going, handout = fetcher.step()
        if not going:
            break
        if handout is not None:
            answered += 1
            starts.setdefault(handout.host, []).append(fetcher.now - 1)
    assert answered == len(hosts)
    for times in starts.values():
        assert times == sorted(times)
        assert all(b - a >= delay - 1e-9 for a, b in pairwise(times))
        # No more than `per_host` within one latency.
        assert all(b - a >= 1 - 1e-9 for a, b in zip(times, times[per_host:], strict=False))


@pytest.mark.parametrize(
    ("wrong", "option"),
    [
        ({"concurrency": 0}, "--concurrency"),
        ({"per_host": 0}, "--per-host"),
        ({"delay": -1.0}, "--delay"),
        ({"latency": 0.0}, "--latency"),
        ({"delay": float("nan")}, "--delay"),
    ],
)
def test_impossible_politeness_is_refused_by_the_name_of_its_option(
    wrong: dict[str, float], option: str
) -> None:
    with pytest.raises(SettingsError, match=option):
        Politeness(**wrong)  # type: ignore[arg-type]  # whatever is wrong
