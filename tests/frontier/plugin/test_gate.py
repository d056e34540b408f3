"""The concurrency and the delay of a slot: Scrapy's live ones, or those of the settings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings

from frontier.plugin.crawl.gate import pace_of
from frontier.politeness import PolitenessPolicy
from tests.frontier.politeness.test_policy import Clock


def politeness(
    concurrency: int,
    delay: float = 0.0,
    slots: dict[str, Any] | None = None,
    settings: dict[str, dict[str, Any]] | None = None,
    **more: Any,
) -> tuple[PolitenessPolicy, Clock]:
    named = {"CONCURRENT_REQUESTS_PER_DOMAIN": concurrency, "DOWNLOAD_DELAY": delay}
    downloader = SimpleNamespace(slots=slots or {})
    crawler: Any = SimpleNamespace(
        settings=Settings({**named, "DOWNLOAD_SLOTS": settings or {}}),
        engine=SimpleNamespace(downloader=downloader),
    )
    clock = Clock()
    return PolitenessPolicy(pace=pace_of(crawler), clock=clock, **more), clock


def test_what_the_downloader_says_of_a_live_slot_counts() -> None:
    slot = SimpleNamespace(concurrency=1, delay=0.0)
    host, clock = politeness(concurrency=8, delay=9.0, slots={"a": slot})
    assert host.room("a") == 1
    host.lease("a")
    host.take_back("a")
    assert host.room("a") == 1
    slot.delay = 5.0
    host.lease("a")
    host.take_back("a")
    assert host.room("a") == 0
    clock.now += 5.0
    assert host.room("a") == 1


def test_settings_of_a_slot_count_before_the_downloader_has_made_it() -> None:
    host, _ = politeness(concurrency=8, settings={"a": {"concurrency": 3}, "b": {"delay": 1.0}})
    assert host.room("a") == 3
    assert host.room("b") == 1


@pytest.mark.parametrize("slots", [{}, {"a": SimpleNamespace(concurrency=8, delay=2.0)}])
def test_the_delay_of_a_host_that_was_taken_over_is_counted_from_then(
    slots: dict[str, Any],
) -> None:
    settings = {"a": {"delay": 2.0}, "b": {"delay": 0.0}}
    host, clock = politeness(8, 3.0, slots, settings, asked_by_others=lambda _: 999.0)
    assert [host.room(slot) for slot in "abc"] == [0, 8, 0]
    assert host.take_wait() == pytest.approx(1.0)
    clock.now += 1.0
    assert [host.room(slot) for slot in "abc"] == [1, 8, 0]
    assert host.take_wait() == pytest.approx(1.0)
    clock.now += 1.0
    assert [host.room(slot) for slot in "abc"] == [1, 8, 1]
    host.lease("c")
    host.take_back("c")
    assert host.room("c") == 0
    assert host.take_wait() == pytest.approx(3.0), "its own last request is the later one by now"
