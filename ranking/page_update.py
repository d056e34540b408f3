"""The update by one fetched page: its own relevance, and its links as numbers.

A page update is all that an order may learn a page's links from. It holds numbers, never text: the
topic model has weighed the words of a link (its *matches*).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import IntArray, SingleArray

ANCHOR, CONTEXT, ADDRESS, NEAR_ANCHOR, NEAR_CONTEXT, NEAR_ADDRESS = range(6)
"""Columns of `PageUpdate.matches`: words of the link, words around it, words of its URL; then the
same by what they mean alone."""
MATCHES = 6
MATCH_STEPS = 255
"""A match c in [0, 1] is kept as round(255 c)."""

ByteArray = npt.NDArray[np.uint8]


class PageUpdate(NamedTuple):
    """A fetched page, judged, with its k links in page order; repeats are not merged yet.

    Attributes:
        page: id of the page.
        relevance: judged by the topic model, in [0, 1]; 0 without a topic.
        similarity: of the page and the topic, see `Judgement`, in [0, 1]; 0 without a topic.
        targets: (k,) int32 ids.
        weights: (k,) float32 >= 0, 0 = nofollow; None: all 1.
        predicted: (k,) float32 in [0, 1], what the topic model expects of each target.
        matches: (k, 6) uint8, how far the words of the link, those around it and those of its URL
            are the topic's, and how far by what they mean alone; see MATCH_STEPS.

    """

    page: int
    relevance: float
    similarity: float
    targets: IntArray
    weights: SingleArray | None
    predicted: SingleArray
    matches: ByteArray
