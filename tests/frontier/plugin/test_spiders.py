"""Strangers' spiders do the same with the add-on as without: requests, items, end, exit code."""

from __future__ import annotations

from pathlib import Path

from tests.support.both_worlds import ANY_SPIDER, HTML, alike, states
from tests.support.scrapy_runs import ADDONS, run_spider, scrapy
from tests.support.sites import Asked, Page, links, redirect, serving


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
            def predict(self, anchor, context, url): return 0.5
            def predict_links(self, links): return [0.5] * len(links)
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
