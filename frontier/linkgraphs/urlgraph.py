"""A link graph whose ids have names: URLs, or the hosts they were folded to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from frontier.linkgraphs.hosts import Naming
from ranking.offline.names import take

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ranking.graph.link_graph import LinkGraph
    from ranking.graph.view import GraphView

UNKNOWN = -1
_BLOCK = 1 << 14
"""Names that are text at a time."""


@dataclass(frozen=True, eq=False)
class UrlGraph:
    """n ids, the links between them, and what else is known.

    `find` gives the id of a name as people spell it, UNKNOWN for one that is not in the graph.
    `seeds` counts, for each id, the seeds of the crawl; None where nobody knows. `relevance` lies
    in [0, 1]; None where no page was judged. `hidden` are pages that ask not to be shown: they are
    ranked and not written; None: nobody knows of any. `notes` says what could not be used.
    """

    graph: LinkGraph | GraphView
    names: Sequence[str]
    find: Callable[[str], int]
    seeds: NDArray[np.float64] | None = None
    relevance: NDArray[np.float64] | None = None
    pages: int = 0
    hidden: NDArray[np.bool_] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        """Number of ids."""
        return len(self.names)

    def folded(self, naming: Naming) -> UrlGraph:
        """Return the graph of the hosts (or what else `naming` makes of URLs).

        A link from host to host weighs as many links between their pages as there are; those within
        a host are left out. Seeds add up; a host is as relevant as its pages on average.
        """
        from ranking.graph.hosts import fold

        names, of_url = _hosts(self.names, naming)
        ids = {name: number for number, name in enumerate(names)}
        counts = np.bincount(of_url, minlength=len(names))
        relevance = _summed(self.relevance, of_url, len(names))
        return replace(
            self,
            graph=fold(self.graph, of_url),
            names=names,
            find=lambda name: ids.get(naming.of_name(name), UNKNOWN),
            seeds=_summed(self.seeds, of_url, len(names)),
            relevance=None if relevance is None else relevance / np.maximum(counts, 1),
            hidden=None,
        )


def _summed(
    values: NDArray[np.float64] | None, of_url: NDArray[np.int32], n: int
) -> NDArray[np.float64] | None:
    if values is None:
        return None
    sums: NDArray[np.float64] = np.bincount(of_url, values, n).astype(np.float64)
    return sums


def _hosts(names: Sequence[str], naming: Naming) -> tuple[list[str], NDArray[np.int32]]:
    """Return the hosts in the order of their first URL, and for each URL the number of its host."""
    numbers: dict[str, int] = {}
    of_url = np.empty(len(names), np.int32)
    for start, block in _blocks(names):
        hosts = (naming.of_url(url) for url in block)
        of_url[start : start + len(block)] = [
            numbers.setdefault(host, len(numbers)) for host in hosts
        ]
    return list(numbers), of_url


def _blocks(names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    for start in range(0, len(names), _BLOCK):
        ids = np.arange(start, min(start + _BLOCK, len(names)))
        yield start, take(names, ids)
