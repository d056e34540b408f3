"""The default order, beyond what all orders have in common."""

from __future__ import annotations

import pytest

from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.lesson import silent
from ranking.orders import make_order
from tests.ranking.small_crawl import new_crawl, promise


@pytest.mark.parametrize("every", [0, 5])
@pytest.mark.parametrize("level", [0.0, 1e-30, 1.0])
def test_relevance_ppr_tells_urls_apart_when_relevance_does_not(level, every):
    crawl = new_crawl("relevance-ppr", relevance=lambda name: level)
    crawl.run(50, every)
    values = list(crawl.priorities().values())
    assert len(set(values)) > len(values) / 2
    assert min(values) > 0


def test_relevance_ppr_ranks_by_promise_before_there_is_anything_else():
    crawl = new_crawl("relevance-ppr", seeds=["p5"], relevance=lambda name: 0.0)
    crawl.run(1)
    values = crawl.priorities()
    assert sorted(values, key=values.get) == sorted(values, key=promise)


def test_relevance_ppr_leaves_urls_alone_that_a_page_does_not_link_to_until_the_re_rank():
    order, evidence, graph = make_order("relevance-ppr"), Evidence(), LinkGraph()
    evidence.grow(6)
    graph.grow(6)
    order.grow(6)

    def fetch(page: int, relevance: float, targets: list[int]) -> None:
        graph.append(page, targets)
        lesson = silent(page, targets, None, relevance)
        evidence.page(lesson)
        order.page(lesson, evidence)

    fetch(0, 0.8, [2, 3])
    before = order.priority([2], evidence)
    fetch(1, 0.0, [4])
    assert order.priority([2], evidence) == before
    order.swap(order.prepare(graph.snapshot(), evidence)())
    ranked = order.priority([2], evidence)
    fetch(3, 1.0, [5])
    assert order.priority([2], evidence) == ranked
    resumed = make_order("relevance-ppr")
    resumed.restore(order.state_arrays())
    resumed.grow(6)
    assert resumed.priority([2], evidence) == ranked
