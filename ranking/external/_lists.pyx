# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Passes over a segment of link lists: the sources of each target, one list after the other.

A list belongs to a head: below m it is the row of a page with links, from m on it is m + the id of
a node without any. Sources are rows. Arguments that all kernels share:

    heads: (q,) uint32, ascending.
    counts: (q,) uint32, links of each list.
    sources: (k,) int32 rows below m; k is the sum of the counts.
    weights: (k,) float32 > 0, or None: all 1.
    pages: (m,) int32 id of each row.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from ranking._forest cimport root_of
from ranking._prefetch cimport AHEAD, PREFETCH, PREFETCH_WRITE


cdef inline double gathered(
    const int32_t *sources,
    const float *weights,
    const double *values,
    int64_t k,
    int64_t end,
    int64_t size,
) noexcept nogil:
    """Sum of the values of sources k to end - 1, those that follow asked for ahead."""
    cdef double a = 0, b = 0, c = 0, d = 0
    # Four sums, or each addition would wait for the one before.
    while k + 4 <= end:
        if k + AHEAD + 4 <= size:
            PREFETCH(&values[sources[k + AHEAD]])
            PREFETCH(&values[sources[k + AHEAD + 1]])
            PREFETCH(&values[sources[k + AHEAD + 2]])
            PREFETCH(&values[sources[k + AHEAD + 3]])
        if weights != NULL:
            a += weights[k] * values[sources[k]]
            b += weights[k + 1] * values[sources[k + 1]]
            c += weights[k + 2] * values[sources[k + 2]]
            d += weights[k + 3] * values[sources[k + 3]]
        else:
            a += values[sources[k]]
            b += values[sources[k + 1]]
            c += values[sources[k + 2]]
            d += values[sources[k + 3]]
        k += 4
    while k < end:
        if k + AHEAD < size:
            PREFETCH(&values[sources[k + AHEAD]])
        a += weights[k] * values[sources[k]] if weights != NULL else values[sources[k]]
        k += 1
    return (a + b) + (c + d)


cdef inline int32_t id_of(uint32_t head, const int32_t[::1] pages) noexcept nogil:
    return pages[head] if head < pages.shape[0] else <int32_t>(head - pages.shape[0])


def sweep(
    const uint32_t[::1] heads,
    const uint32_t[::1] counts,
    const int32_t[::1] sources,
    const float[::1] weights,
    const double[::1] restart,
    const double[::1] share,
    double[::1] y,
    double[::1] handed,
    double[::1] change,
):
    """One Gauss-Seidel step of y = restart + sum of handed for the rows of a segment.

    restart: (m,), or None for all 1. handed = share * y is what a row gives to each link (times
    its weight), kept current. change: (m,) out, new y - old y, or of no length.
    Returns the L1 norm of the change.
    """
    cdef int64_t q, k = 0, size = sources.shape[0]
    cdef uint32_t row
    cdef double a, norm = 0
    cdef const float *heavy = NULL if weights is None or not size else &weights[0]
    cdef bint anywhere = restart is None, kept = change.shape[0] > 0
    if not size:
        return 0.0
    with nogil:
        for q in range(heads.shape[0]):
            row = heads[q]
            a = gathered(&sources[0], heavy, &handed[0], k, k + counts[q], size)
            a += 1 if anywhere else restart[row]
            k += counts[q]
            norm += fabs(a - y[row])
            if kept:
                change[row] = a - y[row]
            y[row] = a
            handed[row] = a * share[row]
    return norm


def collect(
    const uint32_t[::1] heads,
    const uint32_t[::1] counts,
    const int32_t[::1] sources,
    const float[::1] weights,
    const double[::1] values,
    double[::1] out,
    int64_t first,
):
    """out[head - first] += the sum of the values (m,) of the head's sources."""
    cdef int64_t q, k = 0, size = sources.shape[0]
    cdef const float *heavy = NULL if weights is None or not size else &weights[0]
    if not size:
        return
    with nogil:
        for q in range(heads.shape[0]):
            out[heads[q] - first] += gathered(
                &sources[0], heavy, &values[0], k, k + counts[q], size
            )
            k += counts[q]


def scatter(
    const uint32_t[::1] heads,
    const uint32_t[::1] counts,
    const int32_t[::1] sources,
    const float[::1] weights,
    const int32_t[::1] pages,
    const double[::1] values,
    double[::1] out,
):
    """out[source] += the value (n,) of the head's id, times the weight; values None: all 1."""
    cdef int64_t q, k = 0, end, size = sources.shape[0]
    cdef double value
    with nogil:
        for q in range(heads.shape[0]):
            value = 1 if values is None else values[id_of(heads[q], pages)]
            end = k + counts[q]
            while k < end:
                if k + AHEAD < size:
                    PREFETCH_WRITE(&out[sources[k + AHEAD]])
                out[sources[k]] += value if weights is None else weights[k] * value
                k += 1


def iterate(
    const uint32_t[::1] heads,
    const uint32_t[::1] counts,
    const int32_t[::1] sources,
    const float[::1] weights,
    const int32_t[::1] pages,
    const double[::1] relevance,
    const double[::1] hubs,
    double[::1] following,
):
    """following += what the lists of a segment add to A R Aᵀ hubs.

    relevance: (n,), or None for all 1. hubs, following: (m,).
    """
    cdef int64_t q, k = 0, j, end, size = sources.shape[0]
    cdef double a
    cdef const float *heavy = NULL if weights is None or not size else &weights[0]
    if not size:
        return
    with nogil:
        for q in range(heads.shape[0]):
            end = k + counts[q]
            a = gathered(&sources[0], heavy, &hubs[0], k, end, size)
            if relevance is not None:
                a *= relevance[id_of(heads[q], pages)]
            if a != 0:
                for j in range(k, end):
                    following[sources[j]] += a if heavy == NULL else heavy[j] * a
            k = end


def unite(
    const uint32_t[::1] heads,
    const uint32_t[::1] counts,
    const int32_t[::1] sources,
    const int32_t[::1] pages,
    const uint8_t[::1] counted,
    int32_t[::1] parent,
    int32_t[::1] roots,
):
    """Unite the rows that link to one target that counts.

    Args:
        heads: see above, as `counts`, `sources` and `pages`.
        counts: see there.
        sources: see there.
        pages: see there.
        counted: (n,) 0 where links to an id do not count.
        parent: (m,) arange(m) before the first segment; changed.
        roots: (n,) out: a row that links to each target that counts; others are left as they are.

    """
    cdef int64_t q, k = 0, end
    cdef int32_t root, other, target
    with nogil:
        for q in range(heads.shape[0]):
            end = k + counts[q]
            target = id_of(heads[q], pages)
            if counted[target]:
                root = root_of(parent, sources[k])
                while k < end:
                    other = root_of(parent, sources[k])
                    if other < root:
                        parent[root] = other
                        root = other
                    else:
                        parent[other] = root
                    k += 1
                roots[target] = root
            k = end


def settle(int32_t[::1] parent):
    """Let every row name the root of its component."""
    cdef int64_t i
    with nogil:
        for i in range(parent.shape[0]):
            parent[i] = root_of(parent, <int32_t>i)
