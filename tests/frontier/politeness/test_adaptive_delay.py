"""How refusals and latency slow one host down, and how it recovers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.politeness import Limits
from frontier.politeness.adaptive_delay import AdaptiveDelay

LIMITS = Limits(backoff=1.0, slowdown_cap=60.0, latency_factor=3.0)


def after(*latencies: float) -> AdaptiveDelay:
    pace = AdaptiveDelay()
    for latency in latencies:
        pace.answer(latency)
    return pace


def test_each_refusal_doubles_the_delay_up_to_the_cap() -> None:
    pace = AdaptiveDelay()
    delays = []
    for _ in range(9):
        pace.refuse(LIMITS)
        delays.append(pace.delay(LIMITS))
    assert delays == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_proper_answers_take_the_delay_away_again_in_a_bounded_number() -> None:
    pace = AdaptiveDelay()
    for _ in range(20):
        pace.refuse(LIMITS)
    delays = []
    while pace.delay(LIMITS):
        pace.answer(0.1)
        delays.append(pace.delay(LIMITS))
    assert delays[:2] == [45.0, 33.75]
    assert delays == sorted(delays, reverse=True)
    assert len(delays) == 25


def test_answers_that_take_as_long_as_ever_slow_nothing_down() -> None:
    assert after(*[4.0] * 50).delay(LIMITS) == 0
    assert after(*[0.05, 0.1, 0.02, 0.08] * 20).delay(LIMITS) == 0


def test_a_single_slow_answer_hardly_matters() -> None:
    assert after(*[0.2] * 30, 1.0).delay(LIMITS) == 0


def test_rising_latency_adds_what_answers_take_beyond_the_usual() -> None:
    pace = after(*[0.2] * 30, *[2.0] * 20)
    assert pace.delay(LIMITS) == pytest.approx(1.6, abs=0.2)


def test_a_host_that_is_worn_down_does_not_come_to_count_as_a_slow_one() -> None:
    pace = after(*[0.2] * 30, *[2.0] * 60)
    assert pace.delay(LIMITS) > 1.0


def test_the_slow_down_ends_when_answers_come_quickly_again() -> None:
    pace = after(*[0.2] * 30, *[2.0] * 20, *[0.2] * 8)
    assert pace.delay(LIMITS) == 0


def test_a_factor_of_0_heeds_no_latency() -> None:
    assert after(*[0.2] * 30, *[9.0] * 20).delay(Limits(latency_factor=0)) == 0


@given(st.lists(st.none() | st.floats(0, 1e6), max_size=60))
def test_the_delay_is_bounded_and_never_negative(steps: list[float | None]) -> None:
    pace = AdaptiveDelay()
    for step in steps:
        if step is None:
            pace.refuse(LIMITS)
        else:
            pace.answer(step)
        assert 0 <= pace.delay(LIMITS) <= LIMITS.slowdown_cap
