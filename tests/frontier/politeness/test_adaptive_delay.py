"""How refusals and latency slow one host down, and how it recovers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from frontier.politeness import Limits
from frontier.politeness.breaker import Breaker

LIMITS = Limits(backoff=2.0)


def test_each_refusal_doubles_the_delay_up_to_the_cap() -> None:
    host = Breaker(LIMITS)
    delays = []
    for _ in range(9):
        host.refuse(429, 0)
        delays.append(host.delay)
    assert delays == [2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_proper_answers_take_the_delay_away_again_in_a_bounded_number() -> None:
    host = Breaker(LIMITS)
    for _ in range(20):
        host.refuse(429, 0)
    delays = []
    while host.delay:
        host.answer()
        delays.append(host.delay)
    assert delays[:2] == [45.0, 33.75]
    assert delays == sorted(delays, reverse=True)
    assert len(delays) == 25


@given(st.lists(st.booleans(), max_size=60))
def test_the_delay_is_bounded_and_never_negative(steps: list[bool]) -> None:
    host = Breaker(LIMITS)
    for step in steps:
        if step:
            host.refuse(429, 0)
        else:
            host.answer()
        assert 0 <= host.delay <= LIMITS.slowdown_cap
