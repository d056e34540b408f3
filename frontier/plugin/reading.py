"""From a response to what its page says, by the reader that keeps its bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from frontier.parsing.charset import decoded
from frontier.parsing.content import NOTHING
from frontier.parsing.reader import PageReader
from frontier.parsing.taming import is_tame, stalls_parser, tamed
from frontier.plugin.compat import give_selector
from frontier.plugin.settings_reading import limits_from
from frontier.urls import slot_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.parsing.content import Link, PageContent

__all__ = ["MANY_HOSTS", "ResponseReader"]

MANY_HOSTS = "too many hosts on a page"
"""Why a link is refused that leads to one more host than FRONTIER_MAX_HOSTS."""


def _ignore(reason: str, url: str) -> None:
    """Refuse in silence: nobody is told where no crawl keeps count."""


class ResponseReader:
    """Reads responses within the bounds of the settings."""

    def __init__(
        self, settings: BaseSettings, refuse: Callable[[str, str], None] = _ignore
    ) -> None:
        """`refuse` is told a reason and the URL of each link that is left out for it.

        Raises SettingsError for a bound that is out of its range.
        """
        self.limits = limits_from(settings)
        self._reader = PageReader(self.limits)
        self._refuse = refuse

    def read(self, response: Response) -> PageContent:
        """Read a response; raises PageError for a text that is none or costs too much."""
        if not isinstance(response, TextResponse):
            return NOTHING
        content = self._read(response)
        if len(content.links) <= self.limits.hosts:
            return content
        return replace(content, links=self._of_few_hosts(content.links))

    def close(self) -> None:
        """End what was started for reading."""
        self._reader.close()

    def _read(self, response: TextResponse) -> PageContent:
        body, charset, url = response.body, response.encoding, response.url
        if isinstance(response, HtmlResponse):
            if not is_tame(body):
                _spare_callbacks(response)

            def tree() -> Any:
                return response.selector.root

            return self._reader.html(body, charset, url, tree)
        if isinstance(response, XmlResponse):
            # What is a page in it is read as one; an XML parser would stop at its first mistake.
            return self._reader.markup(body, charset, url)
        return self._reader.text(body, charset)

    def _of_few_hosts(self, links: list[Link]) -> list[Link]:
        hosts: set[str] = set()
        kept = []
        for link in links:
            host = slot_of(link.url)
            if host in hosts or len(hosts) < self.limits.hosts:
                hosts.add(host)
                kept.append(link)
            else:
                self._refuse(MANY_HOSTS, link.url)
        return kept


def _spare_callbacks(response: HtmlResponse) -> None:
    """Let a callback's selector be parsed from what is left of a page that stalls a parser."""
    markup = decoded(response.body, response.encoding).replace("\0", "")
    if stalls_parser(markup):
        left = tamed(markup)[0].encode("utf-8", "replace")
        give_selector(response, response.replace(body=left, encoding="utf-8"))
