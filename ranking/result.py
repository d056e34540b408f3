"""The result of a ranking: scores, and how exact they are; checks that all rankings share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ranking.arrays import FloatArray, SingleArray
from ranking.errors import RankingInputError


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores of all ids of a graph.

    Attributes:
        scores: (n,) float64, not negative, sum 1 (empty for n = 0).
        iterations: sweeps over the links.
        residual: L1 norm of the change that one more iteration would make to `scores`.
        converged: whether the kernel's stopping rule was met within its iterations. If not,
            the scores are the best so far.

    """

    scores: FloatArray
    iterations: int
    residual: float
    converged: bool


@dataclass(frozen=True, eq=False)
class WalkMemory:
    """The memory by which a later ranking of the same log computes only what changed.

    Attributes:
        log: the history of the graph that was ranked (`GraphView.log`).
        damping: of that ranking.
        restart: (n,) restart weights.
        restart_total: their sum.
        unit: a score times unit is on the scale of those weights, on which growth of the graph
            changes nothing but what it adds to.
        owed: (m,) by row, on that scale: residual that is not worked off yet.
        withdrawn: sum of the restart weights, some of which shrank, since the last sweep: at
            most so much was taken out of the scores again, and rounding left a trace of it.

    """

    log: object
    damping: float
    restart: FloatArray | SingleArray
    restart_total: float
    unit: float
    owed: FloatArray
    withdrawn: float = 0.0


@dataclass(frozen=True, eq=False)
class WalkRanking(Ranking):
    """The scores of a random surfer.

    Attributes:
        jump: share of the surfer's steps that end in a jump to the restart vector; what an id
            with a share s of that vector owes to jumps is s * jump.
        pushed: links passed by residual pushes; 0 where only sweeps were made.
        memory: for the next ranking, see `WalkMemory`.

    """

    jump: float
    pushed: int = 0
    memory: WalkMemory | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class HitsRanking(Ranking):
    """Authorities and hubs; `scores` are the authorities.

    Attributes:
        hubs: (n,) float64, not negative, sum 1; 0 for unfetched ids.
        authority_norm: L1 norm of Aᵀh for the hubs h above. 0 where no link counts.
        hub_norm: L1 norm of A(r∘a) for the authorities a. Times authority_norm it is the
            dominant eigenvalue.
        gap: how far the strongest community is ahead, (λ₁ − λ₂) / λ₁ in (0, 1]; 0 where no link
            counts. Near 0 a small change of the graph may put another community first.

    """

    hubs: FloatArray
    authority_norm: float
    hub_norm: float
    gap: float

    @property
    def authorities(self) -> FloatArray:
        """(n,) float64, the scores under their name in the literature."""
        return self.scores


def check_stopping(tol: float, max_iterations: int = 1, damping: float = 0.0) -> None:
    """Raise RankingInputError unless tol > 0, max_iterations >= 1 and damping is in [0, 1)."""
    if not 0 <= damping < 1:
        raise RankingInputError(f"damping must lie in [0, 1), got {damping}")
    if not 0 < tol < np.inf:
        raise RankingInputError(f"tol must be a positive number such as 1e-6, got {tol}")
    if max_iterations < 1:
        raise RankingInputError(f"max_iterations must be at least 1, got {max_iterations}")
