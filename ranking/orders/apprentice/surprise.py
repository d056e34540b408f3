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
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, SingleArray
from ranking.evidence import Evidence

SAMPLE = 600  # URLs; the rarest value it can tell is one in twice as many
SCALE = 4.0


class Surprise:
    """The values of s signals at sorted places of a sample; none of them before the first."""

    def __init__(self, signals: int) -> None:
        self._sorted: SingleArray = np.empty((signals, 0), np.float32)

    def learn(self, values: FloatArray) -> None:
        """Take a sample (s, m) of the frontier for its distribution."""
        self._sorted = np.sort(values.astype(np.float32), axis=1)

    def of(self, values: FloatArray) -> FloatArray:
        """(s, k) surprise at values (s, k): from -1/4 to about 1.5, 0 before a sample."""
        size = self._sorted.shape[1]
        found = np.zeros(values.shape)
        if size:
            for known, asked, share in zip(
                self._sorted, values.astype(np.float32), found, strict=True
            ):
                below = np.searchsorted(known, asked, "left")
                upto = np.searchsorted(known, asked, "right")
                share[:] = 1 - (below + upto) / (2 * size)
            found = (-np.log(found + 1 / (2 * size)) - 1) / SCALE
        return found

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What `restore` needs."""
        return {"surprise": self._sorted}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` gave; KeyError if it is not there."""
        self._sorted = arrays["surprise"]


def waiting(evidence: Evidence, n: int) -> npt.NDArray[np.int64]:
    """(m,) ids of about `SAMPLE` URLs below n that are not fetched, evenly spaced; O(SAMPLE)."""
    spaced = np.unique(np.linspace(0, n - 1, min(n, 4 * SAMPLE)).astype(np.int64))
    found = spaced[~evidence.fetched[spaced]]
    step = max(1, len(found) // SAMPLE)
    return found[::step]
