"""Sparse matrices of scipy in the place of graphs, against the same graph made of its edges."""

import numpy as np
import pytest
import scipy.sparse as sp

from ranking import LinkGraph, RankingInputError, graph_of, hits, matrix_of, pagerank
from tests.support.told import telling

MATRIX = np.array([[0, 2, 1, 0], [1, 0, 0, 0], [0, 3, 0, 0.5], [0, 0, 0, 0]])
SOURCES, TARGETS = np.nonzero(MATRIX)
GRAPH = LinkGraph.from_edges(SOURCES, TARGETS, MATRIX[SOURCES, TARGETS], n=4)
KINDS = [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.coo_matrix]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [pagerank, hits])
def test_a_matrix_is_ranked_as_the_graph_of_its_entries(kind, rank):
    assert rank(kind(MATRIX)).scores.tolist() == rank(GRAPH).scores.tolist()


def test_a_graph_becomes_its_matrix_and_is_made_of_it_again():
    matrix = matrix_of(GRAPH)
    assert matrix.toarray().tolist() == MATRIX.tolist()
    again = graph_of(matrix)
    assert (again.n, again.n_pages, again.n_links) == (4, 3, 5)
    assert matrix_of(LinkGraph.from_edges([0], [1])).toarray().tolist() == [[0, 1], [0, 0]]


def test_an_entry_of_zero_is_a_nofollow_link():
    links = sp.coo_array(([1.0, 0.0], ([0, 0], [1, 2])), shape=(3, 3))
    assert graph_of(links).links(0)[0].tolist() == [1, 2]
    assert hits(links).scores.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("other", "facts"),
    [(sp.csr_array((2, 3)), ("csr_array", "(2, 3)")), (MATRIX, ("ndarray", "(4, 4)"))],
)
def test_what_is_no_square_sparse_matrix_is_refused(other, facts):
    with pytest.raises(RankingInputError, match=telling(*facts)):
        pagerank(other)
