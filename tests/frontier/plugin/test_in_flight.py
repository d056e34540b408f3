"""How many requests are in flight, and when the next one leaves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from frontier.config import CrawlConfig
from frontier.plugin.crawl.leaving import NextUrl, OrderWait, ReadyRequests, places_of
from frontier.plugin.scheduler import Watched
from frontier.politeness import PolitenessPolicy
from frontier.store import StoreReader
from tests.support.scrapy_runs import run_spider
from tests.support.sites import Asked, links, serving
from tests.support.stored import stored_urls

N_PAGES, PLACES, FEED = 40, 12, 3
TOPIC = "FRONTIER_TOPIC=volcano"

SPIDER = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["{url}/0"]

        def parse(self, response):
            yield from response.follow_all(css="a")
"""


def slow(asked: Asked) -> tuple[int, dict[str, str], bytes]:
    time.sleep(0.05)
    return 200, {"Content-Type": "text/html"}, links(text=f"volcano {asked.path}").encode()


def at_once(folder: Path, *settings: str) -> int:
    """Requests at once, at most, of a crawl of a page and those it links to."""
    pages = [f"/{number}" for number in range(1, N_PAGES)]
    with serving({"/0": links(*pages, text="volcano"), **dict.fromkeys(pages, slow)}) as site:
        run = run_spider(
            *(folder, SPIDER.format(url=site.url)),
            *(f"FRONTIER_MAX_IN_FLIGHT={FEED}", "DOWNLOAD_DELAY=0", *settings),
            concurrency=PLACES,
        )
        assert run.stats["frontier/pages"] == N_PAGES
        return site.at_once


def test_a_young_crawl_with_a_topic_keeps_few_in_flight(tmp_path: Path) -> None:
    assert at_once(tmp_path, TOPIC) == FEED


@pytest.mark.parametrize("settings", [(), (TOPIC, "FRONTIER_MAX_IN_FLIGHT=1000")], ids=str)
def test_without_a_topic_or_with_a_large_feed_the_project_decides(
    tmp_path: Path, settings: tuple[str, ...]
) -> None:
    assert at_once(tmp_path, *settings) > 2 * FEED


# -- seeds that come faster than pages are added in portions, and none is lost where a crawl sto --


SEEDS = 2500
SEEDING = """
    import scrapy
    from frontier.plugin.crawl.session import session_of

    class S(scrapy.Spider):
        name = "s"
        custom_settings = {{"CLOSESPIDER_PAGECOUNT": 3}}

        async def start(self):
            backend = session_of(self.crawler).frontier
            add = backend.add_seeds

            def counted(seeds):
                self.crawler.stats.inc_value("mine/portions")
                add(seeds)

            backend.add_seeds = counted
            for number in range({seeds}):
                yield scrapy.Request(f"{url}/{{number}}")
                yield scrapy.Request(f"{url}/{{number // 2}}")

        def parse(self, response):
            pass
"""


def test_seeds_are_added_in_portions_and_all_are_there_when_the_crawl_stops(tmp_path: Path) -> None:
    with serving({f"/{number}": "a page" for number in range(SEEDS)}) as site:
        code = SEEDING.format(url=site.url, seeds=SEEDS)
        run = run_spider(tmp_path, code, f"JOBDIR={tmp_path / 'job'}")
    assert run.stats["finish_reason"] == "closespider_pagecount"
    assert run.stats["mine/portions"] < SEEDS / 10
    with StoreReader.open(tmp_path / "job") as reader:
        urls = [row.url for row in stored_urls(reader)]
    assert sorted(urls) == sorted(f"{site.url}/{number}" for number in range(SEEDS))
    assert len(set(site.paths)) == len(site.paths)


# -- requests of one turn of the engine are leased together and leave one by one --


class Turn:
    """A frontier with so many requests, an engine with so many places; notes what happened."""

    def __init__(self, requests: int, places: int) -> None:
        self.left = [Request(f"http://a.example/{number}") for number in range(requests)]
        self.places = places
        self.done: list[str] = []
        self.fails = False
        self.ready = ReadyRequests(self._take, lambda: self.done.append("commit"), self._room)

    def _room(self) -> int:
        return self.places

    def _take(self) -> Request | None:
        if not self.left:
            return None
        if self.fails and len(self.left) == 1:
            raise RuntimeError("a strategy of the project")
        request = self.left.pop(0)
        self.done.append(f"take {request.url[-1]}")
        return request

    def next(self) -> None:
        request = self.ready.next()
        self.done.append("none" if request is None else f"leave {request.url[-1]}")


def test_all_that_there_are_places_for_are_committed_before_the_first_leaves() -> None:
    turn = Turn(requests=4, places=2)
    turn.next()
    assert turn.done == ["take 0", "take 1", "commit", "leave 0"]
    assert turn.ready
    turn.next()
    assert turn.done[4:] == ["leave 1"]
    assert not turn.ready
    turn.next()
    assert turn.done[5:] == ["take 2", "take 3", "commit", "leave 2"]


def test_without_a_known_place_one_is_taken() -> None:
    # An engine may have places that its downloader does not count: of hosts that are silent.
    turn = Turn(requests=2, places=-3)
    turn.next()
    assert turn.done == ["take 0", "commit", "leave 0"]


