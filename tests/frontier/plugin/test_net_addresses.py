"""Nothing that a crawl is led to is connected to where it must not be, with a proxy or without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from frontier.records import PageRow
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.rows import RefusalRow
from frontier.urls.addresses import REASON
from tests.support.fake_dns import PUBLIC
from tests.support.hostile import ALLOWED, FORBIDDEN, HostileWeb, crawl, hostile
from tests.support.hostile_addresses import ADDRESSES, NAMES, OTHERS, SPELLINGS
from tests.support.proxies import Proxy, proxying
from tests.support.scrapy_runs import Run, run_spider
from tests.support.stored import stored_pages, stored_urls
from tests.support.told import tells

RESOLVER = "DNS_RESOLVER=tests.support.fake_dns.Resolver"


@dataclass
class Crawled:
    web: HostileWeb
    run: Run
    pages: dict[str, PageRow]
    refusals: list[RefusalRow]

    def of_host(self, host: str) -> list[PageRow]:
        return [page for url, page in self.pages.items() if urlsplit(url).hostname == host]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("addresses")
    with hostile(ADDRESSES) as web:
        names = [*NAMES, "public.test", "both.test", "nothing.test", "rebinding.test"]
        seeds = [web.url(case) for case in ADDRESSES]
        seeds += [f"http://{host}:{web.port}/seed" for host in SPELLINGS + OTHERS + names]
        seeds += [f"http://rebinding.test:{web.port}/{number}" for number in range(3)]
        file = folder / "seeds.txt"
        file.write_text("\n".join(seeds))
        run = crawl(
            folder,
            [str(file)],
            RESOLVER,
            "CONCURRENT_REQUESTS=64",
            "DOWNLOAD_TIMEOUT=600",
            "frontier.plugin.robots:FIRST_WAIT=600",
            "frontier.plugin.robots:RETRIES=0",
            "frontier.robots.cache:RobotsCache.rest=0.1",
        )
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in stored_urls(reader)}
            pages = {urls[page.url_id]: page for page in stored_pages(reader)}
            refusals = list(reader.refusals())
        yield Crawled(web, run, pages, refusals)


def test_the_crawl_ends_by_itself(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"


def test_nothing_ever_connects_to_where_it_must_not(crawled: Crawled) -> None:
    assert crawled.web.trespassed == []


@pytest.mark.parametrize("case", ADDRESSES)
def test_the_rest_of_a_site_is_crawled(crawled: Crawled, case: str) -> None:
    paths = crawled.web.paths(case)
    if case == "robots_redirect":
        assert paths == []  # rules that cannot be had forbid
    elif case.startswith(("redirect", "meta_refresh", "refresh_header", "base")):
        assert paths[0] == "/"
    else:
        assert {"/", "/next"} <= set(paths)


def test_only_http_is_ever_fetched(crawled: Crawled) -> None:
    assert {urlsplit(url).scheme for url in crawled.pages} <= {"http", "https"}
    assert all("root:" not in str(item) for item in crawled.run.items)


def test_links_that_lead_there_are_counted_with_their_reason(crawled: Crawled) -> None:
    counted = [one for one in crawled.refusals if one.reason == REASON]
    assert sum(one.links for one in counted) >= 4 * (len(SPELLINGS) - 2)


@pytest.mark.parametrize("name", [*NAMES, "127.0.0.1", "localhost", "169.254.169.254"])
def test_a_seed_that_leads_there_is_refused_with_its_reason(crawled: Crawled, name: str) -> None:
    (page,) = [one for one in crawled.of_host(name) if one.lease_number is not None][:1]
    assert page.state is State.FILTERED
    assert page.error is not None
    assert page.error.startswith("AddressRefusedError: ")
    assert page.attempts == 1


def test_a_name_with_one_public_address_is_fetched_from_there(crawled: Crawled) -> None:
    assert [page.state for page in crawled.of_host("public.test")] == [State.CRAWLED]
    assert [page.state for page in crawled.of_host("both.test")] == [State.CRAWLED]
    assert PUBLIC in [host for host, _ in crawled.web.connections]


def test_a_name_that_changes_its_mind_is_refused_from_then_on(crawled: Crawled) -> None:
    pages = crawled.of_host("rebinding.test")
    assert {page.state for page in pages} <= {State.CRAWLED, State.FILTERED, State.ROBOTS}
    refused = [page.error for page in pages if page.state is State.FILTERED]
    assert all(tells(str(error), FORBIDDEN, "loopback") for error in refused)


def test_a_bad_network_ends_the_crawl_before_it_starts(tmp_path: Path) -> None:
    run = crawl(tmp_path, ["http://127.66.0.2/"], f"FRONTIER_ALLOW_NETWORKS={ALLOWED},10.0.0.1/8")
    assert run.returncode != 0
    assert tells(run.log, "FRONTIER_ALLOW_NETWORKS", "'10.0.0.1/8'")


# -- test_net_proxies --


HURRIED = ("DOWNLOAD_TIMEOUT=5", "RETRY_TIMES=0", "frontier.plugin.robots:RETRIES=0")
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
class Proxied:
    proxy: Proxy
    run: Run
    pages: dict[str, PageRow]


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder = tmp_path_factory.mktemp("proxied")
    with proxying() as proxy, pytest.MonkeyPatch.context() as patch:
        patch.setenv("http_proxy", proxy.url)
        patch.setenv("https_proxy", proxy.url)
        patch.setenv("no_proxy", "")
        # Nothing is allowed: where a proxy is, is the business of whoever names it.
        run = crawl(folder, SEEDS, "FRONTIER_ALLOW_NETWORKS=", *HURRIED)
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in stored_urls(reader)}
            pages = {urls[page.url_id]: page for page in stored_pages(reader)}
        yield Proxied(proxy, run, pages)


def test_a_proxy_at_a_private_address_is_asked(proxied: Proxied) -> None:
    assert proxied.pages["http://public.test/"].state is State.CRAWLED
    assert proxied.pages["http://public.test/next"].state is State.CRAWLED
    assert "CONNECT public.test:443" in proxied.proxy.asked


def test_a_tunnel_that_is_refused_is_a_failure_with_its_reason(proxied: Proxied) -> None:
    page = proxied.pages["https://public.test/"]
    # Its robots.txt cannot be had either.
    assert page.state in (State.ERROR, State.ROBOTS)
    assert page.error


def test_no_private_address_is_asked_of_it(proxied: Proxied) -> None:
    hosts = {line.split(" ")[1] for line in proxied.proxy.asked}
    assert all("public.test" in host or "away.test" in host for host in hosts), hosts


@pytest.mark.parametrize("seed", SEEDS[2:])
def test_a_private_address_behind_it_is_refused_with_its_reason(
    proxied: Proxied, seed: str
) -> None:
    page = next(page for url, page in proxied.pages.items() if url == seed)
    assert page.state is State.FILTERED
    assert page.error is not None
    assert "FRONTIER_ALLOW_NETWORKS" in page.error


def test_a_redirect_behind_it_leads_nowhere_private(proxied: Proxied) -> None:
    page = proxied.pages["http://169.254.169.254/latest/meta-data/"]
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
