"""The crawling strategy: what a page teaches about the pages it links to.

It implements Frontera's `BaseCrawlingStrategy`: Frontera tells it of seeds, pages, links and
errors, and it answers by scheduling URLs with a priority (Frontera calls that a score; ours are
any finite number, higher first). It holds everything the priority is computed from, and nothing
else:

* the link graph, to which a fetched page appends its out-links once;
* the evidence: relevance of the pages that link to a URL, promise of the links;
* the crawl order (`ranking.orders`), which turns both into one number for each URL;
* the re-ranker, which recomputes the link scores beside the crawl;
* what an earlier crawl said of some of the URLs, if this one was seeded with it.

All of it is rebuilt from the store on resume, by the same calls a running crawl makes, so that a
resumed crawl and one that never stopped continue alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from frontera.core.components import States
from frontera.worker.strategies import BaseCrawlingStrategy

from frontier.config import FRONTERA_SETTING
from frontier.known_before import KnownBefore
from frontier.meta import DEPTH, FINGERPRINT, FLAGS, ID, NOFOLLOW, PROMISE, RELEVANCE, SEED, STATE
from frontier.rerank import Reranker, RerankSchedule
from ranking.evidence import Evidence
from ranking.graph import GraphView, LinkGraph
from ranking.lesson import silent
from ranking.orders import make_order

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from frontera.core.models import Request, Response
    from numpy.typing import NDArray

    from frontier.config import CrawlConfig
    from frontier.scores import ScoreStream
    from frontier.store import Loaded
    from ranking.prior import Prior


class LinkStrategy(BaseCrawlingStrategy):  # type: ignore[misc]  # Frontera has no types
    """Orders the frontier by links and relevance, after the crawl order of the configuration."""

    def __init__(
        self,
        scores: ScoreStream,
        states: object,
        config: CrawlConfig,
        executor: Executor | None = None,
        prior: Prior | None = None,
    ) -> None:
        # Not super().__init__: it builds Frontera's fingerprint middleware, and fingerprints are
        # the frontier's own here.
        self._mb_stream = scores
        self._states_context = states
        self.order = make_order(config.strategy, damping=config.damping, tol=config.tolerance)
        self.graph = LinkGraph()
        self.evidence = Evidence()
        self._before = KnownBefore(prior)
        self.epoch = 0
        self.reranker = Reranker(
            RerankSchedule(config.rerank_pages, config.rerank_growth, config.rerank_min_pages),
            executor,
        )

    @classmethod
    def from_worker(
        cls, manager: Any, mb_stream: ScoreStream, states_context: object
    ) -> LinkStrategy:
        return cls(mb_stream, states_context, manager.settings.get(FRONTERA_SETTING))

    def add_seeds(self, seeds: Sequence[Request]) -> None:
        self._know(seeds)
        starts = [seed.meta[ID] for seed in seeds if seed.meta.get(SEED)]
        if starts:
            self.evidence.add_seeds(np.array(starts, dtype=np.int64))
        self._schedule(seeds)

    def page_crawled(self, response: Response) -> None:
        # What it teaches is known once its links are: Frontera reports them next.
        pass

    def links_extracted(self, request: Request, links: Sequence[Request]) -> None:
        self._know(links)
        count = len(links)
        targets = np.fromiter((link.meta[ID] for link in links), np.int32, count)
        promises = np.fromiter((link.meta[PROMISE] for link in links), np.float32, count)
        flags = np.fromiter((link.meta[FLAGS] for link in links), np.uint8, count)
        self._learn(request.meta[ID], request.meta[RELEVANCE], targets, promises, flags)
        self._schedule(links)

    def page_error(self, request: Request, error: str) -> None:
        # A page that could not be fetched teaches nothing and stays a dangling node.
        pass

    def close(self) -> None:
        self.reranker.close()
        super().close()

    def resume(self, loaded: Loaded, saved: dict[str, NDArray[Any]], epoch: int) -> None:
        """Rebuild graph, evidence and scores from a stored crawl.

        `saved` holds the order's arrays of the last epoch. The pages fetched since are told to
        the order once more, so that the URLs they found have their provisional scores again.
        """
        pages, n = loaded.pages, len(loaded.states)
        links = pages.links
        log = GraphView(n, pages.ids, pages.indptr, links.targets, _weights(links.flags))
        self.graph = LinkGraph.from_log(log)
        self.evidence.grow(n, loaded.depths)
        self._before.extend(loaded.fingerprints)
        self.evidence.add_seeds(np.flatnonzero(loaded.seeds))
        self.evidence.load(log, np.nan_to_num(pages.relevance), links.promises)
        self.epoch = epoch
        if saved:
            self.order.restore(saved)
        self.order.grow(n)
        for page in pages.ids[self.order.pages_seen :].tolist():
            self.order.page(silent(page, *self.graph.links(page)), self.evidence)
        self.reranker.resume(self.graph.n_pages)

    def priorities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Priority of each URL id now; shape (len(ids),), finite, higher first."""
        values = self.order.priority(ids, self.evidence)
        return self._before.lifted(values, ids, self.evidence.in_links)

    def score(self, url_id: int) -> float | None:
        """What link analysis gives one URL, or None in an order that uses no links."""
        return self.order.score(url_id)

    def expectations(self, url_id: int) -> tuple[float, float]:
        """Relevance (mean of the pages that link to it) and promise of a URL, both in [0, 1]."""
        evidence = self.evidence
        in_links = int(evidence.in_links[url_id])
        mean = evidence.parent_sum[url_id] / in_links if in_links else evidence.mean_relevance
        return float(min(mean, 1.0)), float(evidence.promise[url_id])

    def start_due_rerank(self) -> None:
        """Start a re-rank beside the crawl if it is time for one."""
        fetched = self.graph.n_pages
        if self.order.uses_links and self.reranker.is_due(fetched):
            job = self.order.prepare(self.graph.snapshot(), self.evidence)
            self.reranker.start(fetched, job)

    def rerank_overdue(self) -> bool:
        """Whether a re-rank should be installed now and is still being computed."""
        return self.reranker.is_overdue(self.graph.n_pages)

    def install_rerank(self) -> bool:
        """Swap in the scores of a finished re-rank; True if the order changed."""
        rankings = self.reranker.take(self.graph.n_pages)
        if rankings is None:
            return False
        self.order.swap(rankings)
        self.epoch += 1
        return True

    def _know(self, requests: Sequence[Request]) -> None:
        """Make room for URLs that were met for the first time; ids are dense and ascending."""
        fresh = [r for r in requests if r.meta[ID] >= self.evidence.n]
        if fresh:
            news = {r.meta[ID]: r.meta for r in fresh}
            first, last = self.evidence.n, max(news) + 1
            self.evidence.grow(last, [news[i][DEPTH] for i in range(first, last)])
            self._before.extend([news[i][FINGERPRINT] for i in range(first, last)])
            self.graph.grow(last)
            self.order.grow(last)

    def _learn(
        self,
        page: int,
        relevance: float,
        targets: NDArray[np.int32],
        promises: NDArray[np.float32],
        flags: NDArray[np.uint8],
    ) -> None:
        weights = _weights(flags)
        if self.evidence.fetched[page]:
            self.evidence.forget(page, *self.graph.links(page))
        self.graph.append(page, targets, weights)
        lesson = silent(page, targets, weights, relevance, promises)
        self.evidence.page(lesson)
        self.order.page(lesson, self.evidence)

    def _schedule(self, requests: Sequence[Request]) -> None:
        if not requests:
            return
        ids = np.fromiter((r.meta[ID] for r in requests), np.int64, len(requests))
        for request, priority in zip(requests, self.priorities(ids).tolist(), strict=True):
            known = request.meta[STATE] != States.NOT_CRAWLED
            self.schedule(request, priority, dont_queue=known)


def _weights(flags: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Weight of each link in the graph: a nofollow link discovers but gives no score."""
    followed: NDArray[np.float32] = ((flags & NOFOLLOW) == 0).astype(np.float32)
    return followed
