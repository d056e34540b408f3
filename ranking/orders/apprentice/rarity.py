"""How rare a value is among the URLs that wait: it puts signals of any scale on one scale.

    rarity(x) = (−ln(share of the frontier with a value at least x) − 1) / 4

The share is a p-value under the assumption that nothing distinguishes the URLs, and −ln of it is
exponential with mean 1 whatever the signal: Fisher's way to add evidence of different kinds
(Statistical Methods for Research Workers, 1932, § 21.1). Rarity grows towards the top of a ranking,
where a crawl chooses, and does not depend on how a score is scaled. Equal values share the middle
of their places.

The distribution is that of a sample of the frontier, taken at a re-rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, LongArray, SingleArray, distinct
from ranking.evidence import Evidence
from ranking.orders.apprentice import _signals

SAMPLE = 600  # URLs; the rarest value that can be told apart is 1 in 1,200
SCALE = 4.0


class Scales(NamedTuple):
    """The samples of some signals as steps, signal after signal, see `_signals.look_up`."""

    starts: LongArray
    steps: SingleArray
    at: FloatArray


NONE = Scales(np.zeros(1, np.int64), np.empty(0, np.float32), np.empty(0))


def scales_of(sample: SingleArray) -> Scales:
    """The scales of a sample (s, m), m > 0."""
    s, m = sample.shape
    ordered = np.sort(sample, axis=1)
    differs = np.ones(sample.shape, np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=differs[:, 1:])
    first = np.flatnonzero(differs)
    ends = np.cumsum(np.count_nonzero(differs, axis=1))
    below = (first % m) / m
    upto = np.append(below[1:], 1.0)
    upto[ends - 1] = 1.0
    place = 2 * np.arange(len(first)) + first // m  # of the share below each step
    share = np.empty(2 * len(first) + s)
    share[place], share[place + 1] = below, (below + upto) / 2
    share[2 * ends + np.arange(s)] = 1.0
    starts = np.append(0, ends).astype(np.int64)
    at = np.asarray((-np.log(1 - share + 0.5 / m) - 1) / SCALE)
    return Scales(starts, ordered.ravel()[first], at)


class Rarity:
    """The scales of s signals; none of them before the first sample."""

    def __init__(self, signals: int) -> None:
        self._take(np.empty((signals, 0), np.float32))

    def learn(self, values: FloatArray) -> None:
        """Take a sample (s, m) of the frontier for its distribution, m > 0."""
        self._take(values.astype(np.float32))

    def _take(self, sample: SingleArray) -> None:
        self._sample = sample
        self.scales = scales_of(sample) if sample.shape[1] else NONE

    def of(self, values: FloatArray) -> FloatArray:
        """(s, k) rarity of values (s, k): from -1/4 to about 1.5, 0 before a sample."""
        rarity = np.zeros(values.shape)
        _signals.look_up(*self.scales, values, rarity)
        return rarity

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return {"rarity": self._sample}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        self._take(arrays["rarity"])


def waiting(evidence: Evidence, n: int) -> npt.NDArray[np.int64]:
    """(m,) ids of about `SAMPLE` URLs below n that are not fetched, evenly spaced; O(SAMPLE)."""
    spaced = distinct(np.linspace(0, n - 1, min(n, 4 * SAMPLE)).astype(np.int64))
    unfetched = spaced[~evidence.fetched[spaced]]
    return unfetched[:: max(1, len(unfetched) // SAMPLE)]
