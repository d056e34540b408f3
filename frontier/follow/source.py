"""Events of a crawl's pages, read from its store in portions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from frontier.errors import FollowError, StoreDamagedError
from frontier.follow.cursor import Cursor
from frontier.follow.events import EPOCH_BITS, PageEvent, event_id
from frontier.inspection.reports import iso_time
from frontier.refresh.changes import past_revisits
from frontier.states import Change, Mark, State
from frontier.store import StoreReader, statements
from frontier.store.schema import SCORES
from frontier.texts import TextReader
from ranking.orders import saved_score

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.follow.sent_scores import SentScores
    from frontier.store import UrlRow

PORTION: Final = 256
"""Answers that are read at a time."""
_NO_SCORES: Final = np.empty(0)
_Text = tuple[str, Literal["store", "warc"]]
RecordedText = Callable[[str, bytes], str | None]
"""The text of a URL whose body has a hash, as it was recorded; None: it was not."""


class Portion(NamedTuple):
    """Some events in their order, and the place behind them."""

    events: list[PageEvent]
    ids: list[int]
    """Ids of their URLs in the store."""
    cursor: Cursor
    is_last: bool
    """Whether nothing more is stored by now."""


class _Row(NamedTuple):
    """An answer that decides what becomes of its page; see `statements.EVENTS_IN`."""

    seq: int
    url_id: int
    state: int
    fetched: float
    final_url: str | None
    title: str | None
    hash: bytes | None
    relevance: float | None
    score: float | None
    marks: int
    twin: int | None
    visited: float | None
    """Unix seconds of the answer before."""
    was_page: int
    was_upsert: int

    @property
    def is_upsert(self) -> bool:
        return self.state == State.CRAWLED and not self.marks & Mark.NOINDEX

    @property
    def change(self) -> Literal["new", "changed", "gone", "moved"]:
        if self.state == State.CRAWLED:
            return "changed" if self.was_page else "new"
        return "gone" if self.state == State.ERROR else "moved"


class EventSource:
    """The events of one crawl; no file is open between two calls."""

    def __init__(self, directory: Path, recorded: RecordedText | None = None) -> None:
        """Begin; `recorded` gives texts that the crawl has not kept.

        Raises StoreMissingError and others as `StoreReader.open` does.
        """
        self._directory, self._recorded = directory, recorded
        self._epoch, self._scores = 0, _NO_SCORES
        self._name: str | None = None
        with StoreReader.open(directory) as reader:
            self._crawl = _name_of(reader)
            self._load_scores(reader)

    def begin(self, since: Cursor | None) -> Cursor:
        """Return the place to begin at; raises FollowError for a cursor of another crawl."""
        if since is None:
            return Cursor(self._crawl, 0, self._epoch)
        if since.crawl != self._crawl:
            raise FollowError(
                f"the cursor {since} is of another crawl than {self._directory}, whose cursors "
                f"begin with {self._crawl}. Name the crawl it is of, or begin anew without --since."
            )
        return since

    def read(self, after: Cursor) -> Portion:
        """Return the next events behind a place.

        Raises FollowError where the crawl ends before that place, StoreMissingError and others
        as `StoreReader.open` does.
        """
        with StoreReader.open(self._directory) as reader:
            self._check(reader, after)
            end = reader.count_answers()
            if after.seq > end:
                raise FollowError(
                    f"the cursor {after} is behind the end of {self._directory}, which has {end} "
                    f"answers: its last ones were lost, or it was restored from an older copy. "
                    f"Begin anew without a cursor."
                )
            to = after._replace(seq=min(after.seq + PORTION, end))
            rows = reader.ask(statements.EVENTS_IN, after.seq, to.seq - 1) if to != after else []
            upserts = self._events(reader, rows, after)
        return Portion([*upserts.values()], [*upserts], to, is_last=to.seq == end)

    def rescored(self, after: Cursor, sent: SentScores, share: float) -> Iterator[Portion]:
        """Yield the pages before a place whose score moved by more than a share of what was sent.

        The place of the last portion is that of the last saved re-rank.
        """
        with StoreReader.open(self._directory) as reader:
            self._check(reader, after)
            self._load_scores(reader)
            if self._epoch <= after.epoch:
                return
            ids = np.unique(reader.fetch_times()[0])
        ids = ids[sent.have_moved(ids, self._scores, share)]
        to = after._replace(epoch=self._epoch)
        held: dict[int, PageEvent] = {}
        for at in range(0, len(ids), PORTION):
            some = self._rescored(ids[at : at + PORTION].tolist(), after)
            if some and held:
                yield Portion([*held.values()], [*held], after, is_last=False)
            held = some or held
        for url_id in list(held)[-1:]:
            held[url_id] = replace(held[url_id], cursor=str(to))
        yield Portion([*held.values()], [*held], to, is_last=True)

    def _rescored(self, ids: list[int], after: Cursor) -> dict[int, PageEvent]:
        """Return pages that were handed on before a place, and are there, as rescored."""
        with StoreReader.open(self._directory) as reader:
            self._check(reader, after)
            events = self._events(reader, list(_last_events(reader, ids, after.seq)), after)
        return {
            url_id: replace(event, change="rescored", cursor=str(after))
            for url_id, event in events.items()
            if event.op == "upsert"
        }

    def _check(self, reader: StoreReader, after: Cursor) -> None:
        """Raise FollowError where another crawl is in the directory by now."""
        self._crawl = _name_of(reader)
        self.begin(after)

    def _events(
        self, reader: StoreReader, values: list[tuple[Any, ...]], after: Cursor
    ) -> dict[int, PageEvent]:
        """Return the events of rows of the statements of events, by the id of the URL."""
        with reader.reading():
            rows = [row for row in map(_Row._make, values) if row.is_upsert or row.was_upsert]
            if not rows:
                return {}
            self._load_scores(reader)
            twins = (row.twin for row in rows if row.twin is not None)
            urls = reader.fetch_urls(dict.fromkeys([*(row.url_id for row in rows), *twins]))
            texts = self._texts({row.url_id: row for row in rows if row.is_upsert}, urls)
            return {
                row.url_id: self._event(reader, row, urls, texts.get(row.url_id), after)
                for row in rows
            }

    def _texts(self, rows: dict[int, _Row], urls: dict[int, UrlRow]) -> dict[int, _Text]:
        """Return the texts of pages that are known, by id: those of these answers alone."""
        texts: dict[int, _Text] = {}
        reader = TextReader.open(self._directory)
        if reader is not None:
            with reader:
                for url_id, (content_hash, page) in reader.texts_of(rows).items():
                    if content_hash == rows[url_id].hash:
                        texts[url_id] = page.text, "store"
        if self._recorded is not None:
            for url_id, row in rows.items():
                if url_id not in texts and row.hash is not None:
                    text = self._recorded(row.final_url or urls[url_id].url, row.hash)
                    if text is not None:
                        texts[url_id] = text, "warc"
        return texts

    def _event(
        self,
        reader: StoreReader,
        row: _Row,
        urls: dict[int, UrlRow],
        text: _Text | None,
        after: Cursor,
    ) -> PageEvent:
        url, final_url = urls[row.url_id], row.final_url
        is_upsert = row.is_upsert
        if row.change == "moved" and row.twin in urls:
            final_url = urls[row.twin].url
        return PageEvent(
            cursor=str(after._replace(seq=row.seq + 1)),
            id=event_id(url.known_as),
            url=url.url,
            op="upsert" if is_upsert else "delete",
            change=row.change,
            version=(row.seq << EPOCH_BITS) + self._epoch,
            seen=iso_time(row.fetched),
            previous=iso_time(_visit_before(reader, row)),
            final_url=final_url,
            canonical=url.known_as,
            content_hash=row.hash.hex() if row.hash is not None and is_upsert else None,
            title=row.title if is_upsert else None,
            text=None if text is None else text[0],
            text_from="none" if text is None else text[1],
            relevance=row.relevance if is_upsert else None,
            score=self._score(row) if is_upsert else None,
        )

    def _score(self, row: _Row) -> float | None:
        if row.url_id < len(self._scores):
            return float(self._scores[row.url_id])
        return row.score

    def _load_scores(self, reader: StoreReader) -> None:
        """Read the scores of the last saved re-rank, unless they are known."""
        epochs = dict(reader.ask(statements.SAVED_SCORES))
        # Those of an earlier strategy are there, and listed no more.
        listed = [
            name for row in reader.ask(statements.LISTED_SCORES) for name in json.loads(row[0])
        ]
        name = saved_score(name for name in listed if SCORES + name in epochs)
        epoch = max(epochs.values(), default=0)
        if (epoch, name) == (self._epoch, self._name):
            return
        saved = None if name is None else reader.load_array(SCORES + name)
        self._epoch, self._name = epoch, name
        self._scores = _NO_SCORES if saved is None else saved[1]


def _last_events(reader: StoreReader, ids: list[int], before: int) -> Iterable[tuple[Any, ...]]:
    """Yield the answers that decide what becomes of pages, if they are before a number."""
    size = statements.IDS_AT_ONCE
    for at in range(0, len(ids), size):
        some = ids[at : at + size]
        rows = reader.ask(statements.EVENTS_OF, *some, *[some[-1]] * (size - len(some)))
        yield from (row for row in rows if row[0] < before)


def _name_of(reader: StoreReader) -> str:
    rows = reader.ask(statements.NAME_OF_CRAWL)
    if not rows:
        raise StoreDamagedError(
            f"{reader.path} has no name of its crawl, as each crawl has. Restore it from a copy."
        )
    return str(json.loads(rows[0][0]))


def _visit_before(reader: StoreReader, row: _Row) -> float | None:
    """Return the time of the visit before, in Unix seconds; also of one that found no change."""
    if row.visited is None:
        return None
    revisit, before = reader.revisit(row.url_id), row.visited
    for visit in past_revisits(revisit.history) if revisit is not None else ():
        is_seen = visit.status is not None and visit.change is not Change.NOTICE
        if is_seen and before < visit.at < int(row.fetched):
            before = visit.at
    return before
