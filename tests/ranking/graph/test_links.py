import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.links import merge, page_links
from ranking.graph.matrices import graph_of
from ranking.pagerank.pagerank import pagerank

LINKS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=12)


@given(st.lists(LINKS, max_size=6))
def test_links_are_merged_within_each_row_and_keep_their_first_place(rows):
    pages = np.arange(len(rows), dtype=np.int32)
    indptr = np.cumsum([0, *(len(row) for row in rows)])
    flat = [link for row in rows for link in row]
    targets = np.array([t for t, _ in flat], np.int32)
    values = np.array([v for _, v in flat], np.float32)
    kept, merged, (largest_values,) = merge(indptr, pages, targets, values)
    expected, ends = [], [0]
    for page, row in enumerate(rows):
        largest: dict[int, int] = {}
        for target, value in row:
            if target != page:
                largest[target] = max(largest.get(target, 0), value)
        expected += largest.items()
        ends.append(len(expected))
    assert list(zip(merged.tolist(), largest_values.tolist(), strict=True)) == expected
    assert kept.tolist() == ends


def test_a_page_of_a_million_links_is_merged():
    targets = np.arange(1_000_000, dtype=np.int32) % 700_001
    ids, weights, highest = page_links(5, targets)
    assert (weights, highest) == (None, 700_000)
    assert ids.tolist() == [i for i in range(700_001) if i != 5]


def test_repeats_count_once_unless_they_are_summed():
    sources, targets = [0, 0, 0, 1, 2], [1, 1, 2, 0, 0]
    once = pagerank(LinkGraph.from_edges(sources, targets), tol=1e-12).scores
    assert once[1] == pytest.approx(once[2])
    counted = graph_of(csr_array((np.ones(5), (sources, targets)), shape=(3, 3)))
    ids, weights = counted.links(0)
    assert (ids.tolist(), weights.tolist()) == ([1, 2], [2, 1])
    twice = pagerank(counted, damping=0.5, tol=1e-12).scores
    assert twice[1] - 1 / 6 == pytest.approx(2 * (twice[2] - 1 / 6))


@pytest.mark.parametrize("weight", [1e-60, 1e60])
def test_a_weight_that_single_precision_cannot_hold_is_refused(weight):
    with pytest.raises(RankingInputError, match="scale them"):
        LinkGraph.from_edges([0], [1], [weight])
