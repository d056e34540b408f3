"""How refusals and latency slow one host down, and how it recovers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from frontier.politeness import Limits
from frontier.politeness.breaker import AdaptiveDelay

LIMITS = Limits(backoff=2.0)


def test_each_refusal_doubles_the_delay_up_to_the_cap() -> None:
    pace = AdaptiveDelay()
    delays = []
    for _ in range(9):
        pace.refuse(LIMITS)
        delays.append(pace.delay(LIMITS))
    assert delays == [2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_proper_answers_take_the_delay_away_again_in_a_bounded_number() -> None:
    pace = AdaptiveDelay()
    for _ in range(20):
        pace.refuse(LIMITS)
    delays = []
    while pace.delay(LIMITS):
        pace.answer()
        delays.append(pace.delay(LIMITS))
    assert delays[:2] == [45.0, 33.75]
    assert delays == sorted(delays, reverse=True)
    assert len(delays) == 25


@given(st.lists(st.booleans(), max_size=60))
def test_the_delay_is_bounded_and_never_negative(steps: list[bool]) -> None:
    pace = AdaptiveDelay()
    for step in steps:
        if step:
            pace.refuse(LIMITS)
        else:
            pace.answer()
        assert 0 <= pace.delay(LIMITS) <= LIMITS.slowdown_cap
