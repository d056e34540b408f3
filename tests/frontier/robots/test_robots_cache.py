"""Which rules hold when, what a failure costs, and what is known after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.robots import (
    Freshness,
    RobotsAnswer,
    RobotsCache,
    RobotsOutcome,
    failed,
    judged,
    origin_of,
    robots_url,
)
from frontier.robots import cache as module
from frontier.robots.response import DAY, SHORTEST
from frontier.store import Store

ORIGIN = "http://h.example"
START = 1_800_000_000.0
RULES = b"User-agent: *\nDisallow: /x\nUser-agent: probe\nDisallow: /y"


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def book(clock: Clock, tmp_path: Path) -> RobotsCache:
    return RobotsCache(Store.open(tmp_path / "job"), clock=clock)


def allows(book: RobotsCache, path: str, token: str = "probe") -> bool:
    return book.rules(ORIGIN, token).allows(ORIGIN + path)


def test_an_unknown_origin_is_to_be_asked(book: RobotsCache) -> None:
    assert book.freshness(ORIGIN) is Freshness.TO_ASK


def test_rules_hold_for_a_day_by_token(book: RobotsCache, clock: Clock) -> None:
    book.note(ORIGIN, judged(200, RULES, {}))
    clock.now += DAY - 1
    assert book.freshness(ORIGIN) is Freshness.KNOWN
    assert [allows(book, "/x"), allows(book, "/y")] == [True, False]
    assert [allows(book, "/x", "other"), allows(book, "/y", "other")] == [False, True]
    clock.now += 1
    assert book.freshness(ORIGIN) is Freshness.TO_ASK


def test_another_port_or_scheme_is_another_origin(book: RobotsCache) -> None:
    book.note(ORIGIN, judged(200, RULES, {}))
    assert book.freshness(ORIGIN + ":8080") is Freshness.TO_ASK
    assert book.freshness("https://h.example") is Freshness.TO_ASK


def test_what_is_not_there_allows_all_for_as_long_as_the_answer_may_be_used(
    book: RobotsCache, clock: Clock
) -> None:
    book.note(ORIGIN, judged(404, RULES, {"cache-control": "max-age=600"}))
    assert allows(book, "/y")
    clock.now += 600
    assert book.freshness(ORIGIN) is Freshness.TO_ASK


def test_failures_rest_longer_and_longer_up_to_an_hour(book: RobotsCache, clock: Clock) -> None:
    rests = []
    for _ in range(9):
        book.note(ORIGIN, failed("TimeoutError"))
        assert book.freshness(ORIGIN) is Freshness.RESTS
        rests.append(book.rest(ORIGIN))
        clock.now += book.rest(ORIGIN)
        assert book.freshness(ORIGIN) is Freshness.TO_ASK
    assert rests == [2, 8, 32, 128, 512, 2048, 3600, 3600, 3600]
    assert (book.known(ORIGIN).failures, book.known(ORIGIN).reason) == (9, "TimeoutError")


def test_the_last_good_file_holds_for_30_days_and_is_asked_for_again(
    book: RobotsCache, clock: Clock
) -> None:
    book.note(ORIGIN, judged(200, RULES, {}))
    clock.now += DAY
    book.note(ORIGIN, judged(503, b"", {}))
    assert book.freshness(ORIGIN) is Freshness.KNOWN
    assert not allows(book, "/y")
    clock.now += 2
    assert book.freshness(ORIGIN) is Freshness.TO_ASK
    clock.now = START + 30 * DAY
    book.note(ORIGIN, judged(503, b"", {}))
    assert book.freshness(ORIGIN) is Freshness.RESTS


def reopened(folder: Path, clock: Clock) -> tuple[Store, RobotsCache]:
    store = Store.open(folder)
    return store, RobotsCache(store, clock=clock)


def test_what_is_known_survives_a_restart_and_a_rest_does_not(tmp_path: Path, clock: Clock) -> None:
    store, book = reopened(tmp_path, clock)
    book.note(ORIGIN, judged(200, RULES, {}))
    book.note("http://none.example", judged(404, b"", {}))
    book.note("http://down.example", failed("TimeoutError"))
    store.close()
    clock.now += 3600
    store, book = reopened(tmp_path, clock)
    assert book.freshness(ORIGIN) is Freshness.KNOWN
    assert not allows(book, "/y")
    assert book.freshness("http://none.example") is Freshness.KNOWN
    assert book.freshness("http://down.example") is Freshness.TO_ASK
    clock.now += DAY
    book.note(ORIGIN, failed("TimeoutError"))
    store.close()
    clock.now += 10 * DAY
    store, book = reopened(tmp_path, clock)
    assert book.freshness(ORIGIN) is Freshness.TO_ASK
    book.note(ORIGIN, failed("TimeoutError"))
    assert book.freshness(ORIGIN) is Freshness.KNOWN
    assert not allows(book, "/y")
    store.close()


def test_an_answer_from_the_future_is_asked_for_again(tmp_path: Path, clock: Clock) -> None:
    store, book = reopened(tmp_path, clock)
    book.note(ORIGIN, judged(200, RULES, {}))
    store.close()
    clock.now -= DAY
    store, book = reopened(tmp_path, clock)
    assert book.freshness(ORIGIN) is Freshness.TO_ASK
    store.close()


def test_memory_is_bounded_and_what_left_it_is_known_all_the_same(
    book: RobotsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ORIGINS", 3)
    monkeypatch.setattr(module, "MOST_RULES", 4)
    origins = [f"http://{n}.example" for n in range(20)]
    for origin in origins:
        book.note(origin, judged(200, RULES, {}))
        assert not book.rules(origin, "probe").allows(origin + "/y")
    for origin in origins:
        assert book.freshness(origin) is Freshness.KNOWN
        for token in ("probe", "other", "third"):
            assert book.rules(origin, token).allows(origin + "/y") is (token != "probe")
    assert len(book._origins) <= 3
    assert len(book._rules) <= 3


@pytest.mark.parametrize("status", [200, 404])
def test_what_a_server_says_of_the_lifetime_survives_a_restart(
    clock: Clock, tmp_path: Path, status: int
) -> None:
    store, book = reopened(tmp_path, clock)
    book.note(ORIGIN, judged(status, RULES, {"cache-control": "max-age=600"}))
    for seconds, freshness in ((599, Freshness.KNOWN), (1, Freshness.TO_ASK)):
        store.close()
        clock.now += seconds
        store, book = reopened(tmp_path, clock)
        assert book.freshness(ORIGIN) is freshness
    store.close()


def test_a_lifetime_shorter_than_that_of_the_answer_holds(clock: Clock, tmp_path: Path) -> None:
    book = RobotsCache(Store.open(tmp_path), lifetime=60, rest=0.5, clock=clock)
    book.note(ORIGIN, RobotsAnswer(RobotsOutcome.RULES, 200, "", RULES))
    clock.now += 60
    assert book.freshness(ORIGIN) is Freshness.TO_ASK
    book.note(ORIGIN, failed("TimeoutError"))
    assert book.rest(ORIGIN) == 0.5


@pytest.mark.parametrize("answer", [failed("ConnectionRefusedError"), judged(503, RULES, {})])
def test_a_lenient_book_takes_what_cannot_be_reached_for_no_rules_for_a_while(
    clock: Clock, tmp_path: Path, answer: RobotsAnswer
) -> None:
    store = Store.open(tmp_path / "job")
    lenient = RobotsCache(store, lenient=True, clock=clock)
    lenient.note(ORIGIN, answer)
    assert lenient.freshness(ORIGIN) is Freshness.KNOWN
    assert allows(lenient, "/x")
    assert lenient.known(ORIGIN).failures == lenient.rest(ORIGIN) == 0
    again = RobotsCache(store, lenient=True, clock=clock)
    assert again.freshness(ORIGIN) is Freshness.TO_ASK, "a run that goes on asks anew"
    clock.now += SHORTEST
    assert lenient.freshness(ORIGIN) is Freshness.TO_ASK


def test_in_a_lenient_book_too_the_last_good_file_holds(clock: Clock, tmp_path: Path) -> None:
    lenient = RobotsCache(Store.open(tmp_path / "job"), lenient=True, clock=clock)
    lenient.note(ORIGIN, judged(200, RULES, {}))
    clock.now += DAY
    lenient.note(ORIGIN, failed("TimeoutError"))
    assert lenient.freshness(ORIGIN) is Freshness.KNOWN
    assert not allows(lenient, "/y")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://h.example/a?b#c", "http://h.example"),
        ("HTTP://H.Example:80/a", "http://h.example"),
        ("https://h.example:443", "https://h.example"),
        ("http://h.example:443/", "http://h.example:443"),
        ("https://h.example:8443/", "https://h.example:8443"),
        ("http://joe:secret@h.example/", "http://h.example"),
        ("http://[2001:db8::1]:8080/x", "http://[2001:db8::1]:8080"),
        ("ftp://h.example/", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("http://h.example:99999/", None),
        ("http://[broken/", None),
        ("http:///x", None),
        ("", None),
    ],
)
def test_an_origin(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


def test_where_the_file_lies() -> None:
    assert robots_url("http://h.example:81") == "http://h.example:81/robots.txt"


@given(st.text())
def test_nothing_makes_it_raise(url: str) -> None:
    origin_of(url)
