"""What is no web address is fetched where a spider asks for it, and nothing leads there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frontier.plugin.focus.settings import DOWNLOAD_HANDLERS
from tests.support.scrapy_runs import run_focused, run_spider
from tests.support.sites import Answer, redirect, serving

SPIDER = """
    import scrapy
    from frontier.plugin import Links
    from frontier.parsing.content import Link

    class S(scrapy.Spider):
        name = "s"

        async def start(self):
            yield scrapy.Request("@FILE@")
            yield scrapy.Request("data:text/html,<p>said</p>", self.other)
            yield scrapy.Request("@URL@/", self.web)
            yield scrapy.Request("@URL@/out", self.other, meta={"handle_httpstatus_all": True})
            yield scrapy.Request("about:blank", errback=self.failed)

        def parse(self, response):
            yield {"text": response.css("p::text").get(), "scheme": response.url.split(":")[0]}
            yield response.follow("next.html", self.other)

        def other(self, response):
            text = response.text if hasattr(response, "text") else None
            yield {"text": text, "status": getattr(response, "status", None)}

        def web(self, response):
            yield scrapy.Request("@FILE@?again", self.other)

        def failed(self, failure):
            yield {"failed": failure.type.__name__}
"""
FOLLOWED = """
    import scrapy
    from frontier.plugin import Links, page_of
    from frontier.parsing.content import Link

    class S(scrapy.Spider):
        name = "s"

        async def start(self):
            yield scrapy.Request("@URL@/")

        def parse(self, response):
            yield {"url": response.url}
            own = [Link("@FILE@", "", "", nofollow=False), Link("FILE:///", "", "", nofollow=False)]
            yield Links((*page_of(response, self.crawler).content.links, *own))
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "page.html").write_text("<p>a file</p>")
    (tmp_path / "next.html").write_text("<p>the next</p>")
    return (tmp_path / "page.html").as_uri()


def pages(file: str) -> dict[str, Answer]:
    return {"/": f'<a href="{file}">file</a><a href="/out">out</a>', "/out": redirect(file)}


def test_links_that_the_frontier_follows_and_redirects_never_lead_there(
    tmp_path: Path, file: str
) -> None:
    with serving(pages(file)) as site:
        code = FOLLOWED.replace("@URL@", site.url).replace("@FILE@", file)
        run = run_spider(tmp_path, code)
        assert run.items == [{"url": f"{site.url}/"}]
        assert site.paths == ["/", "/out"]
    assert run.stats["frontier/known"] == 2


def test_the_ready_made_project_fetches_nothing_else_whoever_asks(
    tmp_path: Path, file: str
) -> None:
    web_only = f"DOWNLOAD_HANDLERS={json.dumps(DOWNLOAD_HANDLERS)}"
    run = run_spider(tmp_path, SPIDER.replace("@FILE@", file), web_only)
    assert not any("a file" in str(item) for item in run.items)
    assert "Unsupported URL scheme 'file'" in run.log
    refused = run_focused(tmp_path, "-a", f"seeds={file}", "-a", "strategy=bfs")
    assert refused.returncode == 1
