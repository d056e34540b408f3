"""A history of fetched pages as it counts: one row a page, no self-loops, no repeated links."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, IntArray, LongArray, SingleArray, as_ids, as_weights
from ranking.errors import RankingInputError
from ranking.graph.links import living_links, merge

NO_ROW = -1
"""The row of an id that is not fetched."""

Values = npt.NDArray[Any]


class Rows(NamedTuple):
    """What pages linked to, as it was written: the links of row i are those of pages[i].

    Attributes:
        n: ids are below it.
        pages: (m,) ids.
        indptr: (m + 1,) int64; the links of row i are targets[indptr[i]:indptr[i + 1]].
        targets: (L,) ids.
        weights: (L,) numbers >= 0, or None: all 1.

    """

    n: int
    pages: IntArray
    indptr: LongArray
    targets: IntArray
    weights: SingleArray | None


def clean(log: Rows, *values: Values) -> tuple[Rows, BoolArray, tuple[Values, ...]]:
    """A raw history with one row a page (the last one), no self-loops and no repeated links.

    Args:
        log: rows as they were written, possibly several of a page.
        values: arrays (L,) that belong to the links; of merged links the largest value stays.

    Returns:
        The clean rows, a mask (m,) of the rows that live, and the tuple of the values (K,).

    Raises:
        RankingInputError: arrays that do not fit together, ids or weights out of range.

    """
    n, pages, indptr, targets, weights = _checked(log)
    extra = list(values) if weights is None else [*values, weights]
    living = _last_rows(n, pages)
    if not living.all():
        indptr, linked = living_links(indptr, living)
        pages, targets = pages[living], targets[linked]
        extra = [value[linked] for value in extra]
    weights = None if weights is None else extra.pop()
    rows, merged = merged_rows(Rows(n, pages, indptr, targets, weights), *extra)
    return rows, living, merged


def merged_rows(log: Rows, *values: Values) -> tuple[Rows, tuple[Values, ...]]:
    """Checked rows of different pages without self-loops and repeats, and their values."""
    extra = values if log.weights is None else (*values, log.weights)
    merged = merge(log.indptr, log.pages, log.targets, *extra)
    kept = None if log.weights is None else merged.values[-1]
    rows = Rows(log.n, log.pages, merged.indptr, merged.targets, kept)
    return rows, merged.values[: len(values)]


def _checked(log: Rows) -> Rows:
    pages, targets = as_ids("pages", log.pages), as_ids("targets", log.targets)
    indptr = np.ascontiguousarray(log.indptr, np.int64)
    if indptr.shape != (len(pages) + 1,):
        raise RankingInputError(
            f"indptr must have shape ({len(pages) + 1},), one more than pages; got {indptr.shape}"
        )
    if indptr[0] != 0 or indptr[-1] != len(targets) or (np.diff(indptr) < 0).any():
        raise RankingInputError(
            f"indptr must ascend from 0 to the number of targets, {len(targets)}; "
            f"got {indptr[0]} to {indptr[-1]}"
        )
    weights = log.weights
    if weights is not None:
        weights = as_weights("weights", weights, len(targets))
    highest = max(int(pages.max(initial=-1)), int(targets.max(initial=-1)))
    return Rows(max(log.n, highest + 1), pages, indptr, targets, weights)


def _last_rows(n: int, pages: IntArray) -> BoolArray:
    row = np.full(n, NO_ROW, np.int32)
    numbers = np.arange(len(pages), dtype=np.int32)
    # Of equal indices the last assignment stays.
    row[pages] = numbers
    living: BoolArray = row[pages] == numbers
    return living
