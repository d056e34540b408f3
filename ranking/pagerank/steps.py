"""The random surfer: jumps by the restart vector, and steps among fetched pages.

Nine in ten nodes of a crawl's graph are not fetched: nothing leaves them, so the iteration runs
without them (Lee, Golub, Zenios 2003; Ipsen and Selee 2007). What is left is stored by target,
with the pages in the order in which a sweep visits them: by in-degree within blocks of rows. Lists
of equal length that follow each other let the processor predict where each ends (a quarter of a
sweep's time), and blocks keep neighbours in the crawl, which name each other, near in memory.

Kernels solve y = r + c Pᵀy without normalising r: scores of a growing crawl then change only by
what was added, and yesterday's solution can be continued. Normalised are only the results.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray, as_values
from ranking.errors import RankingInputError
from ranking.graph import _links
from ranking.graph.view import GraphView
from ranking.pagerank import _walk

SANE = 1e100
"""Weights whose largest is beyond this, or below its inverse, are scaled: sums would overflow."""
BLOCK = 4096  # rows sorted at once
LONG = 256  # in-degrees from here on count as one


class Jumps(NamedTuple):
    """The restart vector, on the scale on which it was given.

    Attributes:
        weights: (n,) >= 0 with a positive sum; of all 1 a view of a single number.
        total: their sum.

    """

    weights: FloatArray | SingleArray
    total: float

    @classmethod
    def of(cls, restart: npt.ArrayLike | None, n: int) -> Jumps:
        """The weights (n,) that are given, n > 0; None: all 1. Raises RankingInputError."""
        if restart is None:
            return cls(np.broadcast_to(np.float32(1), n), float(n))
        given = as_values("restart", restart, n)
        largest = float(given.max())
        if largest == 0:
            raise RankingInputError("restart must have a positive entry, got zeros only")
        # A later ranking compares with this one: an array that may change until then is copied.
        is_constant = given.base is None and not given.flags.writeable
        weights: FloatArray | SingleArray = given if is_constant else given.copy()
        if not 1 / SANE < largest < SANE:
            weights = given / largest
        return cls(weights, float(weights.sum(dtype=np.float64)))

    def at(self, ids: IntArray) -> FloatArray:
        """(k,) weights of ids (k,) below n; a new array."""
        return self.weights[ids].astype(np.float64)


class Steps(NamedTuple):
    """K links among m fetched pages; 4 bytes a link and 20 a page.

    Attributes:
        order: (m,) int32 row at each position of a sweep.
        indptr: (m + 1,) int64; positions sources[indptr[p]:indptr[p + 1]] link to position p.
        sources: (K,) int32.
        weights: (K,) float32 or None.

    """

    order: IntArray
    indptr: LongArray
    sources: IntArray
    weights: SingleArray | None

    @classmethod
    def of(cls, view: GraphView) -> Steps:
        """The steps of a clean view, built once for all its PageRanks."""
        steps = view.derived.get(cls)
        if steps is None:
            steps = view.derived[cls] = cls._built(view)
        return steps

    @classmethod
    def _built(cls, view: GraphView) -> Steps:
        m, weights = view.n_pages, view.weights
        # Room for all, touched only as far as used: memory that is not touched costs nothing.
        room = view.n_links + 1
        ends = np.empty(room, np.int32), np.empty(room, np.int32)
        inner = None if weights is None else np.empty(room, np.float32)
        links = view.indptr, view.targets, weights
        count = _walk.inner_links(*links, view.row_of, *ends, inner)
        sources, targets = (end[:count] for end in ends)
        in_degree = np.bincount(targets, minlength=m)
        order, position = _sweep_order(in_degree), np.empty(m, np.int32)
        position[order] = np.arange(m, dtype=np.int32)
        indptr = np.zeros(m + 1, np.int64)
        np.cumsum(in_degree[order], out=indptr[1:])
        at, by_target = position[targets], np.empty(len(targets), np.int32)
        _links.group(at, position[sources], indptr[:-1].copy(), by_target)
        if inner is not None:
            weights = np.empty(count, np.float32)
            bits = inner[:count].view(np.int32)
            _links.group(at, bits, indptr[:-1].copy(), weights.view(np.int32))
        return cls(order, indptr, by_target, weights)


def _sweep_order(in_degree: LongArray) -> IntArray:
    order = np.empty(len(in_degree), np.int32)
    lengths = np.minimum(in_degree, LONG).astype(np.uint16)  # of 16 bits, sorted in O(m)
    for first in range(0, len(order), BLOCK):
        block = lengths[first : first + BLOCK]
        order[first : first + BLOCK] = first + np.argsort(block, kind="stable")
    return order
