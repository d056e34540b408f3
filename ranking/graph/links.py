"""The links of a page that count: none to the page itself, and one for each target.

A page may name a target twice (menu and text, or two spellings with one canonical URL). The
graph, the evidence and the orders must count it once, with the largest of its weights and
predicted, in the place where it was first seen; so all of them come through here, for one page
as its links arrive and for a whole history at once. Both give the same links in the same order.
Repeats that are to count are summed first, as `scipy.sparse.csr_array` does. And a page counts
once: of several rows of a history the last one (`clean`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.arrays import (
    BoolArray,
    IntArray,
    LongArray,
    SingleArray,
    as_ids,
    as_weights,
)
from ranking.errors import RankingInputError
from ranking.graph import _links

Values = npt.NDArray[Any]
Merged = tuple[LongArray, IntArray, tuple[Values, ...]]
NO_PAIRS = np.empty((0, 2), np.int64)
NO_ROW = -1
"""The row of an id that is not fetched."""


LinkRows = tuple[int, IntArray, LongArray, IntArray, SingleArray | None]
"""n, pages, indptr, targets and weights, see `GraphView`."""


def page_links(
    page: int, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> tuple[IntArray, SingleArray | None, int]:
    """The links of one page, merged.

    Args:
        page: id of the page.
        targets: (k,) ids.
        weights: (k,) finite numbers >= 0; 0 is nofollow. None: all are 1.

    Returns:
        Targets (j,) int32 with j <= k, their weights (j,) float32 or None, and the highest of the
        targets that were given, -1 of none.

    Raises:
        RankingInputError: ids or weights out of range, or lengths that differ.

    """
    ids = as_ids("targets", targets)
    given = () if weights is None else (as_weights("weights", weights, ids.size),)
    highest, merging = _links.examine(page, ids)
    ids, kept = _merged(page, ids, *given)[1:] if merging else (ids, given)
    return ids, kept[0] if kept else None, highest


def merged_links(
    page: int, targets: IntArray, *values: Values
) -> tuple[IntArray, tuple[Values, ...]]:
    """Checked targets (k,) of one page without itself and repeats, and the largest of `values`."""
    if not _links.examine(page, targets)[1]:
        return targets, values
    return _merged(page, targets, *values)[1:]


def _merged(page: int, targets: IntArray, *values: Values) -> Merged:
    return merge(np.array([0, targets.size]), np.array([page], np.int32), targets, *values)


def merge(indptr: LongArray, pages: IntArray, targets: IntArray, *values: Values) -> Merged:
    """The links of many pages, merged within each row; O(links).

    Args:
        indptr: (m + 1,) the links of row i are targets[indptr[i]:indptr[i + 1]].
        pages: (m,) page of each row.
        targets: (L,) ids.
        values: arrays (L,); of links that are merged the largest value stays.

    Returns:
        Of the links that stay, in their order: indptr (m + 1,), targets (K,), and of `values` the
        largest of each group of merged links. The arrays that were given where all stay.

    """
    keep, kept = np.empty(targets.size, np.uint8), np.zeros(len(indptr), np.int64)
    longest = int(np.diff(indptr).max(initial=1))
    arrays = pages, indptr, np.ascontiguousarray(targets)
    table = np.empty(max(4, 1 << (2 * longest - 1).bit_length()), np.int32)
    dropped, repeated = _links.repeats(*arrays, table, keep, kept, NO_PAIRS)
    if not dropped:
        return indptr, targets, values
    if repeated and values:
        pairs = np.empty((repeated, 2), np.int64)
        _links.repeats(*arrays, table, keep, kept, pairs)
        values = tuple(_largest(value, pairs) for value in values)
    mask = keep.view(np.bool_)
    return kept, targets[mask], tuple(value[mask] for value in values)


def clean(log: LinkRows, *values: Values) -> tuple[LinkRows, BoolArray, tuple[Values, ...]]:
    """A raw history with one row a page (the last one), no self-loops and no repeated links.

    Args:
        log: rows as they were written, possibly several of a page.
        values: arrays (L,) that belong to the links; of merged links the largest value stays.

    Returns:
        The clean rows, a mask (m,) of the rows that live, and the tuple of the values (K,).

    Raises:
        RankingInputError: arrays that do not fit together, ids or weights out of range.

    """
    n, pages, indptr, targets, weights = _checked(*log)
    extra = values if weights is None else (*values, weights)
    living = _last_rows(n, pages)
    if not living.all():
        degree = np.diff(indptr)
        linked = np.repeat(living, degree)
        indptr = np.concatenate([[0], np.cumsum(degree[living])])
        pages, targets = pages[living], targets[linked]
        extra = tuple(value[linked] for value in extra)
    indptr, targets, extra = merge(indptr, pages, targets, *extra)
    kept = None if weights is None else extra[-1]
    return (n, pages, indptr, targets, kept), living, extra[: len(values)]


def _checked(
    n: int, pages: IntArray, indptr: LongArray, targets: IntArray, weights: SingleArray | None
) -> LinkRows:
    pages, targets = as_ids("pages", pages), as_ids("targets", targets)
    indptr = np.ascontiguousarray(indptr, np.int64)
    if indptr.shape != (len(pages) + 1,):
        raise RankingInputError(
            f"indptr must have shape ({len(pages) + 1},), one more than pages; got {indptr.shape}"
        )
    if indptr[0] != 0 or indptr[-1] != len(targets) or (np.diff(indptr) < 0).any():
        raise RankingInputError(
            f"indptr must ascend from 0 to the number of targets, {len(targets)}; "
            f"got {indptr[0]} to {indptr[-1]}"
        )
    if weights is not None:
        weights = as_weights("weights", weights, len(targets))
    highest = max(int(pages.max(initial=-1)), int(targets.max(initial=-1)))
    return max(n, highest + 1), pages, indptr, targets, weights


def _last_rows(n: int, pages: IntArray) -> BoolArray:
    row = np.full(n, NO_ROW, np.int32)
    numbers = np.arange(len(pages), dtype=np.int32)
    # Of equal indices the last assignment stays.
    row[pages] = numbers
    living: BoolArray = row[pages] == numbers
    return living


def grouped_edges(
    n: int, sources: IntArray, targets: IntArray, weights: SingleArray | None
) -> LinkRows:
    """Edges (L,) as rows, one for each source, in order of ids, its links in their order; O(n + L).

    Ids are below n. The targets are always a new array.
    """
    degree = np.bincount(sources, minlength=n)
    pages = np.flatnonzero(degree).astype(np.int32)
    indptr = np.zeros(len(pages) + 1, np.int64)
    np.cumsum(degree[pages], out=indptr[1:])
    if not (sources[1:] < sources[:-1]).any():
        return n, pages, indptr, targets.copy(), weights
    start = np.cumsum(degree) - degree
    grouped = np.empty(len(targets), np.int32)
    _links.group(sources, targets, start.copy(), grouped)
    if weights is not None:
        by_source = np.empty(len(weights), np.int32)
        _links.group(sources, np.ascontiguousarray(weights).view(np.int32), start, by_source)
        weights = by_source.view(np.float32)
    return n, pages, indptr, grouped, weights


def as_edges(sources: npt.ArrayLike, targets: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Two equally long id arrays (L,), checked; raises RankingInputError."""
    from_ids, to_ids = as_ids("sources", sources), as_ids("targets", targets)
    if len(from_ids) != len(to_ids):
        raise RankingInputError(
            f"sources and targets must be equally long, got {len(from_ids)} and {len(to_ids)}"
        )
    return from_ids, to_ids


def _largest(values: Values, pairs: LongArray) -> Values:
    largest: Values = values.copy()
    np.maximum.at(largest, pairs[:, 1], values[pairs[:, 0]])
    return largest
