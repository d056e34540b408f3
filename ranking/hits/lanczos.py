"""The dominant eigenvector of a symmetric operator without negative entries, by Lanczos.

A cycle spans a small Krylov space and takes from it the vector that the operator stretches most.
What the operator makes of that vector follows from the cycle itself, so the caller can check it
without another pass, and starts the next cycle from there (restarted Lanczos).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ranking.arrays import FloatArray

BASIS = 12  # vectors before a restart; each takes 8 bytes a fetched page
TIE = 1e-10  # relative: Ritz values this close are one; rounding grows a copy of the strongest
BREAKDOWN = 1e-10  # relative: what is left of a new basis vector is rounding


class Cycle(NamedTuple):
    """What a cycle found.

    Attributes:
        vector: (m,), all tied ones included as they are in the start.
        image: (m,) the operator's image of it.
        gap: (λ₁ − λ₂) / λ₁ in (0, 1] of the two largest different Ritz values.

    """

    vector: FloatArray
    image: FloatArray
    gap: float


def krylov_cycle(
    step: Callable[[FloatArray], FloatArray], start: FloatArray, tol: float
) -> Cycle | None:
    """One cycle; None if the operator makes 0 of the start.

    Args:
        step: the operator, (m,) -> (m,).
        start: (m,) not 0.
        tol: relative accuracy that is enough; the cycle ends early when it seems reached.

    """
    basis = np.empty((BASIS, len(start)))
    np.divide(start, _norm(start), out=basis[0])
    projected = np.zeros((BASIS, BASIS))
    for j in range(BASIS):
        vector = step(basis[j])
        length = _norm(vector)
        if length == 0 and j == 0:
            return None
        # In exact arithmetic only the last two overlap; then rounding is taken out of all.
        for first in (max(j - 1, 0), 0):
            shares = np.einsum("ij,j->i", basis[first : j + 1], vector)
            vector -= _combination(shares, basis[first : j + 1])
            projected[first : j + 1, j] += shares
        rest = _norm(vector)
        values, vectors = np.linalg.eigh(projected[: j + 1, : j + 1], UPLO="U")
        gap = _gap(values)
        # Norm of the operator's residual at the best vector, relative to its eigenvalue.
        error = rest * abs(vectors[-1, -1]) / values[-1]
        if j == BASIS - 1 or rest <= BREAKDOWN * length or error <= tol * gap:
            break
        np.divide(vector, rest, out=basis[j + 1])
    best = _dominant(values, vectors)
    found = _combination(best, basis[: len(values)])
    # In the basis the operator is `projected`, but for what its last column leaves over.
    upper = np.triu(projected[: len(values), : len(values)])
    image = _combination((upper + np.triu(upper, 1).T) @ best, basis[: len(values)])
    image += best[-1] * vector
    return Cycle(found, image, gap)


def _norm(vector: FloatArray) -> float:
    return math.sqrt(np.einsum("j,j->", vector, vector))


def _combination(factors: FloatArray, rows: FloatArray) -> FloatArray:
    """(n,) sum of rows (k, n), each times its factor."""
    return np.asarray(np.einsum("i,ij->j", factors, rows))


def _dominant(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """The start (first basis vector) projected on the strongest Ritz vectors, all tied ones."""
    tied = vectors[:, values >= values[-1] * (1 - TIE)]
    best: FloatArray = tied @ tied[0]
    return best if best.any() else tied[:, -1]


def _gap(values: FloatArray) -> float:
    below = values[values < values[-1] * (1 - TIE)]
    return float(1 - max(below[-1], 0.0) / values[-1]) if below.size else 1.0
