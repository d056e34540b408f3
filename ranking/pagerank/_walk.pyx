# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The random surfer's passes: Gauss-Seidel sweeps over positions, residual pushes over rows."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint32_t

from ranking._prefetch cimport AHEAD, PREFETCH, PREFETCH_WRITE

ctypedef fused real:
    float
    double

def inner_links(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const int32_t[::1] row_of,
    int32_t[::1] sources,
    int32_t[::1] rows,
    float[::1] inner_weights,
):
    """Followed links to fetched pages, by source.

    Args:
        indptr: (m + 1,).
        targets: (L,).
        weights: (L,) or None.
        row_of: (n,) row of each id; negative, or m and more, where it has none.
        sources: (L + 1,) out, row of each source.
        rows: (L + 1,) out, row of each target.
        inner_weights: (L + 1,) out, or None.

    Returns:
        Number of links found.

    """
    cdef int64_t row, k, found = 0
    cdef int64_t m = indptr.shape[0] - 1, size = targets.shape[0]
    cdef uint32_t target_row
    cdef bint weighted = weights is not None
    with nogil:
        for row in range(m):
            for k in range(indptr[row], indptr[row + 1]):
                if k + AHEAD < size:
                    PREFETCH(&row_of[targets[k + AHEAD]])
                target_row = <uint32_t>row_of[targets[k]]
                # Written in any case, kept if the next is written behind it.
                sources[found] = <int32_t>row
                rows[found] = <int32_t>target_row
                if weighted:
                    inner_weights[found] = weights[k]
                    found += target_row < m and weights[k] > 0
                else:
                    found += target_row < m
    return found


def sweep(
    const int64_t[::1] indptr,
    const int32_t[::1] sources,
    const float[::1] weights,
    const double[::1] restart,
    const double[::1] share,
    double[::1] y,
    double[::1] handed,
    double[::1] change,
):
    """One Gauss-Seidel sweep of y = restart + sum of handed.

    handed = share * y is what a page gives to each link (times its weight), kept current.
    change: out, new y - old y. Returns the L1 norm of the change.
    """
    cdef int64_t v, k, end
    cdef double a, b, c, d, norm = 0
    cdef bint weighted = weights is not None
    with nogil:
        for v in range(y.shape[0]):
            k = indptr[v]
            end = indptr[v + 1]
            a = restart[v]
            # Four sums, or each addition would wait for the one before.
            b = c = d = 0
            if weighted:
                while k < end:
                    a += weights[k] * handed[sources[k]]
                    k += 1
            while k + 4 <= end:
                a += handed[sources[k]]
                b += handed[sources[k + 1]]
                c += handed[sources[k + 2]]
                d += handed[sources[k + 3]]
                k += 4
            while k < end:
                a += handed[sources[k]]
                k += 1
            a = (a + b) + (c + d)
            change[v] = a - y[v]
            norm += fabs(change[v])
            y[v] = a
            handed[v] = a * share[v]
    return norm


def owed(const int32_t[::1] pages, const double[::1] inflow):
    """Residual of the pages: its L1 norm, and the sum of its squares."""
    cdef int64_t row, m = pages.shape[0]
    cdef double size, total = 0, squares = 0
    with nogil:
        for row in range(m):
            if row + AHEAD < m:
                PREFETCH(&inflow[pages[row + AHEAD]])
            size = fabs(inflow[pages[row]])
            total += size
            squares += size * size
    return total, squares


def push(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const int32_t[::1] pages,
    const double[::1] share,
    double[::1] y,
    double[::1] inflow,
    double threshold,
    int64_t first,
):
    """Work off each row's residual above the threshold once, in crawl order from row `first`.

    Args:
        indptr: (m + 1,).
        targets: (L,).
        weights: (L,), or None: all 1.
        pages: (m,) id of each row.
        share: (m,) damping / total weight of the row's links, 0 without.
        y: (m,) by row; gains what is worked off.
        inflow: (n,) by id; the residual of a fetched page, all that any other id has.
        threshold: >= 0.
        first: row.

    Returns:
        Number of links passed.

    """
    cdef int64_t row, k, ahead, end, touched = 0, m = pages.shape[0], size = targets.shape[0]
    cdef double got, handed
    cdef bint weighted = weights is not None
    with nogil:
        for row in range(first, m):
            if row + AHEAD < m:
                PREFETCH_WRITE(&inflow[pages[row + AHEAD]])
            got = inflow[pages[row]]
            if fabs(got) <= threshold:
                continue
            inflow[pages[row]] = 0
            y[row] += got
            handed = got * share[row]
            if handed == 0:
                continue
            k = indptr[row]
            end = indptr[row + 1]
            touched += end - k
            for ahead in range(k, min(k + AHEAD, end)):
                PREFETCH_WRITE(&inflow[targets[ahead]])
            for k in range(k, end):
                if k + AHEAD < size:
                    PREFETCH_WRITE(&inflow[targets[k + AHEAD]])
                if weighted:
                    inflow[targets[k]] += handed * weights[k]
                else:
                    inflow[targets[k]] += handed
    return touched


def carry_over(
    const double[::1] scores,
    double unit,
    const real[:] restart,
    const real[:] before,
    double[::1] inflow,
):
    """inflow = unit * scores + restart - before, for as many ids as were ranked before.

    Returns whether any restart weight shrank.
    """
    cdef int64_t i
    cdef double gained
    cdef bint shrank = False
    with nogil:
        for i in range(scores.shape[0]):
            gained = <double>restart[i] - <double>before[i]
            shrank |= gained < 0
            inflow[i] = unit * scores[i] + gained
    return shrank
