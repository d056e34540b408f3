"""What fetchers and the owner of the order note for each other: of hosts, and the topic model.

Notes of hosts (robots.txt, politeness) go between the exchange and the crawl's own file.
The topic model is fitted by the owner of the order, in versions. Examples are fetched by one of the
fetchers, the first that was admitted; the others wait. Each URL of the feed says which version its
page is to be judged by, at least, so that one fetcher with one request at a time judges as an
embedded crawl does.
"""

from __future__ import annotations

import json
import time
import zlib
from typing import TYPE_CHECKING, Any

from frontier.exchange.fetcher_side import Note
from frontier.labels.label_file import LabelFile
from frontier.labels.learning import Refitting, Relearning, fitted_topic, known_topic
from frontier.records import RobotsRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.exchange.owner_side import FetcherRow, OwnerExchange
    from frontier.records import Lease, VisibleText
    from frontier.store import Store
    from ranking.topics import TopicModel

ROBOTS, POLITENESS, TOPIC = "robots", "politeness", "topic"
"""Kinds of notes: by origin, by slot, and one of the topic model."""
EVERY = 20
"""Pages between two checks of the labels that people give."""


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

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version = 0

    def begin_anew(self) -> None:
        """The exchange is another one, whose notes are numbered from the start."""
        self._version = 0

    def fill(self, exchange: OwnerExchange) -> None:
        """Put down what the store knows of hosts that want to be left alone."""
        now = time.time()
        pauses = [row for row in self._store.politeness() if row.delay or (row.until or 0.0) > now]
        exchange.keep(
            politeness_note(row.slot, row.until or 0.0, row.delay or 0.0, row.note or "")
            for row in pauses
        )

    def copy(self, exchange: OwnerExchange) -> None:
        """Take in what is new; written with the next commit."""
        for note, version in exchange.news(self._version):
            self._version = version
            self._take(note)

    def _take(self, note: Note) -> None:
        if note.kind == ROBOTS:
            self._store.save_robots(robots_row(note))
        elif note.kind == POLITENESS:
            self._keep(note.name, rest_of(note), note.about)

    def _keep(self, slot: str, rest: float, pause: dict[str, Any]) -> None:
        if rest or pause["delay"]:
            self._store.set_politeness(slot, time.time() + rest, pause["delay"], pause["note"])
        else:
            self._store.drop_politeness(slot)


class Teaching:
    """Fits the topic model of one crawl, and says which version there is."""

    def __init__(self, config: CrawlConfig, backend: LinkRankBackend) -> None:
        self._config = config
        self._backend = backend
        self._refitting = Refitting(backend, config)
        file = LabelFile(backend.directory)
        self._relearning = Relearning(backend, file, config.identify)
        self._model = known_topic(config, backend)
        self.version = 0 if self._model is None else 1
        self.teacher = ""
        """The fetcher that reads the examples; "" where nobody has to."""
        self._told = 0
        self._pages = 0
        self._look()

    @property
    def is_ready(self) -> bool:
        """Whether pages can be judged, or need not be."""
        return not self._config.focused or self._model is not None

    def choose(self, live: Sequence[FetcherRow]) -> None:
        """Have one of the fetchers read the examples, another one if it is gone."""
        ids = [one.id for one in live]
        if self.is_ready:
            self.teacher = ""
        elif self.teacher not in ids:
            self.teacher = ids[0] if ids else ""

    def learn(self, texts: dict[str, Any]) -> None:
        """Fit the model to texts of examples, unless it is fitted."""
        if not self.is_ready:
            wanted, unwanted = texts.get("wanted", []), texts.get("unwanted", [])
            self._take(fitted_topic(self._config, self._backend, wanted, unwanted))

    def read(self, lease: Lease, text: VisibleText | None) -> None:
        """Take in a page that was fetched; show the model what there is, if it is time to."""
        model = self._model
        if model is not None:
            self.version += self._refitting.fetched(lease, text, model)
            self._pages += 1
            if self._pages % EVERY == 0:
                self._look()

    def _look(self) -> None:
        model = None if self._model is None else self._relearning.renewed(self._config)
        if model is not None:
            self._take(model)

    def _take(self, model: TopicModel) -> None:
        self._model = model
        self.version += 1

    def news(self) -> list[Note]:
        """Return the note of a version that was not told yet, if there is one."""
        return [] if self._told == self.version else self.all()

    def all(self) -> list[Note]:
        """Return the note of the model, if there is one."""
        self._told = self.version
        return [] if self._model is None else [topic_note(self._model, self.version)]


def topic_note(model: TopicModel, version: int) -> Note:
    """Return the note of a version of the topic model."""
    state = zlib.compress(json.dumps(model.state()).encode(), 1)
    return Note(TOPIC, "model", {"version": version}, state)


def topic_state(note: Note) -> Any:
    """Return what `TopicModel.restore` takes."""
    assert note.value is not None
    return json.loads(zlib.decompress(note.value))
