"""Every public ranking behind one call: graph, a value for each id, and keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking import (
    LinkGraph,
    Ranking,
    hits,
    pagerank,
    trustrank,
)


def ids(values: np.ndarray) -> np.ndarray:
    """The ids that a method which wants some is given: those with the highest value."""
    return np.flatnonzero(np.asarray(values) >= np.max(values, initial=0))


@dataclass(frozen=True)
class Ranker:
    """How to call it, what it takes and what it promises.

    Attributes:
        call: (graph, values (n,), keywords) -> ranking.
        vector: the name of the argument that the values become, if they do.
        loose: tolerance of what must be equal but for rounding, where it is no rounding.

    """

    call: Callable[..., Ranking]
    vector: str = ""
    loose: float = 1e-9


RANKERS: Mapping[str, Ranker] = {
    "pagerank": Ranker(lambda g, v, **k: pagerank(g, **k)),
    "ppr": Ranker(lambda g, v, **k: pagerank(g, v, **k), "restart"),
    "trustrank": Ranker(lambda g, v, **k: trustrank(g, ids(v), **k)),
    "hits": Ranker(lambda g, v, **k: hits(g, **k), loose=1e-6),
    "topic-hits": Ranker(lambda g, v, **k: hits(g, v, **k), "relevance", loose=1e-6),
}

WALKS = "pagerank", "ppr", "trustrank"
"""Those that take a start."""


def rank(
    name: str, graph: LinkGraph, values: np.ndarray, tol: float = 1e-9, **more: Any
) -> Ranking:
    """The ranking `name`."""
    return RANKERS[name].call(graph, values, tol=tol, **more)
