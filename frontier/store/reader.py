"""Looking into a crawl, beside the process that runs it or after it: nothing is changed or created.

Beyond what `Queries` answers there is what only an onlooker asks: a column of all answers, who
links to a URL, a URL by its text, a range of the crawl as it was at some moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.records import LinkArrays, PageRecord
from frontier.states import State
from frontier.store import statements
from frontier.store.loading import count_answers as _count_answers
from frontier.store.loading import portions
from frontier.store.open import open_to_read
from frontier.store.queries import Queries
from frontier.store.rows import UrlRow, links_of_blobs
from frontier.store.sqlite import snapshot, version_of
from frontier.utils import Closing


class LastAnswers(NamedTuple):
    """What URLs 0 to n - 1 are by their last answers; see `frontier.store.loading.Loaded`."""

    states: NDArray[np.uint8]
    """QUEUED where there is no answer."""
    marks: NDArray[np.int64]
    twins: NDArray[np.int64]
    relevance: NDArray[np.float64]
    """NaN where it is no page or was not judged."""
    priority: NDArray[np.float64]
    """What they were handed out for; NaN where there is no answer."""


class LookHistory(NamedTuple):
    """Of looks at a page what tells how it changed; as the fields of `Look`."""

    url_id: int
    first: float
    changed: float | None
    share: float | None
    history: bytes


class InLinkRows(NamedTuple):
    """The k links to a URL by the last answers of their pages, in the order of these."""

    sources: NDArray[np.int64]
    """Ids of the pages."""
    predicted: NDArray[np.float32]
    flags: NDArray[np.uint8]


class StoreReader(Queries, Closing):
    """A crawl to look at; a context manager."""

    @classmethod
    def open(cls, directory: Path) -> StoreReader:
        """Open the crawl in `directory`.

        Raises StoreMissingError where there is none, StoreForeignError, StoreVersionError and
        StoreDamagedError for a file that is not a crawl, is a newer one, or is broken.
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
        """Unix seconds at which the first URL was found; None before."""
        first = self.url_row(0)
        return None if first is None else first.found

    def last_fetched(self) -> float | None:
        """Unix seconds of the last answer; None before the first."""
        rows = self._rows(statements.LAST_FETCHED)
        return float(rows[0][0]) if rows else None

    def count_answers(self) -> int:
        """Return how many answers are stored."""
        with self.reading():
            return _count_answers(self._cursor)

    def last_answers(self, n: int | None = None) -> LastAnswers:
        """Return what URLs 0 to n - 1, or all, are by their last answers."""
        n = self.count_urls() if n is None else n
        types = np.int64, np.uint8, np.int64, np.float64, np.float64, np.float64, np.bool_
        columns = self._columns(statements.LAST_ANSWERS, *types)
        inside = columns[0] < n
        ids, states, marks, twins, relevance, priority, linking = (
            column[inside] for column in columns
        )
        last = LastAnswers(
            np.full(n, State.QUEUED, np.uint8),
            np.zeros(n, np.int64),
            np.full(n, -1, np.int64),
            np.full(n, np.nan),
            np.full(n, np.nan),
        )
        last.states[ids] = states
        last.relevance[ids] = np.where(states == State.CRAWLED, relevance, np.nan)
        last.priority[ids] = priority
        # A page that could not be fetched again stays what it was.
        of_page = linking | (marks != 0)
        last.marks[ids[of_page]] = marks[of_page]
        last.twins[ids[of_page]] = np.nan_to_num(twins[of_page], nan=-1)
        return last

    def fingerprints(self) -> NDArray[np.int64]:
        """Return the fingerprints of all URLs, by id."""
        return self._columns(statements.FINGERPRINTS, np.int64)[0]

    def redirects(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the URLs that led elsewhere, in the order of their answers, and where to."""
        rows = self._rows(statements.REDIRECTS)
        with self.reading():
            ids, blobs = zip(*rows, strict=True) if rows else ((), ())
            return np.array(ids, np.int64), np.frombuffer(b"".join(blobs), "<i4").astype(np.int64)

    def look_histories(self) -> Iterator[LookHistory]:
        """Yield how pages that are looked at again changed, by id."""
        last = -1
        while rows := self._rows(statements.HISTORIES_AFTER, last):
            yield from self._typed(LookHistory, rows)
            last = rows[-1][0]

    def canonical_urls_of(self, ids: Iterable[int]) -> list[str]:
        """Return those of ids that exist, in any order."""
        with self.reading():
            rows = (self._cursor.execute(statements.URL, (one,)).fetchone() for one in ids)
            return [UrlRow._make(row).known_as for row in rows]

    def find(self, fingerprint: int) -> int | None:
        """Return the id of a fingerprint; reads all URLs."""
        rows = self._rows(statements.URL_BY_FINGERPRINT, fingerprint)
        return int(rows[0][0]) if rows else None

    def find_spelled(self, url: str, canonical: str) -> int | None:
        """Return the lowest id stored under one of these texts; reads all URLs."""
        # What no text holds, such as a broken byte of the command line, no crawl has met.
        texts = (text.encode("utf-8", "replace").decode() for text in (url, canonical))
        rows = self._rows(statements.URL_BY_TEXT, *texts)
        return int(rows[0][0]) if rows else None

    def node_range(self, first: int, last: int, answers: int) -> list[tuple[Any, ...]]:
        """Return what is stored of the URLs `first` to `last` after so many answers.

        Id, URL, host, depth and seed; status, error, title and time of the last answer; of looks
        the first time, the last one and that of the last change, and what the last one found.
        """
        return self._rows(statements.NODE_RANGE, answers, first, last)

    def edge_range(self, first: int, last: int, answers: int) -> list[tuple[int, LinkArrays]]:
        """Return the links of the answers `first` to `last`, but for those replaced since.

        Each with its page; replaced by one of the first so many `answers`.
        """
        rows = self._rows(statements.EDGE_RANGE, first, last, answers)
        with self.reading():
            return [(page, links_of_blobs(*blobs)) for page, *blobs in rows]

    def ask(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Return the rows of one of `statements`, for who has a question of his own."""
        return self._rows(statement, *parameters)

    def in_links(self, url_id: int) -> InLinkRows:
        """Return who links to a URL; reads all links, about 1 s for 10 million of them."""
        with self.reading(), snapshot(self._cursor):
            found = list(self._hits(url_id))
            latest = {
                source: self._cursor.execute(statements.LAST_LINKS_OF_URL, (source,)).fetchone()[0]
                for _, source, _, _ in found
            }
        hits = [hit for hit in found if hit[0] == latest[hit[1]]]
        _, sources, predicted, flags = zip(*hits, strict=True) if hits else ((),) * 4
        return InLinkRows(
            np.array(sources, dtype=np.int64),
            np.array(predicted, dtype=np.float32),
            np.array(flags, dtype=np.uint8),
        )

    def _hits(self, url_id: int) -> Iterator[tuple[int, int, float, int]]:
        """Yield answer number, source, prediction and flags of each link to a URL."""
        for seqs, ids, targets, predicted, flags in portions(self._cursor, statements.LINKS):
            ends = np.cumsum([len(blob) // 4 for blob in targets])
            links = links_of_blobs(b"".join(targets), b"".join(predicted), b"".join(flags))
            for at in np.flatnonzero(links.targets == url_id):
                page = int(np.searchsorted(ends, at, side="right"))
                yield seqs[page], ids[page], float(links.predicted[at]), int(links.flags[at])

    def linking_page(self, url_id: int) -> PageRecord | None:
        """Return the latest answer of a URL that is a page of the link graph."""
        rows = self._rows(statements.LINKING_PAGE, url_id)
        return self._page(rows[0]) if rows else None

    def attempts_without_answer(self, url_id: int) -> int:
        """Return how often a URL that waits again was handed out and not answered."""
        return int(dict(self._rows(statements.ALL_ATTEMPTS)).get(url_id, 0))
