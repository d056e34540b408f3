"""Questions that only an onlooker asks: one column of all answers, a URL by its text."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.states import State
from frontier.store import StoreReader, statements
from frontier.store.loading import portions
from frontier.store.opening import open_to_read, reading
from frontier.store.sqlite import snapshot, version_of


class Answers(NamedTuple):
    """The last answer of each URL, indexed by id; NaN where there is none."""

    priority: NDArray[np.float64]
    """What the URL was handed out for."""
    relevance: NDArray[np.float64]
    """Of pages that were fetched and judged."""


class CrawlReader(StoreReader):
    """A crawl to look at, with the questions of the commands."""

    @classmethod
    def open(cls, directory: Path) -> CrawlReader:
        return cls(*open_to_read(directory))

    def schema_version(self) -> int:
        """Return the version of the file's tables."""
        with reading(self.path):
            return version_of(self._cursor)

    def started(self) -> float | None:
        """Unix seconds at which the first URL was found; None before."""
        first = self.url_row(0)
        return None if first is None else first.found

    def last_fetched(self) -> float | None:
        """Unix seconds of the last answer; None before the first."""
        rows = self._rows(statements.LAST_FETCHED)
        return float(rows[0][0]) if rows else None

    def answers(self, n: int) -> Answers:
        """Return the last answers of URLs 0 to n - 1."""
        answers = Answers(np.full(n, np.nan), np.full(n, np.nan))
        with reading(self.path), snapshot(self._cursor):
            for ids, states, priorities, relevance in portions(self._cursor, statements.ANSWERS):
                rows = np.array(ids, dtype=np.int64)
                known = rows < n
                judged = np.where(
                    np.array(states) == State.CRAWLED, np.array(relevance, np.float64), np.nan
                )
                answers.priority[rows[known]] = np.array(priorities, np.float64)[known]
                answers.relevance[rows[known]] = judged[known]
        return answers

    def find_spelled(self, url: str, canonical: str) -> int | None:
        """Return the lowest id stored under one of these texts; reads all URLs."""
        rows = self._rows(statements.URL_BY_TEXT, url, canonical)
        return int(rows[0][0]) if rows else None
