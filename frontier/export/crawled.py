"""The rows of a crawl at one moment, read from its store in portions.

Each portion is one short read, so that a crawl that is running is not held up; what it adds in the
meantime is left out, because it came after the moment of the numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.export.columns import EDGE_COLUMNS, NODE_COLUMNS, Column, Row, score_column
from frontier.inspection.reports import iso_time
from frontier.states import REDIRECT, WEIGHTLESS, Mark, State, mark_names
from frontier.store import Links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from frontier.export.numbers import Numbers
    from frontier.store import StoreReader

_NODES = 1000
"""URLs of one read."""
_PAGES = 100
"""Pages of one read: each may have thousands of links."""


class CrawledGraph:
    """The nodes and edges of a crawl, to be iterated over as often as one likes."""

    node_columns: tuple[Column, ...]
    edge_columns: tuple[Column, ...] = EDGE_COLUMNS

    def __init__(self, reader: StoreReader, numbers: Numbers) -> None:
        self._reader = reader
        self._numbers = numbers
        self.node_columns = (*NODE_COLUMNS, *map(score_column, numbers.scores))

    @property
    def n_nodes(self) -> int:
        """Number of nodes: all URLs ever met but for pages that ask not to be shown."""
        return self._numbers.n - self.n_hidden

    @property
    def n_hidden(self) -> int:
        """Number of pages that ask not to be shown."""
        return int(self._numbers.hidden.sum())

    @property
    def n_edges(self) -> int:
        """Number of edges: links on record between two URLs, each counted once."""
        return self._numbers.links

    def nodes(self) -> Iterator[Row]:
        """Yield (id, values of the columns) of each URL, by id."""
        n, hidden = self._numbers.n, self._numbers.hidden
        for start in range(0, n, _NODES):
            end = min(start + _NODES, n)
            found = self._reader.node_range(start, end - 1, self._numbers.answers)
            tails = zip(*(column.tolist() for column in self._columns(start, end)), strict=True)
            pairs = zip(found, tails, strict=True)
            yield from (self._node(*pair) for pair in pairs if not hidden[pair[0][0]])

    def _columns(self, start: int, end: int) -> tuple[Any, ...]:
        numbers = self._numbers
        arrays: list[NDArray[Any]]
        arrays = [numbers.states, numbers.relevance, numbers.priority, numbers.in_links]
        arrays += [numbers.marks, numbers.twins]
        arrays += numbers.scores.values()
        return tuple(array[start:end] for array in arrays)

    def _node(self, row: tuple[Any, ...], tail: tuple[Any, ...]) -> Row:
        url_id, url, host, depth, seed, status, error, title, fetched = row
        state, relevance, priority, in_links, marks, twin, *scores = tail
        return (
            *(url_id, url, State(state).name.lower(), self._numbers.host_names[host]),
            *(depth, bool(seed), status, error, title, iso_time(fetched)),
            *(_known(relevance), _known(priority), in_links),
            *(_words(marks), None if twin < 0 else twin),
            *map(_known, scores),
        )

    def edges(self) -> Iterator[Row]:
        """Yield (source, target, values of the columns) of each link, page by page."""
        hidden = self._numbers.hidden
        for start in range(0, self._numbers.answers, _PAGES):
            end = min(start + _PAGES, self._numbers.answers) - 1
            for page, links in self._reader.edge_range(start, end, self._numbers.answers):
                if not hidden[page]:
                    yield from _merged(page, links, hidden)


def _words(marks: int) -> str | None:
    return ", ".join(mark_names(Mark(marks))) if marks else None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _merged(page: int, links: Links, hidden: NDArray[np.bool_]) -> Iterator[Row]:
    """Yield the edges of a page: none to itself or what is hidden, of several to one URL one.

    That has the largest weight and promise, as in the link graph, and the first text there is.
    """
    found: dict[int, tuple[str, float, float, bool]] = {}
    anchors = links.anchors or ("",) * len(links.targets)
    columns: tuple[Sequence[Any], ...] = (
        links.targets.tolist(),
        anchors,
        np.where(links.flags & WEIGHTLESS, 0.0, 1.0).tolist(),
        links.promises.tolist(),
        (links.flags & REDIRECT > 0).tolist(),
    )
    for target, *values in zip(*columns, strict=True):
        text, weight, promise, redirect = found.get(target, ("", 0.0, 0.0, False))
        found[target] = (
            text or values[0],
            max(weight, values[1]),
            max(promise, values[2]),
            redirect or values[3],
        )
    found.pop(page, None)
    for target, (text, *rest) in found.items():
        if hidden[target]:
            continue
        yield (page, target, text or None, *rest)
