"""Weights of links at one byte each, for as long as a crawl uses few different ones.

A crawl knows a handful of weights (0 nofollow, 1, 2 for an anchor that matches the topic ...), so
a link stores a code and a palette holds the values. The first weight that does not fit into 256
values turns the column into plain float32, for graphs whose weights were measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.arrays import Column, SingleArray, distinct, frozen
from ranking.graph import _links


@dataclass(frozen=True, eq=False)
class CodedWeights:
    """Weights of links that do not change: palette[codes], both shared with the column."""

    codes: npt.NDArray[np.uint8]
    palette: SingleArray

    def decoded(self) -> SingleArray:
        """(L,) float32, a new array."""
        return self.palette[self.codes]


class WeightColumn:
    """One growable column of weights.

    Invariant: exactly one of `_plain` and `_codes` is in use, and the palette only grows.
    """

    def __init__(self) -> None:
        self._codes = Column(np.uint8)
        self._palette: SingleArray = np.ones(1, np.float32)
        self._plain: Column[np.float32] | None = None

    def __len__(self) -> int:
        return len(self._codes.array if self._plain is None else self._plain.array)

    def extend_ones(self, count: int) -> None:
        """Append `count` links of weight 1, which is always code 0."""
        if self._plain is None:
            self._codes.resize(len(self) + count)
        else:
            self._plain.extend(np.ones(count, np.float32))

    def extend(self, weights: SingleArray) -> None:
        """Append weights (k,)."""
        if self._plain is None:
            codes = self._coded(weights)
            if codes is not None:
                self._codes.extend(codes)
                return
            self._plain = Column(np.float32)
            self._plain.extend(self._palette[self._codes.array])
            self._codes = Column(np.uint8)
        self._plain.extend(weights)

    def span(self, first: int, last: int) -> SingleArray:
        """Weights of links first to last - 1."""
        if self._plain is not None:
            return self._plain.array[first:last]
        return self._palette[self._codes.array[first:last]]

    def snapshot(self) -> SingleArray | CodedWeights:
        """The column as it is now, without a copy."""
        if self._plain is not None:
            return frozen(self._plain.array)
        return CodedWeights(frozen(self._codes.array), self._palette)

    def _coded(self, weights: SingleArray) -> npt.NDArray[np.uint8] | None:
        """Return a code for each weight, or None if the palette cannot hold them."""
        codes = self._known(weights)
        if codes is None:
            new = np.setdiff1d(distinct(weights), self._palette, assume_unique=True)
            if len(self._palette) + len(new) > 256:
                return None
            # A new array: snapshots hold the old one.
            self._palette = np.concatenate([self._palette, new])
            codes = self._known(weights)
        return codes

    def _known(self, weights: SingleArray) -> npt.NDArray[np.uint8] | None:
        codes = np.empty(len(weights), np.uint8)
        return codes if _links.encode(weights, self._palette, codes) else None
