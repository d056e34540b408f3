# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Passes over links: taking in one page's, grouping edges by source, finding repeats, products.

Rows are fetched pages: the links of row i are targets[indptr[i]:indptr[i + 1]]. Callers have
checked every id and length. The GIL is released throughout, but not for the few links of one page:
another thread would take it, and getting it back takes up to 5 ms.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from ranking._prefetch cimport AHEAD, PREFETCH, PREFETCH_WRITE

cdef enum:
    SHORT = 512  # links of a page whose table fits on the stack; almost no page has more


cdef inline uint32_t hashed(int32_t target) noexcept nogil:
    # Fibonacci hashing: neighbouring ids, which pages name together, spread out.
    return (<uint32_t>target * <uint32_t>2654435769) >> 7


cdef inline uint32_t table_size(int64_t links) noexcept nogil:
    """A power of two that leaves half of a table free."""
    cdef uint32_t size = 4
    while size < 2 * links:
        size *= 2
    return size


def examine(int32_t page, const int32_t[::1] ids):
    """What the links of a page are like.

    Args:
        page: its id.
        ids: (k,) its targets.

    Returns:
        The highest target, -1 of none; and whether there is something to merge: a link to the
        page itself or a repeat. Of more than 512 links it is True unchecked.

    """
    cdef Py_ssize_t k
    cdef int32_t highest = -1
    for k in range(ids.shape[0]):
        highest = max(highest, ids[k])
    return highest, ids.shape[0] > SHORT or needs_merging(page, ids)


def weigh(const float[::1] weights):
    """Sum of the weights of a page, one after the other, and whether none of them is 0."""
    cdef Py_ssize_t k
    cdef double total = 0
    cdef bint whole = True
    for k in range(weights.shape[0]):
        total += weights[k]
        whole &= weights[k] > 0
    return total, whole


cdef bint needs_merging(int32_t page, const int32_t[::1] ids) noexcept:
    cdef int32_t table[2 * SHORT]
    cdef Py_ssize_t k
    cdef uint32_t slot, size = table_size(ids.shape[0]), mask = size - 1
    memset(table, 0xFF, size * sizeof(int32_t))  # -1, which is no id
    for k in range(ids.shape[0]):
        if ids[k] == page:
            return True
        slot = hashed(ids[k]) & mask
        while table[slot] >= 0:
            if table[slot] == ids[k]:
                return True
            slot = (slot + 1) & mask
        table[slot] = ids[k]
    return False


def group(const int32_t[::1] keys, const int32_t[::1] values, int64_t[::1] start, int32_t[::1] out):
    """Stable counting sort of values by key; start[key] moves from the first place to the end."""
    cdef int64_t k = 0, place, size = keys.shape[0]
    cdef int32_t key
    with nogil:
        while k < size:
            if k + AHEAD < size:
                PREFETCH_WRITE(&start[keys[k + AHEAD]])
            key = keys[k]
            place = start[key]
            while k < size and keys[k] == key:
                out[place] = values[k]
                place += 1
                k += 1
            start[key] = place


def repeats(
    const int32_t[::1] pages,
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    int32_t[::1] table,
    uint8_t[::1] keep,
    int64_t[::1] kept,
    int64_t[:, ::1] pairs,
):
    """Mark links that count: not to the page itself, and once for each target of a row.

    Args:
        pages: (m,) page of each row.
        indptr: (m + 1,).
        targets: (L,).
        table: scratch; a power of two, at least twice as long as the longest row.
        keep: (L,) out.
        kept: (m + 1,) out; indptr of the links that count.
        pairs: (p, 2) out: position of each repeated link and of the first to that target, as
            many as fit.

    Returns:
        Number of links that do not count, and number of repeats among them.

    """
    cdef int64_t row, k, first, begin, end, dropped = 0, repeated = 0
    cdef int64_t m = pages.shape[0], room = pairs.shape[0]
    cdef uint32_t size, mask, slot
    cdef int32_t target, seen
    with nogil:
        for row in range(m):
            begin = indptr[row]
            end = indptr[row + 1]
            size = table_size(end - begin)
            mask = size - 1
            memset(&table[0], 0xFF, size * sizeof(int32_t))  # -1, which is no place
            for k in range(begin, end):
                target = targets[k]
                keep[k] = 1
                if target == pages[row]:
                    keep[k] = 0
                    dropped += 1
                    continue
                slot = hashed(target) & mask
                seen = table[slot]
                while seen >= 0 and targets[begin + seen] != target:
                    slot = (slot + 1) & mask
                    seen = table[slot]
                if seen < 0:
                    table[slot] = <int32_t>(k - begin)
                    continue
                keep[k] = 0
                dropped += 1
                if repeated < room:
                    pairs[repeated, 0] = k
                    pairs[repeated, 1] = begin + seen
                repeated += 1
            kept[row + 1] = end - dropped
    return dropped, repeated


def gather(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const double[::1] values,
    double[::1] out,
):
    """out[row] = sum of weight * values[target] over its links; weights None: all 1."""
    cdef int64_t row, k, size = targets.shape[0]
    cdef bint weighted = weights is not None
    cdef double total
    with nogil:
        for row in range(out.shape[0]):
            total = 0
            for k in range(indptr[row], indptr[row + 1]):
                if k + AHEAD < size:
                    PREFETCH(&values[targets[k + AHEAD]])
                total += weights[k] * values[targets[k]] if weighted else values[targets[k]]
            out[row] = total


def scatter(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const double[::1] values,
    double[::1] out,
):
    """out[target] += weight * values[row] for each link; weights None: all 1."""
    cdef int64_t row, k, size = targets.shape[0]
    cdef bint weighted = weights is not None
    cdef double value
    with nogil:
        for row in range(values.shape[0]):
            value = values[row]
            for k in range(indptr[row], indptr[row + 1]):
                if k + AHEAD < size:
                    PREFETCH_WRITE(&out[targets[k + AHEAD]])
                out[targets[k]] += weights[k] * value if weighted else value
