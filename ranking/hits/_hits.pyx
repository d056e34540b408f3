# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""One iteration of HITS in a single pass over lists of sources.

For a target with at least two links: a = sum of w * hub over its sources, then each source gains
w * r * a. Gathering and handing back while the list is at hand reads every link once. A target
with a single link only returns w * w * r * hub to its source: all of these together are one
number a page, the diagonal, and need no pass at all. Lists of equal length follow each other, so
that the processor can tell where each ends.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from ranking._prefetch cimport AHEAD, PREFETCH, PREFETCH_WRITE
from ranking._weights cimport weight_of

cdef enum:
    LONG = 64  # in-degrees from here on count as one
    NO_LIST = 0xFFFFFFFF


def in_degrees(
    const int32_t[::1] targets,
    const uint8_t[::1] codes,
    const float[::1] palette,
    uint32_t[::1] degree,
):
    """degree[target] += 1 for each followed link."""
    cdef int64_t k, size = targets.shape[0]
    cdef bint weighted = palette is not None
    with nogil:
        for k in range(size):
            if k + AHEAD < size:
                PREFETCH_WRITE(&degree[targets[k + AHEAD]])
            degree[targets[k]] += weight_of(codes, palette, k) > 0 if weighted else 1


def list_sizes(const uint32_t[::1] degree):
    """Number of targets with two links or more, and of their links."""
    cdef int64_t j, lists = 0, links = 0
    with nogil:
        for j in range(degree.shape[0]):
            if degree[j] >= 2:
                lists += 1
                links += degree[j]
    return lists, links


def place_lists(uint32_t[::1] degree, int32_t[::1] ids, int64_t[::1] indptr):
    """Order the lists by length.

    Args:
        degree: (n,) in-degrees; becomes the place where the id's list starts, NO_LIST for an
            id that has none.
        ids: (q,) out, id of each list.
        indptr: (q + 1,) out.

    """
    cdef int64_t j, place, total = 0, before = 0, n = degree.shape[0], q = ids.shape[0]
    cdef int64_t lists[LONG + 1]
    cdef uint32_t d
    with nogil:
        for d in range(LONG + 1):
            lists[d] = 0
        for j in range(n):
            lists[min(degree[j], LONG)] += 1
        for d in range(2, LONG + 1):
            place = lists[d]
            lists[d] = total
            total += place
        for j in range(n):
            if degree[j] < 2:
                continue
            d = min(degree[j], LONG)
            ids[lists[d]] = <int32_t>j
            lists[d] += 1
        for place in range(q):
            indptr[place] = before
            before += degree[ids[place]]
        indptr[q] = before
        for j in range(n):
            degree[j] = NO_LIST
        for place in range(q):
            degree[ids[place]] = <uint32_t>indptr[place]


def fill_lists(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const uint8_t[::1] codes,
    const float[::1] palette,
    const double[::1] relevance,
    uint32_t[::1] at,
    int32_t[::1] sources,
    uint8_t[::1] list_codes,
    float[::1] list_weights,
    double[::1] diagonal,
):
    """Put each followed link's row into the list of its target, or on the diagonal.

    Args:
        indptr: (m + 1,).
        targets: (L,).
        codes, palette: weights (L,), palette[codes]; `palette` itself where `codes` are None; all 1
            where both are.
        relevance: (n,), or None for all 1.
        at: (n,) from `place_lists`; moves to the end of each list.
        sources: (K,) out.
        list_codes: (K,) out, None where `codes` are.
        list_weights: (K,) out, None where `codes` are not, and without weights.
        diagonal: (m,) zeros, out.

    """
    cdef int64_t row, k, size = targets.shape[0], m = diagonal.shape[0]
    cdef uint32_t place
    cdef int32_t target
    cdef double square
    cdef float weight = 1
    cdef bint weighted = palette is not None, topical = relevance is not None
    with nogil:
        for row in range(m):
            for k in range(indptr[row], indptr[row + 1]):
                if k + AHEAD < size:
                    PREFETCH_WRITE(&at[targets[k + AHEAD]])
                if weighted:
                    weight = weight_of(codes, palette, k)
                    if weight == 0:
                        continue
                target = targets[k]
                place = at[target]
                if place == NO_LIST:
                    square = weight * <double>weight
                    diagonal[row] += square * relevance[target] if topical else square
                    continue
                sources[place] = <int32_t>row
                if list_codes is not None:
                    list_codes[place] = codes[k]
                elif weighted:
                    list_weights[place] = weight
                at[target] = place + 1


def iterate(
    const int64_t[::1] indptr,
    const int32_t[::1] sources,
    const uint8_t[::1] codes,
    const float[::1] palette,
    const double[::1] relevance,
    const double[::1] diagonal,
    double[:, ::1] both,
    int64_t first,
    int64_t last,
):
    """both[:, 1] = A R Aᵀ both[:, 0]; hubs and their next values share cache lines.

    Only by lists first to last - 1, and by the diagonal where it is not None.
    relevance: (q,) of the lists' targets, or None for all 1. Weights are told as in `fill_lists`.
    """
    cdef int64_t q, k, end, row, size = sources.shape[0]
    cdef double a, b, c, d
    cdef bint weighted = palette is not None, topical = relevance is not None
    cdef bint diagonally = diagonal is not None
    with nogil:
        for row in range(both.shape[0]):
            both[row, 1] = diagonal[row] * both[row, 0] if diagonally else 0
        for q in range(first, last):
            k = indptr[q]
            end = indptr[q + 1]
            # Four sums, or each addition would wait for the one before.
            a = b = c = d = 0
            while k + 4 <= end:
                if k + AHEAD + 4 <= size:
                    PREFETCH_WRITE(&both[sources[k + AHEAD], 0])
                    PREFETCH_WRITE(&both[sources[k + AHEAD + 1], 0])
                    PREFETCH_WRITE(&both[sources[k + AHEAD + 2], 0])
                    PREFETCH_WRITE(&both[sources[k + AHEAD + 3], 0])
                if weighted:
                    a += weight_of(codes, palette, k) * both[sources[k], 0]
                    b += weight_of(codes, palette, k + 1) * both[sources[k + 1], 0]
                    c += weight_of(codes, palette, k + 2) * both[sources[k + 2], 0]
                    d += weight_of(codes, palette, k + 3) * both[sources[k + 3], 0]
                else:
                    a += both[sources[k], 0]
                    b += both[sources[k + 1], 0]
                    c += both[sources[k + 2], 0]
                    d += both[sources[k + 3], 0]
                k += 4
            while k < end:
                if k + AHEAD < size:
                    PREFETCH_WRITE(&both[sources[k + AHEAD], 0])
                a += weight_of(codes, palette, k) * both[sources[k], 0] if weighted else both[sources[k], 0]
                k += 1
            a = (a + b) + (c + d)
            if topical:
                a *= relevance[q]
            if a == 0:
                continue
            for k in range(indptr[q], end):
                both[sources[k], 1] += weight_of(codes, palette, k) * a if weighted else a
