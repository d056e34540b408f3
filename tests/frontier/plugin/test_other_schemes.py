"""What is no web address is fetched where a spider asks for it, and nothing leads there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scrapy_runs import run_spider
from tests.support.sites import Answer, redirect, serving

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
