# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The random surfer's passes: links among fetched pages, Gauss-Seidel sweeps, residual pushes.

Rows are fetched pages in crawl order. A sweep goes through them in another order, of positions:
by in-degree within blocks of rows. Lists of equal length that follow each other let the
processor predict where each ends (a quarter of a sweep's time), and blocks keep neighbours in
the crawl, which name each other, near in memory.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint32_t

from ranking._prefetch cimport AHEAD, PREFETCH, PREFETCH_WRITE

ctypedef fused real:
    float
    double

cdef enum:
    BLOCK = 4096  # rows sorted at once
    LONG = 256  # in-degrees from here on count as one


def inner_links(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const int32_t[::1] row_of,
    int64_t[::1] inner_indptr,
    int32_t[::1] inner_rows,
    float[::1] inner_weights,
    int32_t[::1] in_degree,
    int64_t first,
    int64_t last,
):
    """Links of rows first to last - 1 to fetched pages, still by source.

    Args:
        indptr: (m + 1,).
        targets: (L,).
        weights: (L,) or None.
        row_of: (n,) row of each id; negative, or m and more, where it has none.
        inner_indptr: (last - first + 1,) out.
        inner_rows: out, row of each target; one longer than the links of these rows.
        inner_weights: likewise, or None.
        in_degree: (m,) zeros, out; counts the links found here.
        first: row.
        last: row.

    Returns:
        Number of links found.

    """
    cdef int64_t row, k, found = 0
    cdef int64_t m = indptr.shape[0] - 1, size = targets.shape[0]
    cdef uint32_t target_row
    cdef bint weighted = weights is not None
    with nogil:
        for row in range(first, last):
            inner_indptr[row - first] = found
            for k in range(indptr[row], indptr[row + 1]):
                if k + AHEAD < size:
                    PREFETCH(&row_of[targets[k + AHEAD]])
                target_row = <uint32_t>row_of[targets[k]]
                inner_rows[found] = <int32_t>target_row
                if weighted:
                    inner_weights[found] = weights[k]
                    found += target_row < m and weights[k] > 0
                else:
                    found += target_row < m
        inner_indptr[last - first] = found
        for k in range(found):
            in_degree[inner_rows[k]] += 1
    return found


def sweep_order(const int32_t[::1] in_degree, int32_t[::1] order, int32_t[::1] position):
    """order[position] = row, by in-degree within blocks of rows; position is its inverse."""
    cdef int64_t m = in_degree.shape[0], first = 0, last, row, place, total
    cdef int64_t start[LONG + 1]
    cdef int32_t d
    with nogil:
        while first < m:
            last = min(first + BLOCK, m)
            for d in range(LONG + 1):
                start[d] = 0
            for row in range(first, last):
                start[min(in_degree[row], LONG)] += 1
            total = first
            for d in range(LONG + 1):
                place = start[d]
                start[d] = total
                total += place
            for row in range(first, last):
                d = min(in_degree[row], LONG)
                order[start[d]] = <int32_t>row
                position[row] = <int32_t>start[d]
                start[d] += 1
            first = last


def by_target(
    const int64_t[::1] inner_indptr,
    const int32_t[::1] inner_rows,
    const float[::1] inner_weights,
    const int32_t[::1] position,
    int64_t[::1] at,
    int32_t[::1] sources,
    float[::1] weights,
    int64_t first,
):
    """Turn links round: sources[at[p]...] are the positions of the pages that name position p.

    The links are those of the rows from `first` on, as `inner_links` found them. at: (m,) place
    of the first of them in each position's list; moves on. weights: None without any.
    """
    cdef int64_t row, k, place, rows = inner_indptr.shape[0] - 1, size = inner_indptr[rows]
    cdef int32_t source, target
    cdef bint weighted = weights is not None
    with nogil:
        for row in range(rows):
            source = position[first + row]
            for k in range(inner_indptr[row], inner_indptr[row + 1]):
                if k + AHEAD < size:
                    PREFETCH_WRITE(&at[position[inner_rows[k + AHEAD]]])
                target = position[inner_rows[k]]
                place = at[target]
                sources[place] = source
                if weighted:
                    weights[place] = inner_weights[k]
                at[target] = place + 1


def sweep(
    const int64_t[::1] indptr,
    const int32_t[::1] sources,
    const float[::1] weights,
    const double[::1] restart,
    const double[::1] share,
    double[::1] y,
    double[::1] handed,
    double[::1] change,
    int64_t first,
    int64_t last,
):
    """One Gauss-Seidel sweep of y = restart + sum of handed, for positions first to last - 1.

    handed = share * y is what a page gives to each link (times its weight), kept current.
    change: out, new y - old y. Returns the L1 norm of the change.
    """
    cdef int64_t v, k, end
    cdef double a, b, c, d, norm = 0
    cdef bint weighted = weights is not None
    with nogil:
        for v in range(first, last):
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
    const real[::1] restart,
    const real[::1] before,
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


def set_apart(
    const int32_t[::1] pages,
    const double[::1] scores,
    double unit,
    const double[::1] owed,
    double[::1] y,
    double[::1] inflow,
):
    """After `carry_over`: y = unit * scores for each page, whose inflow is what it is owed.

    owed: (m,) of the ranking before; to that comes what the page's restart weight has changed.
    """
    cdef int64_t row, m = owed.shape[0]
    cdef int32_t page
    with nogil:
        for row in range(m):
            if row + AHEAD < m:
                PREFETCH(&scores[pages[row + AHEAD]])
                PREFETCH_WRITE(&inflow[pages[row + AHEAD]])
            page = pages[row]
            y[row] = unit * scores[page]
            inflow[page] = owed[row] + (inflow[page] - y[row])


def put_back(const int32_t[::1] pages, const double[::1] y, double[::1] inflow, double[::1] owed):
    """owed = inflow of each page, which gets its y instead."""
    cdef int64_t row, m = pages.shape[0]
    with nogil:
        for row in range(m):
            if row + AHEAD < m:
                PREFETCH_WRITE(&inflow[pages[row + AHEAD]])
            owed[row] = inflow[pages[row]]
            inflow[pages[row]] = y[row]
