from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from frontier.records import PageRecord
from frontier.states import State
from frontier.store import StoreReader
from tests.support.hostile import crawl
from tests.support.proxies import Proxy, proxying
from tests.support.scrapy_runs import Run, run_spider

SEEDS = [
    "http://public.test/",
    "https://public.test/",
    "http://127.99.0.1/seed",
    "https://127.99.0.1/seed",
    "http://[::ffff:10.0.0.1]/seed",
    "http://0x7f.1/seed",
    "http://localhost/seed",
]


@dataclass
class Crawled:
    proxy: Proxy
    run: Run
    pages: dict[str, PageRecord]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("proxied")
    with proxying() as proxy, pytest.MonkeyPatch.context() as patch:
        patch.setenv("http_proxy", proxy.url)
        patch.setenv("https_proxy", proxy.url)
        patch.setenv("no_proxy", "")
        # Nothing is allowed: where a proxy is, is the business of whoever names it.
        run = crawl(folder, SEEDS, "FRONTIER_ALLOW_NETWORKS=", "DOWNLOAD_TIMEOUT=5")
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in reader.iter_urls()}
            pages = {urls[page.url_id]: page for page in reader.iter_pages()}
        yield Crawled(proxy, run, pages)


def test_a_proxy_at_a_private_address_is_asked(crawled: Crawled) -> None:
    assert crawled.pages["http://public.test/"].state is State.CRAWLED
    assert crawled.pages["http://public.test/next"].state is State.CRAWLED
    assert "CONNECT public.test:443" in crawled.proxy.asked


def test_a_tunnel_that_is_refused_is_a_failure_with_its_reason(crawled: Crawled) -> None:
    page = crawled.pages["https://public.test/"]
    # Its robots.txt cannot be had either.
    assert page.state in (State.ERROR, State.ROBOTS)
    assert page.error


def test_no_private_address_is_asked_of_it(crawled: Crawled) -> None:
    hosts = {line.split(" ")[1] for line in crawled.proxy.asked}
    assert all("public.test" in host or "away.test" in host for host in hosts), hosts


@pytest.mark.parametrize("seed", SEEDS[2:])
def test_a_private_address_behind_it_is_refused_with_its_reason(
    crawled: Crawled, seed: str
) -> None:
    page = next(page for url, page in crawled.pages.items() if url == seed)
    assert page.state is State.FILTERED
    assert page.error is not None
    assert "FRONTIER_ALLOW_NETWORKS" in page.error


def test_a_redirect_behind_it_leads_nowhere_private(crawled: Crawled) -> None:
    page = crawled.pages["http://169.254.169.254/latest/meta-data/"]
    assert page.state is State.FILTERED


def test_a_proxy_that_a_spider_names_is_asked(tmp_path: Path) -> None:
    with proxying() as proxy:
        run = run_spider(
            tmp_path,
            f"""
            import scrapy

            class One(scrapy.Spider):
                name = "one"

                async def start(self):
                    for url in ["http://public.test/", "http://10.0.0.1/"]:
                        yield scrapy.Request(url, meta={{"proxy": {proxy.url!r}}})

                def parse(self, response):
                    yield {{"url": response.url}}
            """,
            "FRONTIER_ALLOW_NETWORKS=",
        )
    assert [item["url"] for item in run.items] == ["http://public.test/"]
    assert proxy.asked == ["GET http://public.test/"]
