"""How the links of a page have paid: the yield of the pages that link to a URL.

    y(u) = (Σ rel(w) + 3 m) / (k + 3) over the k links u → w that were fetched

A list whose first entries were relevant speaks for the others: the hub of Kleinberg 1999, learned
from what was fetched. A URL has the mean and the largest yield of its sources. A re-rank computes
both by one pass over the links; a page fetched since adds its own, as far as it is known already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, Column, Columns, FloatArray, IntArray, SingleArray
from ranking.graph.view import GraphView
from ranking.orders.apprentice import _memory
from ranking.result import Ranking

PRIOR_LINKS = 3
MOST_SOURCES = 65_535  # counted; what more would say in sum is left out with them

CountArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class SourceRanking(Ranking):
    """Yields of sources by target; `scores` (n,) are the targets' parts in all of them.

    Attributes:
        total: (n,) float32, the sum.
        best: (n,) float32, the largest.
        links: (n,) uint16, how many sources.

    """

    total: SingleArray
    best: SingleArray
    links: CountArray


_SUM, _BEST, _LINKS = "sources.sum", "sources.best", "sources.links"


class SourceYields:
    """Sum, number and maximum of the yields of the pages that link to each id."""

    def __init__(self) -> None:
        columns: dict[str, Column[Any]]
        columns = {_SUM: Column(np.float32), _BEST: Column(np.float32), _LINKS: Column(np.uint16)}
        self._columns = Columns(columns)

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        self._columns.grow(n)

    def push(
        self, targets: IntArray, judged: BoolArray, relevance: SingleArray, mean: float
    ) -> None:
        """A page was fetched: its links (merged), which ids (n,) are judged so far, and how."""
        expected = PRIOR_LINKS * mean
        marks = judged.view(np.uint8)
        _memory.pay(targets, marks, relevance, PRIOR_LINKS, expected, *self.columns)

    @property
    def columns(self) -> tuple[SingleArray, SingleArray, CountArray]:
        """Sum and maximum of the sources' yields, and their number; valid until the next `grow`."""
        return self._columns[_SUM], self._columns[_BEST], self._columns[_LINKS]

    def job(
        self, view: GraphView, judged: BoolArray, relevance: SingleArray, mean: float
    ) -> Callable[[], SourceRanking]:
        """A re-rank; which ids (n,) are judged, and how, is copied."""
        own = np.where(judged[: view.n], relevance[: view.n], np.float32(-1))
        return lambda: _ranked(view, own, mean)

    def install(self, ranking: Ranking) -> None:
        """Take over the result of the last job; ids that it does not know start anew."""
        assert isinstance(ranking, SourceRanking)
        known = len(ranking.total)
        self.grow(known)
        for name, values in (
            (_SUM, ranking.total),
            (_BEST, ranking.best),
            (_LINKS, ranking.links),
        ):
            column = self._columns[name]
            column[:known] = values
            column[known:] = 0

    BY_ID = frozenset({_SUM, _BEST, _LINKS})
    """Names of the arrays in `state` that hold one value an id: all of them."""

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return self._columns.state()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        total, links = _counted(arrays[_SUM], arrays[_LINKS])
        self._columns.restore({**arrays, _SUM: total, _LINKS: links})


def _ranked(view: GraphView, judged: SingleArray, mean: float) -> SourceRanking:
    view = view.snapshot()
    total = np.zeros(view.n)
    best, links = np.zeros(view.n, np.float32), np.zeros(view.n, np.int32)
    log = view.indptr, view.targets, view.weights
    _memory.pay_all(*log, judged, PRIOR_LINKS, PRIOR_LINKS * mean, total, best, links)
    few, counted = _counted(total, links)
    return SourceRanking(_shares(total), 1, 0.0, True, few, best, counted)


def _counted(
    total: npt.NDArray[Any], links: npt.NDArray[np.integer[Any]]
) -> tuple[SingleArray, CountArray]:
    """Sums over so many sources as over no more than `MOST_SOURCES`."""
    few = np.minimum(links, MOST_SOURCES)
    if (few < links).any():
        total = total * (few / np.maximum(links, 1))
    return total.astype(np.float32), few.astype(np.uint16)


def _shares(values: FloatArray) -> npt.NDArray[Any]:
    total = values.sum()
    shares = values / total if total > 0 else np.full(len(values), 1 / max(len(values), 1))
    return shares.astype(np.float32)
