"""What a follower has of a crawl, and what it should have."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.follow.cursor import Cursor
from frontier.follow.events import EventSource, PageEvent
from frontier.follow.follower import follow
from frontier.states import Mark, State
from frontier.store import StoreReader
from frontier.store.open import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Kept:
    """A sink that keeps what it got; `pages` by URL are what an index would have."""

    events: list[PageEvent] = field(default_factory=list)
    pages: dict[str, PageEvent] = field(default_factory=dict)
    is_new: bool = False

    def send(self, events: Sequence[PageEvent]) -> None:
        self.events += events
        for event in events:
            if event.op == "upsert":
                self.pages[event.url] = event
            else:
                self.pages.pop(event.url, None)

    def close(self) -> None:
        pass

    @property
    def changes(self) -> list[tuple[str, str]]:
        return [(event.url, event.change) for event in self.events]


def followed(directory: Path, since: str | None = None) -> Kept:
    """All events of a crawl behind a cursor."""
    sink = Kept()
    follow(EventSource(directory), sink, None if since is None else Cursor.parse(since))
    return sink


def indexable(directory: Path) -> dict[str, str | None]:
    """The pages of a crawl by their last answers that may be indexed: hash of the body by URL."""
    with StoreReader.open(directory) as reader:
        urls = reader.fetch_urls(range(reader.count_urls()))
        rows = {row.url: reader.page_row(url_id) for url_id, row in urls.items()}
    return {
        url: None if page.hash is None else page.hash.hex()
        for url, page in rows.items()
        if page is not None and page.state is State.CRAWLED and Mark.NOINDEX not in page.marks
    }


def replayed(directory: Path) -> dict[str, tuple[str, str]]:
    """What an index should have, answer by answer: title and hash of the body by URL."""
    pages: dict[str, tuple[str, str]] = {}
    with closing(sqlite3.connect(directory / FILE_NAME)) as connection:
        rows = connection.execute(
            "SELECT url, state, status, error, title, hash, marks FROM pages JOIN urls USING (id) "
            "ORDER BY seq"
        )
        for url, state, status, error, title, content_hash, marks in rows:
            if state == State.CRAWLED and not marks & Mark.NOINDEX:
                pages[url] = title, content_hash.hex()
            elif state == State.CRAWLED or status == 301 or (error or "").startswith("gone: "):
                pages.pop(url, None)
    return pages


def events_of(lines: str) -> list[dict[str, object]]:
    """Events that were written as lines of JSON."""
    return [json.loads(line) for line in lines.splitlines()]
