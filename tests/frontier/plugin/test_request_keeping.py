"""How requests are kept: as objects, in the crawl's file, or sealed for other processes."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector

from frontier.config import CrawlConfig
from frontier.errors import RequestBodyError
from frontier.exchange.bodies import RequestBodies
from frontier.plugin.crawl.leases import TOKEN
from frontier.plugin.crawl.request_codec import RequestCodec
from frontier.records import HandedOut, PageRecord, UrlRecord
from tests.frontier.plugin.test_request_codec import crawler_with
from tests.support.scrapy_runs import run_spider
from tests.support.sites import Answer, links, serving

URL = "http://a.example/x"
SHARED = {"FRONTIER_EXCHANGE": "postgresql://db.example/crawl"}
KEYED = {**SHARED, "FRONTIER_EXCHANGE_KEY": "a secret"}


class Reader(Spider):
    name = "reader"

    def read(self, response: Response) -> None:
        pass


SPIDER = Reader()


class Own:
    pass


class OwnRequest(Request):
    attributes = (*Request.attributes, "more")

    def __init__(self, *args: Any, more: int = 0, **named: Any) -> None:
        super().__init__(*args, **named)
        self.more = more


def codec_with(directory: Path | None = None, **settings: object) -> tuple[RequestCodec, Any]:
    crawler = crawler_with(**settings)
    crawler.stats = MemoryStatsCollector(crawler)
    return RequestCodec(crawler, CrawlConfig(directory=directory)), crawler.stats


def handed(candidate: UrlRecord) -> HandedOut:
    fields = {name: getattr(candidate, name) for name in UrlRecord.__slots__}
    return HandedOut(**fields, page=PageRecord(url_id=0, handout=5))


def kept(codec: RequestCodec, request: Request) -> UrlRecord:
    candidate = codec.encode(request)
    assert codec.attach_body(candidate, request, SPIDER)
    return candidate


@pytest.mark.parametrize("settings", [SHARED, KEYED])
@pytest.mark.parametrize(
    "request_",
    [
        Request(URL, SPIDER.read, meta={"page": [1, {"a": (2.5, None)}]}, cb_kwargs={"k": {3}}),
        Request(URL, method="POST", body=b"\xff", headers={"A": ["b", "c"]}, cookies={"d": "e"}),
        FormRequest(URL, formdata={"a": "b"}, errback=SPIDER.read, flags=["one"]),
        OwnRequest(URL, more=7),
        Request(URL, dont_filter=True),
        Request(f"{URL}#fragment", encoding="latin-1"),
    ],
)
def test_a_request_is_fetched_by_another_process_as_it_was_made(
    request_: Request, settings: dict[str, str]
) -> None:
    candidate = kept(codec_with(**settings)[0], request_)
    assert candidate.unsaved is None
    fetched = codec_with(**settings)[0].decode(handed(candidate), SPIDER)
    assert type(fetched) is type(request_)
    assert fetched.meta.pop(TOKEN) == 5
    assert fetched.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)


@pytest.mark.parametrize("settings", [SHARED, KEYED])
def test_a_plain_request_needs_nothing_but_its_url(settings: dict[str, str]) -> None:
    codec, _ = codec_with(**settings)
    request = Request(URL, meta={"depth": 2})
    candidate = kept(codec, request)
    assert candidate.body is None
    fetched = codec.decode(handed(candidate), SPIDER)
    assert fetched is not request
    assert (fetched.url, fetched.meta) == (URL, {"depth": 2, TOKEN: 5})


def test_objects_of_a_spider_travel_only_with_a_key() -> None:
    request = Request(URL, meta={"own": Own()})
    plain, stats = codec_with(**SHARED)
    assert not plain.attach_body(plain.encode(request), request, SPIDER)
    assert stats.get_value("frontier/unserializable") == 1
    keyed, stats = codec_with(**KEYED)
    fetched = keyed.decode(handed(kept(keyed, request)), SPIDER)
    assert type(fetched.meta["own"]) is Own
    assert stats.get_value("frontier/unserializable") is None


def test_each_kind_of_request_that_cannot_travel_is_logged_once_and_all_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    codec, stats = codec_with(**SHARED)
    for _ in range(5):
        for made in (
            Request(URL, lambda response: None),
            Request(URL, meta={"own": Own()}),
            Request(URL, cb_kwargs={"own": Own()}),
        ):
            assert not codec.attach_body(codec.encode(made), made, SPIDER)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert len(told) == 3
    for one, wanted in zip(told, ("<lambda>", " meta['own']", " cb_kwargs['own']"), strict=True):
        assert wanted in one
    assert all("FRONTIER_EXCHANGE_KEY" in one for one in told[1:])
    assert stats.get_value("frontier/unserializable") == 15


def test_reasons_without_end_are_not_all_logged(caplog: pytest.LogCaptureFixture) -> None:
    codec, _ = codec_with(**SHARED)
    for number in range(100):
        request = Request(URL, meta={f"own{number}": Own()})
        assert not codec.attach_body(codec.encode(request), request, SPIDER)
    assert len(caplog.records) == 20


@pytest.mark.parametrize("path", ["this.Request", "builtins.dict", "subprocess.Popen", ["x"], 7])
def test_without_a_key_no_class_is_imported_or_called_but_those_of_requests(path: object) -> None:
    body = RequestBodies().seal({"url": URL, "_class": path})
    codec, _ = codec_with(**SHARED)
    candidate = codec.encode(Request(URL))
    candidate.body = body
    with pytest.raises(RequestBodyError, match="FRONTIER_EXCHANGE_KEY"):
        codec.decode(handed(candidate), SPIDER)
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    "fields",
    [{}, {"url": 5}, {"url": URL, "callback": "gone"}, {"url": URL, "_class": None}],
)
@pytest.mark.parametrize("settings", [SHARED, KEYED])
def test_fields_that_make_no_request_of_the_spider_are_an_error_of_that_url(
    fields: dict[str, Any], settings: dict[str, str]
) -> None:
    codec, _ = codec_with(**settings)
    candidate = codec.encode(Request(URL))
    candidate.body = RequestBodies(settings.get("FRONTIER_EXCHANGE_KEY", "")).seal(fields)
    with pytest.raises(ValueError):  # noqa: PT011 - the messages are Scrapy's
        codec.decode(handed(candidate), SPIDER)


def test_without_an_exchange_objects_are_kept_as_they_are_or_pickled(tmp_path: Path) -> None:
    request = Request(URL, meta={"own": Own()})
    live, _ = codec_with()
    assert live.decode(handed(kept(live, request)), SPIDER) is request
    stored, _ = codec_with(tmp_path)
    candidate = kept(stored, request)
    assert candidate.unsaved is None
    again = stored.decode(handed(candidate), SPIDER)
    assert (again is request, type(again.meta["own"])) == (False, Own)


DROPPING = """
    import scrapy
    from frontier.exchange.bodies import RequestBodies
    from frontier.plugin.crawl import request_codec
    from frontier.plugin.crawl.request_codec import AcrossProcesses

    request_codec.keeping_of = lambda crawler, _: AcrossProcesses(crawler, RequestBodies())

    class S(scrapy.Spider):
        name = "s"

        async def start(self):
            yield scrapy.Request("@URL@/")
            yield scrapy.Request("@URL@/root", meta={"own": object()})

        def parse(self, response):
            yield scrapy.Request("@URL@/own", meta={"own": object()})
            yield scrapy.Request("@URL@/lambda", lambda response: None)
            yield scrapy.Request("@URL@/plain", self.found, meta={"own": "text"})

        def found(self, response):
            yield {"own": response.meta["own"]}
            if response.meta["own"] == "text":
                yield response.request.replace(meta={"own": "more"}, dont_filter=True)
            else:
                yield scrapy.Request("@URL@/own", self.found, meta={"own": "last"})
"""


def test_a_crawl_goes_on_without_requests_that_cannot_travel(tmp_path: Path) -> None:
    pages: dict[str, Answer] = {path: links() for path in ("/", "/own", "/lambda", "/plain")}
    with serving(pages) as site:
        run = run_spider(tmp_path, DROPPING.replace("@URL@", site.url))
    assert sorted(site.paths) == ["/", "/own", "/plain", "/plain"]
    assert [item["own"] for item in run.items][:2] == ["text", "more"]
    assert run.stats["frontier/unserializable"] == 3
    assert run.log.count("which other processes cannot fetch") == 2
    assert run.stats["frontier/leased"] == run.stats["frontier/queued"] == 0
