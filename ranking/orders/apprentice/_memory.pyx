# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What the links of one page change in the columns that an apprentice keeps, and those of all pages."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

cdef enum:
    ANCHOR, CONTEXT, ADDRESS  # columns of the cues
    MOST_VOICES = 255  # as in `memory`
    MOST_SOURCES = 65535  # as in `sources`


cdef int _check(const int32_t[::1] ids, Py_ssize_t n) except -1:
    cdef Py_ssize_t k
    for k in range(ids.shape[0]):
        if not 0 <= ids[k] < n:
            raise IndexError(f"id {ids[k]} is not below n={n}")
    return 0


def note(
    int32_t page,
    const int32_t[::1] ids,
    const uint8_t[:, ::1] cues,
    const uint32_t[::1] voices,
    uint8_t[::1] anchor,
    uint8_t[::1] context,
    uint8_t[::1] address,
    uint16_t[::1] anchor_sum,
    uint8_t[::1] spoken,
    uint16_t[::1] position,
):
    """What the k links of a page say, and where they stand among those to others.

    Ids may be repeated.
    """
    cdef Py_ssize_t k, place = 0
    cdef int32_t target
    cdef uint16_t last = <uint16_t>-1
    _check(ids, anchor.shape[0])
    for k in range(ids.shape[0]):
        target = ids[k]
        if target == page:
            continue
        anchor[target] = max(anchor[target], cues[k, ANCHOR])
        context[target] = max(context[target], cues[k, CONTEXT])
        address[target] = max(address[target], cues[k, ADDRESS])
        position[target] = min(position[target], <uint16_t>min(place, last))
        place += 1
        if voices[k] > 0 and spoken[target] < MOST_VOICES:
            anchor_sum[target] += cues[k, ANCHOR]
            spoken[target] += 1


def vouch(
    const int32_t[::1] ids, float similarity, float share, float[::1] similarities, float[::1] shares
):
    """What a page gives each of the different pages that it vouches for."""
    cdef Py_ssize_t k
    _check(ids, shares.shape[0])
    for k in range(ids.shape[0]):
        similarities[ids[k]] += similarity
        shares[ids[k]] += share


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
