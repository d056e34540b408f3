"""Orders by the score of a random surfer (pagerank, ppr, topic-ppr), kept current between re-ranks.

A page fetched since the last re-rank passes c · score · weight / Σ weight to each link: one step of
the equation. A URL discovered since starts with what jumps would give it. Before the first
re-rank a jump is worth 1, so scores are on a scale of their own until then.

A re-rank continues the ranking before it, so that it costs what the crawl has changed. That
ranking is therefore kept. Saved are its scores, from which the first re-rank of a resumed crawl
starts; the steps since are taken again on resume.

Where a surfer jumps is one small policy for each kind of PageRank (`Restart`): the restart vector
of a re-rank, the weight in it of a URL that was just discovered, and the weight that a page gains
by being fetched. The last two let scores between re-ranks include the jumps that the next will
count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, FloatArray, SingleArray
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.orders.base import Job, State
from ranking.orders.link_order import LinkOrder, LinkUpdate
from ranking.pagerank.pagerank import pagerank
from ranking.priority import Ids
from ranking.result import Ranking, WalkRanking

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


class Surfer:
    """PageRank for one restart policy.

    `dtype` is that of the scores: float64, or float32 for half the memory; re-ranks compute in
    float64 either way.

    Scores are on the scale of the last ranking, whose scores sum to 1. What the targets of a new
    page pass on in turn is left to the next ranking; on a crawl that grew by 1 % this leaves an L1
    error of about 0.003.

    Invariant: an id that nobody links to has `_jump` times its restart weight.
    """

    def __init__(
        self,
        restart: Restart,
        damping: float,
        tol: float,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        self._restart, self._damping, self._tol = restart, damping, tol
        self._scores: Column[Any] = Column(dtype)
        self._jump = 1.0  # score for each unit of restart weight
        self._ranking: WalkRanking | None = None

    @property
    def scores(self) -> Scores:
        """(n,) >= 0, provisional for ids newer than the last ranking."""
        return self._scores.array

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
        restart = self._restart.vector(view, evidence)
        last, damping, tol = self._ranking, self._damping, self._tol
        start = np.asarray(self.scores[: view.n].copy(), np.float64) if last is None else last
        return lambda: pagerank(view, restart, damping, tol, start)

    def install(self, ranking: Ranking) -> None:
        """Take over the scores of the last job."""
        assert isinstance(ranking, WalkRanking)
        if ranking.memory is not None:  # else of a graph without ids
            self._take(ranking, 1 / ranking.memory.unit)

    def state(self, name: str) -> State:
        """The scores of the last ranking under `name`, and what an id has by jumps alone."""
        if self._ranking is None:
            return {name: np.empty(0), f"{name}.jump": np.empty(0)}
        # A copy is not needed: a ranking does not change.
        return {name: self._ranking.scores, f"{name}.jump": np.array([self._jump])}

    def restore(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there.

        The next ranking starts from these scores.
        """
        scores, jump = arrays[name], arrays[f"{name}.jump"]
        self._scores, self._jump, self._ranking = self._scores.anew(), 1.0, None
        if scores.size:
            self._take(WalkRanking(scores, 0, 0.0, True, jump=0.0), float(jump[0]))

    def _take(self, ranking: WalkRanking, jump: float) -> None:
        known = len(ranking.scores)
        self._scores.resize(known)
        self._ranking, self._jump = ranking, jump
        self.scores[:known] = ranking.scores
        self.scores[known:] = jump * self._restart.newcomer

    @property
    def _known(self) -> int:
        """Number of ids in the last ranking."""
        return 0 if self._ranking is None else len(self._ranking.scores)


class WalkOrder(LinkOrder):
    """Priority = score of the surfer whose restart policy a subclass names."""

    restart: ClassVar[type[Restart]]
    saved_score = "score"
    saves_ranking = True

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        super().__init__(damping, tol)
        self._surfer = Surfer(self.restart(), damping, tol)

    @property
    def scores(self) -> dict[str, FloatArray]:
        return {"score": self._surfer.scores}

    def grow(self, n: int) -> None:
        self._surfer.grow(n)

    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        return np.asarray(self._surfer.scores[ids], np.float64)

    def _push(self, update: LinkUpdate) -> None:
        self._surfer.push(update)

    def _job(self, view: GraphView, evidence: Evidence) -> Job:
        rank = self._surfer.job(view, evidence)
        return lambda: {"score": rank()}

    def _install(self, rankings: Mapping[str, Ranking]) -> None:
        self._surfer.install(rankings["score"])

    @property
    def by_id(self) -> frozenset[str]:
        return frozenset({"score"})

    def _state(self) -> State:
        return self._surfer.state("score")

    def _restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._surfer.restore("score", arrays)


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
