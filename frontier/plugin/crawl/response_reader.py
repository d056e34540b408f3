"""From a response to what its page says, by the reader that keeps its bounds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from frontier.parsing.content import NOTHING
from frontier.parsing.reader import PageReader, ReadingLimits
from frontier.parsing.slow_hosts import of_few_hosts
from frontier.plugin.crawl.headers import in_charset

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.http import Response

    from frontier.parsing.content import PageContent

__all__ = ["MANY_HOSTS", "ResponseReader"]

_ASCII = {"ascii", "utf-8", "cp1252"}
"""Charsets in which plain bytes are the same text."""
MANY_HOSTS = "too many hosts on a page"
"""Why a link is refused that leads to one more host than `ReadingLimits.hosts`."""


def _ignore(reason: str, url: str) -> None:
    """Refuse in silence: nobody is told where no crawl keeps count."""


class ResponseReader:
    """Reads responses within bounds; what callbacks get is as it was."""

    def __init__(
        self, refuse: Callable[[str, str], None] = _ignore, limits: ReadingLimits | None = None
    ) -> None:
        """`refuse` is called with a reason and the URL of each link that is left out for it."""
        self.limits = limits or ReadingLimits()
        self._reader = PageReader(self.limits)
        self._refuse = refuse

    def read(self, response: Response) -> PageContent:
        """Read a response; raises PageError for a text that is none or costs too much."""
        is_long = len(response.body) > self.limits.body
        beginning = response
        if is_long:
            beginning = response.replace(body=response.body[: self.limits.body])
        written = in_charset(beginning)
        if not isinstance(written, TextResponse):
            return NOTHING
        content = self._read(written, _parsed_once(beginning, written))
        if is_long:
            content = replace(content, truncated=True)
        if len(content.links) <= self.limits.hosts:
            return content
        refuse = partial(self._refuse, MANY_HOSTS)
        return replace(content, links=of_few_hosts(content.links, self.limits.hosts, refuse))

    def close(self) -> None:
        """End what was started for reading."""
        self._reader.close()

    def _read(self, response: TextResponse, parsed: TextResponse) -> PageContent:
        body, charset, url = response.body, response.encoding, response.url
        if isinstance(response, HtmlResponse):

            def tree() -> Any:
                return parsed.selector.root

            return self._reader.html(body, charset, url, tree)
        if isinstance(response, XmlResponse):
            # What is a page in it is read as one; an XML parser would stop at its first mistake.
            return self._reader.markup(body, charset, url)
        return self._reader.text(body, charset)


def _parsed_once(given: Response, written: TextResponse) -> TextResponse:
    """The response whose tree is read: the callback's own, where that is read as it is written."""
    if type(given) is not type(written):
        return written
    same = given.encoding == written.encoding or (
        {given.encoding, written.encoding} <= _ASCII and given.body.isascii()
    )
    return given if same else written
