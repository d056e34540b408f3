"""The link graph of a crawl, read from its store: also of a crawl that is running."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.resumed import stored_config
from frontier.linkgraphs.urlgraph import UrlGraph
from frontier.states import WEIGHTLESS, Mark
from frontier.store.fingerprints import FingerprintIndex
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.offline.names import Names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.store import Loaded, StoreReader


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
