"""What Scrapy's words mean must not change when the frontier is plugged in."""

from __future__ import annotations

from pathlib import Path

from tests.support.scrapy_runs import run_spider
from tests.support.sites import Asked, Page, links, redirect, serving

SPIDER = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = [{start!r}]

        def parse(self, response):
            yield {{"url": response.url, "depth": response.meta["depth"]}}
            for href in response.css("a::attr(href)").getall():
                yield response.follow(href)
"""


def test_every_page_is_fetched_once_and_the_crawl_ends(tmp_path: Path) -> None:
    pages = {
        "/": links("/a", "/b"),
        "/a": links("/", "/b", "/c"),
        "/b": links("/a", "/c", "/missing"),
        "/c": links("/"),
    }
    with serving(pages) as site:
        run = run_spider(tmp_path, SPIDER.format(start=site.url + "/"))
        # The start page twice, as in Scrapy: `start_urls` are asked for with `dont_filter`.
        assert sorted(site.paths) == ["/", "/", "/a", "/b", "/c", "/missing"]
    assert run.returncode == 0
    assert run.stats["finish_reason"] == "finished"
    depths = sorted((item["url"].removeprefix(site.url), item["depth"]) for item in run.items)
    assert depths == [("/", 0), ("/", 2), ("/a", 1), ("/b", 1), ("/c", 2)]


def test_callbacks_cb_kwargs_meta_headers_and_cookies_survive_the_store(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                yield scrapy.Request(
                    {url!r}, self.first, headers={{"X-Mine": "1"}}, cookies={{"c": "2"}},
                    meta={{"kept": [1, 2]}}, cb_kwargs={{"word": "hello"}}, flags=["f"],
                )

            def first(self, response, word):
                flags = response.request.flags
                yield {{"word": word, "kept": response.meta["kept"], "flags": flags}}
                yield response.follow("/next", self.second, cb_kwargs={{"n": 7}})

            def second(self, response, n):
                yield {{"n": n}}
    """
    with serving({"/one": links("/next"), "/next": links()}) as site:
        run = run_spider(tmp_path, code.format(url=site.url + "/one"), f"JOBDIR={tmp_path / 'job'}")
        one = next(asked for asked in site.asked if asked.path == "/one")
    assert run.items == [{"word": "hello", "kept": [1, 2], "flags": ["f"]}, {"n": 7}]
    assert one.headers["x-mine"] == "1"
    assert one.headers["cookie"] == "c=2"


def test_a_redirect_is_a_link_and_the_end_of_the_chain_is_the_page(tmp_path: Path) -> None:
    pages = {
        "/": links("/old", "/loop"),
        "/old": redirect("/moved", 301),
        "/moved": redirect("/new"),
        "/new": links("/"),
        "/loop": redirect("/loop"),
    }
    with serving(pages) as site:
        run = run_spider(tmp_path, SPIDER.format(start=site.url + "/"), "REDIRECT_MAX_TIMES=4")
        assert site.paths.count("/new") == 1
        assert site.paths.count("/loop") == 1
    assert run.stats["finish_reason"] == "finished"
    assert [item["url"] for item in run.items] == [site.url + path for path in ("/", "/new", "/")]
    assert run.stats["frontier/redirects"] == 2
    assert run.stats["frontier/leased"] == 0


def test_a_failing_page_is_retried_and_the_retry_counts_once(tmp_path: Path) -> None:
    def flaky(asked: Asked) -> Page:
        if asked.count < 3:
            return 503, {}, b"later"
        return 200, {"Content-Type": "text/html"}, links("/after").encode()

    pages = {
        "/": links("/flaky", "/down"),
        "/flaky": flaky,
        "/down": (500, {}, b""),
        "/after": links(),
    }
    with serving(pages) as site:
        run = run_spider(tmp_path, SPIDER.format(start=site.url + "/"))
        assert site.paths.count("/flaky") == 3
        assert site.paths.count("/down") == 3
        assert site.paths.count("/after") == 1
    assert [item["url"].removeprefix(site.url) for item in run.items] == ["/", "/flaky", "/after"]
    assert run.stats["frontier/retries"] == 4
    assert run.stats["frontier/errors"] == 1
    assert run.stats["frontier/leased"] == 0


