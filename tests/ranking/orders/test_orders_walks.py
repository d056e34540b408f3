"""Orders by the scores of a random surfer."""

from __future__ import annotations

import numpy as np
import pytest

from ranking.pagerank.pagerank import pagerank
from tests.ranking.small_crawl import new_crawl


@pytest.mark.parametrize("name", ["pagerank", "ppr", "topic-ppr"])
def test_provisional_scores_come_near_the_next_re_rank(name):
    crawl = new_crawl(name)
    crawl.run(100, every=20)
    known = crawl.evidence.n
    crawl.run(103)
    provisional = crawl.order.scores["score"].copy()
    crawl.rerank()
    exact = crawl.order.scores["score"]
    assert np.abs(provisional - exact).sum() < 0.1
    if exact[known:].any():
        assert provisional[known:].sum() == pytest.approx(exact[known:].sum(), rel=0.5)


def test_ppr_is_trustrank_of_the_seeds():
    crawl = new_crawl("ppr")
    crawl.run(60)
    crawl.rerank()
    restart = crawl.evidence.seed.astype(float)
    expected = pagerank(crawl.graph, restart, tol=1e-10).scores
    assert np.abs(crawl.order.scores["score"] - expected).sum() <= 1e-4


def test_topic_ppr_restarts_at_fetched_pages_by_relevance():
    crawl = new_crawl("topic-ppr")
    crawl.run(60)
    crawl.rerank()
    expected = pagerank(crawl.graph, crawl.evidence.relevance, tol=1e-10).scores
    assert np.abs(crawl.order.scores["score"] - expected).sum() <= 1e-4


def test_without_any_relevance_the_topical_surfer_restarts_at_the_seeds():
    crawl = new_crawl("topic-ppr", relevance=lambda page: 0.0)
    crawl.run(40, every=10)
    crawl.rerank()
    restart = crawl.evidence.seed.astype(float)
    expected = pagerank(crawl.graph, restart, tol=1e-10).scores
    assert np.abs(crawl.order.scores["score"] - expected).sum() <= 1e-4
