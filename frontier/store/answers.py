"""What all answers of a crawl say, in one pass over the table of pages.

The blobs of the links are joined before they are decoded once.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontier.records import Links
from frontier.states import State
from frontier.store import statements
from frontier.store.portions import portions, require
from frontier.store.rows import links_of_blobs

_BLOBS = 3


@dataclass(frozen=True, slots=True, eq=False)
class LoadedPages:
    """The m pages of the link graph by their last answer, in the order of these answers.

    The links of page i are `indptr[i]:indptr[i + 1]` of the three arrays of `links`.
    """

    ids: NDArray[np.int32]
    relevance: NDArray[np.float64]
    """NaN where it was not judged."""
    indptr: NDArray[np.int64]
    links: Links


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """States uint8, marks uint16 and twins int32 of n URLs, as in `Loaded`, and the pages."""

    states: NDArray[np.uint8]
    marks: NDArray[np.uint16]
    twins: NDArray[np.int32]
    pages: LoadedPages
    last_seq: int
    last_handout: int


def read_answers(cursor: sqlite3.Cursor, n_urls: int) -> Answers:
    """Read all answers and the links of their pages."""
    return _Reading(n_urls).run(cursor)


class _Reading:
    """One pass over the answers, of which a later one of the same URL replaces the earlier."""

    def __init__(self, n_urls: int) -> None:
        self._states = np.full(n_urls, State.QUEUED, dtype=np.uint8)
        self._marks = np.zeros(n_urls, dtype=np.uint16)
        self._twins = np.full(n_urls, -1, dtype=np.int32)
        self._last_seq = self._last_handout = -1
        self._ids: list[NDArray[np.int32]] = []
        self._relevance: list[NDArray[np.float64]] = []
        self._in_graph: list[NDArray[np.bool_]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._blobs = tuple(bytearray() for _ in range(_BLOBS))

    def run(self, cursor: sqlite3.Cursor) -> Answers:
        for columns in portions(cursor, statements.ALL_PAGES):
            self._take(*columns)
        of_urls = self._states, self._marks, self._twins
        return Answers(*of_urls, self._pages(), self._last_seq, self._last_handout)

    def _take(
        self,
        seqs: Any,
        ids: Any,
        states: Any,
        handouts: Any,
        relevance: Any,
        marks: Any,
        twins: Any,
        linking: Any,
        *blobs: Any,
    ) -> None:
        rows = np.array(ids, dtype=np.int64)
        require(rows.min() >= 0 and rows.max() < len(self._states), "pages and URLs")
        # Of repeated indices NumPy keeps the last value: the latest answer, as rows ascend.
        self._states[rows] = states
        self._last_seq = seqs[-1]
        self._last_handout = max(self._last_handout, *(-1 if h is None else h for h in handouts))
        self._ids.append(rows.astype(np.int32))
        self._relevance.append(np.array(relevance, dtype=np.float64))
        in_graph = np.array(linking, dtype=np.bool_)
        self._mark(rows, in_graph, np.array(marks, dtype=np.int64), twins)
        self._in_graph.append(in_graph)
        self._lengths.append(np.array([len(blob or b"") for blob in blobs[0]]) // 4)
        for joined, parts in zip(self._blobs, blobs, strict=True):
            joined += b"".join([part for part in parts if part])

    def _mark(
        self,
        rows: NDArray[np.int64],
        in_graph: NDArray[np.bool_],
        marks: NDArray[np.int64],
        twins: Any,
    ) -> None:
        numbers = np.array([-1 if twin is None else twin for twin in twins], dtype=np.int64)
        require(numbers.min() >= -1 and numbers.max() < len(self._twins), "twins and URLs")
        require(marks.min() >= 0 and marks.max() <= np.iinfo(np.uint16).max, "marks")
        # A page that could not be fetched again stays what it was.
        of_page = in_graph | (marks != 0)
        self._marks[rows[of_page]] = marks[of_page]
        self._twins[rows[of_page]] = numbers[of_page]

    def _pages(self) -> LoadedPages:
        ids = np.concatenate([np.empty(0, np.int32), *self._ids])
        relevance = np.concatenate([np.empty(0), *self._relevance])
        in_graph = np.concatenate([np.empty(0, np.bool_), *self._in_graph])
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        links = self._links(int(lengths.sum()))
        # A page that could not be fetched again keeps the links it had.
        kept = in_graph.copy()
        kept[in_graph] = _is_last(ids[in_graph])
        if not kept[in_graph].all():
            of_kept = np.repeat(kept, lengths)
            links = Links(links.targets[of_kept], links.promises[of_kept], links.flags[of_kept])
        indptr = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
        return LoadedPages(ids[kept], relevance[kept], indptr, links)

    def _links(self, expected: int) -> Links:
        sizes = [len(blob) for blob in self._blobs]
        require(sizes == [4 * expected, 2 * expected, expected], "link records")
        targets, promises, flags = (bytes(blob) for blob in self._blobs)
        links = links_of_blobs(targets, promises, flags)
        require(
            expected == 0 or (links.targets.min() >= 0 and links.targets.max() < len(self._states)),
            "links and URLs",
        )
        return links


def _is_last(ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return bool[len(ids)]: whether the id does not occur again further on."""
    last = np.zeros(len(ids), dtype=np.bool_)
    _, from_end = np.unique(ids[::-1], return_index=True)
    last[len(ids) - 1 - from_end] = True
    return last
