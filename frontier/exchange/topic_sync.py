"""The topic model of a shared crawl: fitted by its coordinator, and published in versions.

The first fetcher that was admitted fetches the examples; the others wait. Each URL of the feed
names the oldest version that may judge its page, so that one fetcher with one request at a time
judges as an embedded crawl does.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from frontier.exchange.notes import Note
from frontier.labels.label_file import LabelFile
from frontier.labels.learning import Refitting, Relearning, fitted_topic, known_topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.exchange.owner_side import FetcherRow
    from frontier.records import Lease, Page
    from frontier.verdict import Verdict
    from ranking.topics import TopicModel

TOPIC = "topic"
"""Kind of the one note that holds the topic model."""
EVERY = 20
"""Pages between two checks of the labels that people give."""


class TopicSync:
    """Fits the topic model of one crawl and counts its versions."""

    def __init__(self, config: CrawlConfig, backend: LinkRankBackend) -> None:
        self._config = config
        self._backend = backend
        self._refitting = Refitting(backend, config)
        self._relearning = Relearning(backend, LabelFile(backend.directory), config.identify)
        self._model = known_topic(config, backend)
        self.version = 0 if self._model is None else 1
        self.example_reader = ""
        """Id of the fetcher that reads the examples; "" where they are not needed."""
        self._published_version = 0
        self._pages = 0
        self._check_labels()

    @property
    def is_ready(self) -> bool:
        """Whether pages can be judged, or need not be."""
        return not self._config.focused or self._model is not None

    def choose_reader(self, live: Sequence[FetcherRow]) -> None:
        """Have a fetcher read the examples, another if it is gone."""
        ids = [fetcher.id for fetcher in live]
        if self.is_ready:
            self.example_reader = ""
        elif self.example_reader not in ids:
            self.example_reader = ids[0] if ids else ""

    def fit(self, texts: dict[str, Any]) -> None:
        """Fit the model to texts of examples, unless it is fitted."""
        if not self.is_ready:
            wanted, unwanted = texts.get("wanted", []), texts.get("unwanted", [])
            self._set(fitted_topic(self._config, self._backend, wanted, unwanted))

    def on_page(self, lease: Lease, page: Page, verdict: Verdict) -> None:
        """Learn from a fetched page, and from new labels when it is time to."""
        if self._model is not None:
            self.version += self._refitting.fetched(lease, page, verdict, self._model)
            self._pages += 1
            if self._pages % EVERY == 0:
                self._check_labels()

    def _check_labels(self) -> None:
        model = None if self._model is None else self._relearning.renewed(self._config)
        if model is not None:
            self._set(model)

    def _set(self, model: TopicModel) -> None:
        self._model = model
        self.version += 1

    def unpublished(self) -> list[Note]:
        """Return the note of a version that was not published yet, if there is one."""
        return [] if self._published_version == self.version else self.notes()

    def notes(self) -> list[Note]:
        """Return the note of the model, if there is one."""
        self._published_version = self.version
        return [] if self._model is None else [topic_note(self._model, self.version)]


def topic_note(model: TopicModel, version: int) -> Note:
    """Return the note of a version of the topic model."""
    state = zlib.compress(json.dumps(model.state()).encode(), 1)
    return Note(TOPIC, "model", {"version": version}, state)


def topic_state(note: Note) -> Any:
    """Return the state that `TopicModel.restore` takes."""
    assert note.body is not None
    return json.loads(zlib.decompress(note.body))
