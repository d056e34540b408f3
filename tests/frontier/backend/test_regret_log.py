"""The account that a crawl keeps of its regret, told by the backend itself."""

from __future__ import annotations

from typing import Any

from frontier.backend.regret_log import Blind, Hindsight
from frontier.estimates.regret import Losses
from tests.support.driven_crawl import DrivenCrawl, Page

HOME, HUB = "http://home.example/", "http://hub.example/"
GOOD = [f"http://good.example/{i}" for i in range(200)]
POOR = [f"http://poor.example/{i}" for i in range(200)]
SAYS_MUCH, SAYS_LITTLE = (250, 0, 0), (5, 0, 0)
"""Cues of the links to good and to poor pages."""


def linking(good: list[str], poor: list[str], relevance: float = 0.5) -> Page:
    cues = {**dict.fromkeys(good, SAYS_MUCH), **dict.fromkeys(poor, SAYS_LITTLE)}
    return Page(dict.fromkeys(cues, 0.5), relevance, cues=cues)


WEB = {
    HOME: linking(GOOD, POOR),
    **{url: Page(relevance=1.0) for url in GOOD},
    **{url: Page(relevance=0.0) for url in POOR},
}


def crawl_of(**config: Any) -> DrivenCrawl:
    crawl = DrivenCrawl(None, WEB, **{"strategy": "anchor-only", "topic": "pages", **config})
    crawl.seed(HOME)
    crawl.run(1)
    return crawl


def fetch(crawl: DrivenCrawl, count: int, closed: str) -> None:
    """Fetch so many pages while one host has no room."""
    for _ in range(count):
        [handed] = crawl.manager.get_next_requests(1, room=lambda host: int(host != closed))
        crawl.answer(handed)


def test_an_ideal_crawl_loses_nothing() -> None:
    crawl = crawl_of()
    crawl.run(120)
    assert crawl.backend.hindsight.losses() == Losses(0, 0, 0)
    crawl.close()


def test_a_closed_host_costs_what_waits_there() -> None:
    crawl = crawl_of()
    crawl.run(60)
    fetch(crawl, 60, closed="good.example")
    losses = crawl.backend.hindsight.losses()
    assert losses is not None
    # 60 poor pages instead of good ones; calibration pulls both rates towards the mean.
    assert 45 < losses.politeness < 60
    assert losses.batching == losses.staleness == 0
    crawl.close()


def test_what_is_fetched_later_was_only_delayed() -> None:
    crawl = crawl_of()
    crawl.run(60)
    fetch(crawl, 60, closed="good.example")
    crawl.run()
    assert crawl.backend.hindsight.losses() == Losses(0, 0, 0)
    crawl.close()


def test_answers_in_flight_cost_what_they_would_have_led_to() -> None:
    web = {
        HOME: linking([HUB], POOR),
        HUB: linking(GOOD, []),
        **{url: WEB[url] for url in (*GOOD, *POOR)},
    }
    crawl = DrivenCrawl(None, web, strategy="anchor-only", topic="pages")
    crawl.seed(HOME)
    crawl.run(1)
    hub = crawl.hand_out()
    assert hub is not None
    assert hub.url == HUB
    crawl.run(30)
    crawl.answer(hub)
    crawl.run(60)
    losses = crawl.backend.hindsight.losses()
    assert losses is not None
    assert 20 < losses.batching < 30
    assert losses.politeness == losses.staleness == 0
    crawl.close()


def test_a_crawl_without_a_topic_has_no_harvest_to_lose() -> None:
    crawl = crawl_of(strategy="ppr", topic="")
    assert type(crawl.backend.hindsight) is Blind
    assert crawl.backend.hindsight.losses() is None
    focused = crawl_of()
    assert type(focused.backend.hindsight) is Hindsight
    for one in (crawl, focused):
        one.close()
