"""What fetchers learn of hosts, shared with all: robots.txt by origin, pauses and delays by slot.

Notes lie in the exchange, where fetchers read them with the URLs that need them, and in the crawl's
own file.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from frontier.exchange.notes import Note
from frontier.politeness import HostPause
from frontier.records import RobotsRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frontier.exchange.owner_side import OwnerExchange
    from frontier.store import Store
    from frontier.store.rows import PolitenessRow

ROBOTS, POLITENESS = "robots", "politeness"
"""Kinds of notes: by origin, by slot."""
_MOST_ORIGINS = 10_000
"""Origins whose robots.txt a fetcher keeps; a forgotten robots.txt comes once more."""


def robots_note(row: RobotsRow) -> Note:
    """Return the note of a robots.txt."""
    data = row._asdict()
    return Note(ROBOTS, data.pop("origin"), data, data.pop("body"))


def robots_row(note: Note) -> RobotsRow:
    """Return the row of a `robots_note`."""
    body = None if note.body is None else bytes(note.body)
    return RobotsRow(origin=note.name, body=body, **note.data)


def politeness_note(slot: str, until: float, delay: float, reason: str) -> Note:
    """Return the note of a host to be left alone `until` Unix seconds, with `delay` seconds."""
    seconds = max(0.0, until - time.time())
    return Note(POLITENESS, slot, {"seconds": seconds, "delay": delay, "note": reason}, None)


def host_pause(note: Note) -> HostPause:
    """Return the pause of a `politeness_note`; its rest is right even where clocks differ."""
    rest = max(0.0, float(note.data["seconds"]) - note.age)
    return HostPause(note.name, rest, float(note.data["delay"]), str(note.data["note"]))


class HostNotesSync:
    """Copies notes from the exchange into the store, and back to an exchange that has none."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version = 0

    def reset(self) -> None:
        """Expect an emptied exchange, whose notes are numbered from the start."""
        self._version = 0

    def publish(self, exchange: OwnerExchange) -> None:
        """Put the hosts of the store that are to be left alone into the exchange."""
        now = time.time()
        exchange.put_notes(
            politeness_note(row.slot, row.until or 0.0, row.delay or 0.0, row.note or "")
            for row in self._store.politeness()
            if row.delay or (row.until or 0.0) > now
        )

    def store_new(self, exchange: OwnerExchange) -> None:
        """Store new notes, with the next commit."""
        for note, version in exchange.notes_after(self._version):
            self._version = version
            if note.kind == ROBOTS:
                self._store.save_robots(robots_row(note))
            elif note.kind == POLITENESS:
                self._store_pause(host_pause(note))

    def _store_pause(self, pause: HostPause) -> None:
        if pause.seconds or pause.delay:
            until = time.time() + pause.seconds
            self._store.set_politeness(pause.slot, until, pause.delay, pause.note)
        else:
            self._store.drop_politeness(pause.slot)


class FetcherHostNotes:
    """The notes that a fetcher has, by kind and name; they take the place of the store's."""

    def __init__(self, put_note: Callable[[Note], None]) -> None:
        """`put_note` shares a note with the other fetchers."""
        self._put_note = put_note
        self._robots: dict[str, RobotsRow | None] = {}

    def unknown(self, origins: Iterable[str]) -> list[str]:
        """Return those of the origins whose robots.txt has not come yet."""
        return sorted(origin for origin in origins if origin not in self._robots)

    def receive(self, notes: Iterable[Note]) -> list[HostPause]:
        """Keep the robots.txt that came; returns the pauses of hosts that came."""
        pauses = []
        for note in notes:
            if note.kind == ROBOTS:
                self._robots[note.name] = robots_row(note)
            elif note.kind == POLITENESS:
                pauses.append(host_pause(note))
        if len(self._robots) > _MOST_ORIGINS:
            self._robots.clear()
        return pauses

    # -- as `frontier.protocol.HostNotes` has it ------------------------------------------------

    def robots(self, origin: str) -> RobotsRow | None:
        """Return what is known of an origin's robots.txt."""
        return self._robots.get(origin)

    def save_robots(self, row: RobotsRow) -> None:
        """Keep what is known of an origin's robots.txt, for other fetchers too."""
        self._robots[row.origin] = row
        self._put_note(robots_note(row))

    def politeness(self) -> list[PolitenessRow]:
        """Return nothing: pauses of hosts come with their URLs."""
        return []

    def set_politeness(self, slot: str, until: float, delay: float, note: str) -> None:
        """Share that a host is to be left alone."""
        self._put_note(politeness_note(slot, until, delay, note))

    def drop_politeness(self, slot: str) -> None:
        """Share that a host may be asked as any other."""
        self._put_note(politeness_note(slot, 0.0, 0.0, ""))
