"""Sitemaps that robots.txt names, as a further source of URLs (sitemaps.org protocol 0.9).

Each origin's are read once in a run, as soon as its robots.txt is known. What they list enters the
frontier as what nobody has linked to: no seed, so that the random surfer does not jump there, and
of no more priority than that. Only URLs of the domain that was registered for the origin count, for
nobody may speak for another's. robots.txt, politeness, budgets and filters of the project hold for
sitemaps and for what they list.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from frontier.plugin import compat
from frontier.plugin.crawl.headers import CUT_FLAGS
from frontier.plugin.extensions.extension import Extension
from frontier.plugin.failures import ClosingError
from frontier.robots import origin_of
from frontier.robots.sitemaps import Sitemap, read_sitemap
from frontier.urls.canonical import canonical_url, slot_of
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.crawler import Crawler

    from frontier.robots import Rules

logger = logging.getLogger(__name__)

MOST_BYTES = 10 * 1024 * 1024
"""Of one file, unpacked: it takes about a second to read. The protocol allows five times as much,
which would hold a crawl up for longer than any page may."""
DEEPEST = 3
"""Indexes of indexes; the protocol knows no such thing, but some sites do."""
_META = {"download_maxsize": MOST_BYTES, "download_fail_on_dataloss": False}
"""What came of a file that breaks off is read; one that is larger is not."""
_AT_ONCE = 50
"""URLs that enter before others have their turn: some milliseconds."""


class Sitemaps(Extension):
    """Scrapy extension: reads sitemaps into the frontier, where FRONTIER_SITEMAPS is on."""

    switch = "FRONTIER_SITEMAPS"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._stats: Any = crawler.stats
        self._most_files = crawler.settings.getint("FRONTIER_SITEMAPS_FILES")
        self._most_urls = crawler.settings.getint("FRONTIER_SITEMAPS_URLS")
        self._seen: set[str] = set()

    def spider_opened(self) -> None:
        """Ask to be told of every robots.txt."""
        self.session.parked_urls.rules_known.append(self.found)

    def found(self, origin: str, rules: Rules) -> None:
        """Read the sitemaps of an origin, unless that was done."""
        if rules.sitemaps and origin not in self._seen and not self.session.closing:
            self._seen.add(origin)
            deferred_from_coro(self._read(origin, rules.sitemaps))

    async def _read(self, origin: str, named: Sequence[str]) -> None:
        try:
            with suppress(ClosingError):
                await self._read_all(origin, named)
        except Exception:
            logger.exception("The sitemaps of %s could not be read to their end", origin)

    async def _read_all(self, origin: str, named: Sequence[str]) -> None:
        waiting = deque((url, 1) for url in self._own(origin, named))
        known = {canonical_url(url) for url, _ in waiting}
        files = entered = 0
        while waiting and files < self._most_files and entered < self._most_urls:
            url, depth = waiting.popleft()
            files += 1
            sitemap = await self._download(url, self._most_urls - entered)
            entered += await self._enter(list(self._own(origin, sitemap.pages)))
            further = self._own(origin, sitemap.sitemaps) if depth < DEEPEST else ()
            for other in further:
                if canonical_url(other) not in known and len(known) < self._most_files:
                    known.add(canonical_url(other))
                    waiting.append((other, depth + 1))

    async def _download(self, url: str, most_urls: int) -> Sitemap:
        """What a sitemap lists; nothing where there is none to be had."""
        self._stats.inc_value("frontier/sitemaps/files")
        try:
            request = Request(url, NO_CALLBACK, meta=dict(_META))
            response = await self.session.own_downloads.get(request)
        except ClosingError:
            raise
        except Exception as error:  # whatever a handler or a middleware of the project raises
            logger.info("Sitemap %s cannot be read: %r", url, error)
            return Sitemap()
        if response.status != 200:
            logger.info("Sitemap %s cannot be read: status %d", url, response.status)
            return Sitemap()
        sitemap = read_sitemap(
            response.body,
            MOST_BYTES,
            most_urls,
            url=response.url,
            content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
            cut=next((CUT_FLAGS[flag] for flag in response.flags if flag in CUT_FLAGS), ""),
        )
        if sitemap.skipped:
            self._stats.inc_value("frontier/sitemaps/skipped", sitemap.skipped)
        if sitemap.problems:
            logger.warning(
                "Sitemap %s: %s. %d URLs of it are used",
                *(url, "; ".join(sitemap.problems), len(sitemap.pages) + len(sitemap.sitemaps)),
            )
        return sitemap

    async def _enter(self, urls: list[str]) -> int:
        for start in range(0, len(urls), _AT_ONCE):
            if self.session.closing:
                raise ClosingError
            for url in urls[start : start + _AT_ONCE]:
                self._crawler.engine.crawl(Request(url))
            await _next_turn()
        self._stats.inc_value("frontier/sitemaps/urls", len(urls))
        return len(urls)

    def _own(self, origin: str, urls: Sequence[str]) -> Iterator[str]:
        """Those of the URLs that the origin may speak for."""
        domain = registered_domain(slot_of(origin))
        for written in urls:
            try:
                url = urljoin(origin + "/", written)
            except ValueError:
                continue
            if origin_of(url) is not None and registered_domain(slot_of(url)) == domain:
                yield url


async def _next_turn() -> None:
    turn: Deferred[None] = Deferred()
    compat.call_later(0, lambda: turn.callback(None))
    await maybe_deferred_to_future(turn)