def test_what_was_learned_is_committed_where_nothing_is_left_to_take() -> None:
    turn = Turn(requests=1, places=5)
    turn.next()
    turn.next()
    assert turn.done == ["take 0", "commit", "leave 0", "commit", "none"]


def test_what_was_taken_before_a_failure_leaves_all_the_same() -> None:
    turn = Turn(requests=3, places=5)
    turn.fails = True
    with pytest.raises(RuntimeError):
        turn.next()
    turn.next()
    turn.next()
    assert turn.done == ["take 0", "take 1", "commit", "leave 0", "leave 1"]


def test_the_places_are_those_of_the_downloader() -> None:
    assert places_of(SimpleNamespace(total_concurrency=16, active={1, 2, 3})) == 13
    assert places_of(SimpleNamespace(total_concurrency=2, active={1, 2, 3})) == -1
    assert places_of(SimpleNamespace(slots={})) == 1


# -- what the next lease waits for, and what not --


def waits(places: int, patience: float, *, overdue: bool = False) -> OrderWait:
    return OrderWait(lambda: overdue, places, patience)


@pytest.mark.parametrize(
    ("places", "patience", "waited"), [(16, 0.0, False), (16, 9.0, True), (1, 0.0, True)]
)
def test_pages_are_waited_for_as_the_setting_says_and_always_one_by_one(
    places: int, patience: float, waited: bool
) -> None:
    wait = waits(places, patience)
    wait.downloaded(7)
    assert bool(wait.seconds()) is waited
    assert bool(waits(places, patience, overdue=True).seconds()) is waited


def test_a_page_that_was_read_is_waited_for_no_more() -> None:
    wait = waits(1, 0.0)
    wait.downloaded(7)
    wait.read(7)
    assert wait.seconds() is None


def test_a_page_whose_callback_waits_is_waited_for_no_more_and_the_engine_is_told_once() -> None:
    woken: list[None] = []
    wait = OrderWait(lambda: False, 1, 0.0, lambda: woken.append(None))
    wait.downloaded(7)
    for _ in range(3):
        wait.suspended(7)
    assert wait.seconds() is None
    assert len(woken) == 1


async def numbers(*steps: Coroutine[Any, Any, None]) -> AsyncIterator[int]:
    for number, step in enumerate(steps):
        await step
        yield number


async def instantly() -> None:
    return


async def failing() -> None:
    await asyncio.sleep(0)
    raise ValueError("in the callback")


def watched(*steps: Coroutine[Any, Any, None]) -> tuple[list[int], int, str]:
    """What came, how often it was told that something is waited for, and what was raised."""
    came, told, raised = [], [], ""

    async def run() -> None:
        async for one in Watched(numbers(*steps), lambda: told.append(None)):
            came.append(one)

    try:
        asyncio.run(run())
    except ValueError as error:
        raised = str(error)
    return came, len(told), raised


def test_what_a_callback_yields_at_once_is_no_waiting() -> None:
    assert watched(instantly(), instantly()) == ([0, 1], 0, "")


def test_a_callback_that_waits_says_so_once_a_step_and_yields_what_it_would() -> None:
    assert watched(instantly(), asyncio.sleep(0.001), instantly(), asyncio.sleep(0)) == (
        *([0, 1, 2, 3], 2, ""),
    )


def test_what_a_callback_raises_after_waiting_is_raised() -> None:
    assert watched(instantly(), failing()) == ([0], 1, "in the callback")


def test_a_callback_that_is_cancelled_while_it_waits_hears_of_it() -> None:
    heard = []

    async def patient() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    async def run() -> None:
        iterator = Watched(numbers(patient()), lambda: None)
        step = asyncio.ensure_future(_next(iterator))
        await asyncio.sleep(0)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step

    asyncio.run(run())
    assert heard == ["cancelled"]


async def _next(iterator: Watched) -> Any:
    return await iterator.__anext__()


@pytest.mark.parametrize("hosts", [["a.example"], ["a.example", "b.example"]])
@pytest.mark.parametrize(("wait_for_best", "asked"), [(1.0, 2), (0.0, 3)])
def test_nothing_is_looked_for_while_no_host_may_be_asked(
    hosts: list[str], wait_for_best: float, asked: int
) -> None:
    politeness = PolitenessPolicy(pace=lambda _: (2, 0.0))
    revisits: list[tuple[Any, ...]] = []
    frontier: Any = SimpleNamespace(next=lambda *how: revisits.append(how) or ["url"])
    wakeup: Any = SimpleNamespace(set=lambda seconds: None)
    urls = NextUrl(frontier, politeness, wakeup, CrawlConfig(wait_for_best=wait_for_best))
    taken = 0
    while urls.take(hosts) is not None:
        for host in hosts:
            politeness.lease(host)
        taken += 1
    assert (taken, len(revisits)) == (asked, asked)
    politeness.take_back(hosts[-1])
    politeness.take_back(hosts[-1])
    assert urls.take(hosts) is not None
    assert urls.take(None) is not None, "of many hosts each revisit is one into the queue"
    assert len(revisits) == asked + 2
