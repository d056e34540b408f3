"""robots.txt (RFC 9309) in a crawl: the middleware in the place of Scrapy's.

It sees every request before it leaves: pages, redirect targets, downloads of callbacks. Scrapy's
names hold: `ROBOTSTXT_OBEY`, `ROBOTSTXT_USER_AGENT`, `ROBOTSTXT_PARSER`, the meta key
`dont_obey_robotstxt`, the signal `robots_parsed` and the stats `robotstxt/...`. Beyond Scrapy,
files are kept for as long as they are valid, also over a restart, and Crawl-delay goes to
politeness.

A page whose origin is unknown waits in the downloader for FIRST_WAIT, as long as a robots.txt
usually takes. If the file is later, or the origin cannot be reached, the page is queued again and
its host left alone until there are rules or the next try is due. An origin is given up when it was
tried often enough and no other URL can be requested: its URLs end with the reason, and are queued
again when the crawl is resumed.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.python import to_unicode

from frontier.errors import AddressError, StoreError, described
from frontier.plugin import compat
from frontier.plugin.crawl.gate import NotYet, slot_for
from frontier.plugin.crawl.session import session_of
from frontier.plugin.failures import UNREACHABLE, ForbiddenByRobotsError, UnreachableRobotsError
from frontier.plugin.settings import ALLOW, value
from frontier.plugin.waiting import Waiters
from frontier.robots import (
    Freshness,
    RobotsAnswer,
    RobotsCache,
    RobotsOutcome,
    RobotsRules,
    failed,
    judged,
    origin_of,
    product_token,
    robots_url,
)
from frontier.robots.parser import LIMIT
from frontier.robots.response import astray
from frontier.urls.canonical import slot_of
from frontier.urls.resolve import Resolver

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from frontier.plugin.crawl.in_flight import Flight

logger = logging.getLogger(__name__)

FIRST_WAIT = 2.0
"""Seconds a page waits in the downloader for its robots.txt, which rarely takes longer."""
RETRIES = 2
"""Tries after the first, as of pages, until an origin is given up at the end of a crawl."""
TIMEOUT = 20.0
"""Seconds: all pages of a host wait for its file."""

_LAST_WAIT = 60.0
"""Seconds the end of a crawl waits for a robots.txt; a resumed crawl requests it again."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_META = {
    "dont_obey_robotstxt": True,
    "allow_offsite": True,
    "redirect_ttl": 10,  # RFC 9309 has at least five redirects followed
    # The whole lines of a file that breaks off hold.
    "download_fail_on_dataloss": False,
    # A file of more than 32 times the bytes that are read counts as unreachable.
    "download_maxsize": 32 * LIMIT,
}
_ASKED = "frontier_robots"
"""Key of `meta`, which redirects copy: the URLs requested for the rules of one origin."""
_PRIORITY = 1000
"""Of a request for robots.txt, as in Scrapy: before the pages that wait for it."""
_PARSERS = 100
"""Parsers of a project's own class kept in memory."""


class RfcRobotParser(RobotParser):
    """The frontier's parser, as `ROBOTSTXT_PARSER` names it: RFC 9309 as Google reads it."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether a crawler of that name may fetch a URL."""
        rules = RobotsRules.parse(self._body, product_token(to_unicode(user_agent)))
        return rules.allows(to_unicode(url))


