"""What requests become for the frontier, and how they are kept: live, stored or sealed."""

from __future__ import annotations

import logging
import sys
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import Response
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.request import RequestFingerprinter

from frontier.config import CrawlConfig
from frontier.errors import RequestBodyError
from frontier.exchange.bodies import seal
from frontier.plugin.crawl.in_flight import TOKEN
from frontier.plugin.crawl.request_codec import RequestCodec
from frontier.records import Lease, UrlRecord
from frontier.urls.canonical import canonical_url, fingerprint
from frontier.urls.rules import BY_W3LIB
from tests.support.crawlers import crawler_with
from tests.support.scrapy_runs import run_spider
from tests.support.sites import Answer, links, serving

URLS = [
    "http://a.example/x?b=1&a=2",
    "https://B.example:443/y//z?utm_source=c",
    f"http://a.example/{'z' * 600}",
    "http://[::1]/",
]


class Counting(RequestFingerprinter):
    """Knows each request anew."""

    numbers = count()

    def fingerprint(self, request: object) -> bytes:
        return next(self.numbers).to_bytes(20, "big")


def test_a_link_that_is_met_again_is_what_it_was() -> None:
    config = CrawlConfig()
    codec = RequestCodec(crawler_with(), config)
    for depth, url in enumerate(URLS * 2):
        link = codec.encode_link(url, depth)
        canonical = canonical_url(url)
        assert link.url == url
        assert link.canonical == canonical
        assert link.fingerprint == fingerprint(canonical, config.fingerprint_key)
        assert link.depth == depth
    slots = [codec.encode_link(url, 1).slot for url in URLS]
    assert slots == ["a.example", "b.example", "a.example", "::1"]


def test_names_and_passwords_are_no_part_of_a_link() -> None:
    codec = RequestCodec(crawler_with(), CrawlConfig())
    plain, named = (codec.encode_link(f"http://{who}a.example/", 1) for who in ("", "me:x@"))
    assert asdict(named) == asdict(plain)


def test_links_are_known_by_the_rules_that_hold_now() -> None:
    codec = RequestCodec(crawler_with(), CrawlConfig())
    before = codec.encode_link(URLS[1], 1)
    codec.url_rules = BY_W3LIB
    after = codec.encode_link(URLS[1], 1)
    assert after.canonical == canonical_url(URLS[1], BY_W3LIB)
    assert after.canonical != before.canonical


def test_a_fingerprinter_of_a_project_is_asked_each_time() -> None:
    crawler = crawler_with(REQUEST_FINGERPRINTER_CLASS=Counting)
    codec = RequestCodec(crawler, CrawlConfig())
    numbers = {codec.encode_link(URLS[0], 1).fingerprint for _ in range(3)}
    assert len(numbers) == 3


def test_a_request_is_asked_for_and_a_link_is_not() -> None:
    codec = RequestCodec(crawler_with(), CrawlConfig())
    assert codec.encode(Request(URLS[0])).asked
    assert not codec.encode_link(URLS[0], 1).asked


# -- how requests are kept: as objects, in the crawl's file, or for other processes --


KEPT_URL = "http://a.example/x"
SHARED = {"FRONTIER_EXCHANGE": "postgresql://db.example/crawl"}


class Reader(Spider):
    name = "reader"

    def read(self, response: Response) -> None:
        pass


READER = Reader()


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


def lease(candidate: UrlRecord) -> Lease:
    fields = {name: getattr(candidate, name) for name in UrlRecord.__slots__}
    return Lease(**fields, number=5)


def kept(codec: RequestCodec, request: Request) -> UrlRecord:
    candidate = codec.encode(request)
    assert codec.attach_body(candidate, request, READER)
    return candidate


