# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Residual pushes that only ever raise a lower bound on the surfer's scores.

A page pushes several times before little waits anywhere, and nine in ten of its links lead to ids
that are not fetched and push nothing on. So those are told by one bit each, which stays in the
processor's cache, and get what all pushes of the page hand to them at once (`settle`).
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from ranking._prefetch cimport AHEAD, PREFETCH_WRITE
from ranking._weights cimport weight_of

cdef enum:
    BLOCK = 256  # links looked at before any is followed


cdef inline bint in_set(const uint64_t[::1] bits, int32_t i) noexcept nogil:
    return (bits[i >> 6] >> (i & 63)) & 1


def add_to(uint64_t[::1] bits, const int32_t[::1] ids):
    """Put ids into a set of bits."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(ids.shape[0]):
            bits[ids[i] >> 6] |= (<uint64_t>1) << (ids[i] & 63)


def push(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const uint8_t[::1] codes,
    const float[::1] palette,
    const int32_t[::1] row,
    const uint64_t[::1] fetched,
    const double[::1] share,
    double damping,
    double least,
    double enough,
    int64_t limit,
    int64_t size,
    int32_t[::1] queue,
    uint8_t[::1] queued,
    double[::1] waiting,
    double[::1] handed_on,
    double[::1] owed,
    int32_t[::1] owing,
    double[::1] totals,
    int64_t[::1] counts,
):
    """Hand on what waits at fetched pages, first come first served, until little waits anywhere.

    Args:
        indptr: (m + 1,) links of a row.
        targets: (L,) ids below n.
        codes, palette: weights (L,) >= 0, palette[codes]; `palette` itself where `codes` are None;
            all 1 where both are.
        row: (n,) row of each id that is fetched.
        fetched: set of their bits.
        share: (m,) 1 / sum of the weights of a row; 0 where that sum is 0.
        damping: probability to follow a link.
        least: a page hands on once more than this waits at it.
        enough: stops once no more than this waits at all fetched pages together.
        limit: pushes before giving up.
        size: the first `size` entries of the queue are to be worked off.
        queue: (m,) ring of rows, each once.
        queued: (m,) 1 for the rows in it; zeros after.
        waiting: (m,) what arrived at a page and was not handed on.
        handed_on: (m,) what was; a page's lower bound is the sum of both.
        owed: (m,) what a link of weight 1 of a row owes to an id that is not fetched.
        owing: (m,) the rows where that is not 0.
        totals: (3,) changed: bounds of fetched ids; waiting at them; waiting for a jump.
        counts: (2,) changed: pushes; rows in `owing`.

    """
    cdef Py_ssize_t room = queue.shape[0], head = 0, tail
    cdef int64_t pushes = 0, k, left = size, first, last
    cdef int64_t[BLOCK] inner
    cdef int32_t[BLOCK] rows
    cdef int32_t r, next_row, found, j
    cdef double handed, part, arrived = 0
    cdef bint plain = palette is None
    if room == 0:
        return
    tail = size % room
    with nogil:
        while left and pushes < limit and totals[1] > enough:
            r = queue[head]
            head = head + 1 if head + 1 < room else 0
            left -= 1
            queued[r] = 0
            handed = damping * waiting[r]
            handed_on[r] += waiting[r]
            totals[1] -= waiting[r]
            waiting[r] = 0
            pushes += 1
            if share[r] == 0:
                totals[2] += handed
                continue
            handed *= share[r]
            if handed == 0:
                continue
            if owed[r] == 0:
                owing[counts[1]] = r
                counts[1] += 1
            owed[r] += handed
            first = indptr[r]
            while first < indptr[r + 1]:
                last = min(first + BLOCK, indptr[r + 1])
                found = 0
                # Without a branch: which links lead to fetched pages cannot be foreseen.
                for k in range(first, last):
                    inner[found] = k
                    found += in_set(fetched, targets[k])
                for j in range(found):
                    rows[j] = row[targets[inner[j]]]
                for j in range(found):
                    part = handed if plain else handed * weight_of(codes, palette, inner[j])
                    next_row = rows[j]
                    waiting[next_row] += part
                    arrived += part
                    if waiting[next_row] > least and not queued[next_row]:
                        queued[next_row] = 1
                        queue[tail] = next_row
                        tail = tail + 1 if tail + 1 < room else 0
                        left += 1
                first = last
            totals[0] += arrived
            totals[1] += arrived
            arrived = 0
        while left:
            queued[queue[head]] = 0
            head = head + 1 if head + 1 < room else 0
            left -= 1
        counts[0] += pushes


def settle(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const uint8_t[::1] codes,
    const float[::1] palette,
    const uint64_t[::1] fetched,
    double[::1] bounds,
    double[::1] owed,
    const int32_t[::1] owing,
    int64_t[::1] counts,
):
    """Pay what rows owe to ids that are not fetched; arguments as in `push`, and `bounds` (n,)."""
    cdef Py_ssize_t i
    cdef int64_t k, links = targets.shape[0]
    cdef int32_t v, r
    cdef bint plain = palette is None
    with nogil:
        for i in range(counts[1]):
            r = owing[i]
            for k in range(indptr[r], indptr[r + 1]):
                if k + AHEAD < links:
                    PREFETCH_WRITE(&bounds[targets[k + AHEAD]])
                v = targets[k]
                if not in_set(fetched, v):
                    bounds[v] += owed[r] if plain else owed[r] * weight_of(codes, palette, k)
            owed[r] = 0
        counts[1] = 0
