"""Strangers' spiders do the same with the add-on as without: requests, items, end, exit code."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ranking.orders import ORDERS
from tests.support.both_worlds import ANY_SPIDER, HTML, alike, states
from tests.support.scrapy_runs import ADDONS, run_spider, scrapy
from tests.support.sites import Answer, Asked, Page, links, redirect, serving


def with_downloader_middleware(code: str, order: int = 10) -> str:
    setting = f'"DOWNLOADER_MIDDLEWARES": {{"spider_file.M": {order}}}'
    return ANY_SPIDER.replace('"DOWNLOADER_MIDDLEWARES": {}', setting) + code


def test_answers_that_cost_a_host_nothing_do_not_wait_for_its_delay(tmp_path: Path) -> None:
    known = [f"/{n}" for n in range(40)]
    code = """
    class M:
        def process_request(self, request, spider=None):
            if request.url[-1].isdigit():
                return HtmlResponse(request.url, body=b"<p>", encoding="utf-8")
    """
    settings = ("DOWNLOAD_DELAY=1", "CLOSESPIDER_TIMEOUT=20")
    ours = alike(tmp_path, {"/": links(*known)}, with_downloader_middleware(code, 500), *settings)
    assert ours.run.stats["item_scraped_count"] == 41


def test_a_redirect_to_another_host_waits_in_that_hosts_slot(tmp_path: Path) -> None:
    def elsewhere(asked: Asked) -> Page:
        port = asked.site.rpartition(":")[2]
        return redirect(f"http://localhost:{port}/there{asked.path[-1]}")

    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                yield scrapy.Request("@URL@/1")
                yield scrapy.Request("@URL@/2", meta={"download_slot": "mine"})

            def parse(self, response):
                yield {"path": response.url[-6:], "slot": response.meta["download_slot"]}
                yield response.follow("/last", meta=response.meta, dont_filter=True)
    """
    pages = {"/1": elsewhere, "/2": elsewhere, "/there1": links(), "/there2": links()}
    with serving(pages) as site:
        run = run_spider(
            tmp_path, code.replace("@URL@", site.url), "RETRY_ENABLED=0", "HTTPERROR_ALLOW_ALL=0"
        )
    assert sorted((item["path"], item["slot"]) for item in run.items) == [
        ("there1", "localhost"),
        ("there2", "mine"),
    ]


ORDERS_SCRIPT = """
import sys

import scrapy
from scrapy.crawler import CrawlerProcess

from frontier.queue.url_queue import UrlQueue
from ranking.orders import ORDERS

url, folder = sys.argv[1:]
pop = UrlQueue.pop


def watched(queue, n, *args, **kwargs):
    best = max(queue._columns.priorities[queue.queued()].tolist(), default=None)
    popped = pop(queue, n, *args, **kwargs)
    assert [priority for _, priority in popped] == ([] if best is None else [best]), "not the best"
    return popped


UrlQueue.pop = watched


class S(scrapy.Spider):
    async def start(self):
        yield scrapy.Request(f"{url}/{self.name}/0")

    def parse(self, response):
        yield from response.follow_all(css="a")


process = CrawlerProcess(
    {
        "ADDONS": {"frontier.plugin.LinkRankAddon": 500},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_LEVEL": "WARNING",
        "CONCURRENT_REQUESTS": 1,
        "DOWNLOAD_DELAY": 0,
        "FRONTIER_ALLOW_NETWORKS": ["127.0.0.0/8"],
        "FRONTIER_TOPIC": "telescopes planets",
    }
)
for name in ORDERS:
    settings = {"FRONTIER_STRATEGY": name, "JOBDIR": f"{folder}/{name}"}
    process.crawl(type("Spider", (S,), {"name": name, "custom_settings": settings}))
process.start()
"""


@pytest.mark.slow
def test_in_every_order_the_best_page_of_the_moment_is_fetched_next(tmp_path: Path) -> None:
    """One process with a crawl an order, side by side; each asks for a page at a time."""
    rng = random.Random(5)
    words = ("telescopes planets stars", "soup cooking", "garden roses", "planets moons")
    web: list[tuple[set[int], str]] = [
        ({2 * n + 1, 2 * n + 2, rng.randrange(40), rng.randrange(40)}, rng.choice(words))
        for n in range(40)
    ]
    pages: dict[str, Answer] = {
        f"/{name}/{n}": links(*(f"/{name}/{one}" for one in sorted(to) if one < 40), text=text)
        for name in ORDERS
        for n, (to, text) in enumerate(web)
    }
    with serving(pages) as site:
        command = [sys.executable, "-c", ORDERS_SCRIPT, site.url, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        for name in ORDERS:
            asked = [path for path in site.paths if path.startswith(f"/{name}/")]
            assert len(asked) == len(set(asked)) == 40
            with closing(sqlite3.connect(tmp_path / name / "frontier.sqlite")) as store:
                rows = store.execute("SELECT url FROM pages JOIN urls USING (id) ORDER BY handout")
                assert [url.removeprefix(site.url) for (url,) in rows] == asked


def test_the_shell_fetches_what_it_is_told_to_and_knows_no_pages(tmp_path: Path) -> None:
    code = "__import__('frontier.plugin').plugin.page_of(response, crawler), len(response.css('a'))"
    with serving({"/a": links("/b", "/c")}) as site:
        done = scrapy(
            *("shell", site.url + "/a", "-c", code, "--nolog", "-s", ADDONS),
            cwd=tmp_path,
            timeout=30,
        )
        assert site.paths == ["/a"]
    assert (done.returncode, done.stdout) == (0, "(None, 2)\n")


def test_a_page_that_cannot_be_read_still_reaches_its_callback(tmp_path: Path) -> None:
    code = """
        import scrapy

        class Choosy:
            def fit(self, topic, examples): pass
            def relevance(self, text, title=""): return 1 / len(text.replace("soup", ""))
            def promise(self, anchor, context, url): return 0.5
            def promises(self, links): return [0.5] * len(links)
            def state(self): return {}
            def restore(self, state): pass

        class S(scrapy.Spider):
            name = "s"
            custom_settings = {"FRONTIER_TOPIC": "x", "TOPIC_MODEL": "spider_file.Choosy"}

            async def start(self):
                yield scrapy.Request("@URL@/soup")

            def parse(self, response):
                yield {"url": response.url}
                yield response.follow("/next")
    """
    pages = {"/soup": (200, HTML, b"soup"), "/next": (200, HTML, b"nothing else")}
    ours = alike(tmp_path, pages, code)
    assert ours.run.log.count("Cannot parse <200") == 1
    assert states(tmp_path / "job") == {"/soup": 3, "/next": 3}
