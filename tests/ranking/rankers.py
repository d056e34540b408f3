"""Every public ranking behind one call: graph, a value for each id, and keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking import (
    LinkGraph,
    Ranking,
    fold,
    hits,
    pagerank,
    salsa,
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
        starts: takes `start`.
        tolerant: takes `tol` and promises an L1 error of it.
        gives_up: takes `max_iterations`.
        loose: tolerance of what must be equal but for rounding, where it is no rounding.

    """

    call: Callable[..., Ranking]
    vector: str = ""
    starts: bool = True
    tolerant: bool = True
    gives_up: bool = True
    loose: float = 1e-9


def _folded(graph: LinkGraph, values: np.ndarray, **keywords: Any) -> Ranking:
    return pagerank(fold(graph, np.arange(graph.n)), **keywords)


EXACT = {"tolerant": False, "gives_up": False}

RANKERS: Mapping[str, Ranker] = {
    "pagerank": Ranker(lambda g, v, **k: pagerank(g, **k)),
    "ppr": Ranker(lambda g, v, **k: pagerank(g, v, **k), "restart"),
    "trustrank": Ranker(lambda g, v, **k: trustrank(g, ids(v), **k)),
    "anti-trust": Ranker(lambda g, v, **k: trustrank(g.snapshot().reversed(), ids(v), **k)),
    "hits": Ranker(lambda g, v, **k: hits(g, **k), loose=1e-6),
    "topic-hits": Ranker(lambda g, v, **k: hits(g, v, **k), "relevance", loose=1e-6),
    "salsa": Ranker(lambda g, v, **k: salsa(g, **k), **EXACT),
    "topic-salsa": Ranker(lambda g, v, **k: salsa(g, v, **k), "relevance", **EXACT),
    "hosts": Ranker(_folded),
}


def rank(
    name: str, graph: LinkGraph, values: np.ndarray, tol: float = 1e-9, **more: Any
) -> Ranking:
    """The ranking `name`, with `tol` where it has one."""
    ranker = RANKERS[name]
    keywords = {"tol": tol, **more} if ranker.tolerant else more
    return ranker.call(graph, values, **keywords)
