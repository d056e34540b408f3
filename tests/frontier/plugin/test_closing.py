"""Once a crawl closes, nothing new is asked for; what is in flight ends as in plain Scrapy."""

from __future__ import annotations

import asyncio
import signal
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from frontier.states import State
from frontier.store import StoreReader
from tests.support.hostile import ALLOWED, Ask, Case, HostileWeb, hostile
from tests.support.item_crawl import until
from tests.support.scrapy_forks import Forked, Forks, shared_forks
from tests.support.states import states_of

HOSTS = 60
PLACES = 2

SPIDER = """
import scrapy
from scrapy.utils.defer import maybe_deferred_to_future

class S(scrapy.Spider):
    name = "s"
    start_urls = {urls!r}
    custom_settings = {{
        "ADDONS": {{"frontier.plugin.LinkRankAddon": 500}},
        "FRONTIER_ALLOW_NETWORKS": {allowed!r},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": {places},
        "LOG_LEVEL": "INFO",
        "JOBDIR": {job!r},
        **{more!r},
    }}

    {parse}
"""
NOTHING = "def parse(self, response): pass"


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


class Stopped:
    """A crawl that is closed while a web holds back its answers to it."""

    def __init__(self, forks: Forks, folder: Path) -> None:
        self._forks, self._folder = forks, folder
        self.answers = threading.Event()
        self.job = folder / "job"
        self._log = folder / "log"

    def held(self, answer: Case) -> Case:
        """Answer only once the crawl closes."""

        async def later(ask: Ask) -> None:
            while not self.answers.is_set():
                await asyncio.sleep(0.01)
            await answer(ask)

        return later

    def start(self, urls: list[str], parse: str = NOTHING, **more: object) -> Forked:
        code = SPIDER.format(
            urls=urls,
            parse=textwrap.indent(textwrap.dedent(parse), "    ").strip(),
            allowed=ALLOWED,
            places=PLACES,
            job=str(self.job),
            more=more,
        )
        file = self._folder / "spider_that_closes.py"
        file.write_text(code)
        return self._forks.start(["runspider", str(file)], self._log)

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def close(self, web: HostileWeb, crawl: Forked, when: Callable[[], bool]) -> list[str]:
        """Have it closed when so much was asked; return what is asked for after that."""
        until(when)
        crawl.send(signal.SIGTERM)
        until(lambda: "Closing spider" in self.log)
        asked = len(web.log)
        self.answers.set()
        assert crawl.wait() == 0, self.log
        assert "Traceback" not in self.log
        assert "Spider closed (shutdown)" in self.log
        return [f"{one.case}{one.path}" for one in web.log[asked:]]


@pytest.fixture
def stopped(forks: Forks, tmp_path: Path) -> Stopped:
    return Stopped(forks, tmp_path)


async def unavailable(ask: Ask) -> None:
    await ask.reply("not now", 503)


@pytest.mark.slow
def test_the_line_of_robots_txt_ends(stopped: Stopped) -> None:
    with hostile({f"host{n}": stopped.held(unavailable) for n in range(HOSTS)}) as web:
        crawl = stopped.start(
            [web.url(case) for case in web.cases], FRONTIER_ROBOTS_UNREACHABLE="disallow"
        )
        # Those that are asked for the first time are more than there are places.
        assert stopped.close(web, crawl, lambda: len(web.log) >= 8 * PLACES) == []
    with StoreReader.open(stopped.job) as reader:
        assert set(states_of(reader)) == {State.QUEUED}
        assert len(states_of(reader)) == HOSTS


def test_what_a_callback_still_asks_for_comes_as_in_plain_scrapy(stopped: Stopped) -> None:
    """Its robots.txt too; and the pages that wait in the downloader go back."""
    parse = """
    async def parse(self, response):
        if response.url.endswith("/first"):
            image = scrapy.Request(response.css("img::attr(src)").get())
            engine = self.crawler.engine
            if hasattr(engine, "download_async"):  # from Scrapy 2.14 on
                answer = await engine.download_async(image)
            else:
                answer = await maybe_deferred_to_future(engine.download(image))
            print("came", answer.text)
    """

    async def other(ask: Ask) -> None:
        await ask.reply("an image" if ask.path == "/image" else "", kind="text/plain")

    async def page(ask: Ask) -> None:
        await ask.reply(f'<img src="{ask.url("/image", "other")}">')

    async def site(ask: Ask) -> None:
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        else:
            await stopped.held(page)(ask)

    with hostile({"site": site, "other": other}) as web:
        urls = [web.url("site", path) for path in ("/first", "/second", "/third")]
        crawl = stopped.start(urls, parse, CONCURRENT_REQUESTS_PER_DOMAIN=1)
        asked = stopped.close(web, crawl, lambda: "/first" in web.paths("site"))
    assert asked == ["other/robots.txt", "other/image"]
    assert "came an image" in stopped.log
    with StoreReader.open(stopped.job) as reader:
        assert sorted(states_of(reader)) == [State.QUEUED, State.QUEUED, State.CRAWLED]
