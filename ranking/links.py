"""What counts as a link: never to the page itself, and once for each target.

A page may name a target twice (menu and text, or two spellings with one canonical URL). The
graph, the evidence and the orders must count it once, with the largest of its weights and
promises, in the place where it was first seen; so all of them come through here, for one page
as its links arrive and for a whole history at once. Both give the same links in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import BoolArray, IntArray, LongArray, SingleArray, as_ids, as_values

Values = npt.NDArray[Any]


def page_links(
    page: int, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> tuple[IntArray, SingleArray | None]:
    """The links of one page, merged.

    Args:
        page: id of the page.
        targets: (k,) ids.
        weights: (k,) finite numbers >= 0; 0 is nofollow. None: all are 1.

    Returns:
        Targets (j,) int32 with j <= k, and their weights (j,) float32 or None.

    Raises:
        RankingInputError: ids or weights out of range, or lengths that differ.

    """
    ids = as_ids("targets", targets)
    if weights is None:
        return ids[kept_links(page, ids)] if _needs_merging(page, ids) else ids, None
    checked = as_values("weights", weights, ids.size).astype(np.float32, copy=False)
    if not _needs_merging(page, ids):
        return ids, checked
    ids, (checked,) = merged_links(page, ids, checked)
    return ids, checked


def merged_links(
    page: int, targets: IntArray, *values: Values
) -> tuple[IntArray, tuple[Values, ...]]:
    """Checked targets (k,) of one page without itself and repeats, and the largest of `values`."""
    if not _needs_merging(page, targets):
        return targets, values
    rows = np.zeros(targets.size, np.int32)
    keep, merged = merge(rows, np.full(targets.size, page, np.int32), targets, *values)
    return targets[keep], merged


def kept_links(page: int, targets: IntArray) -> LongArray:
    """Positions (j,) of the links of one page that count."""
    rows = np.zeros(targets.size, np.int32)
    return merge(rows, np.full(targets.size, page, np.int32), targets)[0]


def _needs_merging(page: int, targets: IntArray) -> bool:
    # Almost no page does; a set of 20 Python ints is ten times quicker than sorting an array.
    ids = targets.tolist()
    seen = set(ids)
    return len(seen) != len(ids) or page in seen


def merge(
    rows: IntArray, sources: IntArray, targets: IntArray, *values: Values
) -> tuple[LongArray, tuple[Values, ...]]:
    """The links of many pages, merged within each row.

    Args:
        rows: (L,) number of the record each link belongs to, ascending.
        sources: (L,) page of that record.
        targets: (L,) ids.
        values: arrays (L,); of links that are merged the largest value stays.

    Returns:
        Positions (K,) of the links that stay, ascending, and the values at them.

    """
    keep = np.flatnonzero(sources != targets)
    key = (rows[keep].astype(np.int64) << 31) | targets[keep]
    if not _has_repeats(key):
        return keep, tuple(value[keep] for value in values)
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(_starts(key[order]))
    place = keep[order[first]]
    back = np.argsort(place)
    largest = (np.maximum.reduceat(value[keep][order], first)[back] for value in values)
    return place[back], tuple(largest)


def _has_repeats(key: LongArray) -> bool:
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())


def _starts(ordered: LongArray) -> BoolArray:
    starts = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts
