"""What fetchers note of hosts, on its way between the exchange and the crawl's own file."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from frontier.exchange.fetcher_side import Note
from frontier.records import RobotsRow

if TYPE_CHECKING:
    from frontier.exchange.owner_side import OwnerExchange
    from frontier.exchange.partitions import Partitions
    from frontier.store import Store

ROBOTS, POLITENESS, ADDRESS, TOPIC = "robots", "politeness", "address", "topic"
"""Kinds of notes: by origin, by slot, by registered domain, and one of the topic model."""


def robots_note(row: RobotsRow) -> Note:
    """Return the note of a robots.txt."""
    about = row._asdict()
    return Note(ROBOTS, about.pop("origin"), about, about.pop("body"))


def robots_row(note: Note) -> RobotsRow:
    """Return what `robots_note` took down."""
    body = None if note.value is None else bytes(note.value)
    return RobotsRow(origin=note.name, body=body, **note.about)


def politeness_note(slot: str, until: float, delay: float, note: str) -> Note:
    """Return the note of what a host wants: rest `until` unix seconds, `delay` seconds."""
    seconds = max(0.0, until - time.time())
    return Note(POLITENESS, slot, {"seconds": seconds, "delay": delay, "note": note}, None)


def rest_of(note: Note) -> float:
    """Seconds that a host still wants to be left alone, whoever's clock is wrong."""
    return max(0.0, float(note.about["seconds"]) - note.age)


class Notebook:
    """Copies notes into the store, and those of the store to an exchange that has none."""

    def __init__(self, store: Store, partitions: Partitions) -> None:
        self._store = store
        self._partitions = partitions
        self._version = 0

    def begin_anew(self) -> None:
        """The exchange is another one, whose notes are numbered from the start."""
        self._version = 0

    def fill(self, exchange: OwnerExchange) -> None:
        """Put down what the store knows of hosts that want to be left alone."""
        now = time.time()
        wishes = [row for row in self._store.politeness() if row.delay or (row.until or 0.0) > now]
        exchange.keep(
            politeness_note(row.slot, row.until or 0.0, row.delay or 0.0, row.note or "")
            for row in wishes
        )

    def copy(self, exchange: OwnerExchange) -> None:
        """Take in what is new; written with the next commit."""
        for note, version in exchange.news(self._version):
            self._version = version
            self._take(note)

    def _take(self, note: Note) -> None:
        if note.kind == ROBOTS:
            self._store.save_robots(robots_row(note))
        elif note.kind == ADDRESS:
            self._partitions.found_at(note.name, str(note.about["address"]))
        elif note.kind == POLITENESS:
            self._keep(note.name, rest_of(note), note.about)

    def _keep(self, slot: str, rest: float, wish: dict[str, Any]) -> None:
        if rest or wish["delay"]:
            self._store.set_politeness(slot, time.time() + rest, wish["delay"], wish["note"])
        else:
            self._store.drop_politeness(slot)
