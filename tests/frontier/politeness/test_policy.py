"""Which hosts may be asked when, on a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SettingsError
from frontier.politeness import HostAnswer, Limits, PolitenessPolicy
from frontier.politeness.hosts import Hosts
from frontier.records import HostPause


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Driver:
    """Hosts asked one after the other, as a crawl would."""

    def __init__(self, **limits: Any) -> None:
        self.clock = Clock()
        self.allowed = 1
        self.asked_by_others: Callable[[str], float] = lambda _: float("-inf")
        self.kept: dict[str, HostPause] = {}
        self.politeness = PolitenessPolicy(
            Limits(**limits),
            lambda _: (self.allowed, 0.0),
            self.clock,
            asked_by_others=lambda slot: self.asked_by_others(slot),
            keep=lambda pause: self.kept.update({pause.slot: pause}),
        )

    def ask(self, slot: str, answer: HostAnswer | str, took: float = 0.0) -> None:
        """Make a whole request; a str is a failure."""
        self.politeness.lease(slot)
        lanes = self.politeness.start(slot)
        self.clock.now += took
        if isinstance(answer, str):
            self.politeness.failed(slot, answer)
        else:
            self.politeness.answered(slot, answer)
        self.politeness.end(slot, lanes)
        self.politeness.take_back(slot)

    def wait(self, slot: str) -> float:
        return self.politeness.wait(slot)

    def room(self, slot: str, allowed: int, **how: bool) -> int:
        """The room of a slot, of which so many requests at once are allowed, after all pauses."""
        self.allowed, now = allowed, self.clock.now
        self.clock.now += 1e9
        room = self.politeness.room(slot, **how)
        self.clock.now = now
        return room

    def may_start(self, slot: str, allowed: int) -> bool:
        self.allowed = allowed
        return self.politeness.may_start(slot)


OK = HostAnswer(200)


def test_a_crawl_delay_is_counted_from_the_end_of_the_request_before() -> None:
    driver = Driver()
    driver.politeness.set_crawl_delay("a", 5.0)
    driver.ask("a", OK, took=3.0)
    assert driver.wait("a") == 5.0
    assert not driver.may_start("a", 8)
    driver.clock.now += 5.0
    assert driver.wait("a") == 0
    assert driver.may_start("a", 8)


def test_a_host_with_a_crawl_delay_is_asked_one_by_one_whatever_is_allowed() -> None:
    driver = Driver()
    driver.ask("a", OK)
    assert driver.room("a", 8) == 8
    driver.politeness.set_crawl_delay("a", 1.0)
    assert driver.room("a", 8) == 1
    driver.politeness.start("a")
    assert driver.room("a", 8) == 0
    assert not driver.may_start("a", 8)


def test_a_crawl_delay_is_capped_and_may_be_taken_back() -> None:
    driver = Driver(crawl_delay_cap=30.0)
    driver.politeness.set_crawl_delay("a", 86400)
    driver.ask("a", OK)
    assert driver.wait("a") == 30.0
    driver.politeness.set_crawl_delay("a", None)
    assert driver.wait("a") == 0
    driver.politeness.set_crawl_delay("a", -3.0)
    assert driver.wait("a") == 0


def test_retry_after_holds_for_the_whole_host_and_no_other() -> None:
    driver = Driver()
    driver.ask("a.test", HostAnswer(429, retry_after=120.0))
    assert driver.wait("a.test") == 120.0
    assert driver.wait("b.test") == 0


@pytest.mark.parametrize("status", [301, 302, 307, 413, 429, 500, 502, 503])
def test_retry_after_is_heard_where_it_has_a_meaning(status: int) -> None:
    driver = Driver()
    driver.ask("a", HostAnswer(status, retry_after=50.0))
    assert driver.wait("a") == 50.0


def test_a_single_503_is_the_trouble_of_one_page_and_a_row_of_them_of_the_host() -> None:
    driver = Driver(backoff=1.0)
    waits = []
    for status in (503, 200, 503, 503, 503):
        driver.ask("a", HostAnswer(status))
        waits.append(driver.wait("a"))
        driver.clock.now += waits[-1]
    assert waits == [0, 0, 0, 1.0, 2.0]


def test_hosts_that_refuse_are_given_up_sooner_where_no_other_host_answers() -> None:
    alone, busy = Driver(dead_after=3), Driver(dead_after=3)
    for host in "ab" * 3:
        alone.ask(host, HostAnswer(429))
        busy.ask("a", HostAnswer(429))
        busy.ask("c", HostAnswer(200))
    assert alone.politeness.figures()["dead"] == 2
    assert busy.politeness.figures()["dead"] == 1  # after six of them


def test_failures_park_a_host_and_it_is_tried_one_by_one() -> None:
    driver = Driver(backoff=1.0)
    driver.ask("a", OK)
    for pause in (1.0, 2.0, 4.0):
        driver.ask("a", "TimeoutError")
        assert driver.wait("a") == pause
        driver.clock.now += pause
    assert driver.room("a", 8) == 1


def test_a_dead_host_costs_a_bounded_number_of_requests_and_ends_with_a_reason() -> None:
    driver = Driver(dead_after=8)
    asked = 0
    while driver.politeness.given_up("dead.test") is None:
        driver.ask("alive.test", OK)
        driver.ask("dead.test", "ConnectionRefusedError")
        driver.clock.now += driver.wait("dead.test")
        asked += 1
    assert asked == 8
    reason = driver.politeness.given_up("dead.test")
    assert reason == "host did not answer 8 requests in a row (ConnectionRefusedError)"
    assert driver.wait("dead.test") == 0, "its URLs leave the queue at once"
    assert driver.room("dead.test", 1) == 1
    assert driver.room("dead.test", 1, dead_leave=False) == 0
    assert driver.clock.now - 1000.0 < 300


def test_ten_thousand_names_of_one_domain_are_one_domain() -> None:
    driver = Driver(domain_concurrency=4)
    taken = 0
    for number in range(10_000):
        if driver.room(f"h{number}.trap.test", 1):
            driver.politeness.lease(f"h{number}.trap.test")
            taken += 1
    assert taken == 4
    assert driver.room("elsewhere.test", 1) == 1


def test_a_host_that_is_allowed_more_than_a_domain_takes_them() -> None:
    driver = Driver(domain_concurrency=4)
    driver.ask("a.one.test", OK)
    for _ in range(8):
        driver.politeness.lease("a.one.test")
    assert driver.room("a.one.test", 16) == 8
    assert driver.room("b.one.test", 1) == 0


def test_customers_of_a_hoster_are_domains_of_their_own() -> None:
    driver = Driver(domain_concurrency=1)
    driver.politeness.lease("one.github.io")
    assert driver.room("other.github.io", 1) == 1
    assert driver.room("www.one.github.io", 1) == 0


def test_hosts_that_were_reached_at_one_address_share_it() -> None:
    driver = Driver(domain_concurrency=1)
    for slot in ("a.test", "b.test", "c.test"):
        driver.ask(slot, HostAnswer(200, address="192.0.2.1"))
    driver.ask("d.test", HostAnswer(200, address="192.0.2.2"))
    driver.politeness.lease("a.test")
    driver.politeness.lease("b.test")
    assert driver.room("c.test", 1) == 0
    assert driver.room("d.test", 1) == 1
    driver.politeness.take_back("a.test")
    assert driver.room("c.test", 1) == 1


def test_a_host_that_moves_takes_its_requests_along() -> None:
    driver = Driver(domain_concurrency=1)
    for slot in ("a.test", "b.test"):
        driver.ask(slot, HostAnswer(200, address="192.0.2.1"))
    driver.politeness.lease("a.test")
    driver.politeness.answered("a.test", HostAnswer(200, address="192.0.2.9"))
    assert driver.room("b.test", 1) == 1
    driver.politeness.take_back("a.test")
    driver.politeness.lease("b.test")
    assert driver.room("a.test", 1) == 1


def test_what_a_host_asked_for_survives_a_restart_for_the_rest_of_its_time() -> None:
    before = Driver()
    before.ask("a", HostAnswer(429, retry_after=600.0))
    pause = HostPause("a", 600.0, 1.0, "Retry-After of HTTP 429")
    assert before.kept == {"a": pause}
    after = Driver()
    after.politeness.restore(pause._replace(seconds=200.0))
    assert after.wait("a") == 200.0
    after.clock.now += 200.0
    assert after.wait("a") == 0


def test_a_pause_is_restored_within_the_caps_of_today() -> None:
    driver = Driver(retry_after_cap=60.0, backoff=1 / 6)
    driver.politeness.restore(HostPause("a", 1e9, 1e9, ""))
    assert driver.wait("a") == 60.0
    driver.clock.now += 60.0
    driver.ask("a", HostAnswer(204))
    assert driver.wait("a") == 3.75


def test_idle_hosts_are_forgotten_and_paused_hosts_are_not() -> None:
    clock = Clock()
    hosts = Hosts(Limits(), clock, lambda slot: slot.rpartition(".")[2], kept=100)
    paused = hosts["paused"]
    paused.paused_until = clock.now + 1e6
    busy = hosts["busy"]
    busy.leased = 1
    for number in range(10_000):
        clock.now += 1
        hosts[f"h{number}"].ended_at = clock.now
    assert len(hosts) < 300
    assert hosts["paused"] is paused
    assert hosts["busy"] is busy
    assert hosts["www.busy"].domain is busy.domain


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("crawl_delay_cap", -1.0),
        ("domain_concurrency", 10**7),
        ("dead_after", -1),
        ("backoff", float("nan")),
    ],
)
def test_a_limit_out_of_its_range_is_named(name: str, value: float) -> None:
    limits: dict[str, Any] = {name: value}
    with pytest.raises(SettingsError, match=f"FRONTIER_{name.upper()}"):
        Limits(**limits)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a.one.test", "b.one.test", "c.two.test"]),
            st.sampled_from([None, 200, 301, 404, 429, 503]),
            st.floats(0, 100),
        ),
        max_size=40,
    )
)
def test_waits_are_bounded_and_nothing_stays_taken(
    steps: list[tuple[str, int | None, float]],
) -> None:
    driver = Driver(retry_after_cap=100.0)
    for slot, status, seconds in steps:
        answer = "TimeoutError" if status is None else HostAnswer(status, seconds, "192.0.2.1")
        driver.ask(slot, answer, took=seconds)
        assert 0 <= driver.wait(slot) <= 100.0
    driver.clock.now += 1e4
    for slot in ("a.one.test", "b.one.test", "c.two.test"):
        assert driver.room(slot, 1) == 1
        assert driver.wait(slot) == 0


SCRAPYS: dict[str, Any] = {
    "crawl_delay_cap": 0.0,
    "retry_after_cap": 0.0,
    "backoff": 0.0,
    "domain_concurrency": 0,
    "dead_after": 0,
}
"""What a project has that plugs the frontier in and sets nothing."""


@pytest.mark.parametrize(
    "answer",
    [
        "TimeoutError",
        HostAnswer(429, retry_after=3600.0),
        HostAnswer(503, retry_after=9.0),
        HostAnswer(500),
    ],
)
def test_with_all_limits_off_nothing_a_host_does_makes_it_wait_or_narrower(
    answer: HostAnswer | str,
) -> None:
    driver = Driver(**SCRAPYS)
    driver.politeness.set_crawl_delay("a", 60.0)
    for _ in range(50):
        driver.ask("a", answer, took=9.0)
    assert driver.wait("a") == 0
    assert driver.room("a", 8) == 8
    assert driver.may_start("a", 8)
    assert driver.politeness.given_up("a") is None
    assert driver.kept == {}
    assert driver.politeness.figures()["slowed"] == driver.politeness.figures()["dead"] == 0


def test_a_pause_of_a_politer_run_does_not_hold_without_limits() -> None:
    driver = Driver(**SCRAPYS)
    driver.politeness.restore(HostPause("a", 500.0, 30.0, "Retry-After of HTTP 503"))
    assert driver.wait("a") == 0
    driver.ask("a", OK)
    assert driver.may_start("a", 8)


def test_a_request_that_was_taken_back_leaves_its_host_alone_whatever_the_limits() -> None:
    driver = Driver(**SCRAPYS)
    driver.politeness.postpone("a", 30.0, "a middleware says so")
    assert driver.wait("a") == 30.0
