"""RFC 9309, 2.3.1: what each answer to /robots.txt means, and for how long it may be used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.robots import RobotsOutcome, RobotsRules, failed, judged
from frontier.robots.response import DAY, SHORTEST, astray

RULES = b"User-agent: *\nDisallow: /x"


@pytest.mark.parametrize("status", [200, 201, 203, 204, 206, 299])
def test_what_is_there_holds(status: int) -> None:
    answer = judged(status, RULES, {})
    assert (answer.outcome, answer.body) == (RobotsOutcome.RULES, RULES)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 410, 418, 428, 430, 451, 499])
def test_what_is_not_there_forbids_nothing_whatever_comes_with_it(status: int) -> None:
    answer = judged(status, b"User-agent: *\nDisallow: /", {})
    assert (answer.outcome, answer.body) == (RobotsOutcome.UNAVAILABLE, b"")


@pytest.mark.parametrize("status", [429, 500, 501, 502, 503, 504, 511, 599, 600, 999, 100, 0])
def test_what_cannot_be_reached_forbids_everything(status: int) -> None:
    answer = judged(status, RULES, {})
    assert answer.outcome is RobotsOutcome.UNREACHABLE
    assert answer.reason == f"status {status}"


def test_no_answer_is_unreachable_and_a_redirect_to_nowhere_unavailable() -> None:
    assert failed("TimeoutError").outcome is RobotsOutcome.UNREACHABLE
    assert astray("more than 10 redirects").outcome is RobotsOutcome.UNAVAILABLE


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><title>Welcome</title>",
        b"\xef\xbb\xbf <html>\0",
        "nothing of the kind, caf\u00e9".encode(),
        "нет такой страницы".encode(),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
        bytes(range(256)),
        bytes(range(128, 256)),
        b"\0" * 1000,
        b"\x1f\x8b\x08\0\0\0",
        b"\xff\xfe\0\1",
        b"{}",
    ],
)
def test_2_3_1_1_a_file_without_a_line_that_parses_forbids_nothing(body: bytes) -> None:
    answer = judged(200, body, {})
    assert answer.outcome is RobotsOutcome.RULES
    rules = RobotsRules.parse(answer.body, "probe")
    assert (len(rules), rules.allows("http://a.example/x")) == (0, True)


@pytest.mark.parametrize(
    ("control", "lifetime"),
    [
        ("", DAY),
        ("max-age=3600", 3600),
        ("public, Max-Age = 3600", 3600),
        ('max-age="3600"', 3600),
        ("s-maxage=10", DAY),
        ("max-age=0", SHORTEST),
        ("no-store", SHORTEST),
        ("no-cache, max-age=9999", SHORTEST),
        ("max-age=99999999", DAY),
        ("max-age=999999999999999999", DAY),
        ("max-age=-5", DAY),
        ("max-age=soon", DAY),
    ],
)
def test_cache_control_is_heeded_within_five_minutes_and_a_day(
    control: str, lifetime: float
) -> None:
    assert judged(200, RULES, {"cache-control": control}).lifetime == lifetime
    assert judged(404, b"", {"cache-control": control}).lifetime == lifetime


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("", 0), ("-7", 0), ("soon", 0), ("\u0663", 0), ("9" * 30, 0)],
)
def test_the_seconds_of_retry_after_are_read(value: str, seconds: float) -> None:
    assert judged(503, b"", {"retry-after": value}).retry_after == seconds


@given(st.integers(), st.binary(max_size=60), st.text(max_size=20))
def test_nothing_makes_it_raise(status: int, body: bytes, header: str) -> None:
    judged(status, body, {"cache-control": header, "retry-after": header})
