"""One crawl inside Scrapy: where scheduler, middleware and downloader meet.

Each of the three sees a request at other moments, and only the session sees all of them. A request
leaves as a *lease* and comes back in exactly one of these ways:

* a response that went through the spider: `close_page`;
* another request made by a downloader middleware, a retry (same URL) or a redirect: `enqueue`;
* a final failure: `fetched` sees the exception;
* another request that never reached the scheduler again (offsite, a signal handler): `_lost`.

Invariant: a lease is in `flights` until it came back, and the frontier gets one answer for it. A
crash leaves it in the store, from where it is queued again.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response

from frontier.plugin import compat
from frontier.plugin.crawl.embedded import EmbeddedFrontier, example_texts
from frontier.plugin.crawl.gate import HostGate, failures_of, politeness_from
from frontier.plugin.crawl.hooks import Hooks
from frontier.plugin.crawl.in_flight import (
    MOVED,
    RETURNS,
    TOKEN,
    Flight,
    Flights,
    hops,
    is_unmodified,
    leads_nowhere,
    redirect_page,
    revisit_status,
    unread,
)
from frontier.plugin.crawl.leaving import EngineWakeup, NextUrl, OrderWait
from frontier.plugin.crawl.open_page import OpenPage
from frontier.plugin.crawl.pipelines import PagesInPipelines
from frontier.plugin.crawl.request_codec import RequestCodec, RequestFilter
from frontier.plugin.crawl.seed_buffer import SeedBuffer
from frontier.plugin.crawl.spider_pages import SpiderPages
from frontier.plugin.failures import begin_closing, fail_at_end, failure_of, refusal_of, refuse
from frontier.plugin.settings import config_from, value
from frontier.queue.eligibility import RETRY_HOLD
from frontier.records import Page
from frontier.states import Change, State
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from frontier.protocol import Frontier
    from frontier.records import Lease, UrlRecord

logger = logging.getLogger(__name__)

MOST_GIVEN_UP = 20
"""URLs of dead hosts that one call removes from the queue: some milliseconds."""

_sessions: WeakKeyDictionary[Crawler, CrawlSession] = WeakKeyDictionary()


def session_of(crawler: Crawler) -> CrawlSession:
    """Return the one session of a crawler, made on first use.

    That is while Scrapy builds its engine: a crawl that may not start (LinkRankError) is refused
    before there is anything to shut down.
    """
    session = _sessions.get(crawler)
    if session is None:
        if (refused := refusal_of(crawler)) is not None:
            raise refused  # each caller gets the same error
        try:
            session = _sessions[crawler] = CrawlSession(crawler)
        except LinkRankError as error:
            refuse(crawler, error)
            raise
    return session


def page_of(response: Response, crawler: Crawler) -> OpenPage | None:
    """Return the open page of a response in a callback; None if the frontier did not lease it."""
    session = _sessions.get(crawler)
    return None if session is None else session.pages.of(response)


class CrawlSession:
    """Connects Scrapy's components with the frontier: every lease gets one answer."""

    spider: Spider

    def __init__(self, crawler: Crawler) -> None:
        """Open the frontier: a new crawl, or the stored one where it stopped."""
        self.crawler = crawler
        self.config = config_from(crawler.settings)
        self.codec = RequestCodec(crawler, self.config)
        self.frontier = self._frontier()
        self.figures = self.frontier.figures
        self.seeds = SeedBuffer(self.frontier, self.codec)
        self.filter = RequestFilter(crawler, self.seeds.knows, self.frontier.again)
        notes = self.frontier.notes
        self.politeness = politeness_from(crawler, notes, self.frontier.asked_by_others)
        self.gate = HostGate(
            self.politeness,
            failures=failures_of(crawler.settings),
            owns=self.frontier.owns,
        )
        self.pages_in_pipelines = PagesInPipelines(crawler, self.frontier)
        self.asked_aside = 0
        """Downloads that do not count as in flight: robots.txt of hosts that may be in trouble."""
        self.hooks = Hooks()
        self.closing = False
        """Whether the spider closes: no new request leaves."""
        self.order_wait = OrderWait.from_crawler(crawler, self.frontier.rerank_overdue)
        self.wakeup = EngineWakeup(crawler)
        self.flights = Flights(self.order_wait)
        self.pages = SpiderPages(
            crawler, self.config, self.codec, self.frontier, self.flights, self._stored
        )

    def _frontier(self) -> Frontier:
        """Return the frontier of this process, or the frontier that several processes share."""
        if not value(self.crawler.settings, "FRONTIER_EXCHANGE"):
            return EmbeddedFrontier(self.crawler, self.config, self.codec)
        from frontier.plugin.shared import SharedFrontier  # most crawls have no exchange

        return SharedFrontier(self.crawler, self.config, self.codec, example_texts)

    # -- life -----------------------------------------------------------------------------------

    def open(self, spider: Spider) -> None:
        """Take the spider, and begin."""
        self.spider = spider
        self._next_url = NextUrl(self.frontier, self.politeness, self.wakeup, self.config)
        compat.when_closing(self.crawler, self._begin_closing)
        self.pages_in_pipelines.open()
        self.frontier.open(self.politeness)

    def _begin_closing(self) -> None:
        """Ask for nothing new; what is in flight ends as it does in Scrapy."""
        if not self.closing:
            self.closing = True
            self.frontier.begin_closing()
            self.wakeup.cancel()
            begin_closing(self.crawler)

    def close(self, reason: str, text: str) -> None:
        """Write everything down, also why it ends, and let go of the store."""
        self.wakeup.cancel()
        self.pages_in_pipelines.close()
        self.pages.texts.close()
        try:
            self.seeds.flush()
            self.hooks.closing()
        finally:
            self.frontier.close(reason, text)

    # -- in -------------------------------------------------------------------------------------

    def enqueue(self, request: Request) -> bool:
        """Take a request from the engine; False if it is a duplicate."""
        if "@" in request.url:
            request = self.codec.without_login(request)
        flight = self.flights.of(request)
        if flight is not None:
            self.seeds.flush()
            flight.forget_slot(request)
            if flight.reentering:
                return self._reenter(flight, request)
        # Spiders copy meta from the response: only a middleware's request keeps the token.
        copied = request.meta.pop(TOKEN, None) is not None
        if self.pages.following is not None:
            self.seeds.flush()
            return self._enqueue_link(self.pages.following, request)
        start = bool(request.meta.get("is_start_request")) and not copied
        try:
            return self._enqueue_seed(request, seed=start)
        except Exception:  # of a strategy of the project
            if start:  # Scrapy ends the crawl, and says nothing of it by its exit code
                fail_at_end(self.crawler)
            raise

    def _enqueue_seed(self, request: Request, *, seed: bool) -> bool:
        candidate = self.codec.encode(request)
        candidate.seed = seed
        if self.filter.drops(request, candidate, cut=self.frontier.resumed):
            return False
        return self.seeds.add(candidate, request, self.spider)

    def _enqueue_link(self, page: OpenPage, request: Request) -> bool:
        candidate = self.codec.encode(request)
        if self.filter.drops(request, candidate, cut=page.flight.lease.interrupted):
            return False
        new = (
            candidate.again
            or self.frontier.leaves_open
            or not (
                candidate.fingerprint in page.targets or self.frontier.knows(candidate.fingerprint)
            )
        )
        if new and not self.codec.attach_body(candidate, request, self.spider):
            return False
        page.add_request(candidate, str(request.meta.get("link_text") or ""))
        return new

    def _reenter(self, flight: Flight, request: Request) -> bool:
        if flight.postponed:
            self.flights.end(flight)
            self.frontier.retry(flight.lease, flight.lease, hold=0)
            return True
        returns = bool(request.meta.pop(RETURNS, False))
        candidate = self.codec.encode(request)
        if flight.lease.revisit and candidate.fingerprint != flight.lease.fingerprint:
            request.meta[MOVED] = True
        if not self.codec.attach_body(candidate, request, self.spider):
            return False  # and `_lost` settles the lease
        if candidate.fingerprint != flight.lease.fingerprint:
            return self._redirect(flight, candidate, request, returns=returns)
        self.flights.end(flight)
        if hops(request) > hops(flight.request):
            if leads_nowhere(flight.request, request) and not returns:
                status = revisit_status(flight, request)
                self._fail(flight.lease, State.FILTERED, "redirect loop", status)
                return False
            self.frontier.retry(flight.lease, candidate, hold=0)
        else:
            # RetryMiddleware lowers the priority below everything else that is queued, for good;
            # the frontier holds the URL back for a while instead.
            self.figures.retries += 1
            candidate.priority_class = flight.request.priority
            self.frontier.retry(flight.lease, candidate, hold=RETRY_HOLD)
        return True

    def _redirect(
        self, flight: Flight, target: UrlRecord, request: Request, *, returns: bool
    ) -> bool:
        if returns:
            target.again = True
        elif self.filter.drops(request, target, cut=flight.lease.interrupted):
            return False  # and `_lost` settles the lease
        new = target.again or not self.frontier.knows(target.fingerprint)
        self.flights.end(flight)
        self.frontier.redirected(flight.lease, redirect_page(flight, request), target)
        return new

    # -- out ------------------------------------------------------------------------------------

    def next_request(self) -> Request | None:
        """Lease the best request whose host may be asked now, or None."""
        self.seeds.flush()
        wait = self.order_wait.seconds()
        if wait is not None:
            self.wakeup.set(wait)
            return None
        if self.politeness.leased >= min(self.frontier.most_in_flight, self.hooks.most_in_flight):
            return None
        if not self.frontier.pending():
            return None  # without asking each part of the frontier for it
        for turn in range(MOST_GIVEN_UP + 1):
            # The last turn is for a URL that can be fetched, however many cannot are better.
            few_hosts = self.frontier.few_hosts
            lease = self._next_url.take(few_hosts, dead_leave=turn < MOST_GIVEN_UP)
            if lease is None:
                if not self.politeness.leased:
                    self.hooks.idle()
                self.wakeup.set(self.frontier.seconds_to_revisit())
                return None
            request = self._request_of(lease)
            if request is not None:
                return request
        self.wakeup.set(0)
        return None

    def _request_of(self, lease: Lease) -> Request | None:
        verdict = self.politeness.given_up(lease.slot)
        if verdict is not None:
            self._fail(lease, State.ERROR, verdict)
            return None
        try:
            request = self.codec.decode(lease, self.spider)
        except ValueError as reason:
            logger.error("Cannot deserialize the stored request for %s: %s", lease.url, reason)
            self._fail(lease, State.ERROR, f"request not restored: {reason}")
            return None
        flight = self.flights.start(lease, request)
        self.politeness.lease(flight.slot)
        self.figures.leases += 1
        return request

    def has_pending(self) -> bool:
        """Whether anything waits for its turn."""
        self.seeds.flush()
        return bool(self.frontier.pending())

    # -- answers --------------------------------------------------------------------------------

    def fetched(self, request: Request, result: object) -> None:
        """See what the downloader made of a request: a response, a request or a failure."""
        flight = self.flights.unanswered(request)
        if flight is None:
            return
        self.seeds.flush()
        flight.in_flight = False
        self.politeness.take_back(flight.slot, downloaded=flight.downloaded)
        if isinstance(result, Request):
            flight.reentering, flight.sent_to = True, result
            compat.call_later(0, lambda: self._lost(flight))
        elif isinstance(result, Response):
            if is_unmodified(flight, result):
                result.request = unread(flight.request)
            other = self.flights.answer(flight, result)
            if other is not None:
                self.flights.end(flight)
                reason = f"same response object as {other.request.url}"
                self._fail(flight.lease, State.FILTERED, reason)
        else:
            if flight.request.errback is not None:
                self.pages_in_pipelines.hold(flight)
            self.flights.end(flight)
            answered = flight.lease.revisit and isinstance(result, compat.CANCELLED)
            self._fail(flight.lease, *failure_of(result), 200 if answered else None)

    def _lost(self, flight: Flight) -> None:
        if flight in self.flights:
            self.flights.end(flight)
            status = revisit_status(flight, flight.sent_to)
            reason = "replaced by a middleware, then dropped"
            self._fail(flight.lease, State.FILTERED, reason, status)
            compat.wake(self.crawler)

    def _fail(self, lease: Lease, state: State, error: str, status: int | None = None) -> None:
        page = Page(state=state, fetched=time.time(), status=status, error=error)
        self.frontier.failed(lease, page)

    def close_page(self, page: OpenPage, *, items: bool = False) -> None:
        """Bring a page and its links to the frontier; `items`: items of the page are to follow."""
        if self.pages.remove(page):
            self.seeds.flush()
            if items:
                self.pages_in_pipelines.hold(page.flight)
            self.pages.close(page)

    def _stored(self, page: OpenPage) -> None:
        """Close the crawl if it has found enough; a notice does not count as its page."""
        if page.change is Change.NOTICE:
            return
        self.hooks.page_stored(page)
        if self.figures.enough is not None and not self.closing:
            reason, text = self.figures.enough
            logger.info("%s", text)
            compat.close_spider(self.crawler, reason)
