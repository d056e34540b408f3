"""A surfer's rankings, each of which continues the last one."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.orders.link_order import LinkUpdate
from ranking.orders.surfer import AnywhereRestart, SeedRestart, Surfer, TopicRestart
from ranking.pagerank.pagerank import pagerank
from tests.ranking.small_crawl import silent

TOL = 1e-4
restarts = pytest.mark.parametrize("restart", [AnywhereRestart, SeedRestart, TopicRestart])


def grown(n: int, pages: int, seed: int) -> list[tuple[int, np.ndarray]]:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)[:pages]
    return [(int(page), rng.integers(0, n, rng.integers(0, 8))) for page in order]


class Growing:
    """A crawl as a surfer sees it, re-ranked now and then."""

    def __init__(self, restart, dtype, n=400, pages=150, seed=3):
        self.graph, self.evidence = LinkGraph(n), Evidence()
        self.evidence.grow(n)
        self.evidence.add_seeds([1, 2])
        self.surfer = Surfer(restart(), 0.85, TOL, dtype)
        self.surfer.grow(n)
        self.log = grown(n, pages, seed)

    def fetch(self, page, targets):
        update = silent(page, targets.astype(np.int32), None, (page % 7) / 7)
        self.graph.append(page, targets)
        self.evidence.page(update)
        self.surfer.push(LinkUpdate.of(update, self.evidence))

    def rerank(self, start):
        """One of the surfer, and that of the whole ranking before it."""
        view = self.graph.snapshot()
        restart = self.surfer._restart.vector(view, self.evidence)
        expected = pagerank(view, restart, 0.85, TOL, start)
        found = self.surfer.job(view, self.evidence)()
        self.surfer.install(found)
        return found, expected


@restarts
def test_rankings_continue_bit_by_bit_as_if_the_whole_last_one_had_been_kept(restart):
    crawl, before = Growing(restart, np.float64), None
    for number, record in enumerate(crawl.log):
        crawl.fetch(*record)
        if number % 10 == 9:
            start = crawl.surfer.scores.copy() if before is None else before
            found, before = crawl.rerank(start)
            np.testing.assert_array_equal(found.scores, before.scores)
            np.testing.assert_array_equal(crawl.surfer.scores, before.scores)
            assert (found.iterations, found.pushed) == (before.iterations, before.pushed)


@restarts
def test_in_single_precision_errors_do_not_add_up(restart):
    crawl = Growing(restart, np.float32)
    for number, record in enumerate(crawl.log):
        crawl.fetch(*record)
        if number % 2:
            _, exact = crawl.rerank(None)
            assert crawl.surfer.scores.dtype == np.float32
            assert np.abs(crawl.surfer.scores - exact.scores).sum() <= 2 * TOL
