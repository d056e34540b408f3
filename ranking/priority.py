"""Priorities beyond an order's own: seeds come first, and scores of an earlier crawl lift URLs.

Scores of two rankings have no common scale, so a score counts by its *share*: its rank from the
bottom among the known ids, the mean rank of equal scores, divided by their number; the share of a
score of 0 is 0. The share multiplies a priority, which keeps the scale of every order,

    lift(v) = LEAD ^ (share(v) · PRIOR_PARENTS / (PRIOR_PARENTS + n(v))),

n(v) being the fetched pages that link to v: an unknown id keeps its priority; the best known id is
lifted tenfold while no page of this crawl links to it, to the square root of that when five do, and
less and less after that. A negative priority is divided by the lift, so that higher is better there
too; a priority of 0 becomes a spark above 0, behind all positive ones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, LongArray, SingleArray, as_values
from ranking.errors import RankingInputError
from ranking.evidence import Evidence

SEED_PRIORITY = 1e12  # above every id (< 2**31) and every score; exact in float64 after - id
PRIOR_PAGES = 5  # how many average parents a URL is assumed to have beside those it has
LEAST_MEAN = 1e-6  # relevance 0 everywhere must not make all priorities 0

Ids = npt.NDArray[np.integer]


def seeds_first(priority: FloatArray, ids: Ids, evidence: Evidence) -> FloatArray:
    """Unfetched seeds before everything, in the order of their ids.

    No page links to a seed, and nothing is known of it before it is read.
    """
    waiting = evidence.seed[ids]
    if not waiting.any():
        return priority
    waiting &= ~evidence.fetched[ids]
    return np.where(waiting, SEED_PRIORITY - ids, priority)


LEAD = 10.0
"""Lift of the best known id: link scores of a crawl differ by about a decade."""
PRIOR_PARENTS = PRIOR_PAGES
"""How many pages of this crawl weigh as much as the earlier crawl."""
SPARK = 1e-200


class Prior:
    """Shares by key, 12 bytes each.

    Attributes:
        keys: (k,) int64, ascending strictly.
        shares: (k,) float32 in [0, 1].

    """

    def __init__(self, keys: LongArray, shares: SingleArray) -> None:
        if keys.shape != shares.shape or (keys[1:] <= keys[:-1]).any():
            raise RankingInputError("a prior needs one share a key, and keys that ascend strictly")
        self.keys = keys
        self.shares = shares

    @classmethod
    def from_scores(cls, keys: npt.ArrayLike, scores: npt.ArrayLike) -> Prior:
        """Take (k,) int64 keys in any order and their scores, finite; of one key the highest.

        Raises RankingInputError for scores that are not finite or another number of them.
        """
        unsorted = np.asarray(keys, np.int64)
        values = np.asarray(scores, np.float64)
        if values.shape != unsorted.shape or not np.isfinite(values).all():
            raise RankingInputError("a prior needs one finite score a key")
        order = np.lexsort((values, unsorted))
        unsorted, values = unsorted[order], values[order]
        last = np.append(unsorted[1:] != unsorted[:-1], [True])[: len(unsorted)]
        kept, values = unsorted[last], values[last]
        ordered = np.sort(values)
        # The mean rank: most of a ranking may be tied at the bottom.
        ranks = (ordered.searchsorted(values) + ordered.searchsorted(values, "right") + 1) / 2
        shares = np.where(values == 0, 0, ranks / max(len(values), 1))
        return cls(kept, shares.astype(np.float32))

    def __len__(self) -> int:
        return len(self.keys)

    def of(self, keys: npt.ArrayLike) -> SingleArray:
        """(m,) float32 shares of int64 keys (m,); 0 for unknown ones."""
        wanted = np.asarray(keys, np.int64)
        if not len(self):
            return np.zeros(len(wanted), np.float32)
        places = self.keys.searchsorted(wanted)
        hits = self.keys.take(places, mode="clip") == wanted
        shares: SingleArray = np.where(hits, self.shares.take(places, mode="clip"), np.float32(0))
        return shares


def lifted(priority: FloatArray, shares: npt.ArrayLike, in_links: npt.ArrayLike) -> FloatArray:
    """(k,) priorities after the lift of the module's equation.

    Args:
        priority: (k,) finite.
        shares: (k,) in [0, 1]; 0 changes nothing.
        in_links: (k,) >= 0, fetched pages that link to each.

    Raises:
        RankingInputError: lengths that differ, negative shares or counts.

    """
    share = as_values("shares", shares, len(priority)).astype(np.float64)
    parents = as_values("in_links", in_links, len(priority))
    weight = share * (PRIOR_PARENTS / (PRIOR_PARENTS + parents.astype(np.float64)))
    lift = LEAD**weight
    result = np.where(priority < 0, priority / lift, priority * lift)
    return np.where(priority == 0, SPARK * weight, result)
