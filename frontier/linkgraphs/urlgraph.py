"""A link graph whose ids have names, URLs or the hosts they were folded to; that of a crawl.

A crawl is read from its store, also one that is running.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.resumed import stored_config
from frontier.states import WEIGHTLESS, Mark
from frontier.store.fingerprints import FingerprintIndex
from frontier.urls.canonical import slot_of
from frontier.urls.hosts import host_spelling
from ranking.graph.hosts import fold
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.offline.names import Names, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.store import Loaded, StoreReader

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

    def folded(self, name_of: Callable[[str], str]) -> UrlGraph:
        """Return the graph of the hosts, or of what else `name_of` makes of a host name.

        A link from host to host weighs as many links between their pages as there are; those within
        a host are left out. Seeds add up; a host is as relevant as its pages on average.
        """
        names, of_url = _hosts(self.names, name_of)
        n = len(names)
        ids = {name: number for number, name in enumerate(names)}

        def find(name: str) -> int:
            host = slot_of(name) if "://" in name else host_spelling(name.strip())
            return ids.get(name_of(host), UNKNOWN)

        relevance = None
        if self.relevance is not None:
            counts = np.maximum(np.bincount(of_url, minlength=n), 1)
            relevance = np.bincount(of_url, self.relevance, n) / counts
        return replace(
            self,
            graph=fold(self.graph, of_url),
            names=names,
            find=find,
            seeds=None if self.seeds is None else np.bincount(of_url, self.seeds, n).astype(float),
            relevance=relevance,
            hidden=None,
        )


def _hosts(
    names: Sequence[str], name_of: Callable[[str], str]
) -> tuple[list[str], NDArray[np.int32]]:
    """Return the hosts in the order of their first URL, and for each URL the number of its host."""
    numbers: dict[str, int] = {}
    of_url = np.empty(len(names), np.int32)
    for start in range(0, len(names), _BLOCK):
        block = take(names, np.arange(start, min(start + _BLOCK, len(names))))
        hosts = (name_of(slot_of(url)) for url in block)
        of_url[start : start + len(block)] = [
            numbers.setdefault(host, len(numbers)) for host in hosts
        ]
    return list(numbers), of_url


class StoredUrls(Names):
    """The first n URLs of a crawl by id, canonical, read from the store when they are asked for."""

    def __init__(self, reader: StoreReader, n: int) -> None:
        self._reader = reader
        self._n = n

    def __len__(self) -> int:
        return self._n

    def take(self, ids: NDArray[np.int64]) -> list[str]:
        if len(ids) and np.array_equal(ids, np.arange(ids[0], ids[0] + len(ids))):
            return self._reader.canonical_urls(int(ids[0]), int(ids[-1]))
        return self._reader.canonical_urls_of(ids.tolist())


def crawl_graph(reader: StoreReader) -> UrlGraph:
    """Load the graph of a crawl, its seeds and the relevance of its pages.

    `relevance` is that of the crawl's own HITS by topic: of a page that was fetched its own, of any
    other URL the mean. The reader must stay open as long as names are asked for. Raises
    StoreMissingError where no crawl has begun, StoreDamagedError for a file that is broken.
    """
    config = stored_config(reader)
    loaded = reader.load()
    n, pages = len(loaded.states), loaded.pages
    index = FingerprintIndex(loaded.fingerprints)
    weights = ((pages.links.flags & WEIGHTLESS) == 0).astype(np.float32)
    log = GraphView(n, pages.ids, pages.indptr, pages.links.targets, weights)
    return UrlGraph(
        graph=LinkGraph.from_log(log),
        names=StoredUrls(reader, n),
        find=lambda url: index.lookup([config.identify(url)])[0],
        seeds=loaded.seeds.astype(np.float64),
        relevance=_relevance(loaded),
        pages=len(pages.ids),
        hidden=(loaded.marks & Mark.NOINDEX) > 0,
    )


def _relevance(loaded: Loaded) -> NDArray[np.float64] | None:
    pages = loaded.pages
    if np.isnan(pages.relevance).all():
        return None
    own = np.nan_to_num(pages.relevance)
    values: NDArray[np.float64] = np.full(len(loaded.states), own.mean())
    values[pages.ids] = own
    return values