@pytest.mark.parametrize(
    "request_",
    [
        Request(
            KEPT_URL, READER.read, meta={"page": [1, {"a": (2.5, None)}]}, cb_kwargs={"k": {3}}
        ),
        Request(
            KEPT_URL, method="POST", body=b"\xff", headers={"A": ["b", "c"]}, cookies={"d": "e"}
        ),
        FormRequest(KEPT_URL, formdata={"a": "b"}, errback=READER.read, flags=["one"]),
        OwnRequest(KEPT_URL, more=7),
        Request(KEPT_URL, dont_filter=True),
        Request(f"{KEPT_URL}#fragment", encoding="latin-1"),
    ],
)
def test_a_request_is_fetched_by_another_process_as_it_was_made(request_: Request) -> None:
    candidate = kept(codec_with(**SHARED)[0], request_)
    assert candidate.unsaved is None
    fetched = codec_with(**SHARED)[0].decode(lease(candidate), READER)
    assert type(fetched) is type(request_)
    assert fetched.meta.pop(TOKEN) == 5
    assert fetched.to_dict(spider=READER) == request_.to_dict(spider=READER)


def test_a_plain_request_needs_nothing_but_its_url() -> None:
    codec, _ = codec_with(**SHARED)
    request = Request(KEPT_URL, meta={"depth": 2})
    candidate = kept(codec, request)
    assert candidate.body is None
    fetched = codec.decode(lease(candidate), READER)
    assert fetched is not request
    assert (fetched.url, fetched.meta) == (KEPT_URL, {"depth": 2, TOKEN: 5})


def test_of_requests_that_cannot_travel_the_first_is_logged_and_all_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    codec, stats = codec_with(**SHARED)
    for made in (
        Request(KEPT_URL, meta={"own": Own()}),
        Request(KEPT_URL, lambda response: None),
        Request(KEPT_URL, cb_kwargs={"own": Own()}),
    ):
        assert not codec.attach_body(codec.encode(made), made, READER)
    (told,) = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert "meta['own']" in told
    assert "plain values" in told
    assert stats.get_value("frontier/unserializable") == 3


@pytest.mark.parametrize("path", ["this.Request", "builtins.dict", "subprocess.Popen", ["x"], 7])
def test_no_class_is_imported_or_called_but_those_of_requests(path: object) -> None:
    body = seal({"url": KEPT_URL, "_class": path})
    codec, _ = codec_with(**SHARED)
    candidate = codec.encode(Request(KEPT_URL))
    candidate.body = body
    with pytest.raises(RequestBodyError, match="Import it where the spider is"):
        codec.decode(lease(candidate), READER)
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    "fields",
    [{}, {"url": 5}, {"url": KEPT_URL, "callback": "gone"}, {"url": KEPT_URL, "_class": None}],
)
def test_fields_that_make_no_request_of_the_spider_are_an_error_of_that_url(
    fields: dict[str, Any],
) -> None:
    codec, _ = codec_with(**SHARED)
    candidate = codec.encode(Request(KEPT_URL))
    candidate.body = seal(fields)
    with pytest.raises(ValueError):  # noqa: PT011 - the messages are Scrapy's
        codec.decode(lease(candidate), READER)


def test_without_an_exchange_objects_are_kept_as_they_are_or_pickled(tmp_path: Path) -> None:
    request = Request(KEPT_URL, meta={"own": Own()})
    live, _ = codec_with()
    assert live.decode(lease(kept(live, request)), READER) is request
    stored, _ = codec_with(tmp_path)
    candidate = kept(stored, request)
    assert candidate.unsaved is None
    again = stored.decode(lease(candidate), READER)
    assert (again is request, type(again.meta["own"])) == (False, Own)


DROPPING = """
    import scrapy
    from frontier.plugin.crawl import request_codec
    from frontier.plugin.crawl.request_codec import AcrossProcesses

    request_codec.keeping_of = lambda crawler, _: AcrossProcesses(crawler)

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
    assert run.log.count("which other processes cannot fetch") == 1
    assert run.stats["frontier/leased"] == run.stats["frontier/queued"] == 0
