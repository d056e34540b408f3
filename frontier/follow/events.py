"""Events of a crawl's pages, read from its store in portions."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from frontier.errors import FollowError, StoreDamagedError
from frontier.follow.cursor import Cursor
from frontier.inspection.reports import iso_time
from frontier.refresh.changes import past_revisits
from frontier.states import Change, Mark, State
from frontier.store import StoreReader, statements
from frontier.store.schema import SCORES
from frontier.texts import TextReader
from ranking.orders import saved_score

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.store import UrlRow

PORTION: Final = 256
"""Answers that are read at a time."""
_EPOCH_BITS: Final = 24
_NO_SCORES: Final = np.empty(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvent:
    """What became of a page. An upsert has all that is known of its page, nothing adds to it."""

    cursor: str
    """The place behind this event, from which a follower may go on."""
    id: str
    """SHA-256 of the canonical URL, 64 hexadecimal digits."""
    url: str
    op: Literal["upsert", "delete"]
    change: Literal["new", "changed", "gone", "moved", "rescored"]
    """A page that asks not to be indexed any more is deleted as `changed`."""
    version: int
    """Below 2^63; grows with each event of the page, also after the crawl was resumed."""
    seen: str | None
    """ISO 8601, when the page was answered."""
    previous: str | None
    """ISO 8601, the visit before."""
    final_url: str | None
    """Where its redirects led, of a page that moved: where it is now."""
    canonical: str
    content_hash: str | None
    """128-bit BLAKE2b of the body, hexadecimal."""
    title: str | None
    text: str | None
    text_from: Literal["store", "warc", "none"]
    """Where the text comes from; `none`: it is not known."""
    relevance: float | None
    """[0, 1]; None where the page was not judged."""
    score: float | None
    """Link score of the last saved re-rank; before the first, that of its lease."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, in their order."""
        return dict(zip(_NAMES, _values(self), strict=True))


_NAMES: Final = tuple(field.name for field in fields(PageEvent))
_values = attrgetter(*_NAMES)


class Portion(NamedTuple):
    """Some events in their order, and the place behind them."""

    events: list[PageEvent]
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

    def __init__(self, directory: Path) -> None:
        """Begin; raises StoreMissingError and others as `StoreReader.open` does."""
        self._directory = directory
        self._epoch, self._scores = 0, _NO_SCORES
        with StoreReader.open(directory) as reader:
            self._crawl = _name_of(reader)

    def begin(self, since: Cursor | None) -> Cursor:
        """Return the place to begin at; raises FollowError for a cursor of another crawl."""
        if since is None:
            return Cursor(self._crawl, 0, 0)
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
            with reader.reading():
                events = self._events(reader, [_Row._make(row) for row in rows], after)
        return Portion(events, to, is_last=to.seq == end)

    def _check(self, reader: StoreReader, after: Cursor) -> None:
        """Raise FollowError where another crawl is in the directory by now."""
        self._crawl = _name_of(reader)
        self.begin(after)

    def _events(self, reader: StoreReader, rows: list[_Row], after: Cursor) -> list[PageEvent]:
        rows = [row for row in rows if row.is_upsert or row.was_upsert]
        if not rows:
            return []
        self._load_scores(reader)
        texts = self._texts([row for row in rows if row.is_upsert])
        twins = (row.twin for row in rows if row.twin is not None)
        urls = reader.fetch_urls(dict.fromkeys([*(row.url_id for row in rows), *twins]))
        return [self._event(reader, row, urls, texts.get(row.url_id), after) for row in rows]

    def _texts(self, rows: list[_Row]) -> dict[int, str]:
        """Return the texts that are kept of pages, by id: those of these answers alone."""
        reader = TextReader.open(self._directory)
        if reader is None:
            return {}
        with reader:
            kept = reader.texts_of(row.url_id for row in rows)
        hashes = {row.url_id: row.hash for row in rows}
        return {
            url_id: page.text
            for url_id, (content_hash, page) in kept.items()
            if content_hash == hashes[url_id]
        }

    def _event(
        self,
        reader: StoreReader,
        row: _Row,
        urls: dict[int, UrlRow],
        text: str | None,
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
            version=(row.seq << _EPOCH_BITS) + self._epoch,
            seen=iso_time(row.fetched),
            previous=iso_time(_visit_before(reader, row)),
            final_url=final_url,
            canonical=url.known_as,
            content_hash=row.hash.hex() if row.hash is not None and is_upsert else None,
            title=row.title if is_upsert else None,
            text=text,
            text_from="none" if text is None else "store",
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
        name = saved_score(name.removeprefix(SCORES) for name in epochs)
        epoch = max(epochs.values(), default=0)
        if epoch == self._epoch:
            return
        saved = None if name is None else reader.load_array(SCORES + name)
        self._epoch, self._scores = (epoch, _NO_SCORES) if saved is None else saved


def event_id(canonical: str) -> str:
    """Return the id of a page, by its canonical URL."""
    return sha256(canonical.encode("utf-8", "replace")).hexdigest()


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
