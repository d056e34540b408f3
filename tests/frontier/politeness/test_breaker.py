"""When a host that does not answer is left alone, and when it is given up."""

from __future__ import annotations

from frontier.politeness import Limits
from frontier.politeness.breaker import Breaker

LIMITS = Limits(backoff=1.0, dead_after=3)


def failing(
    times: int, limits: Limits = LIMITS, *, others_answer: bool = True, proven: bool = False
) -> Breaker:
    breaker = Breaker(limits)
    if proven:
        breaker.answer()
    for number in range(times):
        breaker.fail("TimeoutError", 10.0 * number, (number + 1) if others_answer else 0)
    return breaker


def test_pauses_double_up_to_the_cap_and_end_with_an_answer() -> None:
    assert [failing(n).pause for n in range(7)] == [0, 1, 2, 4, 8, 16, 32]
    assert failing(5000).pause == 60
    breaker = failing(4)
    breaker.answer()
    assert breaker.pause == 0


def test_a_host_that_never_answered_is_given_up_after_so_many_failures() -> None:
    assert failing(2).verdict(1e9) is None
    verdict = failing(3).verdict(30.0)
    assert verdict == "host did not answer 3 requests in a row (TimeoutError)"


def test_while_nobody_answers_it_takes_twice_as_many() -> None:
    assert failing(5, others_answer=False).verdict(1e9) is None
    assert failing(6, others_answer=False).verdict(1e9) is not None


def test_a_host_that_has_answered_before_is_given_up_only_after_a_while() -> None:
    breaker = failing(20, proven=True)
    assert breaker.verdict(599.0) is None
    assert breaker.verdict(600.0) is not None


def test_refusals_are_answers_but_a_host_that_only_refuses_is_given_up_too() -> None:
    breaker = Breaker(LIMITS)
    for answers_of_others in range(5):
        breaker.refuse(429, answers_of_others)
    assert breaker.verdict(1e9) is None
    breaker.refuse(429, 5)
    assert breaker.verdict(0.0) == "host refused 6 requests in a row (HTTP 429)"


def test_where_hosts_that_refuse_are_all_that_is_left_they_are_given_up_sooner() -> None:
    breaker = Breaker(LIMITS)
    for _ in range(2):
        breaker.refuse(429, 7)
    assert breaker.verdict(1e9) is None
    breaker.refuse(429, 7)
    assert breaker.verdict(0.0) == "host refused 3 requests in a row (HTTP 429)"


def test_one_answer_begins_the_row_anew() -> None:
    breaker = failing(2)
    breaker.answer()
    breaker.fail("TimeoutError", 50.0, 99)
    assert breaker.failures == 1
    assert breaker.since == 50.0


def test_a_limit_of_0_gives_no_host_up() -> None:
    never = Limits(dead_after=0)
    assert failing(10**6, never).verdict(1e9) is None
    refusing = Breaker(never)
    for number in range(1000):
        refusing.refuse(503, number)
    assert refusing.verdict(1e9) is None
