"""What a follower has of a crawl, and what it should have."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.follow.cursor import Cursor
from frontier.follow.events import PageEvent
from frontier.follow.follower import Follower
from frontier.follow.source import EventSource
from frontier.states import Mark, State
from frontier.store.open import FILE_NAME
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.living_crawl import A

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
    Follower(EventSource(directory), sink, None if since is None else Cursor.parse(since)).run()
    return sink


def replayed(directory: Path) -> dict[str, tuple[str | None, str]]:
    """What an index should have, answer by answer: title and hash of the body by URL."""
    pages: dict[str, tuple[str | None, str]] = {}
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


def job_of(directory: Path, pages: int = 1) -> Kept:
    """Crawl a site of a few pages to its end; return its events."""
    urls = [f"{A}{number}" for number in range(pages)]
    web = {A: Page(dict.fromkeys(urls, 0.5), title="Grüße, 'A'", text="a", relevance=0.75)}
    crawl = DrivenCrawl(directory, web | {url: Page(text=url) for url in urls}, strategy="bfs")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    return followed(directory)


def events_of(lines: str) -> list[dict[str, object]]:
    """Events that were written as lines of JSON."""
    return [json.loads(line) for line in lines.splitlines()]
