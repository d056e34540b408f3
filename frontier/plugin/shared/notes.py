"""What a fetcher knows of hosts from others, and tells them: robots.txt and politeness.

In the place of the store of an embedded crawl. What is needed comes with the URLs that need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.exchange.fetcher_side import Note
from frontier.exchange.notebook import (
    POLITENESS,
    ROBOTS,
    politeness_note,
    rest_of,
    robots_note,
    robots_row,
)
from frontier.politeness import HostWish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.plugin.shared.link import ExchangeLink
    from frontier.records import RobotsRow

_MOST = 10_000
"""Origins that are remembered; what was forgotten comes along once more."""


class RemoteNotes:
    """The notes that have come, by kind and name."""

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
