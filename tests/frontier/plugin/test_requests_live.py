"""Requests that a spider yields come back as the objects they were, or as copies, as in Scrapy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scrapy_runs import ADDONS, Run, run_spider
from tests.support.sites import Answer, Asked, Page, links, redirect, serving

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
CHANGED = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = ["@URL@/"]

        def parse(self, response):
            item = {"name": "a"}
            yield scrapy.Request("@URL@/1", self.more, meta={"item": item})
            item["price"] = 5

        def more(self, response):
            yield response.meta["item"]
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


@pytest.mark.parametrize(
    ("code", "items"),
    [
        (ACCUMULATOR, [{"parts": ["0", "1", "2"]}]),
        (CHANGED, [{"name": "a", "price": 5}]),
    ],
    ids=["accumulator", "changed after it was yielded"],
)
def test_objects_in_meta_and_cb_kwargs_are_shared_without_a_jobdir(
    tmp_path: Path, code: str, items: list[object]
) -> None:
    plain, ours = runs(tmp_path, THREE, code)
    assert ours.items == plain.items == items
    assert "frontier/unserializable" not in ours.stats


def test_objects_in_meta_and_cb_kwargs_are_copies_with_a_jobdir_as_in_scrapy(
    tmp_path: Path,
) -> None:
    plain, ours = runs(tmp_path, THREE, ACCUMULATOR, job=True)
    assert ours.items == plain.items == []


IDENTITY = """
    import threading

    import scrapy

    class Mine(scrapy.Request):
        pass

    class S(scrapy.Spider):
        name = "s"
        custom_settings = {"RETRY_TIMES": 1}
        made = {}

        async def start(self):
            yield scrapy.Request("@URL@/")

        def parse(self, response):
            if response.url != "@URL@/":
                yield self.seen(response)
                return
            lock = threading.Lock()
            for path in ("plain", "own", "retried", "old"):
                kind = Mine if path == "own" else scrapy.Request
                meta = {} if path == "plain" else {"lock": lock}
                request = kind("@URL@/" + path, meta=meta)
                self.made[path] = request, lock
                yield request

        def seen(self, response):
            path = response.meta.get("redirect_urls", [response.url])[0].rpartition("/")[2]
            request, lock = self.made[path]
            return {
                "path": path,
                "request": response.request is request,
                "lock": response.meta.get("lock") is lock,
                "kind": type(response.request).__name__,
                "times": response.meta.get("retry_times"),
            }
"""


def test_the_request_that_was_yielded_is_the_one_that_is_fetched(tmp_path: Path) -> None:
    def flaky(asked: Asked) -> Page:
        return (503, {}, b"later") if asked.count == 1 else (200, {}, b"here")

    pages: dict[str, Answer] = {
        "/": links(),
        "/plain": links(),
        "/own": links(),
        "/retried": flaky,
        "/old": redirect("/new"),
        "/new": links(),
    }
    plain, ours = runs(tmp_path, pages, IDENTITY)
    by_path = {item["path"]: item for item in ours.items}
    assert by_path == {item["path"]: item for item in plain.items}
    assert by_path["own"] | {"request": True, "lock": True, "kind": "Mine"} == by_path["own"]
    assert by_path["plain"]["request"] is True
    assert by_path["retried"] | {"lock": True, "times": 1} == by_path["retried"]
    assert by_path["old"]["lock"] is True


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


def test_a_live_request_that_is_put_back_keeps_its_objects(tmp_path: Path) -> None:
    """Its host asks for a pause while it waits for the network."""

    def busy(asked: Asked) -> Page:
        return (429, {"Retry-After": "2"}, b"") if asked.count == 1 else (200, {}, b"here")

    pages: dict[str, Answer] = {**THREE, "/0": busy}
    settings = ("CONCURRENT_REQUESTS=3", "CONCURRENT_REQUESTS_PER_DOMAIN=3")
    plain, ours = runs(tmp_path, pages, ACCUMULATOR, *settings)
    assert ours.items == plain.items == [{"parts": ["0", "1", "2"]}]


def test_a_canonical_address_on_another_host_gets_no_secrets_of_the_one_that_names_it(
    tmp_path: Path,
) -> None:
    code = """
        import scrapy
        from frontier.plugin import Links, page_of

        class S(scrapy.Spider):
            name = "s"

            async def start(self):
                secrets = {"Authorization": "Basic c2VjcmV0", "X-Mine": "kept"}
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
        assert second.headers["x-mine"] == "kept"
        assert {"authorization", "cookie"}.isdisjoint(second.headers)
