"""What every order that re-ranks must do."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.orders import make_order
from ranking.result import Ranking
from tests.ranking.orders.every_order import re_ranked
from tests.ranking.small_crawl import new_crawl, silent
from tests.support.told import telling


@re_ranked
def test_a_re_rank_installs_the_rankings_of_the_snapshot(name):
    crawl = new_crawl(name)
    crawl.run(40)
    rankings = crawl.order.prepare(crawl.graph.snapshot(), crawl.evidence)()
    crawl.order.swap(rankings)
    for key, ranking in rankings.items():
        assert isinstance(ranking, Ranking)
        assert ranking.converged
        assert ranking.scores.sum() == pytest.approx(1)
        if key in crawl.order.scores:
            found = crawl.order.scores[key]
            np.testing.assert_array_equal(found, ranking.scores.astype(found.dtype))


@re_ranked
def test_a_job_reads_nothing_that_the_crawl_changes_meanwhile(name):
    quiet, busy = new_crawl(name), new_crawl(name)
    for crawl in (quiet, busy):
        crawl.run(40, every=15)
    expected = quiet.order.prepare(quiet.graph.snapshot(), quiet.evidence)()
    job = busy.order.prepare(busy.graph.snapshot(), busy.evidence)
    busy.run(80)
    for key, ranking in job().items():
        np.testing.assert_array_equal(ranking.scores, expected[key].scores)


@re_ranked
def test_a_job_runs_in_a_thread_while_the_crawl_goes_on(name):
    crawl, results = new_crawl(name), []
    crawl.run(40)
    job = crawl.order.prepare(crawl.graph.snapshot(), crawl.evidence)
    worker = threading.Thread(target=lambda: results.append(job()))
    worker.start()
    crawl.run(60)
    worker.join(timeout=30)
    crawl.order.swap(results[0])
    assert len(crawl.order.scores["score"]) == crawl.evidence.n
    assert len(crawl.run(100, every=20)) == 100


@re_ranked
def test_pages_fetched_during_a_re_rank_are_pushed_from_the_new_scores(name):
    """Swapping late gives what swapping at once and fetching afterwards gives."""
    late, early = new_crawl(name), new_crawl(name)
    pages = [f"p{i}" for i in range(1, 60)]
    for crawl in (late, early):
        for page in pages[:40]:
            crawl.discover([page], 1)
            crawl.fetch(page)
    early.rerank()
    job = late.order.prepare(late.graph.snapshot(), late.evidence)
    rankings = job()
    for page in pages[40:]:
        for crawl in (late, early):
            crawl.discover([page], 1)
            crawl.fetch(page)
    late.order.swap(rankings)
    for key, scores in early.order.scores.items():
        if name == "topic-hits" or (
            late.order.uses_places and key == "authority"
        ):  # reads the mean relevance of now
            np.testing.assert_allclose(late.order.scores[key], scores, atol=0.02)
        else:
            np.testing.assert_allclose(late.order.scores[key], scores, rtol=1e-12)


@re_ranked
def test_without_seeds_and_relevance_a_re_rank_still_works(name):
    evidence, graph, order = Evidence(), LinkGraph(3), make_order(name)
    evidence.grow(3)
    order.grow(3)
    for page, targets in ((0, [1, 2]), (1, [])):
        evidence.page(silent(page, targets))
        graph.append(page, targets)
        order.page(silent(page, targets), evidence)
    order.swap(order.prepare(graph.snapshot(), evidence)())
    assert order.scores["score"].sum() == pytest.approx(1)
    assert np.isfinite(order.priority([2], evidence)).all()


def test_a_graph_with_ids_the_evidence_does_not_know_is_refused():
    with pytest.raises(RankingInputError, match=telling(4, 0)):
        make_order("ppr").prepare(LinkGraph(4).snapshot(), Evidence())


def test_prepare_takes_a_view_without_weights_or_with():
    crawl = new_crawl("ppr")
    crawl.run(20)
    view = crawl.graph.snapshot()
    ones = np.ones(view.n_links, np.float32)
    weighted = GraphView(view.n, view.pages, view.indptr, view.targets, ones)
    plain = crawl.order.prepare(view, crawl.evidence)()["score"].scores
    same = crawl.order.prepare(weighted, crawl.evidence)()["score"].scores
    np.testing.assert_allclose(same, plain, atol=1e-15)
