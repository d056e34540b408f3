"""What a fetcher has in the place of parts of the backend that need all pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from frontier.exchange import kinds
from frontier.traps.refusals import EXAMPLE
from frontier.urls.canonical import slot_of
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.plugin.shared.link import ExchangeLink
    from frontier.records import HandedOut


class RemoteRefusals:
    """Counts what is refused here, and tells it; see `frontier.traps.refusals.Refusals`."""

    def __init__(self, link: ExchangeLink) -> None:
        self._link = link
        self.counts: Counter[str] = Counter()
        self._untold: dict[tuple[str, str], tuple[int, str]] = {}

    def note_all(self, reason: str, urls: Iterable[str]) -> None:
        """Count URLs that are refused for one reason."""
        for url in urls:
            self.note(reason, url)

    def note(self, reason: str, url: str) -> None:
        """Count a URL that is refused."""
        self.counts[reason] += 1
        pair = reason, registered_domain(slot_of(url))
        links, example = self._untold.get(pair, (0, url[:EXAMPLE]))
        self._untold[pair] = links + 1, example

    def tell(self) -> None:
        """Tell what was not told yet."""
        if self._untold:
            untold, self._untold = self._untold, {}
            counts = [[*pair, *said] for pair, said in untold.items()]
            self._link.say(kinds.REFUSED, {"counts": counts})


class RemoteDeaths:
    """Tells what is worked on; whoever sees processes die counts their deaths."""

    set_aside = 0

    def __init__(self, link: ExchangeLink) -> None:
        self._link = link
        self.alone: set[int] = set()
        """Numbers of hand-outs that were in flight when processes died, too often."""

    def arrived(self, handed: HandedOut) -> None:
        """Say of what may kill the process, before it is worked on, that it is."""
        if handed.page.handout in self.alone:
            self.alone.discard(handed.page.handout)
            self._link.reads(handed.page.handout)

    def waits(self, handed: HandedOut) -> None:
        """Nothing is to be told of an answer that is only waited for."""

    def stopped(self) -> None:
        """What is in flight is given back."""
