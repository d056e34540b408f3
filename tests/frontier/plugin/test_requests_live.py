"""Requests that a spider yields come back as the objects they were, or as copies, as in Scrapy."""

from __future__ import annotations

from pathlib import Path

from tests.support.scrapy_runs import ADDONS, Run, run_spider
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
THREE: dict[str, Answer] = {"/": links(), **{f"/{n}": links() for n in range(3)}}


def runs(
    folder: Path, pages: dict[str, Answer], code: str, *settings: str, job: bool = False
) -> tuple[Run, Run]:
    """Run a spider without the add-on, and with it."""
    done = []
    for name, addons in (("plain", "ADDONS={}"), ("ours", ADDONS)):
        kept = (f"JOBDIR={folder / name}",) if job else ()
        with serving(dict(pages)) as site:
            spider = code.replace("@URL@", site.url)
            done.append(run_spider(folder, spider, *settings, *kept, addons=addons))
    return done[0], done[1]


def test_objects_in_meta_and_cb_kwargs_are_copies_with_a_jobdir_as_in_scrapy(
    tmp_path: Path,
) -> None:
    plain, ours = runs(tmp_path, THREE, ACCUMULATOR, job=True)
    assert ours.items == plain.items == []


LAMBDAS = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/"]

        def parse(self, response):
            for n in range(20):
                yield scrapy.Request(f"@URL@/{n}", lambda response: [{"from": "lambda"}])
"""


def test_what_cannot_be_stored_is_said_once_a_crawl_and_only_where_it_is_stored(
    tmp_path: Path,
) -> None:
    pages: dict[str, Answer] = {"/": links(), **{f"/{n}": links() for n in range(20)}}
    for job in (False, True):
        _, ours = runs(tmp_path, pages, LAMBDAS, job=job)
        assert ours.items == [{"from": "lambda"}] * 20
        assert ours.log.count("Cannot save") == int(job)
        assert ours.stats.get("frontier/unserializable", 0) == (20 if job else 0)


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
    for job in (False, True):
        pages: dict[str, Answer] = {"/there": "<p>here</p>"}
        with serving(pages) as site:
            there = f"http://localhost:{site.port}/there"
            pages["/"] = f'<head><link rel="canonical" href="{there}"></head><p>a page</p>'
            kept = (f"JOBDIR={tmp_path / 'job'}",) if job else ()
            run_spider(tmp_path, code.replace("@URL@", site.url), *kept)
            first, second = site.asked
        assert first.headers["authorization"] == "Basic c2VjcmV0"
        assert first.headers["cookie"] == "c=1"
        assert second.headers["host"].startswith("localhost")
        assert {"authorization", "cookie"}.isdisjoint(second.headers)
