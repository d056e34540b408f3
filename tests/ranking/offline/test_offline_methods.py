"""Methods by name are the functions they stand for, and ignore nothing they were told."""

from __future__ import annotations

import numpy as np
import pytest

from ranking import LinkGraph, hits, pagerank, trustrank
from ranking.offline import METHODS, OfflineInputError, columns_of, run_method

GRAPH = LinkGraph.from_edges([0, 0, 1, 2, 2, 3], [1, 2, 2, 0, 3, 0], n=5)
SOME = np.array([0, 2.0, 0, 1, 0])


def test_methods_are_those_of_the_library() -> None:
    expected = {
        "pagerank": pagerank(GRAPH, damping=0.5, tol=1e-9),
        "ppr": pagerank(GRAPH, SOME, damping=0.5, tol=1e-9),
        "trustrank": trustrank(GRAPH, [1, 3], damping=0.5, tol=1e-9),
    }
    for name, ranking in expected.items():
        restart = None if name == "pagerank" else SOME
        found = columns_of(run_method(GRAPH, name, restart=restart, damping=0.5, tol=1e-9))
        assert list(found) == ["score"]
        assert found["score"].tolist() == ranking.scores.tolist()


def test_methods_with_hubs_give_them() -> None:
    for name, relevance in (("hits", None), ("topic-hits", SOME)):
        ranking = hits(GRAPH, relevance)
        found = columns_of(run_method(GRAPH, name, relevance=relevance))
        assert found["score"].tolist() == ranking.scores.tolist()
        assert found["hub"].tolist() == ranking.hubs.tolist()


def test_every_method_ranks_every_node() -> None:
    for name, method in METHODS.items():
        vectors = {method.needs: SOME} if method.needs else {}
        for column in columns_of(run_method(GRAPH, name, **vectors)).values():
            assert column.shape == (5,)
            assert column.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("method", "told", "message"),
    [
        ("rank", {}, "no method 'rank'; choose one of: pagerank, ppr"),
        ("ppr", {}, "ppr needs restart values"),
        ("topic-hits", {}, "topic-hits needs relevance values"),
        ("pagerank", {"restart": SOME}, "pagerank takes no restart values.* ppr or trustrank"),
        ("hits", {"relevance": SOME}, "hits takes no relevance values.* topic-hits"),
    ],
)
def test_what_would_be_ignored_is_refused(method: str, told, message: str) -> None:
    with pytest.raises(OfflineInputError, match=message):
        run_method(GRAPH, method, **told)
