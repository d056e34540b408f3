from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import LinkRankError, RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from tests.ranking.reference import dense_of
from tests.support.told import telling

RECORDS = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0])), max_size=8),
    ),
    max_size=12,
)


def as_lists(view: GraphView) -> list[tuple[int, list[int], list[float]]]:
    weights = np.ones(view.n_links) if view.weights is None else view.weights
    return [
        (int(page), view.targets[a:b].tolist(), weights[a:b].tolist())
        for page, a, b in zip(view.pages, view.indptr[:-1], view.indptr[1:], strict=True)
    ]


def raw_log(records, n: int = 10) -> GraphView:
    lengths = [len(links) for _, links in records]
    return GraphView(
        n,
        np.array([page for page, _ in records], np.int32),
        np.cumsum([0, *lengths]),
        np.array([t for _, links in records for t, _ in links], np.int32),
        np.array([w for _, links in records for _, w in links], np.float32),
    )


def test_records_are_rows_in_crawl_order():
    graph = LinkGraph()
    graph.append(3, [1, 0])
    graph.append(0, [])
    graph.append(1, [5])
    view = graph.snapshot()
    assert (graph.n, graph.n_pages, graph.n_links) == (6, 3, 3)
    assert view.pages.tolist() == [3, 0, 1]
    assert view.indptr.tolist() == [0, 2, 2, 3]
    assert view.targets.tolist() == [1, 0, 5]
    assert view.weights is None
    assert (view.pages.dtype, view.indptr.dtype, view.targets.dtype) == (
        np.int32,
        np.int64,
        np.int32,
    )


def test_self_loops_are_dropped_and_repeats_merged_with_the_largest_weight():
    graph = LinkGraph()
    graph.append(2, [4, 2, 1, 4, 1], [0.0, 1.0, 0.25, 0.5, 0.125])
    assert as_lists(graph.snapshot()) == [(2, [4, 1], [0.5, 0.25])]


def test_weights_appear_with_the_first_link_that_has_another_weight_than_one():
    graph = LinkGraph()
    graph.append(0, [1, 2], [1.0, 1.0])
    before = graph.snapshot()
    graph.append(1, [2], [0.0])
    assert before.weights is None
    assert graph.snapshot().weights.tolist() == [1, 1, 0]


def test_a_second_record_replaces_the_first_and_moves_to_the_end():
    graph = LinkGraph()
    graph.append(0, [1, 2, 3])
    graph.append(1, [0])
    before = graph.snapshot()
    graph.append(0, [2])
    assert (graph.n_pages, graph.n_links) == (2, 2)
    assert as_lists(graph.snapshot()) == [(1, [0], [1]), (0, [2], [1])]
    assert as_lists(before) == [(0, [1, 2, 3], [1, 1, 1]), (1, [0], [1])]
    graph.append(2, [0])
    assert as_lists(graph.snapshot())[-1] == (2, [0], [1])


@pytest.mark.parametrize("count", [0, 1, 2, 5, 50, 511, 512, 513, 2000])
@pytest.mark.parametrize("kind", [list, np.array, lambda ids: np.array(ids, np.int32)])
@pytest.mark.parametrize("extra", [[], [3], [9], [3, 9, 3]])
def test_targets_of_any_kind_and_number_are_recorded_once(count, kind, extra):
    targets = [7 * i % 4001 + 4 for i in range(count)]
    given = [*targets, *extra, *targets[:1]] if extra else targets
    graph = LinkGraph()
    graph.append(3, kind(given) if given else [])
    expected = [t for t in dict.fromkeys(given) if t != 3]
    assert graph.links(3)[0].tolist() == expected
    assert graph.n == max([3, *expected]) + 1
    assert graph.snapshot().totals.tolist() == [len(expected)]


def test_a_snapshot_keeps_the_row_of_a_page_that_is_read_again():
    graph = LinkGraph()
    graph.append(0, [1])
    graph.append(1, [0])
    before = graph.snapshot()
    graph.append(0, [1, 2])
    graph.append(3, [0])
    assert before.row_of.tolist() == [0, 1]
    assert graph.snapshot().row_of.tolist() == [1, 0, -1, 2]


def test_a_snapshot_does_not_change_and_cannot_be_written():
    graph = LinkGraph()
    graph.append(0, [1])
    view = graph.snapshot()
    for page in range(1, 2000):
        graph.append(page, [page + 1, 0], [0.5, 1.0])
    assert as_lists(view) == [(0, [1], [1])]
    assert view.n == 2
    for array in (view.pages, view.indptr, view.targets):
        assert not array.flags.writeable


def test_a_loaded_graph_leaves_the_arrays_it_was_loaded_from_alone():
    pages, indptr, targets = (np.array(a) for a in ([0, 1], [0, 1, 2], [1, 0]))
    log = GraphView(2, pages.astype(np.int32), indptr, targets.astype(np.int32))
    for array in (log.pages, log.indptr, log.targets):
        array.flags.writeable = False
    graph = LinkGraph.from_log(log)
    graph.append(2, [])
    graph.append(3, [0, 1])
    assert as_lists(graph.snapshot()) == [
        (0, [1], [1]),
        (1, [0], [1]),
        (2, [], []),
        (3, [0, 1], [1, 1]),
    ]
    assert log.targets.tolist() == [1, 0]


