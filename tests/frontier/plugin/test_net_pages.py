"""Bounds are for pages that the frontier reads; what others download is left to Scrapy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scrapy import version_info

from tests.support.both_worlds import alike
from tests.support.scrapy_runs import Run, run_spider
from tests.support.sites import links, redirect, serving

MIB = 1024 * 1024
KIND = {"Content-Type": "application/octet-stream"}
HTML = {"Content-Type": "text/html"}

FILES = """
    import scrapy

    class Files(scrapy.Spider):
        name = "files"
        custom_settings = {"ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1}}

        async def start(self):
            yield scrapy.Request("@URL@/page", self.parse, errback=self.failed)

        def parse(self, response):
            yield {"length": len(response.body), "flags": response.flags,
                   "file_urls": ["@URL@/file"]}

        def failed(self, failure):
            yield {"error": failure.type.__name__, "file_urls": ["@URL@/file"]}
"""


def _crawled(folder: Path, *settings: str) -> tuple[dict[str, Any], list[int]]:
    """The one item, and the sizes of the files that were stored."""
    pages = {
        "/page": (200, HTML, b"<html>" + b"words " * (MIB // 2)),
        "/file": (200, KIND, b"x" * 6 * MIB),
    }
    with serving(dict(pages)) as site:
        store = f"FILES_STORE={folder / 'files'}"
        run = run_spider(folder, FILES.replace("@URL@", site.url), store, *settings)
    stored = [one.stat().st_size for one in (folder / "files").rglob("*") if one.is_file()]
    return run.items[0], stored


def test_a_large_file_and_a_large_page_come_whole(tmp_path: Path) -> None:
    item, stored = _crawled(tmp_path, f"frontier.parsing.reader:ReadingLimits.body={MIB}")
    assert (item["length"], item["flags"]) == (6 + 3 * MIB, [])
    assert stored == [6 * MIB]


@pytest.mark.skipif(version_info < (2, 14), reason="this Scrapy ignores what an errback yields")
def test_a_limit_of_the_project_is_scrapys(tmp_path: Path) -> None:
    item, stored = _crawled(tmp_path, f"DOWNLOAD_MAXSIZE={2 * MIB}", "RETRY_TIMES=0")
    assert stored == []
    assert "Cancelled" in item["error"]


FAILING = """
    import scrapy
    from scrapy.exceptions import IgnoreRequest

    class Failing(scrapy.Spider):
        name = "failing"

        async def start(self):
            yield scrapy.Request("@URL@/broken")
            yield scrapy.Request("http://127.0.0.1:9/")
            for host in ("10.0.0.1", "localhost.test", "192.168.0.1"):
                yield scrapy.Request(f"http://{host}/", errback=self.failed)

        def failed(self, failure):
            yield {"name": failure.type.__name__, "ignored": bool(failure.check(IgnoreRequest))}
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("failing")
    with serving({"/broken": (200, {"Content-Length": "5000"}, links().encode())}) as site:
        return run_spider(folder, FAILING.replace("@URL@", site.url), "RETRY_ENABLED=0")


@pytest.mark.skipif(version_info < (2, 14), reason="this Scrapy ignores what an errback yields")
def test_an_address_that_is_refused_reaches_the_errback_and_is_told_once(failing: Run) -> None:
    refused = [one for one in failing.items if one["name"] == "AddressRefusedError"]
    assert len(refused) == 2
    assert all(one["ignored"] for one in refused)
    before_the_end = failing.log.partition("Nothing was fetched")[0]
    assert before_the_end.count("FRONTIER_ALLOW_NETWORKS lists networks to allow") == 1


def test_fragments_stay_with_requests_that_are_stored(tmp_path: Path) -> None:
    pages = {
        "/": links("/moved", "/seen#here"),
        "/moved": redirect("/target#part"),
        "/target": links(),
        "/seen": links(),
    }
    code = """
        import scrapy

        class Fragments(scrapy.Spider):
            name = "fragments"
            start_urls = ["@URL@/"]

            def parse(self, response):
                yield {"asked": response.request.url, "url": response.url}
                yield from response.follow_all(css="a")
    """
    seen = alike(tmp_path, dict(pages), code)
    assert any("/target#part" in item for item in seen.items)
    assert any("/seen#here" in item for item in seen.items)
