"""Methods by name are the functions they stand for, and ignore nothing they were given."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import LinkGraph, hits, pagerank
from ranking.offline import METHODS, OfflineInputError, columns_of, run_method

GRAPH = LinkGraph.from_edges([0, 0, 1, 2, 2, 3], [1, 2, 2, 0, 3, 0], n=5)
SOME = np.array([0, 2.0, 0, 1, 0])


def test_methods_are_those_of_the_library() -> None:
    for name, restart in (("pagerank", None), ("ppr", SOME)):
        ranking = pagerank(GRAPH, restart, damping=0.5, tol=1e-9)
        columns = columns_of(run_method(GRAPH, name, restart, damping=0.5, tol=1e-9))
        assert list(columns) == ["score"]
        assert columns["score"].tolist() == ranking.scores.tolist()
    for name, relevance in (("hits", None), ("topic-hits", SOME)):
        of_hits, columns = hits(GRAPH, relevance), columns_of(run_method(GRAPH, name, relevance))
        assert columns["score"].tolist() == of_hits.scores.tolist()
        assert columns["hub"].tolist() == of_hits.hubs.tolist()


def test_every_method_ranks_every_node() -> None:
    for name, method in METHODS.items():
        for column in columns_of(run_method(GRAPH, name, SOME if method.needs else None)).values():
            assert column.shape == (5,)
            assert column.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("method", "vector", "message"),
    [
        ("rank", None, "no method 'rank'; choose one of: pagerank, ppr"),
        ("ppr", None, "ppr needs restart values, got none"),
        ("topic-hits", None, "topic-hits needs relevance values, got none"),
        ("pagerank", SOME, "pagerank needs no values, got some"),
        ("hits", SOME, "hits needs no values, got some"),
    ],
)
def test_what_is_missing_or_would_be_ignored_is_refused(method: str, vector, message: str) -> None:
    with pytest.raises(OfflineInputError, match=message):
        run_method(GRAPH, method, vector)
