"""A crawl that fetched no page says so when it ends, why, and what to change.

Scrapy calls it finished all the same, and its exit code is 0; a project that lists
`FailWithoutPages` in its EXTENSIONS has 1.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING
from urllib.request import getproxies

from scrapy.exceptions import NotConfigured

from frontier.formatting import clean
from frontier.plugin.extensions.extension import Extension
from frontier.plugin.settings.table import value
from frontier.plugin.startup_errors import fail_at_end
from frontier.states import State
from frontier.urls.addresses import networks_of
from ranking.errors import LinkRankError
from ranking.printing import hide_passwords

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

logger = logging.getLogger(__name__)

REASONS = 5
"""Reasons that are listed; the most frequent come first."""
STOPPED = "shutdown"
"""Scrapy's reason of a crawl that somebody stopped: who did so need not be told."""
_ALLOW = "FRONTIER_ALLOW_NETWORKS"
_REFUSED = re.compile(rf"(\S+) is [^;]*; {_ALLOW} ")


def nothing_fetched(errors: Iterable[tuple[str, int]], settings: BaseSettings) -> list[str]:
    """Why no page was fetched, by reason and number of URLs, and a line to paste where one helps.

    errors: at least the most frequent ones.
    """
    listed = list(errors)
    lines = ["Nothing was fetched: no URL that was asked for gave a page."]
    lines += [f"  {count:,} x {clean(reason, 300)}" for reason, count in listed[:REASONS]]
    refused = [host for reason, _ in listed for host in _REFUSED.findall(reason)]
    if networks := networks_of(refused):
        allowed = dict.fromkeys([*value(settings, _ALLOW), *map(str, networks)])
        lines += [
            "Such addresses are not connected to unless settings.py allows their networks:",
            f"{_ALLOW} = {list(allowed)}",
        ]
    elif (proxies := getproxies()) and settings.getbool("HTTPPROXY_ENABLED"):
        shown = ", ".join(f"{name}_proxy={address}" for name, address in proxies.items())
        lines.append(f"Requests went through a proxy: {hide_passwords(shown)}")
    return lines


class NothingFetched(Extension):
    """Scrapy extension: warns at the end of a crawl of which no page was fetched, in any run."""

    _lines: tuple[str, ...] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if value(crawler.settings, "FRONTIER_EXCHANGE"):
            raise NotConfigured  # others may have fetched what this process did not
        return super().from_crawler(crawler)

    def spider_opened(self) -> None:
        """Ask to be called before the store closes."""
        self.session.before_close.append(self._look)

    def _look(self) -> None:
        figures = self.session.figures
        if figures.count(State.CRAWLED) or not figures.known:
            return
        backend = self.session.backend
        try:
            backend.commit()
            errors = backend.store.error_counts().items()
        except LinkRankError as error:
            logger.debug("It is not known why nothing was fetched: %s", error)
            return
        self._lines = tuple(nothing_fetched(errors, self._crawler.settings))

    def spider_closed(self, reason: str) -> None:
        """Warn, and end as the project wants it."""
        if self._lines and reason != STOPPED:
            self._end()

    def _end(self) -> None:
        logger.warning("\n".join(self._lines))


class FailWithoutPages(NothingFetched):
    """Scrapy extension: makes Scrapy's exit code 1 after such a crawl."""

    def _end(self) -> None:
        fail_at_end(self._crawler)
