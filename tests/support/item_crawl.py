"""A crawl whose pages lead to items of every fate, and what must hold of it after a kill.

The page of number n leads to n % 4 items. A pipeline keeps each for a while, gives back another
object, or drops it, or fails; what it does not give back it notes in a record of its own, as
projects do. So after any kill, each item is in the feed, or in the record, or of a page that the
crawl does not know as fetched.
"""

from __future__ import annotations

import json
import signal
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from frontier.states import State
from frontier.store import StoreReader
from tests.support.kept import AT_ONCE, graph_of
from tests.support.scrapy_forks import Forked, Forks, settings
from tests.support.sites import Site
from tests.support.states import states_of
from tests.support.stored import stored_urls

SPIDER = """
import asyncio
import os
import time
import scrapy
from scrapy.exceptions import DropItem
from frontier.plugin import Links, page_of

RECORD = os.open({record!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

class Pipeline:
    async def process_item(self, item, *_):
        page, n = item["page"], item["n"]
        {wait}
        if (page + n) % 5 == 1:
            self.note(page, n)
            raise DropItem("not wanted")
        if (page + n) % 5 == 2:
            self.note(page, n)
            raise RuntimeError("broken")
        return {{"page": page, "n": n}}

    def note(self, page, n):
        os.write(RECORD, f"{{page}} {{n}}\\n".encode())

class S(scrapy.Spider):
    name = "s"
    start_urls = [{root!r} + f"/{{n}}" for n in range({seeds})]
    custom_settings = {{"ITEM_PIPELINES": {{Pipeline: 1}}, "LOG_LEVEL": "INFO", "FEEDS": {{
        {feed!r}: {{"format": "jsonlines"}},
    }}}}

    def parse(self, response):
        page = int(response.url.rpartition("/")[2])
        {parse}
        yield from ({{"page": page, "n": n}} for n in range(page % 4))
        yield Links(page_of(response, self.crawler).content.links)
"""

QUICKLY = "await asyncio.sleep(0)"
SLOWLY = "await asyncio.sleep(0.05 + 0.05 * (page % 7))"

IN_A_THREAD = "await asyncio.to_thread(time.sleep, 0.05)"


def until(happened: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def items_of(page: int) -> set[tuple[int, int]]:
    return {(page, n) for n in range(page % 4)}


@dataclass
class ItemCrawl:
    """One crawl of a site, by as many processes as it takes."""

    forks: Forks
    site: Site
    folder: Path
    wait: str = SLOWLY
    parse: str = ""
    seeds: int = 1
    code: str = SPIDER
    more: tuple[str, ...] = ()
    runs: int = 0

    @property
    def job(self) -> Path:
        return self.folder / "job"

    @property
    def log(self) -> str:
        return (self.folder / f"run{self.runs}.log").read_text()

    def start(self) -> Forked:
        self.folder.mkdir(exist_ok=True)
        spider = self.folder / "spider_of_items.py"
        record, feed = str(self.folder / "record"), str(self.folder / "items.jsonl")
        code = textwrap.dedent(self.code).format(
            record=record,
            root=self.site.url,
            seeds=self.seeds,
            feed=feed,
            wait=self.wait,
            parse=self.parse,
        )
        spider.write_text(code)
        quick = settings(
            JOBDIR=self.job,
            FRONTIER_STRATEGY="ppr",
            FRONTIER_TRAP_BUDGET=100_000,
            CONCURRENT_REQUESTS=AT_ONCE,
            CONCURRENT_REQUESTS_PER_DOMAIN=AT_ONCE,
            **{"frontier.config:CrawlConfig.rerank_min_pages": 2},
        )
        self.runs += 1
        log = self.folder / f"run{self.runs}.log"
        return self.forks.start(["runspider", str(spider), *quick, *self.more], log)

    def kill(self, seconds: float) -> bool:
        """Run for so long and kill; False if the crawl had ended by itself."""
        process = self.start()
        time.sleep(seconds)
        process.send(signal.SIGKILL)
        ended = process.wait()
        assert ended in (0, -signal.SIGKILL), self.log
        return ended != 0

    def finish(self) -> None:
        assert self.start().wait() == 0, self.log
        assert "Spider closed (finished)" in self.log, self.log

    def done(self) -> set[tuple[int, int]]:
        """Items that reached the feed or were dropped or failed, as the pipeline noted."""
        feed, record = self.folder / "items.jsonl", self.folder / "record"
        items = set()
        for line in feed.read_text().splitlines(keepends=True) if feed.exists() else ():
            if line.endswith("\n"):
                item = json.loads(line)
                items.add((item["page"], item["n"]))
        for line in record.read_text().splitlines() if record.exists() else ():
            page, n = line.split()
            items.add((int(page), int(n)))
        return items

    def states(self) -> dict[int, State]:
        """State of each page, by its number; empty before there is a crawl."""
        if not (self.job / "frontier.sqlite").exists():
            return {}
        with StoreReader.open(self.job) as reader:
            states = states_of(reader)
            # A running crawl may have met more URLs since.
            rows = (row for row in stored_urls(reader) if row.url_id < len(states))
            return {_number(row.url): states[row.url_id] for row in rows}

    def lost(self) -> set[tuple[int, int]]:
        """Items that nobody will see: their page counts as done, and they are nowhere."""
        final = [page for page, state in self.states().items() if state.is_final]
        return {item for page in final for item in items_of(page)} - self.done()

    def in_flight(self) -> Counter[str]:
        """Paths of what the file knows as leased."""
        return Counter(f"/{n}" for n, state in self.states().items() if state is State.LEASED)

    def graph(self) -> object:
        return graph_of(self.job)


def _number(url: str) -> int:
    return int(url.rpartition("/")[2])
