"""What the rankings share beside the graph: checked arguments, and the relevance of links."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, as_values
from ranking.errors import RankingInputError

LEAST_RELEVANCE = 1e-100
"""Relative to the largest; less counts as none. Products of two such still differ from 0."""


def check_stopping(tol: float, max_iterations: int) -> None:
    """Raise RankingInputError unless tol > 0 and max_iterations >= 1."""
    if not 0 < tol < np.inf:
        raise RankingInputError(f"tol must be a positive number such as 1e-6, got {tol}")
    if max_iterations < 1:
        raise RankingInputError(f"max_iterations must be at least 1, got {max_iterations}")


def link_relevance(relevance: npt.ArrayLike | None, in_weight: FloatArray) -> FloatArray:
    """(n,) relevance in [0, 1], the largest of an id with in-links 1; None: all 1.

    Args:
        relevance: (n,) finite numbers >= 0, any scale.
        in_weight: (n,) summed weights of the links to each id.

    Raises:
        RankingInputError: another length, or a negative or infinite number.

    """
    if relevance is None:
        return np.ones(len(in_weight))
    r = as_values("relevance", relevance, len(in_weight)).astype(np.float64)
    scale = float(r[in_weight > 0].max(initial=0)) or 1.0
    r = np.minimum(r, scale) / scale
    r[r < LEAST_RELEVANCE] = 0
    return r


def uniform(n: int) -> FloatArray:
    """(n,) equal scores of sum 1; what a ranking says where no link tells ids apart."""
    return np.full(n, 1 / n) if n else np.empty(0)
