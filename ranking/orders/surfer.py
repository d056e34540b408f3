"""Orders by the score of a random surfer (pagerank, ppr, topic-ppr), kept current between re-ranks.

A page fetched since the last re-rank hands c · score · weight / Σ weight to each link: one step
of the equation. A URL discovered since starts with what jumps would give it. Before the first
re-rank a jump is worth 1, so scores are on a scale of their own until then.

A re-rank continues the ranking before it, so that it costs what the crawl has changed. That
ranking is therefore kept, and is what is saved; the steps since are taken again on resume.

Where a surfer jumps is one small policy for each kind of PageRank (`Restart`): the restart vector
of a re-rank, the weight in it of a URL that was just discovered, and the weight that a page gains
by being fetched. The last two let scores between re-ranks include the jumps that the next will
count.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, IntArray, SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, State
from ranking.orders.link_order import LinkOrder, LinkUpdate
from ranking.pagerank.pagerank import pagerank
from ranking.pagerank.steps import Jumps
from ranking.priority import Ids
from ranking.result import Ranking, WalkMemory, WalkRanking

Scores = npt.NDArray[Any]  # float64 or float32


class Restart(Protocol):
    """A kind of restart vector; weights are on a scale where one URL counts about 1."""

    newcomer: float

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        """(n,) weights with a positive sum (empty for n = 0), owned by the caller; None: all 1.

        Depends on n and the pages of the view alone, and on what the evidence says of them.
        """

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        """Weight of a page fetched just now beyond what the vector of `known` ids gave it."""


class AnywhereRestart:
    """The surfer jumps to any URL, fetched or not."""

    newcomer = 1.0

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        return None

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        return 0.0


class SeedRestart:
    """The surfer jumps to a seed; without seeds, anywhere."""

    newcomer = 0.0

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        weights = evidence.seed[: view.n].astype(np.float32)
        return _constant(weights) if weights.any() else None

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        return float(page >= known and evidence.seed[page])


class TopicRestart:
    """The surfer jumps to fetched pages by relevance; if none is relevant, to a seed."""

    newcomer = 0.0

    def vector(self, view: GraphView, evidence: Evidence) -> SingleArray | None:
        weights = np.zeros(view.n, np.float32)
        weights[view.pages] = evidence.relevance[view.pages]
        return _constant(weights) if weights.any() else SeedRestart().vector(view, evidence)

    def gained(self, page: int, evidence: Evidence, known: int) -> float:
        return float(evidence.relevance[page])


def _constant(weights: SingleArray) -> SingleArray:
    # A ranking keeps an array that nobody can change, and copies any other.
    weights.flags.writeable = False
    return weights


NO_CHECKSUM = -1.0  # that of no pages: the ranking lends its scores and is not continued


class Surfer:
    """PageRank for one restart policy.

    `dtype` is that of the scores: float64, or float32 for half the memory; re-ranks compute in
    float64 either way.

    Scores are on the scale of the last ranking: only that one's sum to 1. What the targets of a
    new page hand on in turn is left to the next ranking; on a crawl that grew by 1 % this leaves an
    L1 error of about 0.003.

    Invariant: an id that nobody links to has `_jump` times its restart weight.
    """

    def __init__(
        self,
        restart: Restart,
        damping: float,
        tol: float,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        self._restart, self._damping, self._tol, self._dtype = restart, damping, tol, dtype
        self._saved_pages: float | None = None  # checksum of the pages of a restored ranking
        self._forget()

    def _forget(self) -> None:
        self._scores: Column[Any] = Column(self._dtype)
        self._jump = 1.0  # score for each unit of restart weight
        self._ranking: WalkRanking | None = None
        self._pages: IntArray | None = None  # that it ranked; None: restored, not recognised yet
        self._pages_prepared: IntArray | None = None

    @property
    def scores(self) -> Scores:
        """(n,) >= 0, provisional for ids newer than the last ranking."""
        return self._scores.array

    @property
    def ranked(self) -> bool:
        """Whether there was a re-rank."""
        return self._ranking is not None

    def grow(self, n: int) -> None:
        """Make ids up to n - 1 known."""
        old = len(self.scores)
        if n > old:
            self._scores.resize(n)
            self.scores[old:] = self._jump * self._restart.newcomer

    def push(self, update: LinkUpdate) -> None:
        """One step from a page that the last ranking saw without links."""
        scores, page, targets = self.scores, update.page, update.targets
        scores[page] += self._jump * self._restart.gained(page, update.evidence, self._known)
        if update.total:
            each = self._damping * float(scores[page]) / update.total
            weights = update.weights
            scores[targets] += each if weights is None else each * weights.astype(np.float64)

    def set_scores(self, scores: Scores) -> None:
        """Go on from these (n,): those of a surfer with the same last ranking."""
        self.grow(len(scores))
        self.scores[:] = scores

    def job(self, view: GraphView, evidence: Evidence) -> Callable[[], WalkRanking]:
        """A re-rank that continues the last one, or starts from the scores as they are now."""
        self._recognise(view, evidence)
        self._pages_prepared = view.pages
        restart = self._restart.vector(view, evidence)
        last, damping, tol = self._ranking, self._damping, self._tol
        start = np.asarray(self.scores[: view.n].copy(), np.float64) if last is None else last
        return lambda: pagerank(view, restart, damping, tol, start)

    def install(self, ranking: Ranking) -> None:
        """Take over the scores of the last job."""
        assert isinstance(ranking, WalkRanking)
        if ranking.memory is not None:  # else of a graph without ids
            self._take(ranking, self._pages_prepared)

    def state(self, name: str) -> State:
        """The last ranking: scores under `name`, the rest under names that begin with it."""
        ranking, none = self._ranking, np.empty(0)
        if ranking is None or ranking.memory is None:
            return {name: none, f"{name}.owed": none, f"{name}.walk": none}
        memory, checksum = ranking.memory, self._saved_pages
        if self._pages is not None:
            checksum = _checksum(self._pages)
        rest = [memory.unit, memory.restart_total, checksum or NO_CHECKSUM, memory.withdrawn]
        # Copies are not needed: a ranking does not change.
        scores, owed = ranking.scores, memory.owed
        return {name: scores, f"{name}.owed": owed, f"{name}.walk": np.array(rest)}

    def restore(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        scores, rest = arrays[name], arrays[f"{name}.walk"]
        owed = arrays[f"{name}.owed"]
        self._forget()
        if not scores.size:
            return
        unit, total, self._saved_pages, withdrawn = rest.tolist()
        memory = WalkMemory(None, self._damping, None, total, unit, owed, withdrawn)
        self._take(WalkRanking(scores, 0, 0.0, True, total / unit, memory=memory), None)

    def _take(self, ranking: WalkRanking, pages: IntArray | None) -> None:
        assert ranking.memory is not None
        known = len(ranking.scores)
        self._scores.resize(known)
        self._jump = 1 / ranking.memory.unit
        self.scores[:known] = ranking.scores
        self.scores[known:] = self._jump * self._restart.newcomer
        self._ranking, self._pages = ranking, pages

    @property
    def _known(self) -> int:
        """Number of ids in the last ranking."""
        return 0 if self._ranking is None else len(self._ranking.scores)

    def _recognise(self, view: GraphView, evidence: Evidence) -> None:
        """Tie a restored ranking to the log it was made of, if this is still that log."""
        ranking, saved = self._ranking, self._saved_pages
        if ranking is None or ranking.memory is None or saved is None:
            return
        self._saved_pages = None
        memory = self._tied(ranking.memory, saved, view, evidence)
        pages = None if memory is None else view.pages[: len(memory.owed)]
        self._ranking, self._pages = replace(ranking, memory=memory), pages

    def _tied(
        self, memory: WalkMemory, saved: float, view: GraphView, evidence: Evidence
    ) -> WalkMemory | None:
        pages = view.pages[: len(memory.owed)]
        if len(pages) < len(memory.owed) or saved != _checksum(pages):
            return None  # a page was fetched again: its row moved
        then = GraphView(self._known, pages, np.zeros(1, np.int64), pages[:0])
        restart = self._restart.vector(then, evidence)
        jumps = Jumps.of(restart, self._known)
        if jumps.total != memory.restart_total:
            return None  # seeds were added to what was known
        return replace(memory, log=view.log, restart=jumps.weights)


def _checksum(pages: IntArray) -> float:
    return float(zlib.crc32(np.ascontiguousarray(pages).data))


class Surfers(dict[str, Surfer]):
    """Surfers by the names under which their scores are known and saved."""

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

    def state(self) -> State:
        """The last rankings: what `restore` needs."""
        return {key: array for name in self for key, array in self[name].state(name).items()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        for name, surfer in self.items():
            surfer.restore(name, arrays)


class SurferOrder(LinkOrder):
    """An order whose scores are those of its surfers."""

    saves_ranking = True
    _surfers: Surfers

    @property
    def scores(self) -> dict[str, FloatArray]:
        return self._surfers.scores

    def grow(self, n: int) -> None:
        self._surfers.grow(n)

    def _push(self, update: LinkUpdate) -> None:
        self._surfers.push(update)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        jobs = self._surfers.jobs(view, evidence)
        return lambda: {name: rank() for name, rank in jobs.items()}

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        self._surfers.install(rankings)

    @property
    def by_id(self) -> frozenset[str]:
        return frozenset(self._surfers)

    def _state(self) -> State:
        return self._surfers.state()

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._surfers.restore(arrays)


class WalkOrder(SurferOrder):
    """Priority = score of the surfer whose restart policy a subclass names."""

    restart: ClassVar[type[Restart]]

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._surfers = Surfers(score=Surfer(self.restart(), damping, tol))

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return self.scores["score"][ids]


class PageRankOrder(WalkOrder):
    """Importance in the whole known graph."""

    name = "pagerank"
    summary = "The URL with the highest PageRank in the graph known so far."
    source = "Cho, Garcia-Molina, Page 1998; Page et al. 1999"
    formula = "π(v), restart uniform over all known URLs"
    when = (
        "To fetch first what is important on the whole web that is crawled, not on a topic: for an "
        "archive or an index. Early in a crawl it favours what the first pages happen to name."
    )
    restart = AnywhereRestart


class PprOrder(WalkOrder):
    """Importance as seen from the seeds."""

    name = "ppr"
    summary = "The URL with the highest PageRank from the seeds (TrustRank): near and well linked."
    source = "Gyöngyi, Garcia-Molina, Pedersen 2004, Combating web spam with TrustRank"
    formula = "π(v), restart at the seeds"
    when = (
        "Without a topic: important pages around the seeds first, and with hand-picked seeds "
        "where there is spam: farms of pages which only link to each other get nothing. It "
        "follows bad seeds as faithfully."
    )
    restart = SeedRestart


class TopicPprOrder(WalkOrder):
    """Importance as seen from the relevant pages."""

    name = "topic-ppr"
    summary = "The URL with the highest PageRank from the relevant pages fetched so far."
    source = "Haveliwala 2002, Topic-sensitive PageRank"
    formula = "π(v), restart at fetched pages u in proportion to rel(u)"
    when = (
        "To find the important pages of a topic rather than all of them. It needs a judge that "
        "gives nothing to pages off the topic; what is famous everywhere comes early too."
    )
    uses_topic = True
    restart = TopicRestart
