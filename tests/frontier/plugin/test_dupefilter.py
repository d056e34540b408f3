"""What is a duplicate request is what Scrapy, or the project's own filter, says."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

from tests.support.scrapy_runs import ADDONS, Run, run_spider
from tests.support.sites import Answer, Site, links, redirect, serving

FILTERS = """
from urllib.parse import urlsplit

from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter


class ByPath(RFPDupeFilter):
    '''One page a path, whatever its arguments.'''

    def request_seen(self, request):
        return super().request_seen(request.replace(url=request.url.partition("?")[0]))


class Known(BaseDupeFilter):
    '''Knows a page from elsewhere.'''

    def open(self):
        print("filter opened")

    def request_seen(self, request):
        return urlsplit(request.url).path in ("/known", "/new")

    def log(self, request, spider):
        spider.crawler.stats.inc_value("known/filtered")

    def close(self, reason):
        print("filter closed:", reason)
"""
SPIDER = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/"]

        def parse(self, response):
            yield {"url": response.url.partition("@URL@")[2]}
            if response.meta.get("depth", 0) < 3:
                for href in response.css("a::attr(href)").getall():
                    yield response.follow(href)
"""
WEB: dict[str, Answer] = {
    "/": links("/a", "/b?x=1", "/b?x=2", "/known", "/a"),
    "/a": links("/", "/b?x=3", "/old"),
    "/b?x=1": links("/a"),
    "/b?x=2": links("/a"),
    "/b?x=3": links(),
    "/known": links(),
    "/old": redirect("/new"),
    "/new": links(),
}


def both(folder: Path, *settings: str, pages: dict[str, Answer] = WEB) -> tuple[Run, Site]:
    """Run the spider without the add-on and with it, and demand the same; return the latter."""
    (folder / "filters.py").write_text(FILTERS)
    seen = []
    for addons in ("ADDONS={}", ADDONS):
        with serving(dict(pages)) as site:
            run = run_spider(folder, SPIDER.replace("@URL@", site.url), *settings, addons=addons)
        seen.append((run, site))
    (plain, there), (ours, here) = seen
    assert Counter(here.paths) == Counter(there.paths)
    items = [Counter(item["url"] for item in run.items) for run, _ in seen]
    assert items[1] == items[0]
    assert ours.stats.get("known/filtered") == plain.stats.get("known/filtered")
    assert ours.stats["frontier/leased"] == ours.stats["frontier/queued"] == 0
    return ours, here


def test_a_filter_is_opened_asked_heard_and_closed(tmp_path: Path) -> None:
    run, site = both(tmp_path, "DUPEFILTER_CLASS=filters.Known")
    assert not {"/known", "/new"} & set(site.paths)
    assert "filter opened" in run.stdout
    assert "filter closed: finished" in run.stdout
    assert run.stats["frontier/filtered"] == 1, "the redirect to what the filter knows"


def test_a_filter_that_stores_loses_nothing_of_a_crawl_that_was_killed(tmp_path: Path) -> None:
    """Its file has what the page that was being read yielded; the crawl has not."""
    (tmp_path / "filters.py").write_text(
        FILTERS + "\n\nclass Eager(RFPDupeFilter):\n"
        "    def request_seen(self, request):\n"
        "        seen = super().request_seen(request)\n"
        "        if self.file:\n"
        "            self.file.flush()\n"
        "        return seen\n"
    )
    code = """
        import os
        import signal
        import scrapy

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                yield scrapy.Request("@URL@/")

            def parse(self, response):
                yield {"url": response.url.partition("@URL@")[2]}
                for href in response.css("a::attr(href)").getall():
                    yield response.follow(href)
                if not os.path.exists("died") and response.url.endswith("/a"):
                    open("died", "w").close()
                    os.kill(os.getpid(), signal.SIGKILL)
    """
    settings = (f"JOBDIR={tmp_path / 'job'}", "DUPEFILTER_CLASS=filters.Eager")
    with serving(dict(WEB)) as site:
        spider = code.replace("@URL@", site.url)
        assert run_spider(tmp_path, spider, *settings).returncode == -signal.SIGKILL
        run = run_spider(tmp_path, spider, *settings)
        assert run.returncode == 0
        assert set(site.paths) == set(WEB)


def test_a_plain_request_for_a_known_url_is_stored_and_fetched(tmp_path: Path) -> None:
    """One without callback, for a URL that only requests with dont_filter were made for."""
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"
            start_urls = ["@URL@/"]

            def parse(self, response):
                yield {"depth": response.meta["depth"]}
                yield scrapy.Request("@URL@/")
                yield scrapy.Request("@URL@/")
    """
    with serving({"/": links()}) as site:
        run = run_spider(tmp_path, code.replace("@URL@", site.url), f"JOBDIR={tmp_path / 'job'}")
    assert run.items == [{"depth": 0}, {"depth": 1}]


def test_a_crawl_goes_on_with_the_rules_for_urls_that_it_was_started_with(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                yield scrapy.Request("@URL@/a?utm_source=@WHO@")
    """
    job = f"JOBDIR={tmp_path / 'job'}"
    with serving({"/a?utm_source=x": links(), "/a?utm_source=y": links()}) as site:
        code = code.replace("@URL@", site.url)
        run_spider(tmp_path, code.replace("@WHO@", "x"), job, "FRONTIER_CANONICAL_URLS=1")
        run = run_spider(tmp_path, code.replace("@WHO@", "y"), job)
        assert site.paths == ["/a?utm_source=x"]
    assert "canonical URLs" in run.log
