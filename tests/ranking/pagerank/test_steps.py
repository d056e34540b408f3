import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from ranking.pagerank.steps import Steps

LINK = st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0]))
RECORDS = st.lists(st.tuples(st.integers(0, 9), st.lists(LINK, max_size=8)), max_size=12)


def graph_of(records) -> LinkGraph:
    graph = LinkGraph(10)
    for page, links in records:
        graph.append(page, [t for t, _ in links], [w for _, w in links])
    return graph


def inner_edges(view: GraphView) -> dict[tuple[int, int], float]:
    """Weight by (source row, target row), from the public arrays."""
    weights = np.ones(view.n_links) if view.weights is None else view.weights
    row = {int(page): i for i, page in enumerate(view.pages)}
    return {
        (int(source), row[int(target)]): float(weight)
        for source, target, weight in zip(view.rows, view.targets, weights, strict=True)
        if int(target) in row and weight > 0
    }


@given(RECORDS)
def test_steps_hold_the_followed_links_among_fetched_pages(records):
    view = graph_of(records).snapshot()
    steps = Steps.of(view)
    assert sorted(steps.order) == list(range(view.n_pages))
    found = {}
    for position, row in enumerate(steps.order):
        for k in range(steps.indptr[position], steps.indptr[position + 1]):
            weight = 1.0 if steps.weights is None else float(steps.weights[k])
            found[int(steps.order[steps.sources[k]]), int(row)] = weight
    assert found == inner_edges(view)
    assert len(steps.sources) == len(found)


def test_pages_are_swept_by_in_degree_within_blocks_of_the_crawl():
    rng = np.random.default_rng(1)
    graph = LinkGraph()
    for page in range(10_000):
        graph.append(page, rng.integers(0, 10_000, 8))
    steps = Steps.of(graph.snapshot())
    in_degree = np.diff(steps.indptr)
    for first in range(0, 10_000, 4096):
        block = slice(first, first + 4096)
        assert (np.diff(in_degree[block]) >= 0).all()
        assert steps.order[block].min() == first


def test_an_older_view_does_not_see_pages_that_were_fetched_after_it():
    graph = LinkGraph()
    graph.append(0, [1, 2])
    before = graph.snapshot()
    graph.append(1, [0])
    assert Steps.of(before).sources.size == 0
    assert Steps.of(graph.snapshot()).sources.size == 2


def test_an_older_view_keeps_the_rows_of_pages_that_are_recorded_again():
    graph = LinkGraph()
    graph.append(0, [1])
    graph.append(1, [0])
    before = graph.snapshot()
    graph.append(0, [2])
    assert before.row_of[:2].tolist() == [0, 1]
    assert graph.snapshot().row_of[:2].tolist() == [1, 0]
