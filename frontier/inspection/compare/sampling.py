"""Counts of pages that were counted, or estimated from a sample, with the uncertainty of that.

A sample is drawn evenly and without putting back, so its figures become exact as it grows to all
pages: m of N pages drawn say as much as m (N - 1) / (N - m) drawn with putting back (the finite
population correction, Cochran 1977, Sampling Techniques, 2.6).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from frontier.inspection.reports import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

Z = 1.959963984540054
"""Standard deviations to either side that hold 95 % of a normal distribution."""
_DRAW = 7
"""Seed of the drawing: the same crawls give the same figures."""


def exactly(count: int) -> Figure:
    """Return the figure of what was counted."""
    return Figure(count, count, count)


def drawn(ids: NDArray[np.int64], sample: int | None) -> NDArray[np.int64]:
    """Return `sample` of (n,) ids drawn evenly, in their order; all of them for None or n."""
    if sample is None or sample >= len(ids):
        return ids
    places = np.random.default_rng(_DRAW).choice(len(ids), sample, replace=False, shuffle=False)
    return ids[np.sort(places)]


def estimated(hits: int, m: int, total: int) -> Figure:
    """Estimate how many of `total` pages have what `hits` of m drawn ones have.

    The interval is Wilson's (1927), of the share, at 95 %; of all pages the figure is exact. At
    least what was seen is there, and at most all but what was seen to lack it.
    """
    if m >= total:
        return exactly(hits)
    if not m:
        return Figure(0, 0, total)
    share, effective = hits / m, _effective(m, total)
    spread = Z * Z / effective
    centre = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / effective + spread / (4 * effective)) / (1 + spread)
    low, high = max(centre - half, 0.0) * total, min(centre + half, 1.0) * total
    return Figure(hits * total / m, max(low, hits), min(high, total - (m - hits)))


def relative_size(own: tuple[int, int, int], other: tuple[int, int, int]) -> Figure | None:
    """Estimate the size of one crawl by another's from mutual samples; None if they share none.

    With A the one and B the other, |A| / |B| is the share of B that A holds by the share of A
    that B holds, for both count the pages they share (Bharat and Broder 1998, A technique for
    measuring the relative size and overlap of public Web search engines). The interval takes the
    logarithm of the quotient as normal.

    Args:
        own: of A: pages found in B, pages drawn, pages there are.
        other: of B, likewise.

    """
    if not own[0] or not other[0]:
        return None
    ratio = (other[0] / other[1]) / (own[0] / own[1])
    factor = math.exp(Z * math.sqrt(_log_variance(*own) + _log_variance(*other)))
    return Figure(ratio, ratio / factor, ratio * factor)


def narrower(one: Figure, other: Figure) -> Figure:
    """Return which of two figures of the same thing is the surer one."""
    return one if one.high - one.low <= other.high - other.low else other


def _effective(m: int, total: int) -> float:
    return m * (total - 1) / (total - m)


def _log_variance(hits: int, m: int, total: int) -> float:
    """Variance of the logarithm of a share, by the delta method."""
    return 0.0 if m >= total else (m - hits) / (hits * _effective(m, total))
