"""How much evidence makes one half, by what a crawl has fetched.

Evidence stands far above the usual on the pages of some topics and hardly on those of others. How
far it stands on the best of the fetched pages tells which; it is believed in part, and within
bounds, because pages may all be on the topic, or none. And less makes one half than what parts the
pages of a finished crawl best: each was judged when it came, the young crawl's by a first guess. In
34 crawls of 300 and 600 requests (17 topics of an encyclopedia and of documentation), the pages
judged relevant are as many as those on the topic within a factor of 1.5 in 56 of 100, without this
factor in 44; the median is 1.09 times as many. Where it fails, the words near to a topic are on few
of its pages (geology), or on many of another topic (chemical compounds, elements).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

__all__ = ["FIRST_SCALE", "scale_of"]

FIRST_SCALE: Final = 0.93
"""Odds that mean one half before enough is fetched, and a factor of what is told from then on."""

_BEST: Final = 0.2  # share of the pages that are looked at
_POWER: Final = 0.6
_BOUNDS: Final = (0.5, 1.3)
_DIGITS: Final = 3
_FEWEST: Final = 10  # pages


def scale_of(odds: Sequence[float]) -> float:
    """Return the odds, from .465 to 1.209, that mean one half; .93 of fewer than ten pages."""
    if len(odds) < _FEWEST:
        return FIRST_SCALE
    best = sorted(odds)[-round(_BEST * len(odds)) :]
    low, high = _BOUNDS
    told = min(max(math.pow(math.fsum(best) / len(best), _POWER), low), high)
    return round(FIRST_SCALE * told, _DIGITS)
