"""Reads pages within bounds of time and memory, whatever is in them.

An ordinary page is read from the tree that the spider's callback uses as well, so it is parsed
once. What a parser might stumble over is first reduced to what is read of it (`taming`). What is so
large that even that takes its time is given to another process (`helper`), which can be ended. What
is no text at all, whatever its server says, is refused.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.parsing.charset import decoded
from frontier.parsing.content import plain_page
from frontier.parsing.dispatch import read_markup, stopped_early
from frontier.parsing.html import read_page
from frontier.parsing.sanitize import is_tame
from frontier.parsing.slow_hosts import HostPatience
from frontier.parsing.sniffing import refuse_binary
from frontier.parsing.subprocess_reader import SubprocessReader
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.parsing.content import PageContent

__all__ = ["PageReader", "ReadingLimits"]

_ORDINARY = 524_288
"""Bytes of a page that is read in the crawl's own process: 0.3 s at the worst. Of 10,000 pages of
documentation 50 are larger."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one page may cost."""

    body: int = 16 * 1024 * 1024
    """Bytes, unpacked: four times of what the ready-made crawl downloads. A few kilobytes may
    unpack to gigabytes; what is unpacked by then is read."""
    seconds: float = 2.0
    """For a page above 512 KiB, which has a process of its own; an honest page of 5 MB takes half a
    second."""
    memory: int = 512 * 1024 * 1024
    """Bytes of that process, all in all."""
    links: int = 5_000
    """A page of a million links must not fill the frontier."""
    hosts: int = 500
    """Hosts that a page may link to; the largest link directories name some hundred."""


class PageReader:
    """Reads pages; has a process for the difficult ones from the first of them to `close`."""

    def __init__(self, limits: ReadingLimits) -> None:
        self.limits = limits
        self._helper = SubprocessReader(limits.seconds, limits.memory)
        self._patience = HostPatience(limits.seconds / 2)

    def html(self, body: bytes, charset: str, url: str, tree: Callable[[], Any]) -> PageContent:
        """Read an HTML page.

        `charset` is a codec, `tree` parses `body` into an lxml tree and is called for ordinary
        pages only. Raises PageError, which says why, for what cannot be read.
        """
        refuse_binary(body)
        if len(body) <= _ORDINARY and is_tame(body):
            with suppress(ValueError):  # of Scrapy, for an address in the page that is none
                root = tree()
                if not stopped_early(root):
                    return read_page(root, url, self.limits.links, charset)
        return self.markup(body, charset, url)

    def markup(self, body: bytes, charset: str, url: str) -> PageContent:
        """Read markup of any kind; raises PageError for what cannot be read."""
        refuse_binary(body)
        if len(body) <= _ORDINARY:
            return read_markup(body, charset, url, self.limits.links)
        with self._patience.with_host(slot_of(url)):
            return self._helper.read(body[: self.limits.body], charset, url, self.limits.links)

    def text(self, body: bytes, charset: str) -> PageContent:
        """Read a text without markup; raises PageError for what is none."""
        refuse_binary(body)
        return plain_page(decoded(body[: self.limits.body], charset))

    def close(self) -> None:
        """End the other process, if there is one."""
        self._helper.close()
