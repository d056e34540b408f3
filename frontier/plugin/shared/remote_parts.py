"""What a fetcher has in the place of parts of an embedded crawl that need all pages.

What it refuses it tells; what it must know of hosts, robots.txt and politeness, comes with the URLs
that need it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from frontier.exchange import kinds
from frontier.exchange.fetcher_side import Note
from frontier.exchange.notes import (
    POLITENESS,
    ROBOTS,
    politeness_note,
    rest_of,
    robots_note,
    robots_row,
)
from frontier.politeness import HostWish
from frontier.traps.refusals import EXAMPLE
from frontier.urls.canonical import slot_of
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.plugin.shared.link import ExchangeLink
    from frontier.records import HandedOut, RobotsRow

_MOST = 10_000
"""Origins that are remembered; what was forgotten comes along once more."""


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


class RemoteNotes:
    """The notes on hosts that have come, by kind and name; in the place of the store."""

    link: ExchangeLink

    def __init__(self) -> None:
        self._robots: dict[str, RobotsRow | None] = {}

    def unknown(self, origins: Iterable[str]) -> list[str]:
        """Return those of the origins whose robots.txt has not come yet."""
        return sorted(one for one in origins if one not in self._robots)

    def take(self, notes: Iterable[Note]) -> list[HostWish]:
        """Take in what came; returns what hosts want."""
        wishes = []
        for note in notes:
            if note.kind == ROBOTS:
                self._robots[note.name] = robots_row(note)
            elif note.kind == POLITENESS:
                wishes.append(_wish(note))
        if len(self._robots) > _MOST:
            self._robots.clear()
        return wishes

    def keep(self, kind: str, name: str, about: dict[str, Any]) -> None:
        """Put something down for others."""
        self.link.note(Note(kind, name, about, None))

    # -- in the place of the store -------------------------------------------------------------

    def robots(self, origin: str) -> RobotsRow | None:
        """Return what is known of an origin's robots.txt."""
        return self._robots.get(origin)

    def save_robots(self, row: RobotsRow) -> None:
        """Keep what is known of an origin's robots.txt, for others too."""
        self._robots[row.origin] = row
        self.link.note(robots_note(row))

    def politeness(self) -> list[Any]:
        """Nothing is known before URLs come."""
        return []

    def set_politeness(self, slot: str, until: float, delay: float, note: str) -> None:
        """Keep what a host wants, for others too."""
        self.link.note(politeness_note(slot, until, delay, note))

    def drop_politeness(self, slot: str) -> None:
        """Note that a host wants nothing any more."""
        self.link.note(politeness_note(slot, 0.0, 0.0, ""))


def _wish(note: Note) -> HostWish:
    return HostWish(note.name, rest_of(note), float(note.about["delay"]), str(note.about["note"]))