def test_grow_never_shrinks():
    graph = LinkGraph(5)
    graph.grow(3)
    assert graph.n == 5
    graph.grow(8)
    assert (graph.n, graph.snapshot().n, graph.n_pages) == (8, 8, 0)


def test_from_edges_takes_sources_as_fetched_pages():
    view = LinkGraph.from_edges([4, 0, 4, 4], [0, 1, 4, 0], [1, 2, 3, 4], n=7).snapshot()
    assert view.n == 7
    assert as_lists(view) == [(0, [1], [2]), (4, [0], [4])]
    assert LinkGraph.from_edges([], []).snapshot().n == 0


@given(RECORDS)
def test_a_bulk_load_equals_appending_one_by_one(records):
    graph = LinkGraph(10)
    for page, links in records:
        graph.append(page, [t for t, _ in links], [w for _, w in links])
    bulk = LinkGraph.from_log(raw_log(records))
    assert as_lists(bulk.snapshot()) == as_lists(graph.snapshot())
    assert (bulk.n, bulk.n_pages, bulk.n_links) == (graph.n, graph.n_pages, graph.n_links)
    bulk.append(3, [1, 2])
    graph.append(3, [1, 2])
    assert as_lists(bulk.snapshot()) == as_lists(graph.snapshot())


@given(RECORDS)
def test_the_adjacency_matrix_holds_the_followed_links(records):
    graph = LinkGraph.from_log(raw_log(records))
    view = graph.snapshot()
    expected = np.zeros((view.n_pages, 10))
    for row, (_, targets, weights) in enumerate(as_lists(view)):
        expected[row, targets] = weights
    np.testing.assert_array_equal(dense_of(view, 10), expected)
    np.testing.assert_allclose(view.totals, expected.sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize(
    ("page", "targets", "weights", "facts"),
    [
        (-1, [1], None, ("page", -1)),
        (2**31, [1], None, ("page", 2**31)),
        (0, [-1], None, ("targets", -1)),
        (0, [2**31], None, ("targets", 2**31)),
        (0, [1.5], None, ("integer", "float64")),
        (0, [[1]], None, ("one-dimensional",)),
        (0, [1], [1, 2], ("weights", "(1,)", "(2,)")),
        (0, [1], [np.nan], ("finite", "nan")),
        (0, [1], [np.inf], ("finite", "inf")),
        (0, [1], [-0.5], ("negative", -0.5)),
    ],
)
def test_bad_records_are_refused_and_leave_the_graph_as_it_was(page, targets, weights, facts):
    graph = LinkGraph()
    with pytest.raises(RankingInputError, match=telling(*facts)):
        graph.append(page, targets, weights)
    assert (graph.n, graph.n_pages, graph.n_links) == (0, 0, 0)
    assert issubclass(RankingInputError, (LinkRankError, ValueError))


def test_bad_histories_are_refused():
    ids = np.array([0, 1], np.int32)
    for indptr in ([0, 1], [1, 1, 2], [0, 1, 3], [0, 3, 2]):
        with pytest.raises(RankingInputError, match="indptr"):
            LinkGraph.from_log(GraphView(2, ids, np.array(indptr), ids))
    with pytest.raises(RankingInputError, match="equally long"):
        LinkGraph.from_edges([0], [1, 2])
    with pytest.raises(RankingInputError, match=telling("n", 2)):
        LinkGraph.from_edges([0], [2], n=2)
    with pytest.raises(RankingInputError, match=telling("n", "negative")):
        LinkGraph(-1)


def test_snapshots_are_whole_while_another_thread_appends():
    graph, done, rng = LinkGraph(), threading.Event(), np.random.default_rng(2)
    targets = rng.integers(0, 400, (50, 10)).tolist()

    def write() -> None:
        try:
            for number in range(4000):
                # From the 300th page on, pages are recorded again.
                graph.append(number % 300, targets[number % 50], [1.0] * 10)
        finally:
            done.set()

    writer, interval = threading.Thread(target=write), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        writer.start()
        while not done.is_set():
            view = graph.snapshot()
            assert len(view.indptr) == view.n_pages + 1 == len(view.totals) + 1
            assert view.indptr[-1] == view.n_links
            assert max(view.pages.max(initial=-1), view.targets.max(initial=-1)) < view.n
    finally:
        sys.setswitchinterval(interval)
        writer.join()


@pytest.mark.parametrize("wrong", [1.5, "3", None, 2**40, -1])
def test_a_number_of_ids_is_whole_and_not_too_large(wrong):
    with pytest.raises(RankingInputError, match=telling("n")):
        LinkGraph().grow(wrong)
    if wrong is not None:
        with pytest.raises(RankingInputError, match=telling("n")):
            LinkGraph.from_edges([0], [1], n=wrong)


@pytest.mark.parametrize("wrong", [1.5, "a", None])
def test_a_page_is_a_whole_number(wrong):
    with pytest.raises(RankingInputError, match=telling("page", "whole")):
        LinkGraph().append(wrong, [1])
