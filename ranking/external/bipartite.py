"""HITS and SALSA over lists on disk: the equations and iterations of `ranking.hits`.

One pass over the lists is one iteration of HITS: a list makes the authority of its target, which
is handed back to its sources at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, as_values
from ranking.external import _lists
from ranking.external.checkpoint import Checkpoint
from ranking.external.lists import LinkLists
from ranking.hits.hits import MAX_ITERATIONS, iterate, scaled
from ranking.hits.lanczos import BASIS
from ranking.hits.salsa import WalkHitsRanking, shares_of
from ranking.result import HitsRanking
from ranking.solver import check_stopping

FEWEST = 3  # vectors of a Krylov space: with two it is little more than power iteration
ROW, NODE = 36, 24
"""Bytes of memory a row and a node, beside the 8 a row that each vector of a space takes."""


def hits(
    lists: LinkLists,
    relevance: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    max_iterations: int = MAX_ITERATIONS,
    basis: int = BASIS,
    checkpoint: Checkpoint | None = None,
) -> HitsRanking:
    """Authorities and hubs of all n ids; see `ranking.hits.hits.hits`.

    Args:
        lists: the followed links.
        relevance: (n,) finite numbers >= 0; None: all 1.
        tol: > 0.
        max_iterations: passes over the lists before giving up, counted after each cycle.
        basis: vectors of a cycle's space, FEWEST or more: fewer take less memory and more passes.
        checkpoint: is told the hubs (m,) of each cycle.

    Raises:
        RankingInputError: an argument of the wrong length or range.

    """
    check_stopping(tol, max_iterations)
    r = None
    if relevance is not None:
        r = np.asarray(as_values("relevance", relevance, lists.n), np.float64)
    operator = _Operator(lists, r)
    operator.sweeps, hubs = checkpoint.load() if checkpoint else (0, None)
    start = np.ones(lists.n_pages) if hubs is None else hubs
    told = checkpoint.save if checkpoint else None
    return iterate(lists, operator, start, tol, max_iterations, basis, told)


class _Operator:
    """See `ranking.hits.hits.Operator`."""

    def __init__(self, lists: LinkLists, relevance: FloatArray | None) -> None:
        self._lists, self.sweeps = lists, 0
        linked = np.ones(0, np.bool_) if relevance is None else _linked(lists)
        self._relevance, self.scale = scaled(relevance, linked)

    def step(self, hubs: FloatArray) -> FloatArray:
        self.sweeps += 1
        following = np.zeros(len(hubs))
        pages = self._lists.pages
        for part in self._lists.all():
            _lists.iterate(*part, pages, self._relevance, hubs, following)
        return following


def _linked(lists: LinkLists) -> npt.NDArray[np.bool_]:
    """(n,) whether any link leads there."""
    linked = np.zeros(lists.n, np.bool_)
    for part in lists.inner():
        linked[lists.pages[part.heads]] = True
    for part in lists.outer():
        linked[part.heads - np.uint32(lists.n_pages)] = True
    return linked


def salsa(lists: LinkLists, relevance: npt.ArrayLike | None = None) -> WalkHitsRanking:
    """Authorities and hubs of all n ids, exact; see `ranking.hits.salsa.salsa`."""

    def components(r: FloatArray) -> tuple[IntArray, IntArray]:
        parent = np.arange(lists.n_pages, dtype=np.int32)
        roots = np.zeros(lists.n, np.int32)
        counted = (r > 0).view(np.uint8)
        for heads, counts, sources, _ in lists.all():
            _lists.unite(heads, counts, sources, lists.pages, counted, parent, roots)
        _lists.settle(parent)
        return parent[roots], parent

    return shares_of(lists, components, relevance)
