"""The graph of hosts: what a crawl knows of each, and how many links lead from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frontier.export.columns import ExportColumn, Graph, Portion
from frontier.states import State
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frontier.export.crawled import CrawledGraph

HOSTS: Final = (
    ExportColumn("id", "int32", "number of the host"),
    ExportColumn("host", "string", "download slot"),
    ExportColumn("domain", "string", "registered domain"),
    ExportColumn("urls", "int32", "known URLs"),
    ExportColumn("pages", "int32", "fetched pages"),
    ExportColumn("relevance", "double", "mean of its judged pages"),
    ExportColumn("score", "double", "sum of the scores of its URLs"),
    ExportColumn("inside", "int32", "links between its own pages"),
)
HOST_LINKS: Final = (
    ExportColumn("source", "int32", "id of the host that links"),
    ExportColumn("target", "int32", "id of the host that is linked to"),
    ExportColumn("weight", "double", "number of links that pass score"),
    ExportColumn("links", "int32", "number of links, nofollow ones included"),
)


class HostGraph(Graph):
    """The hosts of a crawl, numbered by their names, and the links between different ones."""

    page_columns = HOSTS
    link_columns = HOST_LINKS

    def __init__(self, graph: CrawledGraph) -> None:
        shown = ~graph.hidden
        used, hosts = np.unique(graph.hosts[shown], return_inverse=True)
        self._names = [str(name) for name in graph.host_names[used].tolist()]
        self.n_pages, self.n_hidden = len(used), graph.n_hidden
        host_of = np.zeros(len(shown), np.int64)  # no link leads to a URL that is not shown
        host_of[shown] = hosts
        sources, targets, weights, links = self._counted(graph, host_of)
        inside = sources == targets
        self._edges: Portion = {
            "source": sources[~inside],
            "target": targets[~inside],
            "weight": weights[~inside],
            "links": links[~inside],
        }
        self.n_links = len(self._edges["source"])
        own = np.zeros(self.n_pages, np.int64)
        own[sources[inside]] = links[inside]
        self._nodes = {**self._known(graph, hosts), "inside": own}

    def _known(self, graph: CrawledGraph, hosts: NDArray[np.int64]) -> Portion:
        """Return the columns of nodes that follow from URLs, of which `hosts` are the nodes."""
        shown, n = ~graph.hidden, self.n_pages
        relevance, states = graph.numbers["relevance"][shown], graph.numbers["state"][shown]
        score, judged = graph.scores.get("score"), ~np.isnan(relevance)
        n_judged = np.bincount(hosts[judged], minlength=n)
        with np.errstate(invalid="ignore"):
            mean = np.bincount(hosts[judged], relevance[judged], n) / n_judged
        return {
            "id": np.arange(n, dtype=np.int32),
            "host": self._names,
            "domain": [registered_domain(name) for name in self._names],
            "urls": np.bincount(hosts, minlength=n),
            "pages": np.bincount(hosts[states == State.CRAWLED], minlength=n),
            "relevance": mean,
            "score": np.full(n, np.nan) if score is None else np.bincount(hosts, score[shown], n),
        }

    def _counted(
        self, graph: CrawledGraph, host_of: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return pairs of hosts as two arrays, with the weights and the numbers of their links."""
        n = max(self.n_pages, 1)
        parts = [np.empty((3, 0))]
        for portion in graph.links():
            ends = host_of[portion["source"]] * n + host_of[portion["target"]]
            pairs, at = np.unique(ends, return_inverse=True)
            parts.append(np.array([pairs, np.bincount(at, portion["weight"]), np.bincount(at)]))
        ends, *values = np.concatenate(parts, axis=1)
        pairs, at = np.unique(ends.astype(np.int64), return_inverse=True)
        weights, links = (np.bincount(at, value, len(pairs)) for value in values)
        return pairs // n, pairs % n, weights, links.astype(np.int64)

    def pages(self) -> Iterator[Portion]:
        """Yield the hosts."""
        yield self._nodes

    def links(self) -> Iterator[Portion]:
        """Yield the links between different hosts."""
        yield self._edges

    def named_links(self) -> Iterator[tuple[str, str, int]]:
        """Yield (source, target, weight) of each link, by name."""
        for source, target, weight, _ in self.link_rows():
            yield self._names[int(source or 0)], self._names[int(target or 0)], int(weight or 0)
