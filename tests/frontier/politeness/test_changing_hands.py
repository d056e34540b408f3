"""Hosts that other processes asked before, or ask from now on, on a clock that the test moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from frontier.politeness import HostAnswer
from tests.frontier.politeness.test_policy import OK, Driver

A, B, C = "a.one.test", "b.one.test", "c.two.test"


def taken_over(at: float, **limits: float) -> Driver:
    """A driver whose hosts of one.test may have been asked by others until then."""
    driver = Driver(**limits)  # type: ignore[arg-type]
    driver.asked_by_others = lambda slot: at if "one" in slot else float("-inf")
    return driver


def test_a_crawl_delay_is_counted_from_when_others_may_have_asked_last() -> None:
    driver = taken_over(1010.0)
    for slot in (A, C):
        driver.politeness.set_crawl_delay(slot, 5.0)
        driver.ask(slot, OK)
    driver.clock.now = 1010.0
    assert (driver.wait(A), driver.wait(C)) == (5.0, 0)
    assert not driver.may_start(A, 8)
    assert driver.may_start(C, 8)
    driver.clock.now += 5.0
    assert driver.wait(A) == 0
    assert driver.may_start(A, 8)


def test_without_any_delay_a_host_is_asked_as_soon_as_no_other_process_may() -> None:
    driver = taken_over(1002.0)
    assert driver.wait(A) == 2.0
    driver.clock.now += 2.0
    assert driver.wait(A) == 0


def test_urls_of_a_host_that_was_given_up_leave_the_queue_whoever_asked_it() -> None:
    driver = taken_over(1e6, dead_after=1)
    while driver.politeness.given_up(A) is None:
        driver.ask(A, "ConnectionRefusedError")
    assert driver.wait(A) == 0


def test_what_is_known_of_hosts_that_were_handed_over_is_forgotten() -> None:
    driver = Driver(dead_after=3)
    for slot in (A, C):
        driver.politeness.set_crawl_delay(slot, 5.0)
        driver.ask(slot, HostAnswer(429, retry_after=100.0))
    while driver.politeness.given_up(B) is None:
        driver.ask(B, "ConnectionRefusedError")
    driver.politeness.forget(lambda slot: "one" in slot)
    assert (driver.wait(A), driver.politeness.given_up(B)) == (5.0, None)
    assert driver.room(A, 8) == 1, "its Crawl-delay holds whoever asks"
    assert driver.wait(C) == 100.0
    assert driver.room(C, 8) == 1
    assert set(driver.politeness.recently_paused()) == {C}
    assert driver.politeness.figures()["slowed"] == 1


def test_requests_under_way_count_until_they_end_though_their_host_is_forgotten() -> None:
    driver = Driver(domain_concurrency=2)
    driver.politeness.set_crawl_delay(A, 5.0)
    driver.politeness.lease(A)
    lanes = driver.politeness.start(A)
    robots = driver.politeness.start(B)
    driver.politeness.forget(lambda _: True)
    assert driver.room(A, 1) == 0
    assert not driver.may_start("d.one.test", 1), "two of its domain are under way"
    driver.politeness.end(B, robots)
    driver.politeness.answered(A, OK)
    driver.politeness.end(A, lanes)
    driver.politeness.take_back(A)
    assert driver.room(A, 1) == 1
    assert driver.wait(A) == 5.0, "its Crawl-delay holds whoever asks"
    assert driver.may_start("d.one.test", 1)


@given(
    st.lists(
        st.tuples(st.sampled_from([A, B, C]), st.sampled_from(["out", "back", "forget"])),
        max_size=40,
    )
)
def test_whatever_is_forgotten_when_all_that_went_out_comes_back(
    steps: list[tuple[str, str]],
) -> None:
    driver = Driver(domain_concurrency=0)
    policy, out = driver.politeness, {slot: list[tuple[object, ...]]() for slot in (A, B, C)}
    for slot, what in [*steps, *((slot, "back") for slot in (A, B, C) for _ in range(40))]:
        if what == "out":
            policy.lease(slot)
            out[slot].append(policy.start(slot))
        elif what == "back" and out[slot]:
            policy.end(slot, out[slot].pop())  # type: ignore[arg-type]
            policy.take_back(slot)
        elif what == "forget":
            policy.forget(lambda one, slot=slot: one == slot)  # type: ignore[misc]
    assert [driver.room(slot, 1) for slot in (A, B, C)] == [1, 1, 1]
