"""The driver of a crawl order: seeds, pages, links and errors in, priorities of URLs out.

It gives the priorities of many URLs at once (Frontera calls them scores; ours are any finite
number, higher first), and schedules none by itself. It holds everything that priorities are
computed from, and nothing else: the link graph, the evidence, the crawl order (`ranking.orders`),
the re-ranker, and the scores of an earlier crawl, if there are any.

All of it is rebuilt from the store on resume, by the calls of a running crawl, so that a resumed
crawl goes on as if it had never stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.states import Mark, State
from frontier.strategy.page_updates import edge_weights, of_originals, update_of
from frontier.strategy.prior_scores import PriorScores
from frontier.strategy.rerank import Reranker, RerankSchedule
from frontier.urls.places import folder_places, host_places, template_places
from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.orders import make_order
from ranking.orders.base import Places, Repricing
from ranking.orders.memory import restore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from frontier.config import CrawlConfig
    from frontier.records import Lease, PageRow, UrlRecord
    from frontier.store import Loaded
    from ranking.arrays import SingleArray
    from ranking.page_update import PageUpdate
    from ranking.priority import Prior

IN_VAIN = (State.ERROR, State.ROBOTS, State.FILTERED, State.TRAP)
"""States of URLs that were leased and gave nothing: `Order.fail` is called with them."""


class OrderDriver:
    """Drives the crawl order that the configuration names, by name or import path."""

    def __init__(
        self,
        config: CrawlConfig,
        executor: Executor | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.order = make_order(config.strategy, damping=config.damping, tol=config.tolerance)
        self.graph = LinkGraph()
        self.evidence = Evidence()
        self._before = PriorScores(prior)
        self._topical_weight = config.topical_weight
        self.epoch = 0
        self._failed = 0
        self.reranker = Reranker(
            RerankSchedule(config.rerank_pages, min_pages=config.rerank_min_pages),
            executor,
        )

    def add_seeds(self, seeds: Sequence[UrlRecord]) -> None:
        self._know(seeds)
        self._mark_seeds(seeds)

    def take(self, row: PageRow, links: Sequence[UrlRecord]) -> None:
        """Learn from a page, with the links of it that are followed."""
        self._know(links)
        self._mark_seeds(links)
        self.learn(row)

    def failed(self, lease: Lease) -> None:
        """Note that a URL gave no page."""
        # It stays a dangling node of the graph; an order may learn where URLs fail.
        self.order.fail(np.array([lease.url_id]))
        self._failed += 1

    @property
    def answers(self) -> int:
        """Leases of this crawl that came to an end: pages, redirects and failures."""
        return self.graph.n_pages + self._failed

    def close(self) -> None:
        self.reranker.close()

    def resume(
        self,
        loaded: Loaded,
        saved: dict[str, NDArray[Any]],
        epoch: int,
        updates: Callable[[int, int], Iterable[PageRow]],
        urls: Callable[[range], list[str]],
        zones: Callable[[range], list[int]],
    ) -> None:
        """Rebuild graph, evidence and scores from a stored crawl.

        `saved` holds the order's arrays of the last epoch. The order gets the pages fetched since
        once more, so that it has learned from them and the URLs they discovered have their
        provisional scores again; `updates` gives them, as `StoreReader.updates` does, and `urls`
        and `zones` the URLs of ids and where they were discovered, as `StoreReader.urls_in` and
        `StoreReader.zones_in` do.
        """
        n = len(loaded.states)
        self.evidence.grow(n, loaded.depths)
        self._before.extend(loaded.fingerprints, loaded.host_names, loaded.hosts)
        self.evidence.add_seeds(np.flatnonzero(loaded.seeds))
        self._take_links(loaded)
        self.epoch = epoch
        if saved:
            restore(self.order, saved, n)
        if self.order.uses_places:
            fresh = range(self.order.placed, n)
            slots = [loaded.host_names[host] for host in loaded.hosts[fresh.start :]]
            self._add_places(urls(fresh), slots, zones(fresh))
        self.order.grow(n)
        if not self.order.forgets:
            for stored in updates(self.order.pages_seen, loaded.next_seq):
                self._learn(update_of(stored, self._topical_weight), stored)
        in_vain = np.flatnonzero(np.isin(loaded.states, IN_VAIN))
        self.order.fail(in_vain)
        self._failed = int(np.isin(in_vain, loaded.pages.ids, invert=True).sum())
        self.reranker.resume(self.graph.n_pages)

    def _take_links(self, loaded: Loaded) -> None:
        """Make graph and evidence of all links."""
        pages, n = loaded.pages, len(loaded.states)
        links = pages.links
        weights = edge_weights(links.flags, self._topical_weight)
        predicted = of_originals(links.predicted, links.flags)
        log = GraphView(n, pages.ids, pages.indptr, links.targets, weights)
        clean, living, (predicted,) = log.cleaned(predicted)
        self.graph = LinkGraph.from_log(clean)
        self.evidence.load(clean, np.nan_to_num(pages.relevance[living]), predicted)

    def priorities(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Priority of each URL id now; shape (len(ids),), finite, higher first."""
        most = self.order.at_once
        if len(ids) > most:
            parts = [self.priorities(ids[at : at + most]) for at in range(0, len(ids), most)]
            return np.concatenate(parts)
        values = self.order.priority(ids, self.evidence)
        return self._before.lifted(values, ids, self.evidence.in_links)

    def repricing(self, queued: int) -> Repricing:
        """Which of so many queued URLs need a new priority, now that answers came."""
        return self.order.repricing(self.answers, queued)

    def repricing_reranked(self, queued: int) -> Repricing:
        """Which of so many queued URLs need a new priority, now that a re-rank was installed."""
        return self.order.repricing_reranked(self.answers, queued)

    def rows(self, ids: Sequence[int]) -> list[SingleArray | None]:
        """What the order knows of URLs that are leased, to learn from when they are judged."""
        return self.order.rows(ids, self.evidence)

    def score(self, url_id: int) -> float | None:
        """The link score of a URL; None in an order without scores."""
        return self.order.score(url_id)

    def expectations(self, url_id: int) -> tuple[float, float]:
        """Mean relevance of the pages that link to a URL, and its prediction, both in [0, 1]."""
        evidence = self.evidence
        in_links = int(evidence.in_links[url_id])
        mean = evidence.parent_sum[url_id] / in_links if in_links else evidence.mean_relevance
        return float(min(mean, 1.0)), float(evidence.predicted[url_id])

    def start_due_rerank(self) -> None:
        """Start a re-rank beside the crawl if it is time for one."""
        fetched = self.graph.n_pages
        if self.order.uses_links and self.graph.n_links and self.reranker.is_due(fetched):
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

    def _know(self, requests: Sequence[UrlRecord]) -> None:
        """Make room for URLs that were met for the first time; ids are dense and ascending."""
        first = self.evidence.n
        # A page may name a new URL twice.
        fresh = {record.url_id: record for record in requests if record.url_id >= first}
        if fresh:
            last = first + len(fresh)
            news = [fresh[i] for i in range(first, last)]
            self.evidence.grow(last, [record.depth for record in news])
            fingerprints = [record.fingerprint for record in news]
            hosts = [record.slot for record in news]
            self._before.extend(fingerprints, hosts, np.arange(len(hosts)))
            self.graph.grow(last)
            if self.order.uses_places:
                urls, slots, zones = zip(
                    *((new.url, new.slot, new.zone) for new in news), strict=True
                )
                self._add_places(urls, slots, zones)
            self.order.grow(last)

    def _add_places(self, urls: Sequence[str], slots: Sequence[str], zones: Sequence[int]) -> None:
        places = host_places(slots), folder_places(urls), template_places(urls)
        # In a damaged file a zone may be any integer.
        self.order.place(Places(*places, np.array(zones, np.int64).astype(np.uint32)))

    def _mark_seeds(self, requests: Sequence[UrlRecord]) -> None:
        starts = [record.url_id for record in requests if record.seed]
        if starts:
            self.evidence.add_seeds(np.array(starts, dtype=np.int64))

    def learn(self, page: PageRow) -> None:
        """Learn from a page: from its own relevance, then from its links.

        Again for a page whose relevance was corrected.
        """
        update = update_of(page, self._topical_weight)
        if page.refetched:
            self.evidence.forget(page.url_id, *self.graph.links(page.url_id))
        self.evidence.page(update)
        try:
            self._learn(update, page)
        except Exception:  # of a strategy of the user's: the page does not enter the graph
            self.evidence.forget(page.url_id, update.targets, update.weights)
            self._failed += 1
            raise
        self.graph.append(page.url_id, update.targets, update.weights)
        if page.state in IN_VAIN:  # an error page whose links were followed all the same
            self.order.fail(np.array([page.url_id]))

    def _learn(self, update: PageUpdate, page: PageRow) -> None:
        if page.judged:
            self.order.learn(page.url_id, page.features, update.relevance)
        elif page.state is State.REDIRECTED:
            in_vain = Mark.REDIRECT_TO_KNOWN in page.marks
            self.order.lead(page.url_id, page.features, None if in_vain else update.relevance)
        self.order.page(update, self.evidence)