class RobotsMiddleware:
    """Passes allowed requests, refuses forbidden ones, and postpones those without known rules.

    A `lenient` middleware treats an unreachable origin as one without rules.
    """

    def __init__(self, crawler: Crawler, *, lenient: bool) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._session = session_of(crawler)
        self._stats: Any = crawler.stats
        self._own_name = settings["ROBOTSTXT_USER_AGENT"]
        self._user_agent = settings["USER_AGENT"]
        self._parser: Any = load_object(settings["ROBOTSTXT_PARSER"])
        self._parsers = lru_cache(_PARSERS)(self._parsed)
        notes = self._session.frontier.notes
        self.cache = RobotsCache(notes, lenient=lenient, on_rules=self._set_crawl_delay)
        self._meta: dict[str, Any] = dict(_META)
        if not lenient:  # otherwise with timeout and retries of a page, as in Scrapy
            self._meta |= {"dont_retry": True, "download_timeout": TIMEOUT}
        self._asking: dict[str, Waiters] = {}
        self._put_off: dict[str, set[str]] = {}
        """Origin -> slots left alone until its rules are known."""
        self._given_up: set[str] = set()
        self._final: dict[str, Exception] = {}
        """Origin -> why its robots.txt can never be requested."""
        # With back-off, hosts in trouble are left alone and must not take places of others.
        self._aside = (
            settings.getint("CONCURRENT_REQUESTS") != 1
            and self._session.politeness.limits.backoff > 0
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        made = cls(crawler, lenient=value(settings, "FRONTIER_ROBOTS_UNREACHABLE") == ALLOW)
        made._session.hooks.idle.add(made._give_up_exhausted)
        crawler.signals.connect(made._open, signals.spider_opened)
        return made

    async def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | None:
        """Return None for an allowed request, and the request itself if it has to wait.

        Raises ForbiddenByRobotsError and UnreachableRobotsError.
        """
        if _ASKED in request.meta:
            self._ask_once_more(request)
        origin = None if request.meta.get("dont_obey_robotstxt") else origin_of(request.url)
        if origin is None:
            return None
        flight = self._session.in_flight(request)
        wanted = flight is None or not self._session.closing or origin in self._asking
        if wanted and self.cache.freshness(origin) is Freshness.TO_ASK:
            # Only pages can be queued again; other requests wait as long as it takes.
            await self._known(origin, None if flight is None else FIRST_WAIT)
        if self.cache.freshness(origin) is not Freshness.KNOWN:
            return self._without_rules(request, origin, flight)
        self._judge(request, origin)
        return None

    def _ask_once_more(self, request: Request) -> None:
        """Note a URL requested for a robots.txt; raise NotYet for redirects as the crawl closes."""
        asked: list[str] = request.meta[_ASKED]
        if asked and self._session.closing:
            raise NotYet(slot_for(request), 0.0, "the crawl closes")
        asked.append(request.url)

    # -- with rules ------------------------------------------------------------------------------

    def _judge(self, request: Request, origin: str) -> None:
        header = request.headers.get("User-Agent")
        name = self._own_name or (header.decode("latin-1") if header else self._user_agent or "")
        rules = self.cache.rules(origin, product_token(name))
        body = self.cache.known(origin).body
        if self._parser is RfcRobotParser or body is None:
            allowed = rules.allows(request.url)
        else:
            allowed = self._parsers(body).allowed(request.url, name)
        if not allowed:
            logger.debug("Forbidden by robots.txt: %s", request)
            self._stats.inc_value("robotstxt/forbidden")
            raise ForbiddenByRobotsError

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """URLs of the sitemaps in the robots.txt of a page's origin, as far as it is known."""
        origin, name = origin_of(url), self._own_name or self._user_agent or ""
        if origin is None:
            return ()
        named = self.cache.rules(origin, product_token(name)).sitemaps
        return tuple(filter(None, map(Resolver(robots_url(origin), None), named)))

    def _parsed(self, body: bytes) -> Any:
        return build_from_crawler(self._parser, self._crawler, body)

    def _set_crawl_delay(self, origin: str, rules: RobotsRules) -> None:
        self._session.politeness.set_crawl_delay(slot_of(origin), rules.crawl_delay)

    # -- without ---------------------------------------------------------------------------------

    def _without_rules(self, request: Request, origin: str, flight: Flight | None) -> Request:
        """Postpone a page; raise for other requests, and for an origin that was given up."""
        final = self._final.get(origin)
        if final is not None:
            raise final.with_traceback(None)
        if flight is None or origin in self._given_up:
            known = self.cache.known(origin)
            raise UnreachableRobotsError(known.reason, answered=known.answered)
        slot = slot_for(request)
        self._put_off.setdefault(origin, set()).add(slot)
        self._session.politeness.hold(slot, self.cache.rest(origin) or FIRST_WAIT)
        flight.postponed = True
        return request

    def _release(self, origin: str) -> None:
        """Release the pages that wait for an origin."""
        for slot in self._put_off.pop(origin, {slot_of(origin)}):
            self._session.politeness.release(slot)
        compat.wake(self._crawler)

    def _give_up_exhausted(self) -> None:
        """Give up the origins that were tried often enough, as no URL can be requested now."""
        for origin in [origin for origin in self._put_off if origin not in self._asking]:
            tries = self.cache.known(origin).failures
            if tries > RETRIES or self.cache.rest(origin) > _LAST_WAIT:
                self._given_up.add(origin)
                for slot in self._put_off.pop(origin):
                    self._session.politeness.release(slot, to_end=True)
                compat.wake(self._crawler)

    # -- asking ----------------------------------------------------------------------------------

    async def _known(self, origin: str, most: float | None) -> None:
        """Wait for the robots.txt of an origin: `most` seconds at most, None: without limit."""
        is_first = origin not in self._asking
        answered = self._asking.setdefault(origin, Waiters()).wait(most)
        if is_first:
            deferred_from_coro(self._ask(origin))
        await answered

    async def _ask(self, origin: str) -> None:
        self._session.asked_aside += self._aside
        # A failure of the store stops the crawl; waiting requests find that nothing is known.
        with suppress(StoreError):
            await self._note_answer(origin)
        self._session.asked_aside -= self._aside
        self._asking.pop(origin).wake()
        if self.cache.freshness(origin) is Freshness.KNOWN:
            self._release(origin)

    async def _note_answer(self, origin: str) -> None:
        try:
            answer = await self._answer(origin)
        except NotYet as wait:
            self.cache.rest_for(origin, wait.seconds)
            return
        self.cache.note(origin, answer)
        if answer.outcome is not RobotsOutcome.UNREACHABLE:
            self._given_up.discard(origin)
        else:
            logger.info("robots.txt of %s is unreachable: %s", origin, answer.reason)

    async def _answer(self, origin: str) -> RobotsAnswer:
        """Download a file through the project's middlewares, which follow its redirects.

        Redirects lead to other hosts, too (RFC 9309, section 2.3.1.2), but never to an address that
        is not allowed. Raises NotYet.
        """
        asked: list[str] = []
        meta = {**self._meta, _ASKED: asked}
        request = Request(robots_url(origin), NO_CALLBACK, meta=meta, priority=_PRIORITY)
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await compat.download(self._crawler, request)
        except NotYet:
            raise
        except AddressError as fault:  # another try would fail, too
            self._given_up.add(origin)
            if len(asked) == 1:
                self._final[origin] = fault
            return failed(f"{described(fault)} (redirected to {asked[-1]})")
        except (IgnoreRequest, ValueError) as error:  # too many redirects, or to no URL
            return astray(str(error))
        except Exception as error:  # whatever a handler or a middleware of the project raises
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            logger.debug("No response from %s: %r", request, error)
            return failed(described(error))
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        await compat.send_robots_parsed(self._crawler, self._parsed(response.body), request)
        if response.status in _REDIRECTS:
            return astray("a redirect without a target")
        names = ("cache-control", "retry-after")
        values = (b",".join(response.headers.getlist(name)).decode("latin-1") for name in names)
        return judged(response.status, response.body, dict(zip(names, values, strict=True)))

    def _open(self) -> None:
        """Queue the URLs again that ended without a robots.txt at the end of the last run.

        They are requested as plain links; requests of another kind are left out.
        """
        self._session.frontier.requeue_failed(UNREACHABLE)
