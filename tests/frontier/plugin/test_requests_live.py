"""Requests that a spider yields come back as the objects they were, or as copies, as in Scrapy."""

from __future__ import annotations

from pathlib import Path

from tests.support.scrapy_runs import ADDONS, run_spider
from tests.support.sites import Answer, links, serving

ACCUMULATOR = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/"]

        def parse(self, response):
            found = {"parts": []}
            for n in range(3):
                yield scrapy.Request(
                    f"@URL@/{n}", self.part, cb_kwargs={"found": found}, meta={"of": found}
                )

        def part(self, response, found):
            assert found is response.meta["of"]
            found["parts"].append(response.url[-1])
            if len(found["parts"]) == 3:
                yield {"parts": sorted(found["parts"])}
"""


def test_objects_in_meta_and_cb_kwargs_are_copies_with_a_jobdir_as_in_scrapy(
    tmp_path: Path,
) -> None:
    with serving({"/": links(), **{f"/{n}": links() for n in range(3)}}) as site:
        code = ACCUMULATOR.replace("@URL@", site.url)
        for job, addons in (("plain", "ADDONS={}"), ("ours", ADDONS)):
            run = run_spider(tmp_path, code, f"JOBDIR={job}", addons=addons)
            assert (run.items, run.stats["response_received_count"]) == ([], 4)


LAMBDAS = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/"]

        def parse(self, response):
            for n in range(20):
                yield scrapy.Request(f"@URL@/{n}", lambda response: [{"from": "lambda"}])
"""


def test_what_cannot_be_stored_is_said_once_a_crawl(tmp_path: Path) -> None:
    with serving({"/": links(), **{f"/{n}": links() for n in range(20)}}) as site:
        code = LAMBDAS.replace("@URL@", site.url)
        ours = run_spider(tmp_path, code, f"JOBDIR={tmp_path / 'job'}")
    assert ours.items == [{"from": "lambda"}] * 20
    assert ours.log.count("Cannot save") == 1
    assert ours.stats["frontier/unserializable"] == 20


def test_a_canonical_address_on_another_host_gets_no_secrets_of_the_one_that_names_it(
    tmp_path: Path,
) -> None:
    code = """
        import scrapy
        from frontier.plugin import Links, page_of

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                secrets = {"Authorization": "Basic c2VjcmV0"}
                yield scrapy.Request("@URL@/", self.page, headers=secrets, cookies={"c": "1"})

            def page(self, response):
                yield Links(page_of(response, self.crawler).content.links)
    """
    pages: dict[str, Answer] = {"/there": "<p>here</p>"}
    with serving(pages) as site:
        there = f"http://localhost:{site.port}/there"
        pages["/"] = f'<head><link rel="canonical" href="{there}"></head><p>a page</p>'
        run_spider(tmp_path, code.replace("@URL@", site.url), f"JOBDIR={tmp_path / 'job'}")
        first, second = site.asked
    assert first.headers["authorization"] == "Basic c2VjcmV0"
    assert first.headers["cookie"] == "c=1"
    assert second.headers["host"].startswith("localhost")
    assert {"authorization", "cookie"}.isdisjoint(second.headers)
