"""Inspection of a crawl's file, running or not: nothing is changed or created.

Beyond `Queries` there are the queries of inspection alone: a column of all answers, the links to a
URL, a URL by its text, a range of the crawl at an earlier moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.records import LinkArrays, PageRow
from frontier.states import State
from frontier.store import statements
from frontier.store.blobs import inflated, unpacked
from frontier.store.loading import Loaded, last_of_each
from frontier.store.loading import count_answers as _count_answers
from frontier.store.open import open_to_read
from frontier.store.queries import Queries
from frontier.store.row_groups import read_answers, read_urls, text_key
from frontier.store.rows import TARGETS, UrlRow, links_of_blobs
from frontier.store.sqlite import snapshot, version_of
from frontier.utils import Closing


class LastAnswers(NamedTuple):
    """URLs 0 to n - 1 by their last answers; see `frontier.store.loading.Loaded`."""

    states: NDArray[np.uint8]
    """QUEUED where there is no answer."""
    marks: NDArray[np.uint16]
    twins: NDArray[np.int32]
    relevance: NDArray[np.float64]
    """NaN where a URL is no page or was not judged."""
    priority: NDArray[np.float64]
    """At the lease; NaN where there is no answer."""


class RevisitHistory(NamedTuple):
    """The fields of `RevisitRow` that tell how a page changed."""

    url_id: int
    first: float
    changed: float | None
    changes: int
    share: float | None
    history: bytes


class StoreReader(Queries, Closing):
    """A crawl to read; a context manager."""

    @classmethod
    def open(cls, directory: Path) -> StoreReader:
        """Open the crawl in `directory`.

        Raises StoreMissingError where there is none, StoreForeignError, StoreVersionError and
        StoreDamagedError for a file that is no crawl, has another version, or is broken.
        """
        return cls(*open_to_read(directory))

    def close(self) -> None:
        """Close the connection; closing again does nothing."""
        self._connection.close()

    def schema_version(self) -> int:
        """Return the version of the file's tables."""
        with self.reading():
            return version_of(self._cursor)

    def started(self) -> float | None:
        """Return the time in Unix seconds of the first URL; None before."""
        first = self.url_row(0)
        return None if first is None else first.discovered

    def last_fetched(self) -> float | None:
        """Return the time in Unix seconds of the last answer; None before the first."""
        rows = self._rows(statements.LAST_FETCHED)
        return float(rows[0][0]) if rows else None

    def count_answers(self) -> int:
        """Return how many answers are stored."""
        with self.reading():
            return _count_answers(self._cursor)

    def load_to_inspect(self) -> Loaded:
        """Return the result of `load`, without requests that change no URL's state or class.

        A crawl by a spider of a project has such a request for almost every queued URL.
        """
        return self._load(statements.TELLING_REQUESTS)

    def last_answers(self, n: int | None = None) -> LastAnswers:
        """Return URLs 0 to n - 1, or all, by their last answers."""
        n = self.count_urls() if n is None else n
        with self.reading(), snapshot(self._cursor):
            answers = read_answers(self._cursor)
            count = 1 + int(max(answers.ids.max(initial=-1), answers.twins.max(initial=-1)))
            states, marks, twins = last_of_each(answers, max(n, count))
        unknown = np.full(n, np.nan)
        last = LastAnswers(states[:n], marks[:n], twins[:n], unknown, unknown.copy())
        inside = answers.ids < n
        ids, is_page = answers.ids[inside], answers.states[inside] == State.CRAWLED
        last.relevance[ids] = np.where(is_page, answers.relevance[inside], np.nan)
        last.priority[ids] = answers.priority[inside]
        return last

    def fingerprints(self) -> NDArray[np.int64]:
        """Return the fingerprints of all URLs, by id."""
        with self.reading(), snapshot(self._cursor):
            return read_urls(self._cursor).fingerprints

    def pages_of_host(self, host: int) -> dict[int, float]:
        """Return the relevance of a host's pages by id, the latest first; 0 where none is known."""
        with self.reading(), snapshot(self._cursor):
            hosts, answers = read_urls(self._cursor).hosts, read_answers(self._cursor)
            of_host = (answers.states == State.CRAWLED) & (hosts[answers.ids] == host)
        ids, relevance = answers.ids[of_host], np.nan_to_num(answers.relevance[of_host])
        pages: dict[int, float] = {}
        for url_id, value in zip(ids[::-1].tolist(), relevance[::-1].tolist(), strict=True):
            pages.setdefault(url_id, value)
        return pages

    def redirects(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the redirected URLs, in the order of their answers, and their targets."""
        rows = self._rows(statements.REDIRECTS)
        with self.reading():
            ids, blobs = zip(*rows, strict=True) if rows else ((), ())
            return np.array(ids, np.int64), np.frombuffer(b"".join(blobs), "<i4").astype(np.int64)

    def revisit_histories(self) -> Iterator[RevisitHistory]:
        """Yield the histories of revisited pages, by id."""
        last = -1
        while rows := self._rows(statements.HISTORIES_AFTER, last):
            yield from self._typed(RevisitHistory, rows)
            last = rows[-1][0]

    def canonical_urls_of(self, ids: Iterable[int]) -> list[str]:
        """Return those of ids that exist, in any order."""
        with self.reading():
            rows = (self._cursor.execute(statements.URL, (url_id,)).fetchone() for url_id in ids)
            return [UrlRow._make(row).known_as for row in rows]

    def find_spelled(self, url: str, canonical: str) -> int | None:
        """Return the lowest id stored under one of these texts."""
        # Broken bytes of a command line are in no stored text.
        texts = [text.encode("utf-8", "replace").decode() for text in (url, canonical)]
        with self.reading(), snapshot(self._cursor):
            keys = read_urls(self._cursor).texts
        for url_id in np.flatnonzero(np.isin(keys, [text_key(text) for text in texts])).tolist():
            row = self.url_row(url_id)
            if row is not None and (row.url == texts[0] or row.canonical == texts[1]):
                return int(url_id)
        return None

    def node_range(self, first: int, last: int, answers: int) -> list[tuple[Any, ...]]:
        """Return the URLs `first` to `last` as they were after so many answers.

        Columns: id, URL, host, depth and seed; status, error, title, language, requests of the page
        (`asks`) and time of the last answer; of revisits the times of the first, of the last and of
        the last change, and the last result.
        """
        return self._rows(statements.NODE_RANGE, answers, first, last)

    def edge_range(self, first: int, last: int, answers: int) -> list[tuple[int, LinkArrays]]:
        """Return the links of the answers `first` to `last`, each with its page.

        Without answers that another of the first so many `answers` replaces.
        """
        rows = self._rows(statements.EDGE_RANGE, first, last, answers)
        with self.reading():
            return [(page, links_of_blobs(*blobs)) for page, *blobs in rows]

    def links_range(
        self, first: int, last: int, answers: int
    ) -> tuple[NDArray[np.int32], LinkArrays]:
        """Return the links of `edge_range` as one, and the id of the page of each."""
        rows = self._rows(statements.EDGE_RANGE, first, last, answers)
        with self.reading():
            ids, targets, predicted, flags, texts = zip(*rows, strict=True) if rows else [()] * 5
            counts = [len(blob) // TARGETS.itemsize for blob in targets]
            links = links_of_blobs(*map(b"".join, (targets, predicted, flags)))
            anchors = [
                text
                for blob, count in zip(texts, counts, strict=True)
                for text in (("",) * count if blob is None else unpacked(blob, count))
            ]
            pages = np.repeat(np.array(ids, np.int32), counts)
            return pages, replace(links, anchors=tuple(anchors))

    def ask(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Return the rows of one of `statements`."""
        return self._rows(statement, *parameters)

    def linking_page(self, url_id: int) -> PageRow | None:
        """Return the latest answer of a URL that is a page of the link graph."""
        rows = self._rows(statements.LINKING_PAGE, url_id)
        return self._page(rows[0]) if rows else None

    def attempts_without_answer(self, url_id: int) -> int:
        """Return how often a queued URL was leased and not answered."""
        rows = self._rows(statements.ATTEMPTS, url_id)
        return int(rows[0][0]) if rows else 0

    def sample_text(self, url_id: int) -> str | None:
        """Return the stored text of a page; None without."""
        rows = self._rows(statements.SAMPLE, url_id)
        with self.reading():
            return inflated(rows[0][0]) if rows else None
