"""The dominant eigenvector of a symmetric operator without negative entries, by Lanczos.

A cycle spans a small Krylov space and takes from it the vector that the operator stretches most.
The caller checks it and starts the next cycle from it (restarted Lanczos).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ranking.arrays import FloatArray

BASIS = 12  # vectors before a restart; each takes 8 bytes a fetched page
TIE = 1e-10  # relative: Ritz values this close are one; rounding grows a copy of the strongest
BREAKDOWN = 1e-10  # relative: what is left of a new basis vector is rounding
CANCELLED = 0.7  # of its length left by orthogonalisation: once was enough (Kahan, Parlett)


def best_in_krylov_space(
    step: Callable[[FloatArray], FloatArray], start: FloatArray, tol: float
) -> tuple[FloatArray, float]:
    """One cycle.

    Args:
        step: the operator, (m,) -> (m,).
        start: (m,) not 0.
        tol: relative accuracy that is enough; the cycle ends early when it seems reached.

    Returns:
        The vector (m,), all tied ones included as they are in `start`, and the relative gap
        (λ₁ − λ₂) / λ₁ in (0, 1] of the two largest different Ritz values.

    """
    basis = np.empty((BASIS, len(start)))
    basis[0] = start / np.linalg.norm(start)
    projected = np.zeros((BASIS, BASIS))
    for j in range(BASIS):
        vector = step(basis[j])
        size = np.linalg.norm(vector)
        vector, projected[: j + 1, j], rest = _orthogonal(vector, float(size), basis[: j + 1])
        values, vectors = np.linalg.eigh(projected[: j + 1, : j + 1], UPLO="U")
        gap = _gap(values)
        # Norm of the operator's residual at the best vector, relative to its eigenvalue.
        error = rest * abs(vectors[-1, -1]) / values[-1]
        if j == BASIS - 1 or rest <= BREAKDOWN * size or error <= tol * gap:
            break
        np.divide(vector, rest, out=basis[j + 1])
    return _dominant(values, vectors) @ basis[: len(values)], gap


def _orthogonal(
    vector: FloatArray, size: float, basis: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """`vector` without its part in the basis, the coefficients of that part, and what is left."""
    shares = np.zeros(len(basis))
    for _ in range(2):  # twice is enough (Kahan): once may leave rounding that grows
        share = basis @ vector
        vector = vector - share @ basis
        shares += share
        rest = float(np.linalg.norm(vector))
        if rest > CANCELLED * size:
            break
        size = rest
    return vector, shares, rest


def _dominant(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """The start (first basis vector) projected on the strongest Ritz vectors, all tied ones."""
    tied = vectors[:, values >= values[-1] * (1 - TIE)]
    best: FloatArray = tied @ tied[0]
    return best if best.any() else tied[:, -1]


def _gap(values: FloatArray) -> float:
    below = values[values < values[-1] * (1 - TIE)]
    return float(1 - max(below[-1], 0.0) / values[-1]) if below.size else 1.0
