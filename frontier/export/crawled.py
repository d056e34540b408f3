"""The rows of a crawl at one moment, read from its store in portions.

Each portion is a short read, so that a running crawl is not delayed; rows that it adds meanwhile
are left out, because they are newer than the numbers. The numbers of a URL need the whole crawl:
state, priority, scores, in-links. They are computed as in a resumed crawl, with graph and evidence
in memory, and kept as arrays by id: 27 bytes for each URL and 8 for each score.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.inspection.reports import iso_time
from frontier.inspection.resumed import Known
from frontier.records import LinkArrays
from frontier.states import REDIRECT, WEIGHTLESS, Change, Mark, State, mark_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from frontier.store import StoreReader
    from ranking.graph.link_graph import LinkGraph

Value = str | int | float | bool | None
Row = tuple[Value, ...]
"""The id of a node, or both ids of an edge, and the values of its columns; None: unknown."""


class ExportColumn(NamedTuple):
    """The name of a column, and pyarrow's name of its type."""

    name: str
    kind: str


ID = ExportColumn("id", "int32")
NODE_COLUMNS = (
    ExportColumn("url", "string"),
    ExportColumn("state", "string"),
    ExportColumn("host", "string"),
    ExportColumn("depth", "int32"),
    ExportColumn("seed", "bool"),
    ExportColumn("status", "int32"),
    ExportColumn("error", "string"),
    ExportColumn("title", "string"),
    ExportColumn("fetched", "string"),
    ExportColumn("relevance", "double"),
    ExportColumn("priority", "double"),
    ExportColumn("in_links", "int32"),
    ExportColumn("marks", "string"),
    ExportColumn("twin", "int32"),
    ExportColumn("first_seen", "string"),
    ExportColumn("last_seen", "string"),
    ExportColumn("last_changed", "string"),
    ExportColumn("last_revisit", "string"),
)
"""They are followed by a column of reals for each score of the crawl's strategy."""
ENDS = (ExportColumn("source", "int32"), ExportColumn("target", "int32"))
EDGE_COLUMNS = (
    ExportColumn("anchor", "string"),
    ExportColumn("weight", "double"),
    ExportColumn("predicted", "double"),
    ExportColumn("redirect", "bool"),
)
_NODES = 1000
"""URLs read at a time."""
_PAGES = 100
"""Pages read at a time: each may have thousands of links."""
_LINKS = 10_000
"""Links whose URLs are read at a time."""


class CrawledGraph:
    """The nodes and edges of a crawl, which can be iterated over repeatedly.

    Nodes are all known URLs, edges the stored links between two of them, each counted once; without
    `n_hidden` noindex pages and links from and to them. `numbers` are arrays by id, NaN for an
    unknown number. Raises as `Known.from_store` does.
    """

    edge_columns: tuple[ExportColumn, ...] = EDGE_COLUMNS

    def __init__(self, reader: StoreReader) -> None:
        known = Known.from_store(reader)
        assert known.marks is not None, "read from a store"
        assert known.twins is not None, "likewise"
        scores = known.driver.order.scores
        self._reader, self._answers, self._hosts = reader, known.answers, known.host_names
        self._hidden = (known.marks & Mark.NOINDEX) > 0
        self.n_hidden = int(self._hidden.sum())
        self.n_nodes = known.n - self.n_hidden
        self.n_edges = _shown_links(known.driver.graph, self._hidden)
        self.node_columns = (
            *NODE_COLUMNS,
            *(ExportColumn(name, "double") for name in scores),
        )
        self.numbers: tuple[NDArray[Any], ...] = (
            *(known.states, known.relevance, known.priority),
            *(known.driver.evidence.in_links.copy(), known.marks, known.twins),
            *(array.copy() for array in scores.values()),
        )

    def nodes(self) -> Iterator[Row]:
        """Yield (id, values of the columns) of each URL, by id."""
        n = len(self._hidden)
        for start in range(0, n, _NODES):
            end = min(start + _NODES, n)
            rows = self._reader.node_range(start, end - 1, self._answers)
            tails = zip(*(array[start:end].tolist() for array in self.numbers), strict=True)
            pairs = zip(rows, tails, strict=True)
            yield from (self._node(*pair) for pair in pairs if not self._hidden[pair[0][0]])

    def _node(self, row: tuple[Any, ...], tail: tuple[Any, ...]) -> Row:
        url_id, url, host, depth, seed, status, error, title, fetched, *revisits = row
        state, relevance, priority, in_links, marks, twin, *scores = tail
        first_seen, last_seen, last_changed, change = revisits
        if first_seen is None and state == State.CRAWLED:  # and not revisited since
            first_seen = last_seen = fetched
        values = {
            "url": url,
            "state": State(state).name.lower(),
            "host": self._hosts[host],
            "depth": depth,
            "seed": bool(seed),
            "status": status,
            "error": error,
            "title": title,
            "fetched": iso_time(fetched),
            "relevance": _known(relevance),
            "priority": _known(priority),
            "in_links": in_links,
            "marks": ", ".join(mark_names(Mark(marks))) or None,
            "twin": None if twin < 0 else twin,
            "first_seen": iso_time(first_seen),
            "last_seen": iso_time(last_seen),
            "last_changed": iso_time(last_changed),
            "last_revisit": None if change is None else Change(change).name.lower(),
        }
        own = (values[column.name] for column in NODE_COLUMNS)
        return (url_id, *own, *map(_known, scores))

    def links(self) -> Iterator[tuple[str, str, int]]:
        """Yield (source, target, weight) of each edge, by canonical URL."""
        edges = self.edges()
        while portion := list(islice(edges, _LINKS)):
            sources, targets, _, weights, *_ = zip(*portion, strict=True)
            ids: list[Any] = list({*sources, *targets})
            urls = dict(zip(ids, self._reader.canonical_urls_of(ids), strict=True))
            for source, target, weight in zip(sources, targets, weights, strict=True):
                yield urls[source], urls[target], int(weight)

    def edges(self) -> Iterator[Row]:
        """Yield (source, target, values of the columns) of each link, page by page."""
        for start in range(0, self._answers, _PAGES):
            end = min(start + _PAGES, self._answers) - 1
            for page, links in self._reader.edge_range(start, end, self._answers):
                if not self._hidden[page]:
                    yield from _merged(page, links, self._hidden)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _merged(page: int, links: LinkArrays, hidden: NDArray[np.bool_]) -> Iterator[Row]:
    """Yield the edges of a page, one for each target, without itself and hidden targets.

    Of several links to a target the edge has the largest weight and prediction, as in the link
    graph, and the first text.
    """
    merged: dict[int, tuple[str, Any, Any, Any]] = {}
    columns: tuple[Sequence[Any], ...] = (
        links.targets.tolist(),
        links.anchors or ("",) * len(links.targets),
        np.where(links.flags & WEIGHTLESS, 0.0, 1.0).tolist(),
        links.predicted.tolist(),
        (links.flags & REDIRECT > 0).tolist(),
    )
    for target, text, *values in zip(*columns, strict=True):
        first, *largest = merged.get(target, ("", 0.0, 0.0, False))
        merged[target] = (first or text, *map(max, largest, values))
    merged.pop(page, None)
    for target, (text, *rest) in merged.items():
        if not hidden[target]:
            yield (page, target, text or None, *rest)


def _shown_links(graph: LinkGraph, hidden: NDArray[np.bool_]) -> int:
    if not hidden.any():
        return graph.n_links
    view = graph.snapshot()
    shown = ~hidden[view.targets] & np.repeat(~hidden[view.pages], np.diff(view.indptr))
    return int(shown.sum())
