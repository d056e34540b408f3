"""Responses are read in their charset, once, and reach callbacks as plain Scrapy gives them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import version_info
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from frontier.errors import PageError
from frontier.parsing.reader import ReadingLimits
from frontier.plugin.crawl.page_reader import MANY_HOSTS, ResponseReader
from frontier.store import Store, schema
from tests.support.alike import CASES, alike_web
from tests.support.scrapy_runs import ADDONS, Run, run_spider
from tests.support.sites import Asked, Page, links, serving

URL = "http://site.example/"


def html(body: bytes, kind: str = "text/html") -> HtmlResponse:
    return HtmlResponse(URL, headers={"Content-Type": kind}, body=body)


def test_codec_of_python_that_is_none_of_texts_is_no_obstacle() -> None:
    page = ResponseReader().read(html("größe".encode(), "text/html; charset=rot13"))
    assert page.text == "größe"


def test_text_is_the_one_that_scrapy_gives_the_callback() -> None:
    response = html("größe".encode(), "text/html; charset=iso-8859-1")
    assert ResponseReader().read(response).text == response.text


def test_page_is_parsed_once_for_reader_and_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    response = html(b"<a href=/x>x</a>")
    ResponseReader().read(response)
    monkeypatch.setattr("parsel.selector.create_root_node", None)
    assert response.css("a::attr(href)").get() == "/x"


def test_callback_gets_the_attributes_that_are_not_read() -> None:
    many = b" ".join(b"a%d=1" % i for i in range(11_000))
    response = html(b"<p " + many + b"><a href=/x>x</a>")
    assert [link.url for link in ResponseReader().read(response).links] == [URL + "x"]
    assert len(response.css("p").attrib) == 11_000


def test_of_a_page_beyond_the_bound_the_beginning_is_read() -> None:
    body = b"<a href=/x>x</a>" + b"word " * 1000 + b"<a href=/y>y</a>"
    response = html(body)
    content = ResponseReader(limits=ReadingLimits(body=1000)).read(response)
    assert [one.url for one in content.links] == [f"{URL}x"]
    assert content.truncated
    assert response.body == body


def test_callback_sees_all_of_a_page_whose_attribute_is_a_long_text() -> None:
    state = b"{&quot;text&quot;: &quot;" + b"many words = " * 20_000 + b"&quot;}"
    response = html(b'<div class=app data-page="' + state + b'"></div><a class=x href=/x>x</a>')
    ResponseReader().read(response)
    assert len(response.css(".app").attrib["data-page"]) > 200_000
    assert response.css("a").attrib == {"class": "x", "href": "/x"}


def test_page_in_xml_is_read_as_a_page() -> None:
    body = b"<?xml version='1.0'?><html><body><p>word</p><a href='/x'>x</a></body></html>"
    page = ResponseReader().read(XmlResponse(URL, body=body))
    assert (page.text, [one.url for one in page.links]) == ("word x", [URL + "x"])


def test_links_to_more_hosts_than_are_followed_are_refused_by_name() -> None:
    refused: list[tuple[str, str]] = []
    reader = ResponseReader(lambda *one: refused.append(one), ReadingLimits(hosts=2))
    links = "".join(f"<a href=http://h{i % 4}.example/{i}>x</a>" for i in range(8))
    found = reader.read(html(links.encode()))
    assert {one.url[:17] for one in found.links} == {"http://h0.example", "http://h1.example"}
    assert len(found.links) == 4
    assert refused == [(MANY_HOSTS, f"http://h{i % 4}.example/{i}") for i in (2, 3, 6, 7)]


def test_what_is_no_text_is_told_from_a_text_that_is_none() -> None:
    reader = ResponseReader()
    assert reader.read(Response(URL, body=gzip.compress(b"x"))).links == []
    with pytest.raises(PageError, match="not text"):
        reader.read(html(b"\x01\x02" * 99))


@pytest.mark.parametrize("kind", [Response, XmlResponse])
def test_packed_sitemap_is_read_within_the_bounds_of_pages(kind: type[Response]) -> None:
    entry = b"<url><loc>%b%d</loc><lastmod>2021-01-01</lastmod></url>"
    entries = b"".join(entry % (URL.encode(), number) for number in range(200))
    body = b"\xef\xbb\xbf<?xml version='1.0'?><urlset>" + entries + b"</urlset>"
    response = kind(URL + "sitemap.xml.gz", body=gzip.compress(body))
    packed = response.body
    content = ResponseReader().read(response)
    assert [one.url for one in content.links] == [f"{URL}{number}" for number in range(200)]
    assert {one.modified for one in content.links} == {1_609_459_200.0}
    assert not content.truncated
    beginning = ResponseReader(limits=ReadingLimits(body=1000)).read(response)
    assert beginning.truncated
    assert 0 < len(beginning.links) < 20
    assert response.body == packed


def test_packed_sitemap_of_zeros_and_other_files_are_read_no_further_than_needed() -> None:
    zeros = b"<urlset><url><loc>/x</loc></url>" + bytes(50_000_000)
    content = ResponseReader().read(Response(URL, body=gzip.compress(zeros)))
    assert content.truncated
    assert [one.url for one in content.links] == [f"{URL}x"]
    for body in (gzip.compress(b"x <urlset>"), gzip.compress(b"<urlset>")[:12], b"\x1f\x8b"):
        assert ResponseReader().read(Response(URL, body=body)).links == []


def test_text_comes_block_by_block_to_who_asks_for_it() -> None:
    for response, blocks in (
        (html(b"<p>one<p>two three"), ("one", "two three")),
        (XmlResponse(URL, body=b"<p>one</p><p>two</p>"), ("one", "two")),
        (TextResponse(URL, body=b"one\n two  three"), ("one", "two three")),
    ):
        assert ResponseReader(blocks=True).read(response).blocks == blocks
        assert ResponseReader().read(response).blocks == ()


# -- what a callback and an errback get is what plain Scrapy gives them, case by case --


MORE = [
    *("tls", "tls_without_a_body", "http_for_tls", "proxied", "tunnelled", "tunnel_refused"),
    *("refused", "unknown_name"),
]
SETTINGS = (
    "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8",
    "RETRY_TIMES=0",
)
Outcome = tuple[dict[str, Any], list[str]]


def _outcomes(run: Run, asked: dict[str, list[str]]) -> dict[str, Outcome]:
    assert run.returncode == 0
    return {item["case"]: (item, asked.get(item["case"], [])) for item in run.items}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    folder = tmp_path_factory.mktemp("alike")
    with alike_web(folder) as web:
        plain = run_spider(folder, web.code(), *SETTINGS, addons="ADDONS={}", concurrency=64)
        without = _outcomes(plain, web.asked())
        run = run_spider(folder, web.code(), *SETTINGS, addons=ADDONS, concurrency=64)
        yield without, _outcomes(run, web.asked())


@pytest.mark.parametrize("case", [*CASES, *MORE])
def test_a_callback_gets_what_scrapy_gives_it(both: tuple[Any, Any], case: str) -> None:
    if version_info < (2, 14) and not any(case in run for run in both):
        pytest.skip("this Scrapy ignores what an errback yields")
    (plain, asked), (ours, asked_by_us) = both[0][case], both[1][case]
    assert asked_by_us == asked
    ours, plain = dict(ours), dict(plain)
    assert plain.pop("error", ["none"])[0] in ours.pop("error", ["none"])
    for one in (plain, ours):  # what an error says may be said better
        one.pop("says", None)
    assert ours == plain


# -- bounds are for pages that the frontier reads; what others download is left to Scrapy --


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


SITEMAPS = """
    from scrapy.spiders import SitemapSpider

    class Sitemaps(SitemapSpider):
        name = "sitemaps"
        sitemap_urls = ["@URL@/map.xml.gz"]

        def parse(self, response):
            yield {"path": response.url.replace("@URL@", "")}
"""


def test_the_dates_in_a_sitemap_of_somebodys_spider_are_known_to_a_crawl_that_refreshes(
    tmp_path: Path,
) -> None:
    def sitemap(asked: Asked) -> Page:
        entry = f"<url><loc>{asked.site}/a</loc><lastmod>2021-01-01</lastmod></url>"
        body = gzip.compress(f"<urlset>{entry}</urlset>".encode())
        return 200, {"Content-Type": "application/gzip"}, body

    with serving({"/map.xml.gz": sitemap, "/a": "<p>a"}) as site:
        code = SITEMAPS.replace("@URL@", site.url)
        settings = ("FRONTIER_REFRESH=auto", "CLOSESPIDER_PAGECOUNT=2", "JOBDIR=job")
        run = run_spider(tmp_path, code, "FRONTIER_STRATEGY=bfs", *settings)
    assert (run.returncode, run.items) == (0, [{"path": "/a"}])
    with Store.open(tmp_path / "job") as store:
        dated = store.settings()[schema.DATED]
        assert [store.urls_in(range(one, one + 1)) for one in dated] == [[f"{site.url}/map.xml.gz"]]


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
