# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What the links of a page, or of all, add to the yields of sources; and numbers of places by their
keys, in a table of 6 to 12 bytes a place, where a dict takes 90.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    MOST_SOURCES = 65535  # as in `columns`


cdef int _check(const int32_t[::1] ids, Py_ssize_t n) except -1:
    cdef Py_ssize_t k
    for k in range(ids.shape[0]):
        if not 0 <= ids[k] < n:
            raise IndexError(f"id {ids[k]} is not below n={n}")
    return 0


def pay(
    const int32_t[::1] ids,
    const uint8_t[::1] judged,
    const float[::1] relevance,
    double prior,
    double expected,
    float[::1] total,
    float[::1] best,
    uint16_t[::1] links,
):
    """One more source for each of different pages, of the yield that its judged links have.

    To these come `prior` links, `expected` in all.
    """
    cdef Py_ssize_t k
    cdef int32_t n = 0
    cdef double paid = 0, own
    _check(ids, min(links.shape[0], min(judged.shape[0], relevance.shape[0])))
    for k in range(ids.shape[0]):
        if judged[ids[k]]:
            paid += relevance[ids[k]]
            n += 1
    own = (paid + expected) / (n + prior)
    for k in range(ids.shape[0]):
        best[ids[k]] = max(best[ids[k]], <float>own)
        if links[ids[k]] < MOST_SOURCES:
            total[ids[k]] += own
            links[ids[k]] += 1


def pay_all(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const float[::1] judged,
    double prior,
    double expected,
    double[::1] total,
    float[::1] best,
    int32_t[::1] links,
):
    """What `pay` adds for every page of a clean view of ids below n, in crawl order.

    Weights (L,) are all 1 where they are None.
    `judged` (n,) is the relevance of each id, negative where it is not judged, of which `prior` are
    taken for `expected` in all beside those that are.
    """
    cdef int64_t row, k
    cdef int32_t n
    cdef double paid, own
    cdef float single
    with nogil:
        for row in range(indptr.shape[0] - 1):
            paid, n = 0, 0
            for k in range(indptr[row], indptr[row + 1]):
                if _followed(weights, k) and judged[targets[k]] >= 0:
                    paid += judged[targets[k]]
                    n += 1
            own = (paid + expected) / (n + prior)
            single = <float>own
            for k in range(indptr[row], indptr[row + 1]):
                if _followed(weights, k):
                    total[targets[k]] += own
                    best[targets[k]] = max(best[targets[k]], single)
                    links[targets[k]] += 1


cdef inline bint _followed(const float[::1] weights, int64_t k) noexcept nogil:
    return weights is None or weights[k] > 0


cdef uint64_t ODD = 0x9E3779B97F4A7C15  # 2**64 / golden ratio


cdef inline uint64_t _slot(
    uint32_t key, const uint32_t[::1] keys, const int32_t[::1] slots
) noexcept nogil:
    """Where a key stands, or would."""
    cdef uint64_t mask = slots.shape[0] - 1, at = (key * ODD) >> 32 & mask
    while slots[at] != 0 and keys[slots[at] - 1] != key:
        at = (at + 1) & mask
    return at


def find(
    const uint32_t[::1] wanted,
    const uint32_t[::1] keys,
    const int32_t[::1] slots,
    int32_t[::1] numbers,
):
    """numbers[k] = place of the key wanted[k] in `keys`, -1 for none; returns whether some have none.

    `slots` hold 1 more than a number, 0 for none; a power of two of them, not all in use.
    """
    cdef Py_ssize_t k
    cdef bint missing = False
    for k in range(wanted.shape[0]):
        numbers[k] = slots[_slot(wanted[k], keys, slots)] - 1
        missing |= numbers[k] < 0
    return missing


def insert(const uint32_t[::1] keys, int32_t[::1] slots, int32_t first):
    """Let `slots` know the keys from `first` on."""
    cdef int32_t number
    for number in range(first, keys.shape[0]):
        slots[_slot(keys[number], keys, slots)] = number + 1
