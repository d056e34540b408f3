"""How the links of a page have paid: the yield of the pages that link to a URL.

    y(u) = (Σ rel(w) + 3 m) / (k + 3) over the k links u → w that were fetched

A list whose first entries were relevant speaks for the others: the hub of Kleinberg 1999, learned
from what was fetched. A URL has the mean and the largest yield of its sources. A re-rank computes
both by one pass over the links; a page fetched since adds its own, as far as it is known already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray, SingleArray
from ranking.graph.view import GraphView
from ranking.priority import Ids
from ranking.result import Ranking

PRIOR_LINKS = 3
CHUNK = 2**20  # links at a time: a pass takes some 30 MB however long the log is


@dataclass(frozen=True, eq=False)
class SourceRanking(Ranking):
    """Yields of sources by target; `scores` (n,) are the targets' parts in all of them.

    Attributes:
        total: (n,) float64, the sum.
        best: (n,) float32, the largest.
        links: (n,) int32, how many sources.

    """

    total: FloatArray
    best: SingleArray
    links: IntArray


class SourceYields:
    """Sum, number and maximum of the yields of the pages that link to each id."""

    def __init__(self) -> None:
        self._sum = Column(np.float64)
        self._best = Column(np.float32)
        self._links = Column(np.int32)

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        for column in (self._sum, self._best, self._links):
            column.resize(n)

    def push(self, targets: IntArray, judged: SingleArray, mean: float) -> None:
        """A page was fetched: its links (merged), and what is judged of all ids so far."""
        known = judged[targets]
        paid = known[known >= 0].astype(np.float64)
        own = (float(paid.sum()) + PRIOR_LINKS * mean) / (paid.size + PRIOR_LINKS)
        self._sum.array[targets] += own
        self._links.array[targets] += 1
        self._best.array[targets] = np.maximum(self._best.array[targets], np.float32(own))

    def mean(self, ids: Ids, expected: float) -> FloatArray:
        """(k,) mean yield of the sources, drawn to `expected` by two more."""
        total = self._sum.array[ids] + 2 * expected
        return np.asarray(total / (self._links.array[ids] + 2), np.float64)

    def best(self, ids: Ids) -> SingleArray:
        """(k,) largest yield of a source, 0 without one."""
        return self._best.array[ids]

    def job(self, view: GraphView, judged: SingleArray, mean: float) -> Callable[[], SourceRanking]:
        """A re-rank; `judged` (n,) is copied, negative where nothing was judged."""
        own = judged[: view.n].copy()
        return lambda: _ranked(view, own, mean)

    def install(self, ranking: Ranking) -> None:
        """Take over the result of the last job; ids that it does not know start anew."""
        assert isinstance(ranking, SourceRanking)
        known = len(ranking.total)
        for column, values in (
            (self._sum, ranking.total),
            (self._best, ranking.best),
            (self._links, ranking.links),
        ):
            column.resize(known)
            column.array[:known] = values
            column.array[known:] = 0

    BY_ID = frozenset({"sources.sum", "sources.best", "sources.links"})
    """Names of the arrays in `state` that hold one value an id: all of them."""

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return {
            "sources.sum": self._sum.array.copy(),
            "sources.best": self._best.array.copy(),
            "sources.links": self._links.array.copy(),
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        fresh = SourceYields()
        fresh._sum.extend(arrays["sources.sum"])
        fresh._best.extend(arrays["sources.best"])
        fresh._links.extend(arrays["sources.links"])
        self.__dict__.update(fresh.__dict__)


def _ranked(view: GraphView, judged: SingleArray, mean: float) -> SourceRanking:
    view = view.snapshot()
    total = np.zeros(view.n)
    best, links = np.zeros(view.n, np.float32), np.zeros(view.n, np.int32)
    for rows, targets in _chunks(view):
        known = judged[targets]
        fetched = known >= 0
        m = int(rows[-1]) + 1
        paid = np.bincount(rows[fetched], known[fetched], m)
        own = (paid + PRIOR_LINKS * mean) / (np.bincount(rows[fetched], None, m) + PRIOR_LINKS)
        np.add.at(total, targets, own[rows])
        np.maximum.at(best, targets, own[rows].astype(np.float32))
        np.add.at(links, targets, 1)
    return SourceRanking(_shares(total), 1, 0.0, True, total, best, links)


def _shares(values: FloatArray) -> FloatArray:
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1 / max(len(values), 1))


def _chunks(view: GraphView) -> Iterator[tuple[npt.NDArray[np.int64], IntArray]]:
    """Row within the chunk (from 0) and target of each followed link, whole rows at a time."""
    indptr, first = view.indptr, 0
    while first < view.n_pages:
        last = int(np.searchsorted(indptr, indptr[first] + CHUNK, "right")) - 1
        last = min(max(last, first + 1), view.n_pages)
        span = slice(int(indptr[first]), int(indptr[last]))
        rows = np.repeat(np.arange(last - first), np.diff(indptr[first : last + 1]))
        targets = view.targets[span]
        if view.weights is not None:
            followed = view.weights[span] > 0
            rows, targets = rows[followed], targets[followed]
        if rows.size:
            yield rows, targets
        first = last
