"""A page counts as fetched when its items are through: a kill loses no item of it."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.states import State
from tests.support.item_crawl import IN_A_THREAD, QUICKLY, SLOWLY, ItemCrawl, items_of, until
from tests.support.kept import site_of
from tests.support.scrapy_forks import Forks, shared_forks
from tests.support.sites import Site, serving

PAGES = 40
ALL = {item for page in range(PAGES) for item in items_of(page)}


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(site_of(PAGES)) as found:
        yield found


@pytest.fixture(scope="module")
def whole(forks: Forks, site: Site, tmp_path_factory: pytest.TempPathFactory) -> object:
    """The graph of a crawl that nothing disturbs."""
    crawl = ItemCrawl(forks, site, tmp_path_factory.mktemp("whole"), wait=QUICKLY)
    crawl.finish()
    assert crawl.done() == ALL
    return crawl.graph()


@pytest.fixture
def crawl(forks: Forks, site: Site, tmp_path: Path) -> ItemCrawl:
    site.asked.clear()
    return ItemCrawl(forks, site, tmp_path / "crawl")


def kill_until_done(
    crawl: ItemCrawl, rng: random.Random, kills: int, most: float
) -> tuple[int, int]:
    """Kill a crawl at random moments, look at it each time, finish it; (kills, fetched again)."""
    killed, in_flight = 0, Counter[str]()
    while killed < kills and crawl.kill(rng.uniform(0.2, most)):
        killed += 1
        assert not crawl.lost()
        in_flight += crawl.in_flight()
    crawl.finish()
    again = Counter(crawl.site.paths) - Counter(set(crawl.site.paths))
    assert again <= in_flight
    return killed, again.total()


def check(crawl: ItemCrawl, whole: object) -> None:
    assert set(crawl.states().values()) == {State.CRAWLED}
    assert len(crawl.states()) == PAGES
    assert crawl.done() == ALL
    assert crawl.graph() == whole


def test_killed_at_random_moments_no_item_is_lost(crawl: ItemCrawl, whole: object) -> None:
    kill_until_done(crawl, random.Random(1), 2, 1.2)
    check(crawl, whole)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_kills_lose_no_item_and_no_url(
    forks: Forks, site: Site, whole: object, tmp_path: Path
) -> None:
    """KILLS says how many (12); `pytest -s` shows what they cost."""
    wanted, killed, again, crawls = int(os.environ.get("KILLS", "12")), 0, 0, 0
    rng = random.Random(2)
    while killed < wanted:
        site.asked.clear()
        wait = (QUICKLY, SLOWLY, IN_A_THREAD)[crawls % 3]
        crawl = ItemCrawl(forks, site, tmp_path / f"crawl{crawls}", wait=wait)
        kills, fetched_again = kill_until_done(crawl, rng, 30, 1.5)
        check(crawl, whole)
        killed, again, crawls = killed + kills, again + fetched_again, crawls + 1
    print(f"\n{killed} kills of {crawls} crawls: 0 URLs and 0 items lost, ", end="")
    print(f"{again / killed:.2f} pages fetched again a kill")


MANY = """
import asyncio
import scrapy

class Pipeline:
    async def process_item(self, item, *_):
        if item["n"] == 150 and {first}:
            await asyncio.Event().wait()
        return scrapy.Item() if item["n"] == 3 else item

class S(scrapy.Spider):
    name = "s"
    start_urls = [{root!r} + "/0"]
    custom_settings = {{"ITEM_PIPELINES": {{Pipeline: 1}}, "FEEDS": {{
        {feed!r}: {{"format": "jsonlines"}},
    }}}}

    async def parse(self, response):
        one = {{"n": 0}}
        yield one
        for n in range(200):
            yield {{"n": n}} if n != 1 else one
        await asyncio.sleep(0)
        yield response.follow("/1", callback=self.nothing)

    def nothing(self, response):
        pass
"""


def test_many_items_of_one_page_the_same_twice_and_others_given_back(crawl: ItemCrawl) -> None:
    """All are done but one of the first hundred: the page does not count as fetched."""
    crawl.code = MANY.replace("{first}", "True")
    process = crawl.start()
    until(lambda: crawl.states().get(1) is State.CRAWLED)
    assert crawl.states()[0] is State.LEASED
    process.send(signal.SIGKILL)
    process.wait()
    crawl.code = MANY.replace("{first}", "False")
    crawl.finish()
    assert crawl.states()[0] is State.CRAWLED
    assert Counter(crawl.site.paths)["/0"] == 2
    lines = (crawl.folder / "items.jsonl").read_text().splitlines()
    assert '{"n": 150}' in lines


AGAIN = """
import asyncio
import scrapy

class Pipeline:
    async def process_item(self, item, *_):
        if item["time"] == 0 and {first}:
            await asyncio.Event().wait()
        return item

class S(scrapy.Spider):
    name = "s"
    custom_settings = {{"ITEM_PIPELINES": {{Pipeline: 1}}, "FEEDS": {{
        {feed!r}: {{"format": "jsonlines"}},
    }}}}

    async def start(self):
        yield scrapy.Request({root!r} + "/0", cb_kwargs={{"time": 0}})

    def parse(self, response, time):
        yield {{"time": time}}
        if time < 2:
            url = response.url
            yield scrapy.Request(url, cb_kwargs={{"time": time + 1}}, dont_filter=True)
"""


def test_a_page_asked_for_again_while_its_items_are_under_way_keeps_both(crawl: ItemCrawl) -> None:
    crawl.code = AGAIN.replace("{first}", "True")
    process = crawl.start()
    until(lambda: len(crawl.site.paths) == 3 and crawl.states().get(0) is State.QUEUED)
    process.send(signal.SIGKILL)
    process.wait()
    crawl.code = AGAIN.replace("{first}", "False")
    crawl.finish()
    lines = (crawl.folder / "items.jsonl").read_text().splitlines()
    assert {'{"time": 0}', '{"time": 1}', '{"time": 2}'} == set(lines)
    assert crawl.states()[0] is State.CRAWLED
