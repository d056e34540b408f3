"""Ridge regression that learns one example at a time, drawn to weights that are sane beforehand.

    A = τ I + Σ c x xᵀ,   b = τ w₀ + Σ c y x,   w = A⁻¹ b

w₀ are the prior weights and τ how many examples they are worth (Chakrabarti et al. 2002 learn a
crawl's apprentice from the pages it fetched in the same way). Weights are solved for at a growing
distance of examples, so that what they are is a function of the examples alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, SingleArray
from ranking.orders.apprentice import _signals

STRENGTH = 60.0  # with less, the mistakes of a judge that knows ten words are learned too soon
LEAST_STRENGTH = 1e-2  # of the constant: any level is as good as another
EVERY = 5  # examples between two solutions
EVERY_SHARE = 0.01  # of the examples so far, if that is more


class Ridge:
    """Weights (d,) of a design whose last column is 1."""

    def __init__(self, prior: FloatArray) -> None:
        strength = np.full(len(prior), STRENGTH)
        strength[-1] = LEAST_STRENGTH
        self._a: npt.NDArray[Any] = np.diag(strength)
        self._b = strength * prior
        self.weights: FloatArray = prior.copy()
        self.examples = 0
        self._due = EVERY

    def learn(self, row: SingleArray, value: float, count: float = 1.0) -> bool:
        """One example, worth `count` of them; True if the weights changed."""
        x = row.astype(np.float64)
        _signals.add_example(x, value, count, self._a, self._b)
        self.examples += 1
        if self.examples < self._due:
            return False
        self._due = self.examples + max(EVERY, int(EVERY_SHARE * self.examples))
        self.weights = np.linalg.solve(self._a, self._b)
        return True

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return {
            "ridge.a": self._a.copy(),
            "ridge.b": self._b.copy(),
            "ridge.weights": self.weights,
            "ridge.counts": np.array([self.examples, self._due]),
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there, ValueError if it is damaged."""
        self._a, self._b = arrays["ridge.a"].copy(), arrays["ridge.b"].copy()
        if not np.array_equal(self._a, self._a.T):
            raise ValueError("the examples of a crawl are a symmetric matrix")
        np.linalg.cholesky(self._a)  # LinAlgError, a ValueError, where no weights follow from it
        self.weights = arrays["ridge.weights"]
        self.examples, self._due = map(int, arrays["ridge.counts"].tolist())
