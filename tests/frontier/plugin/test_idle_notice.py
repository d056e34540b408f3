"""Who waits for a crawl that waits is told what for, once, and until when."""

from __future__ import annotations

import logging
import time

import pytest

from frontier.plugin.throttle.host_gate import HostGate
from frontier.plugin.throttle.idle_notice import IdleNotice
from frontier.politeness import Answer, Limits, PolitenessPolicy

NOON = time.mktime((2026, 11, 20, 12, 0, 0, 0, 0, -1))


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> float:
        return NOON + self.now - 1000.0


class Crawl:
    """Hosts `a` and `b`, one of which is asked after the other."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.clock = Clock()
        self.politeness = PolitenessPolicy(limits or Limits(backoff=60.0), clock=self.clock)
        self.gate = HostGate(1, 0.0, {}, {}, self.clock, politeness=self.politeness)
        self.gate.idle_notice = IdleNotice(self.politeness, self.clock.wall)

    def asks(self, slot: str, *, answers: bool) -> None:
        self.gate.leave(slot)
        if answers:
            self.politeness.answered(slot, Answer(200, 0.1))
        else:
            self.politeness.failed(slot, "TimeoutError")
        self.gate.done(slot)

    def looks(self, *slots: str) -> str:
        assert not any(self.gate.room(slot) for slot in slots)
        self.gate.take_wait()
        return self.gate.idle_notice.text

    def later(self, seconds: float) -> None:
        self.clock.now += seconds


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "frontier.plugin.throttle.idle_notice")
    return caplog


def test_a_host_that_stopped_is_named_with_the_time_it_is_asked_again(
    told: pytest.LogCaptureFixture,
) -> None:
    crawl = Crawl()
    crawl.asks("a", answers=True)
    crawl.asks("a", answers=False)
    assert crawl.looks("a") == "waiting for a until 12:01:00"
    assert told.messages == [
        "No other host is ready: waiting for a (no answer: TimeoutError) until 12:01:00"
    ]


def test_it_is_logged_once_until_the_host_has_answered(told: pytest.LogCaptureFixture) -> None:
    crawl = Crawl()
    crawl.asks("a", answers=True)
    for _ in range(3):
        crawl.asks("a", answers=False)
        assert crawl.looks("a")
        crawl.later(61)
    assert len(told.messages) == 1
    crawl.asks("a", answers=True)
    crawl.asks("a", answers=False)
    assert crawl.looks("a")
    assert len(told.messages) == 2


def test_a_retry_after_is_told_as_what_it_is(told: pytest.LogCaptureFixture) -> None:
    crawl = Crawl()
    crawl.gate.leave("a")
    crawl.politeness.answered("a", Answer(503, 0.1, retry_after=1800))
    crawl.gate.done("a")
    assert crawl.looks("a") == "waiting for a until 12:30:00"
    assert "(Retry-After of HTTP 503) until 12:30:00" in told.messages[0]


def test_of_several_hosts_that_is_named_which_comes_first() -> None:
    crawl = Crawl()
    crawl.asks("a", answers=False)
    crawl.later(10)
    crawl.asks("b", answers=False)
    assert crawl.looks("b", "a") == "waiting for a until 12:01:00"


def test_nothing_is_waited_for_while_something_is_under_way(told: pytest.LogCaptureFixture) -> None:
    crawl = Crawl()
    crawl.asks("a", answers=False)
    crawl.gate.leave("b")
    assert crawl.looks("a") == ""
    assert told.messages == []


def test_what_is_handed_out_ends_it() -> None:
    crawl = Crawl()
    crawl.asks("a", answers=False)
    assert crawl.looks("a")
    crawl.gate.leave("b")
    assert crawl.gate.idle_notice.text == ""


def test_short_pauses_and_plain_delays_are_not_told(told: pytest.LogCaptureFixture) -> None:
    crawl = Crawl()
    crawl.politeness.set_crawl_delay("a", 30.0)
    lanes = crawl.politeness.start("a")
    crawl.politeness.end("a", lanes)
    assert crawl.looks("a") == ""
    crawl.politeness.pause("b", 4.0, "a while")
    assert crawl.looks("b") == ""
    assert told.messages == []
