"""robots.txt (RFC 9309) in a crawl: the middleware in the place of Scrapy's, and what waits for it.

The middleware sees every request before it leaves: pages, redirect targets, what callbacks download
by themselves. Scrapy's names hold: `ROBOTSTXT_OBEY`, `ROBOTSTXT_USER_AGENT`, the meta key
`dont_obey_robotstxt` and the stats `robotstxt/...`.

A page whose origin is unknown waits a moment in the downloader, as long as a robots.txt usually
takes. If that is not enough, or the origin could not be reached, it is parked: it keeps nobody from
anything, and is queued again as soon as there are rules. An origin that has parked URLs is asked
again after each rest. Once nothing else is left to crawl and it was tried often enough, it is given
up: its URLs end, with the reason, and are taken up again when the crawl is resumed.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredSemaphore

from frontier.errors import StoreError, described
from frontier.plugin import compat
from frontier.plugin.crawl.gate import NotYet
from frontier.plugin.crawl.session import session_of
from frontier.plugin.downloadermiddlewares.robots_fetcher import FINAL, RobotsFetcher
from frontier.plugin.failures import (
    UNREACHABLE,
    ClosingError,
    ForbiddenByRobotsError,
    UnreachableRobotsError,
    failure_of,
)
from frontier.plugin.own_downloads import is_own
from frontier.plugin.settings import ALLOW, value
from frontier.robots import Freshness, RobotsCache, RobotsOutcome, RobotsRules, failed, origin_of
from frontier.robots.parser import product_token
from frontier.states import State
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

PATIENCE = 2.0
"""Seconds that a page waits in the downloader for its robots.txt, which rarely takes longer."""
RETRIES = 2
"""Tries after the first, as of pages, until an origin is given up at the end of a crawl."""
_AT_ONCE = 16
"""Origins asked once more at the same time, where the project allows any number of requests."""
_FIRST_TRIES = 8
"""Times as many are asked for the first time: one that waits in vain costs a socket, and nobody's
place, but the next one may answer at once."""

_TRIES_OF_NAMES = 1
"""Times that a name without an address is looked up again: a page may make up hundreds of names."""
_NO_ADDRESS = ("DNSLookupError", "CannotResolveHostError")
"""How Scrapy calls that, the latter since 2.15."""
_LAST_WAIT = 60.0
"""Seconds that the end of a crawl waits for one robots.txt: it is asked for again on resumption."""


class RobotsKeeper:
    """Knows the rules of origins, asks for those that are not known, and parks what waits."""

    def __init__(self, crawler: Crawler, fetcher: RobotsFetcher, book: RobotsCache) -> None:
        self._crawler = crawler
        self._session = session_of(crawler)
        self._parked_urls = self._session.parked_urls
        self._fetcher = fetcher
        self.book = book
        book.on_rules = self._heed
        self._asking: dict[str, list[Deferred[None]]] = {}
        self._timers: dict[str, Any] = {}
        self._given_up: set[str] = set()
        self._final: dict[str, Exception] = {}
        self._needed: set[str] = set()
        places = crawler.settings.getint("CONCURRENT_REQUESTS") or _AT_ONCE
        self._first = DeferredSemaphore(_FIRST_TRIES * places)
        self._again = DeferredSemaphore(places)
        self._under_way = 0
        if places > 1 and self._session.politeness.limits.backoff:
            # Where hosts in trouble are left alone, they keep no places from others either.
            self._parked_urls.asked = lambda: self._under_way
        self._parked_urls.is_awaited = lambda origin: (
            origin in self._asking or origin in self._timers
        )
        self._parked_urls.when_idle = self._give_up_exhausted
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)

    async def known(self, origin: str, *, to_the_end: bool) -> None:
        """Return when the origin has rules, or is known to have none to be had now.

        Once the crawl closes, it is asked only for whoever waits `to_the_end`.
        """
        if to_the_end:
            self._needed.add(origin)
        if self.book.freshness(origin) is Freshness.TO_ASK:
            await maybe_deferred_to_future(self._answer_of(origin))

    async def known_soon(self, origin: str) -> bool:
        """Wait like `known`, but not for long; whether the origin has rules, or never will."""
        if self.book.freshness(origin) is Freshness.TO_ASK:
            answer = self._answer_of(origin)
            expired: list[bool] = []

            def expire() -> None:
                expired.append(True)
                if not answer.called:
                    answer.callback(None)

            timer = compat.call_later(PATIENCE, expire)
            await maybe_deferred_to_future(answer)
            if not expired:
                timer.cancel()
        return self.is_known(origin) or self.is_lost(origin)

    def is_known(self, origin: str) -> bool:
        """Whether an origin has rules."""
        return self.book.freshness(origin) is Freshness.KNOWN

    def is_lost(self, origin: str) -> bool:
        """Whether URLs of an origin without rules are not waited for any more."""
        if self.book.freshness(origin) is not Freshness.RESTS:
            return False
        return origin in self._given_up or origin in self._final

    def refusal(self, origin: str) -> Exception:
        """Why the URLs of an origin without rules cannot be fetched."""
        final = self._final.get(origin)
        if final is not None:
            return final.with_traceback(None)
        known = self.book.known(origin)
        return UnreachableRobotsError(known.reason, answered=known.answered)

    def _answer_of(self, origin: str) -> Deferred[None]:
        """Fires when the origin has been asked; asks it unless somebody does already."""
        answer: Deferred[None] = Deferred()
        waiting = self._asking.get(origin)
        if waiting is not None:
            waiting.append(answer)
            return answer
        self._asking[origin] = [answer]
        deferred_from_coro(self._ask(origin))
        return answer

    async def _ask(self, origin: str) -> None:
        # A failure of the store stops the crawl; whoever waits finds that nothing is known.
        with suppress(StoreError, ClosingError):
            await self._ask_in_turn(origin)
        self._needed.discard(origin)
        for answer in self._asking.pop(origin):
            if not answer.called:  # it was waited for long enough
                answer.callback(None)
        with suppress(StoreError):
            self._go_on(origin)

    async def _ask_in_turn(self, origin: str) -> None:
        places = self._again if self.book.known(origin).failures else self._first
        await maybe_deferred_to_future(places.acquire())
        self._under_way += 1
        try:
            if not self._is_exhausted(origin):
                await self._note_answer(origin)
        except (StoreError, ClosingError):
            raise
        except Exception:
            # Whoever waits must not do so for ever.
            logger.exception("robots.txt of %s could not be requested", origin)
            self.book.note(origin, failed("an error of the crawler's own"))
        finally:
            self._under_way -= 1
            places.release()

    async def _note_answer(self, origin: str) -> None:
        self._final.pop(origin, None)
        try:
            answer = await self._fetcher.ask(origin, lambda: origin in self._needed)
        except NotYet as wait:
            self.book.rest_for(origin, wait.seconds)
        except FINAL as fault:
            self._final[origin] = fault
            self.book.note(origin, failed(described(fault)))
        else:
            self.book.note(origin, answer)
            if answer.outcome is not RobotsOutcome.UNREACHABLE:
                self._given_up.discard(origin)
            else:
                logger.info("robots.txt of %s is unreachable: %s", origin, answer.reason)

    def _go_on(self, origin: str) -> None:
        """Queue what waits for an origin, or ask again after its rest."""
        if self._session.closing:
            return
        if self._is_exhausted(origin):
            self._give_up(origin)
        elif self.book.freshness(origin) is not Freshness.RESTS or self.is_lost(origin):
            self._parked_urls.release(origin)
            compat.wake(self._crawler)
        elif origin in self._parked_urls:
            self.ask_later(origin)

    def ask_later(self, origin: str) -> None:
        """Ask an origin again after its rest, for the sake of its parked URLs."""
        idle = origin not in self._timers and origin not in self._asking
        if idle and not self._session.closing:
            rest = self.book.rest(origin)
            self._timers[origin] = compat.call_later(rest, lambda: self._ask_again(origin))

    def _ask_again(self, origin: str) -> None:
        del self._timers[origin]
        if origin not in self._parked_urls or self._session.closing:
            return
        if self.book.freshness(origin) is Freshness.RESTS:
            self.ask_later(origin)
        else:
            self._answer_of(origin)

    def _is_exhausted(self, origin: str) -> bool:
        """Whether an origin was tried often enough, and all else that there was to do is done."""
        known, most = self.book.known(origin), RETRIES
        if known.reason.startswith(_NO_ADDRESS):
            most = min(most, _TRIES_OF_NAMES)
        tried = known.failures > most or self.book.rest(origin) > _LAST_WAIT
        if not tried or origin not in self._parked_urls or self.book.has_file(origin):
            return False
        return bool(self._session.backend.finished())

    def _give_up_exhausted(self) -> None:
        for origin in self._parked_urls.origins:
            if origin not in self._asking and self._is_exhausted(origin):
                self._give_up(origin)

    def _give_up(self, origin: str) -> None:
        """End the URLs of an origin, as soon as they are handed out if that is to be soon."""
        self._given_up.add(origin)
        if self._session.politeness.wait(slot_of(origin)) > _LAST_WAIT:
            self._parked_urls.end(origin, *failure_of(self.refusal(origin)))
        self._parked_urls.release(origin)
        compat.wake(self._crawler)

    def _heed(self, origin: str, rules: RobotsRules) -> None:
        self._session.politeness.set_crawl_delay(slot_of(origin), rules.crawl_delay)

    def _open(self) -> None:
        """Try once more what could not be reached when the crawl ended the last time."""
        backend = self._session.backend
        if backend.resumed:
            lost = backend.store.robots_origins(RobotsOutcome.UNREACHABLE.value)
            self._take_up({slot_of(origin) for origin in lost})

    def _take_up(self, slots: Collection[str]) -> None:
        """Queue the URLs of these slots that ended for want of a robots.txt.

        They are asked for as plain links, so those are left out that were another kind of request.
        """
        backend, ledger = self._session.backend, self._session.backend.ledger
        hosts = [number for number, name in enumerate(ledger.host_names) if name in slots]
        ended = np.isin(ledger.state.array, [State.ROBOTS, State.ERROR])
        taken = []
        for url_id in np.flatnonzero(ended & np.isin(ledger.host.array, hosts)).tolist():
            row = backend.store.page_row(url_id)
            plain = self._session.codec.fingerprint_of(backend.url(url_id))
            is_plain = plain == ledger.fingerprint.array[url_id]
            if is_plain and row is not None and (row.error or "").startswith(UNREACHABLE):
                ledger.take_up(url_id)
                taken.append(url_id)
        if taken:
            backend.queue_again(taken)

    def _close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()


class RobotsMiddleware:
    """Lets through what may be fetched, refuses what may not, and parks what nobody knows yet."""

    def __init__(self, crawler: Crawler, keeper: RobotsKeeper) -> None:
        settings = crawler.settings
        self._session = session_of(crawler)
        self._keeper = keeper
        self._stats = crawler.stats
        self._own_name = settings["ROBOTSTXT_USER_AGENT"]
        self._user_agent = settings["USER_AGENT"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        lenient = value(settings, "FRONTIER_ROBOTS_UNREACHABLE") == ALLOW
        book = RobotsCache(session_of(crawler).frontier.notes, lenient=lenient)
        fetcher = RobotsFetcher(crawler, as_pages=lenient)
        return cls(crawler, RobotsKeeper(crawler, fetcher, book))

    async def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | None:
        """Return None for what may be fetched, and the request itself where it has to wait.

        Raises ForbiddenByRobotsError and UnreachableRobotsError.
        """
        origin = None if request.meta.get("dont_obey_robotstxt") else origin_of(request.url)
        if origin is None:
            return None
        lease = self._session.in_flight(request)
        if lease is None:
            # Nothing can take it back: it waits as long as it takes.
            await self._keeper.known(origin, to_the_end=not is_own(request))
        elif not await self._keeper.known_soon(origin):
            self._session.parked_urls.bind(lease, origin)
            self._keeper.ask_later(origin)
            return request
        self._judge(request, origin)
        return None

    def _judge(self, request: Request, origin: str) -> None:
        if not self._keeper.is_known(origin):
            raise self._keeper.refusal(origin)
        if not self._keeper.book.rules(origin, self._token(request)).allows(request.url):
            logger.debug("Forbidden by robots.txt: %s", request)
            if self._stats is not None:
                self._stats.inc_value("robotstxt/forbidden")
            raise ForbiddenByRobotsError

    def _token(self, request: Request) -> str:
        if self._own_name:
            return product_token(self._own_name)
        header = request.headers.get("User-Agent")
        return product_token(header.decode("latin-1") if header else self._user_agent or "")
