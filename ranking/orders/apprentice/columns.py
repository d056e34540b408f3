"""The columns that the apprentice keeps beyond the evidence table, one row an id.

`LinkMemory` has maxima, and a sum of how similar the linking pages are to the topic, filled by page
updates alone and in their order: a crawl that is resumed from saved columns and the page updates
since has the same ones.

`Walks` are two random surfers: from relevant pages (topical PageRank) and from anywhere (PageRank).

`SourceYields` has how the links of a page have paid: the yield of the pages that link to a URL.

    y(u) = (Σ rel(w) + 3 m) / (k + 3) over the k links u → w that were fetched

A list whose first entries were relevant speaks for the others: the hub of Kleinberg 1999, learned
from the fetched pages. A URL has the mean and the largest yield of its sources. A re-rank computes
both by one pass over the links; a page fetched since adds its own, as far as it is known already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ranking.arrays import (
    BoolArray,
    Column,
    Columns,
    FloatArray,
    IntArray,
    SingleArray,
    as_known_ids,
)
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.apprentice import _memory
from ranking.orders.base import State
from ranking.orders.link_order import LinkUpdate
from ranking.orders.surfer import AnywhereRestart, Surfer, TopicRestart
from ranking.page_update import (
    ADDRESS,
    ANCHOR,
    CONTEXT,
    NEAR_ADDRESS,
    NEAR_ANCHOR,
    NEAR_CONTEXT,
    PageUpdate,
)
from ranking.result import Ranking

_MATCHES: Final = {
    "anchor": ANCHOR,
    "context": CONTEXT,
    "address": ADDRESS,
    "near anchor": NEAR_ANCHOR,
    "near context": NEAR_CONTEXT,
    "near address": NEAR_ADDRESS,
}
_PARENTS: Final = "similar parents"


class LinkMemory(Columns):
    """The best that the words of links say, how similar their pages are, and what was judged."""

    def __init__(self) -> None:
        columns: dict[str, Column[Any]] = {name: Column(np.uint8) for name in _MATCHES}
        columns[_PARENTS] = Column(np.float32)
        super().__init__({**columns, "judged": Column(np.bool_)})

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays (n,) that the signals are read from; valid until the next `grow`."""
        return tuple([self[name] for name in (*_MATCHES, _PARENTS)])

    def judge(self, page: int) -> None:
        """Remember that a page was judged; the evidence has its relevance."""
        self["judged"][page] = True

    def note(self, update: PageUpdate, followed: IntArray) -> None:
        """Take in the links of a page, which may name a target repeatedly.

        `followed` are the targets that it vouches for, each once. Raises RankingInputError for ids
        that are not known.
        """
        targets = as_known_ids("targets", update.targets, len(self["judged"]))
        for name, column in _MATCHES.items():
            np.maximum.at(self[name], targets, update.matches[:, column])
        self[_PARENTS][followed] += np.float32(update.similarity)


SINGLE = np.float32  # scores are read by their logarithms, as ranks of a sample: 1e-7 is enough


class Walks(dict[str, Surfer]):
    """Surfers by name: topical, general; their scores are in single precision."""

    def __init__(self, damping: float, tol: float) -> None:
        super().__init__(
            topical=Surfer(TopicRestart(), damping, tol, SINGLE),
            general=Surfer(AnywhereRestart(), damping, tol, SINGLE),
        )

    @property
    def scores(self) -> dict[str, FloatArray]:
        """Arrays (n,) >= 0 by name, valid until the next `grow`."""
        return {name: surfer.scores for name, surfer in self.items()}

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        for surfer in self.values():
            surfer.grow(n)

    def push(self, update: LinkUpdate) -> None:
        """One step of each from a page that their last rankings saw without links."""
        for surfer in self.values():
            surfer.push(update)

    def jobs(self, view: GraphView, evidence: Evidence) -> dict[str, Callable[[], Ranking]]:
        """The parts of a re-rank by name."""
        return {name: surfer.job(view, evidence) for name, surfer in self.items()}

    def install(self, rankings: Mapping[str, Ranking]) -> None:
        """Take over the results of the last jobs."""
        for name, surfer in self.items():
            surfer.install(rankings[name])

    @property
    def by_id(self) -> frozenset[str]:
        """Names of the arrays in `state` that hold one value an id."""
        return frozenset({*self, *(f"{name}.now" for name in self)})

    def state(self) -> State:
        """What `restore` needs: the last rankings, and the scores as they are now."""
        state: State = {f"{name}.now": scores.copy() for name, scores in self.scores.items()}
        for name, surfer in self.items():
            state.update(surfer.state(name))
        return state

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        for name, surfer in self.items():
            surfer.restore(name, arrays)
            surfer.set_scores(np.asarray(arrays[f"{name}.now"], SINGLE))


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


class SourceYields(Columns):
    """Sum, number and maximum of the yields of the pages that link to each id."""

    def __init__(self) -> None:
        columns: dict[str, Column[Any]]
        columns = {_SUM: Column(np.float32), _BEST: Column(np.float32), _LINKS: Column(np.uint16)}
        super().__init__(columns)

    def push(
        self, targets: IntArray, judged: BoolArray, relevance: SingleArray, mean: float
    ) -> None:
        """Add a fetched page: its links (merged), which ids (n,) are judged so far, and how."""
        expected = PRIOR_LINKS * mean
        marks = judged.view(np.uint8)
        _memory.pay(targets, marks, relevance, PRIOR_LINKS, expected, *self.columns)

    @property
    def columns(self) -> tuple[SingleArray, SingleArray, CountArray]:
        """Sum and maximum of the sources' yields, and their number; valid until the next `grow`."""
        return self[_SUM], self[_BEST], self[_LINKS]

    def job(
        self, view: GraphView, judged: BoolArray, relevance: SingleArray, mean: float
    ) -> Callable[[], SourceRanking]:
        """A re-rank; `judged` and `relevance` (n,) are copied."""
        own = np.where(judged[: view.n], relevance[: view.n], np.float32(-1))
        return lambda: _ranked(view, own, mean)

    def install(self, ranking: Ranking) -> None:
        """Take over the result of the last job; ids that it does not know start anew."""
        assert isinstance(ranking, SourceRanking)
        known = len(ranking.total)
        self.grow(known)
        ranked = {_SUM: ranking.total, _BEST: ranking.best, _LINKS: ranking.links}
        for name, values in ranked.items():
            self[name][:known], self[name][known:] = values, 0

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        total, links = _counted(arrays[_SUM], arrays[_LINKS])
        super().restore({**arrays, _SUM: total, _LINKS: links})


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
