"""Scrapy's own order in a replay: its scheduler, queues and duplicate filter, as released.

Requests are enqueued as a crawl with Scrapy's default settings enqueues them: seeds first, as start
requests, then the links of each page in page order; redirects and retries with the priorities that
Scrapy's middlewares give them. What its queues ask of a downloader, how many requests each host has
under way, they are told. Scrapy takes the next request from its queues as soon as a response is
there, before the callback has read it: links of a page are enqueued one hand-out later here, too.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.settings import Settings
from scrapy.statscollectors import DummyStatsCollector
from scrapy.utils.misc import build_from_crawler, load_object

from frontier.lab.replay.interface import Handout, ReplayFrontier
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.lab.replay.webfile import RecordedAnswer, WebFile

ROW = "scrapy"
WORDS = "Scrapy's own scheduler with its default settings: last in, first out"
_NUMBER = "lab number"


class _Slots(dict[str, SimpleNamespace]):
    """The part of a downloader that Scrapy's queues look at: requests of a host under way."""

    @property
    def slots(self) -> _Slots:
        return self

    def __missing__(self, host: str) -> SimpleNamespace:
        self[host] = slot = SimpleNamespace(active=set())
        return slot

    def get_slot_key(self, request: Request) -> str:
        return slot_of(request.url)


class ScrapyFrontier(ReplayFrontier):
    """Scrapy's scheduler behind the interface of the lab; nothing in it is drawn by chance."""

    def __init__(self, web: WebFile, random_seed: int = 0) -> None:
        self._web = web
        self._settings = Settings()
        self._downloader = _Slots()
        crawler: Any = SimpleNamespace(settings=self._settings)
        crawler.stats = DummyStatsCollector(crawler)
        crawler.engine = SimpleNamespace(downloader=self._downloader)
        fingerprinter = load_object(self._settings["REQUEST_FINGERPRINTER_CLASS"])
        crawler.request_fingerprinter = build_from_crawler(fingerprinter, crawler)
        self._scheduler = Scheduler.from_crawler(crawler)
        spider: Any = Spider("lab")
        spider.crawler = crawler
        self._scheduler.open(spider)
        self._unread: list[int] = []
        """Links of the pages that were fetched, in page order."""

    def seed(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            request = self._request(number)
            # As a spider's start() yields them.
            request.dont_filter = True
            request.meta["is_start_request"] = True
            self._scheduler.enqueue_request(request)

    def next(self) -> Handout | None:
        request = self._scheduler.next_request()
        links, self._unread = self._unread, []
        for link in map(self._request, links):
            self._scheduler.enqueue_request(link)
        if request is None:
            request = self._scheduler.next_request()
        if request is None:
            return None
        self._downloader[slot_of(request.url)].active.add(request)
        return Handout(request.meta[_NUMBER], request)

    def page(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        self._done(handout)
        self._unread += answer.links.tolist()

    def redirect(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        request = self._done(handout)
        target = self._request(answer.location)
        target.priority = request.priority + self._settings.getint("REDIRECT_PRIORITY_ADJUST")
        target.dont_filter = request.dont_filter
        self._scheduler.enqueue_request(target)

    def fail(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        self._done(handout)

    def refuse(self, handout: Handout, at: float) -> None:
        self._done(handout)

    def retry(self, handout: Handout) -> None:
        request = self._done(handout)
        priority = request.priority + self._settings.getint("RETRY_PRIORITY_ADJUST")
        self._scheduler.enqueue_request(request.replace(dont_filter=True, priority=priority))

    def close(self) -> None:
        self._scheduler.close("finished")

    def _done(self, handout: Handout) -> Request:
        request: Request = handout.token
        self._downloader[slot_of(request.url)].active.discard(request)
        return request

    def _request(self, number: int) -> Request:
        return Request(self._web.urls[number], meta={_NUMBER: number})
