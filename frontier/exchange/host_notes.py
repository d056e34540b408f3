"""What fetchers learn of hosts, shared with all: robots.txt by origin, pauses and delays by slot.

Notes lie in the exchange, where fetchers read them with the URLs that need them, and in the crawl's
own file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.exchange.notes import Note
from frontier.records import HostPause, RobotsRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frontier.exchange.owner_side import OwnerExchange
    from frontier.store import Store

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


def pause_note(pause: HostPause) -> Note:
    """Return the note of the pause of a host."""
    data = pause._asdict()
    return Note(POLITENESS, data.pop("slot"), data, None)


def host_pause(note: Note) -> HostPause:
    """Return the pause of a `pause_note`; its rest is right even where clocks differ."""
    seconds = max(0.0, float(note.data["seconds"]) - note.age)
    return HostPause(note.name, seconds, float(note.data["delay"]), str(note.data["note"]))


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
        exchange.put_notes(map(pause_note, self._store.pauses()))

    def store_new(self, exchange: OwnerExchange) -> None:
        """Store new notes, with the next commit."""
        for note, version in exchange.notes_after(self._version):
            self._version = version
            if note.kind == ROBOTS:
                self._store.save_robots(robots_row(note))
            elif note.kind == POLITENESS:
                self._store.keep_pause(host_pause(note))


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

    def pauses(self) -> list[HostPause]:
        """Return nothing: pauses of hosts come with their URLs."""
        return []

    def renderings(self) -> list[tuple[int, str, str]]:
        """Return nothing: a fetcher learns anew which pages need a browser."""
        return []

    def keep_pause(self, pause: HostPause) -> None:
        """Share the pause of a host."""
        self._put_note(pause_note(pause))
