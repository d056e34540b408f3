"""Questions that only an onlooker asks: one column of all answers, a URL by its text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.inspection.link_words import LinkWords, words_of
from frontier.states import State
from frontier.store import Links, PageRow, StoreReader, UrlRow, statements
from frontier.store.loading import count_answers as _count_answers
from frontier.store.loading import portions
from frontier.store.open import open_to_read, reading
from frontier.store.sqlite import snapshot, version_of

_AROUND = 64
"""Answers come in another order than hand-outs, by so many at most where hosts are slow."""


class Answers(NamedTuple):
    """The last answer of each URL, indexed by id; NaN where there is none."""

    priority: NDArray[np.float64]
    """What the URL was handed out for."""
    relevance: NDArray[np.float64]
    """Of pages that were fetched and judged."""


class Fetches(NamedTuple):
    """The m fetched pages, each at the place of its first fetch."""

    ids: NDArray[np.int64]
    relevance: NDArray[np.float64]
    """Of the last fetch; NaN where it was not judged."""


class Linking(NamedTuple):
    """The k links to a URL, in the order in which their pages were fetched."""

    answers: NDArray[np.int64]
    """Number of the answer that first brought each; a page may have answered again since."""
    sources: NDArray[np.int64]
    promises: NDArray[np.float32]
    flags: NDArray[np.uint8]


def _canonical(row: tuple[Any, ...]) -> str:
    known = UrlRow._make(row)
    return known.canonical or known.url


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

    def identities(self) -> NDArray[np.int64]:
        """Return the fingerprint of each URL, by id."""
        with reading(self.path), snapshot(self._cursor):
            found = [
                np.array(fingerprints, dtype=np.int64)
                for _, fingerprints, *_ in portions(self._cursor, statements.ALL_URLS)
            ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def fetches(self, n: int) -> Fetches:
        """Return which of the URLs 0 to n - 1 were last answered with a page."""
        states = np.zeros(n, dtype=np.uint8)
        relevance = np.full(n, np.nan)
        order: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        with reading(self.path), snapshot(self._cursor):
            for ids, of_ids, _, judged in portions(self._cursor, statements.ANSWERS):
                rows = np.array(ids, dtype=np.int64)
                known = rows < n
                rows, answered = rows[known], np.array(of_ids, dtype=np.uint8)[known]
                states[rows] = answered
                relevance[rows] = np.array(judged, dtype=np.float64)[known]
                order.append(rows[answered == State.CRAWLED])
        once, first = np.unique(np.concatenate(order), return_index=True)
        ids_in_order = once[np.argsort(first)]
        ids_in_order = ids_in_order[states[ids_in_order] == State.CRAWLED]
        return Fetches(ids_in_order, relevance[ids_in_order])

    def count_answers(self) -> int:
        """Return how many answers are stored."""
        with reading(self.path):
            return _count_answers(self._cursor)

    def canonical_urls(self, first: int, last: int) -> list[str]:
        """Return the URLs `first` to `last` in the form they are known by."""
        return [_canonical(row) for row in self._rows(statements.URL_RANGE, first, last)]

    def canonical_urls_of(self, ids: Iterable[int]) -> list[str]:
        """Return those of ids that exist, in any order."""
        with reading(self.path):
            found = (self._cursor.execute(statements.URL, (one,)).fetchone() for one in ids)
            return [_canonical(row) for row in found]

    def node_range(self, first: int, last: int, answers: int) -> list[tuple[Any, ...]]:
        """Return what is stored of the URLs `first` to `last` after so many answers.

        Id, URL, host, depth and seed; status, error, title and time of the last answer.
        """
        return self._rows(statements.NODE_RANGE, answers, first, last)

    def edge_range(self, first: int, last: int, answers: int) -> list[tuple[int, Links]]:
        """Return the links of the answers `first` to `last`, but for those replaced since.

        Each with its page; replaced by one of the first so many `answers`.
        """
        rows = self._rows(statements.EDGE_RANGE, first, last, answers)
        with reading(self.path):
            return [(page, Links.from_blobs(*blobs)) for page, *blobs in rows]

    def link_texts(self, page: int, target: int) -> list[str] | None:
        """Return the text of each link from a page to a URL; None where texts were not kept."""
        last = self._rows(statements.LAST_LINKS_OF_URL, page)[0][0]
        if last is None:
            return []
        [(_, links)] = self.edge_range(last, last, last + 1)
        if links.anchors is None:
            return None
        return [links.anchors[place] for place in np.flatnonzero(links.targets == target)]

    def linking(self, url_id: int) -> Linking:
        """Return the links to a URL by the last answers of their pages; reads all links."""
        with reading(self.path), snapshot(self._cursor):
            found = list(self._hits(url_id))
            latest = {
                source: self._cursor.execute(statements.LAST_LINKS_OF_URL, (source,)).fetchone()[0]
                for _, source, _, _ in found
            }
        firsts: dict[int, int] = {}
        for answer, source, _, _ in found:
            firsts.setdefault(source, answer)
        hits = [hit for hit in found if hit[0] == latest[hit[1]]]
        _, sources, promises, flags = zip(*hits, strict=True) if hits else ((),) * 4
        return Linking(
            np.array([firsts[source] for source in sources], dtype=np.int64),
            np.array(sources, dtype=np.int64),
            np.array(promises, dtype=np.float32),
            np.array(flags, dtype=np.uint8),
        )

    def link_words(self, page: int, target: int) -> LinkWords:
        """Return what the links from a page to a URL say."""
        last = self._rows(statements.LAST_LINKS_OF_URL, page)[0][0]
        [row] = self._rows(statements.PAGE_RANGE, last, last)
        told = self._page(row)
        assert told.links is not None
        words = words_of(told, told.links, target)
        if told.links.anchors is not None:
            return words
        return words._replace(anchor=self._text_found_by(page, target))

    def _text_found_by(self, page: int, target: int) -> str:
        """Of an older crawl only the text by which a URL was found first is known."""
        row = self.url_row(target)
        return row.anchor or "" if row is not None and row.referrer == page else ""

    def count_taught(self) -> int:
        """Return how many judged pages were handed out with what an order learns from."""
        return int(self._rows(statements.COUNT_TAUGHT, State.CRAWLED)[0][0])

    def attempts_without_answer(self, url_id: int) -> int:
        """Return how often a URL that waits again was handed out and not answered."""
        return int(dict(self._rows(statements.ALL_ATTEMPTS)).get(url_id, 0))

    def answered_until(self, moment: float) -> NDArray[np.bool_]:
        """Return of each answer whether it had come by a time in Unix seconds; O(answers).

        Times do not ascend: a page that a person labelled is stored once more as it was fetched.
        """
        with reading(self.path), snapshot(self._cursor):
            times = [
                np.array(fetched, dtype=np.float64)
                for (fetched,) in portions(self._cursor, statements.ANSWER_TIMES)
            ]
        return np.concatenate([np.empty(0), *times]) <= moment

    def handed_out_near(self, page: PageRow) -> list[PageRow]:
        """Return the answers around that of a page, some of which were handed out next to it."""
        answer = self._rows(statements.ANSWER_TO, page.url_id, page.handout)[0][0]
        rows = self._rows(statements.PAGE_RANGE, answer - _AROUND, answer + _AROUND)
        return [self._page(row) for row in rows]

    def find_spelled(self, url: str, canonical: str) -> int | None:
        """Return the lowest id stored under one of these texts; reads all URLs."""
        # What no text holds, such as a broken byte of the command line, no crawl has met.
        texts = (text.encode("utf-8", "replace").decode() for text in (url, canonical))
        rows = self._rows(statements.URL_BY_TEXT, *texts)
        return int(rows[0][0]) if rows else None
