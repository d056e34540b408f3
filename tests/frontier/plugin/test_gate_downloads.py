"""Requests go out in turn: on a clock that the test moves, without a network."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from frontier.plugin import compat, waiting
from frontier.plugin.crawl.gate import HostGate, NotYet, answer_of
from frontier.politeness import Limits, PolitenessPolicy
from frontier.records import HostPause


class Rig:
    """A gate to servers whose answers the test gives, by URL."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, places: int = 16, **limits: Any) -> None:
        self.clock = Clock()
        monkeypatch.setattr(compat, "call_later", self.clock.callLater)
        monkeypatch.setattr(waiting, "maybe_deferred_to_future", lambda deferred: deferred)
        limited = Limits(**limits)
        self.kept: list[HostPause] = []
        self.asked_by_others = dict.fromkeys(("a.test", "b.test"), float("-inf"))
        self.politeness = PolitenessPolicy(
            limited,
            clock=self.clock.seconds,
            asked_by_others=lambda slot: self.asked_by_others[slot],
            keep=self.kept.append,
            places=places,
        )
        self.held = {"a.test", "b.test"}
        self.gate = HostGate(
            self.politeness,
            failures=(OSError,),
            owns=lambda slot: slot in self.held,
        )
        self.started: list[str] = []
        self._open: dict[str, Deferred[Response]] = {}

    def ask(self, url: str, *, page: bool = False) -> Deferred[Response]:
        def fetch() -> Deferred[Response]:
            self.started.append(url)
            self._open[url] = Deferred()
            return self._open[url]

        going = self.gate.download(Request(url), fetch, page=page)
        return Deferred.fromCoroutine(going)

    def answer(self, url: str, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._open.pop(url).callback(Response(url, status=status, headers=named))

    def fail(self, url: str, *said: str) -> None:
        self._open.pop(url).errback(Failure(OSError(*said)))


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch)


A1, A2, A3, B1 = "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1"


def test_requests_of_one_host_go_out_one_by_one_in_the_order_they_came(rig: Rig) -> None:
    for url in (A1, A2, A3, B1):
        rig.ask(url)
    assert rig.started == [A1, B1]
    rig.answer(A1)
    assert rig.started == [A1, B1, A2]
    rig.answer(A2)
    rig.answer(A3)
    assert rig.started == [A1, B1, A2, A3]


def test_a_request_waits_for_the_pause_after_the_answer_before(rig: Rig) -> None:
    rig.politeness.set_crawl_delay("a.test", 2.0)
    rig.ask(A1)
    rig.ask(A2)
    rig.clock.advance(5)
    rig.answer(A1)
    rig.clock.advance(1.9)
    assert rig.started == [A1]
    rig.clock.advance(0.2)
    assert rig.started == [A1, A2]


def test_who_would_have_to_wait_too_long_is_told_so_at_once(rig: Rig) -> None:
    rig.politeness.postpone("a.test", 30.0, "Retry-After")
    refused: list[Any] = []
    rig.ask(A1, page=True).addErrback(refused.append)
    assert rig.started == []
    assert isinstance(refused[0].value, NotYet)
    assert (refused[0].value.slot, refused[0].value.seconds) == ("a.test", 30.0)


def test_who_waits_is_sent_away_when_the_wait_turns_out_to_be_long(rig: Rig) -> None:
    refused: list[Any] = []
    rig.ask(A1)
    rig.ask(A2, page=True).addErrback(refused.append)
    rig.ask(A3)
    rig.answer(A1, 503, Retry_After="20")
    assert isinstance(refused[0].value, NotYet)
    rig.clock.advance(21)
    assert rig.started == [A1, A3]


def test_a_failure_is_learned_from_and_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch, backoff=4.0)
    failed: list[Any] = []
    rig.ask(A1).addErrback(failed.append)
    rig.fail(A1)
    assert isinstance(failed[0].value, OSError)
    assert rig.politeness.wait("a.test") == 4.0
    assert rig.politeness.figures()["unanswered"] == 1


def test_what_a_response_says_of_its_host() -> None:
    request = Request(A1)
    headers: Any = {"Retry-After": ["x", "7"]}
    response = Response(A1, status=429, headers=headers, ip_address="192.0.2.1")
    answer = answer_of(request, response)
    assert (answer.status, answer.retry_after) == (429, 7.0)
    assert answer.address == "192.0.2.1"
    proxied = Request(A1, meta={"proxy": "http://proxy.test:1"})
    assert answer_of(proxied, response).address == ""


@pytest.mark.parametrize(
    ("said", "told"),
    [(["gone"], "OSError: gone"), ([], "OSError"), (["x" * 1000], f"OSError: {'x' * 191}")],
)
def test_a_failure_is_told_in_one_line(rig: Rig, said: list[str], told: str) -> None:
    rig.ask(A1).addErrback(lambda failure: None)
    rig.fail(A1, *said)
    assert rig.kept[-1].note == f"no answer: {told}"


def test_a_page_of_a_host_that_was_handed_over_does_not_go_out(rig: Rig) -> None:
    rig.held = {"b.test"}
    refused: list[Any] = []
    rig.ask(A1, page=True).addErrback(refused.append)
    rig.ask(B1, page=True)
    rig.ask(A2)
    assert rig.started == [B1, A2], "what a callback downloads is no page of the frontier"
    assert isinstance(refused[0].value, NotYet)
    assert (refused[0].value.slot, refused[0].value.seconds) == ("a.test", 0.0)
    assert rig.politeness.figures()["unanswered"] == 0


def test_pages_whose_host_is_handed_over_while_they_wait_do_not_go_out(rig: Rig) -> None:
    refused: list[Any] = []
    rig.ask(A1, page=True)
    for url in (A2, A3):
        rig.ask(url, page=True).addErrback(refused.append)
    robots = "http://a.test/robots.txt"
    rig.ask(robots)
    rig.held = set()
    assert refused == []
    rig.answer(A1)
    assert [failure.type for failure in refused] == [NotYet, NotYet]
    assert rig.started == [A1, robots]


def test_a_page_that_waits_for_a_pause_stays_if_its_host_was_handed_over_by_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch, places=1)
    refused: list[Any] = []
    rig.politeness.postpone("a.test", 5.0, "Retry-After")
    rig.ask(A1, page=True).addErrback(refused.append)
    rig.clock.advance(4.0)
    rig.held = set()
    rig.clock.advance(1.1)
    assert (rig.started, len(refused)) == ([], 1)


def test_nothing_goes_out_before_the_pause_since_others_may_have_asked(rig: Rig) -> None:
    rig.politeness.set_crawl_delay("a.test", 0.0)
    rig.ask(A1)
    rig.answer(A1)
    rig.politeness.set_crawl_delay("a.test", 2.0)
    rig.clock.advance(10.0)
    rig.asked_by_others["a.test"] = 9.0
    rig.ask(A2)
    rig.ask(B1)
    assert rig.started == [A1, B1]
    rig.clock.advance(0.9)
    assert rig.started == [A1, B1]
    rig.clock.advance(0.2)
    assert rig.started == [A1, B1, A2]