def test_robots_txt_offsite_and_dead_hosts_are_accounted_for(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"
            allowed_domains = ["127.0.0.1"]
            start_urls = [{start!r}]

            def parse(self, response):
                yield {{"url": response.url}}
                for href in response.css("a::attr(href)").getall():
                    yield response.follow(href, errback=self.failed)

            def failed(self, failure):
                yield {{"failed": failure.request.url}}
                yield scrapy.Request({rescue!r})
    """
    pages = {
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private"),
        "/": links("/private/x", "http://offsite.example/", "http://127.0.0.1:9/", "/bounce"),
        "/bounce": redirect("http://offsite.example/there"),
        "/rescue": links(),
    }
    settings = ("ROBOTSTXT_OBEY=1", "RETRY_ENABLED=0")
    with serving(pages) as site:
        spider = code.format(start=site.url + "/", rescue=site.url + "/rescue")
        # Scrapy 2.13.0 drops what an errback yields: what counts is what it does on its own.
        plain = run_spider(tmp_path, spider, *settings, addons="ADDONS={}")
        without = sorted(site.paths)
        site.asked.clear()
        run = run_spider(tmp_path, spider, *settings)
        assert sorted(site.paths) == without
        assert {"/", "/bounce"} <= set(without) <= {"/", "/bounce", "/rescue"}
    assert run.stats["finish_reason"] == "finished"
    assert run.stats["frontier/robots"] == 1
    assert run.stats["frontier/errors"] == 1
    assert run.stats["frontier/leased"] == 0
    assert sorted(map(str, run.items)) == sorted(map(str, plain.items))


def test_request_priority_stands_above_every_score(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"
            start_urls = [{start!r}]

            def parse(self, response):
                for n, href in enumerate(response.css("a::attr(href)").getall()):
                    yield response.follow(href, priority={{"/low": -1, "/high": 5}}.get(href, 0))
    """
    pages = {
        "/": links("/low", "/1", "/2", "/high"),
        "/high": links("/low", "/3"),
        "/1": links("/low"),
        "/2": links("/low"),
        "/3": links("/low"),
        "/low": links(),
    }
    with serving(pages) as site:
        run_spider(tmp_path, code.format(start=site.url + "/"))
        assert site.paths[:2] == ["/", "/high"]
        assert site.paths[-1] == "/low"


def test_any_integer_is_a_priority(tmp_path: Path) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                for n, priority in enumerate((-(10**30), 0, 2**31, 10**30)):
                    yield scrapy.Request(f"{root}/{{n}}", priority=priority)

            def parse(self, response):
                yield {{"start": response.meta["is_start_request"]}}
    """
    with serving({f"/{n}": links() for n in range(4)}) as site:
        run = run_spider(tmp_path, code.format(root=site.url))
        assert set(site.paths) == {"/0", "/1", "/2", "/3"}
    assert run.items == [{"start": True}] * 4


def test_no_more_requests_at_once_to_a_host_than_asked_for_even_without_delay(
    tmp_path: Path,
) -> None:
    import time

    def slow(asked: Asked) -> Page:
        time.sleep(0.02)
        return 200, {"Content-Type": "text/html"}, b"<p>slow</p>"

    pages = {"/": links(*(f"/{n}" for n in range(30))), **{f"/{n}": slow for n in range(30)}}
    with serving(pages) as site:
        run_spider(
            tmp_path,
            SPIDER.format(start=site.url + "/"),
            "CONCURRENT_REQUESTS=16",
            "CONCURRENT_REQUESTS_PER_DOMAIN=2",
        )
        assert len(site.paths) == 31
        assert site.at_once <= 2


def test_requests_made_outside_the_frontier_do_not_disturb_it(tmp_path: Path) -> None:
    code = """
        import scrapy
        from frontier.plugin.compat import download

        class S(scrapy.Spider):
            name = "s"
            start_urls = [{start!r}]

            async def parse(self, response):
                extra = await download(
                    self.crawler, scrapy.Request({extra!r}, meta=dict(response.meta))
                )
                yield {{"extra": extra.status}}
                yield response.follow("/next", self.last)

            def last(self, response):
                yield {{"last": True}}
    """
    with serving({"/": links("/next"), "/extra": (404, {}, b""), "/next": links()}) as site:
        run = run_spider(tmp_path, code.format(start=site.url + "/", extra=site.url + "/extra"))
    assert run.items == [{"extra": 404}, {"last": True}]
    assert run.stats["frontier/leased"] == 0
