import numpy as np
import pytest
from scipy import sparse

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.graph.matrices import from_matrix, to_matrix
from ranking.pagerank.pagerank import pagerank

DENSE = np.array([[0, 1, 2], [0, 0, 0.5], [0, 0, 0]])


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_a_matrix_becomes_a_graph_and_comes_back(kind):
    graph = from_matrix(kind(DENSE))
    assert (graph.n, graph.n_pages, graph.n_links) == (3, 2, 3)
    np.testing.assert_array_equal(to_matrix(graph).toarray(), DENSE)


def test_ones_take_no_room_for_weights():
    assert from_matrix(sparse.csr_array(DENSE > 0)).snapshot().weights is None


def test_a_graph_without_links_keeps_its_ids():
    assert to_matrix(LinkGraph(4)).shape == (4, 4)
    assert pagerank(from_matrix(sparse.csr_array((4, 4)))).scores.tolist() == [0.25] * 4


@pytest.mark.parametrize("wrong", [np.eye(3), sparse.csr_array(np.ones((2, 3))), "text"])
def test_anything_else_is_refused(wrong):
    with pytest.raises(RankingInputError, match="square scipy sparse matrix"):
        from_matrix(wrong)


def test_negative_entries_are_refused():
    with pytest.raises(RankingInputError, match="not negative"):
        from_matrix(sparse.csr_array(-DENSE))
