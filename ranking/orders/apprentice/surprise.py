"""How rare a value is among the URLs that wait: signals of any scale on one.

    s(x) = (−ln(share of the frontier with a value at least x) − 1) / 4

The share is a p-value, as if nothing set one URL above others, and −ln of it is exponential with
mean 1 whatever the signal: Fisher's way to add evidence of different kinds (Statistical Methods
for Research Workers, 1932, § 21.1). It grows towards the top of a ranking, where a crawl chooses,
and is blind to how a score is scaled. Equal values share the middle of their places.

The distribution is that of a sample of the frontier, taken at a re-rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, SingleArray
from ranking.evidence import Evidence

SAMPLE = 600  # URLs; the rarest value it can tell is one in twice as many
SCALE = 4.0


class Scale(NamedTuple):
    """One signal's sample as steps.

    Attributes:
        values: (u,) float32, the different values, ascending.
        at: (u,) surprise at each of them.
        between: (u + 1,) surprise below the first, between two, above the last.

    """

    values: SingleArray
    at: FloatArray
    between: FloatArray

    @classmethod
    def of(cls, sample: SingleArray) -> Scale:
        """The steps of a sample (m,), m > 0."""
        values, counts = np.unique(sample, return_counts=True)
        upto = np.concatenate([[0], np.cumsum(counts)]) / len(sample)
        least = 0.5 / len(sample)
        middle = (upto[:-1] + upto[1:]) / 2
        return cls(values, _surprise(middle, least), _surprise(upto, least))

    def __call__(self, asked: SingleArray) -> FloatArray:
        """(k,) surprise at values (k,)."""
        place = np.searchsorted(self.values, asked)
        near = np.minimum(place, len(self.values) - 1)
        found: FloatArray = np.where(self.values[near] == asked, self.at[near], self.between[place])
        return found


def _surprise(below: FloatArray, least: float) -> FloatArray:
    return np.asarray((-np.log(1 - below + least) - 1) / SCALE)


class Surprise:
    """The scales of s signals; none of them before the first sample."""

    def __init__(self, signals: int) -> None:
        self._sample: SingleArray = np.empty((signals, 0), np.float32)
        self._scales: list[Scale] = []

    def learn(self, values: FloatArray) -> None:
        """Take a sample (s, m) of the frontier for its distribution, m > 0."""
        self._take(values.astype(np.float32))

    def _take(self, sample: SingleArray) -> None:
        self._sample = sample
        self._scales = [Scale.of(one) for one in sample] if sample.shape[1] else []

    def of(self, values: FloatArray) -> FloatArray:
        """(s, k) surprise at values (s, k): from -1/4 to about 1.5, 0 before a sample."""
        if not self._scales:
            return np.zeros(values.shape)
        single = values.astype(np.float32)
        return np.stack([scale(one) for scale, one in zip(self._scales, single, strict=True)])

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return {"surprise": self._sample}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        self._take(arrays["surprise"])


def waiting(evidence: Evidence, n: int) -> npt.NDArray[np.int64]:
    """(m,) ids of about `SAMPLE` URLs below n that are not fetched, evenly spaced; O(SAMPLE)."""
    spaced = np.unique(np.linspace(0, n - 1, min(n, 4 * SAMPLE)).astype(np.int64))
    found = spaced[~evidence.fetched[spaced]]
    step = max(1, len(found) // SAMPLE)
    return found[::step]
