"""The same spider on the same site without and with the add-on, and what must not differ."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.support.scrapy_runs import ADDONS, Run, run_spider
from tests.support.sites import Answer, Site, links, redirect, serving

HTML = {"Content-Type": "text/html; charset=utf-8"}


@dataclass
class Seen:
    """What a crawl did, with the site's address taken out."""

    run: Run
    requests: Counter[tuple[str, str, str]]
    items: Counter[str]

    @classmethod
    def of(cls, run: Run, site: Site) -> Seen:
        asked = Counter((one.method, one.path, one.body.decode()) for one in site.asked)
        items = Counter(json.dumps(item).replace(str(site.port), "PORT") for item in run.items)
        return cls(run, asked, items)


def alike(tmp_path: Path, pages: dict[str, Answer], code: str, *settings: str) -> Seen:
    """Crawl without and with the add-on, demand the same, and return the latter.

    `@URL@` in the code is the site's address. The store must have answered every lease.
    """
    seen = []
    for addons in ("ADDONS={}", ADDONS):
        job = tmp_path / ("job" if addons is ADDONS else "plain")
        with serving(dict(pages)) as site:
            run = run_spider(
                tmp_path,
                code.replace("@URL@", site.url),
                f"JOBDIR={job}",
                "CONCURRENT_REQUESTS=4",
                "CONCURRENT_REQUESTS_PER_DOMAIN=4",
                *settings,
                addons=addons,
            )
            seen.append(Seen.of(run, site))
    plain, ours = seen
    assert ours.requests == plain.requests
    assert ours.items == plain.items
    assert ours.run.returncode == plain.run.returncode
    assert ours.run.stats["finish_reason"] == plain.run.stats["finish_reason"]
    assert failures(ours.run) == failures(plain.run)
    assert_settled(tmp_path / "job", ours.run)
    return ours


def failures(run: Run) -> dict[str, object]:
    """Stats about what went wrong."""
    kinds = ("spider_exceptions", "downloader/exception", "retry/", "httperror", "item_", "eb/")
    return {name: value for name, value in run.stats.items() if name.startswith(kinds)}


def assert_settled(job: Path, run: Run) -> None:
    assert run.stats["frontier/leased"] == 0
    assert run.stats["frontier/queued"] == 0
    with closing(sqlite3.connect(job / "frontier.sqlite")) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.execute("SELECT count(*) FROM leases").fetchone() == (0,)
        assert store.execute("SELECT count(*) FROM requests").fetchone() == (0,)


def states(job: Path) -> dict[str, int]:
    """State of every page's last answer, by path."""
    with closing(sqlite3.connect(job / "frontier.sqlite")) as store:
        rows = store.execute("SELECT url, state FROM pages JOIN urls USING (id) ORDER BY seq")
        return {"/" + url.split("/", 3)[3]: state for url, state in rows}


WEB: dict[str, Answer] = {
    "/": links("/a", "/b", "/c", "/r"),
    "/a": links("/b", "/d", "/missing"),
    "/b": links("/a", "/e"),
    "/c": links("/"),
    "/d": links("/"),
    "/e": links("/down"),
    "/r": redirect("/a"),
    "/down": (500, {}, b""),
    "/rescue": links("/last"),
    "/last": links(),
    "/file.bin": (200, {"Content-Type": "application/octet-stream"}, b"abc"),
}

ANY_SPIDER = """
    import asyncio
    import scrapy
    from scrapy import signals
    from scrapy.exceptions import *
    from scrapy.http import HtmlResponse

    class S(scrapy.Spider):
        name = "s"
        custom_settings = {"DOWNLOADER_MIDDLEWARES": {}, "SPIDER_MIDDLEWARES": {}}

        async def start(self):
            yield scrapy.Request("@URL@/")

        def parse(self, response):
            yield {"url": response.url, "depth": response.meta["depth"]}
            for link in response.css("a"):
                yield response.follow(link, errback=self.failed)

        def failed(self, failure):
            self.crawler.stats.inc_value("eb/" + failure.type.__name__)

    def rescue(url):
        return HtmlResponse(url, body=b'<a href="/rescue">x</a>', encoding="utf-8")
"""
