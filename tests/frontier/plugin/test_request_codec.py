from __future__ import annotations

from dataclasses import asdict
from itertools import count

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.request import RequestFingerprinter

from frontier.config import CrawlConfig
from frontier.plugin.crawl.request_codec import RequestCodec
from frontier.urls.canonical import canonical_url, fingerprint
from frontier.urls.rules import BY_W3LIB

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


def crawler_with(**settings: object) -> Crawler:
    """A crawler that is not going to crawl, so that it needs no reactor."""
    crawler = Crawler(Spider, Settings(settings))
    cls = load_object(crawler.settings["REQUEST_FINGERPRINTER_CLASS"])
    crawler.request_fingerprinter = build_from_crawler(cls, crawler)
    return crawler


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
