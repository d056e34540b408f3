# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The page graph folded to hosts: for each source host a dense row of sums, one entry a target.

Two passes over the links, the first of which only counts, so nothing is sorted and nothing but
the result grows with the links.
"""

from libc.stdint cimport int32_t, int64_t


def count(
    const int64_t[::1] first,
    const int32_t[::1] rows,
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const int32_t[::1] hosts,
    const int32_t[::1] sources,
    int32_t[::1] seen,
    int64_t[::1] counts,
):
    """Count the hosts that each source host links to, itself left out.

    Args:
        first: (s + 1,) the rows of source host i are rows[first[i]:first[i + 1]].
        rows: (m,) rows of the page graph, grouped by source host.
        indptr: (m + 1,) links of a row.
        targets: (L,) ids below n.
        hosts: (n,) host of each id, below h.
        sources: (s,) source hosts.
        seen: (h,) all -1; left dirty.
        counts: (s,) out.

    """
    cdef Py_ssize_t s = sources.shape[0], i
    cdef int64_t r, k
    cdef int32_t host
    with nogil:
        for i in range(s):
            counts[i] = 0
            seen[sources[i]] = <int32_t>i
            for r in range(first[i], first[i + 1]):
                for k in range(indptr[rows[r]], indptr[rows[r] + 1]):
                    host = hosts[targets[k]]
                    if seen[host] != i:
                        seen[host] = <int32_t>i
                        counts[i] += 1


cdef inline int64_t met(
    int32_t host, int64_t start, int64_t end, int64_t[::1] place, int32_t[::1] folded
) noexcept nogil:
    """Give a target host a place behind the others of the row, once; the end of the row."""
    if place[host] < start:
        place[host] = end
        folded[end] = host
        end += 1
    return end


def add(
    const int64_t[::1] first,
    const int32_t[::1] rows,
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] values,
    const int32_t[::1] hosts,
    const int32_t[::1] sources,
    int32_t[::1] last,
    int64_t[::1] place,
    const int64_t[::1] starts,
    int32_t[::1] folded,
    double[::1] sums,
):
    """Sum the value of every link between two hosts, or count the pages with a followed one.

    Args as in `count`, and:
        values: (L,) worth of each link; None: all 1.
        last: (h,) all -1: count pages; left dirty. None: sum values.
        place: (h,) all -1; left dirty.
        starts: (s + 1,) running sums of `counts`.
        folded: (K,) out: target hosts of each source host, in the order of their first link.
        sums: (K,) zeros; out.

    """
    cdef Py_ssize_t s = sources.shape[0], i
    cdef int64_t r, k, end
    cdef int32_t host
    cdef bint plain = values is None, paged = last is not None
    with nogil:
        for i in range(s):
            end = starts[i]
            for r in range(first[i], first[i + 1]):
                for k in range(indptr[rows[r]], indptr[rows[r] + 1]):
                    host = hosts[targets[k]]
                    if host == sources[i]:
                        continue
                    end = met(host, starts[i], end, place, folded)
                    if not paged:
                        sums[place[host]] += 1.0 if plain else values[k]
                    elif last[host] != rows[r] and (plain or values[k] > 0):
                        last[host] = rows[r]
                        sums[place[host]] += 1.0


def discount(
    const int32_t[::1] pages,
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const int32_t[::1] hosts,
    float factor,
    float[::1] weights,
):
    """Multiply the weight of links within a host by `factor`, in place.

    Args:
        pages: (m,) page of each row.
        indptr: (m + 1,) links of a row.
        targets: (L,) ids below n.
        hosts: (n,) host of each id.
        factor: any number.
        weights: (L,) changed.

    """
    cdef Py_ssize_t m = pages.shape[0], i
    cdef int64_t k
    cdef int32_t host
    with nogil:
        for i in range(m):
            host = hosts[pages[i]]
            for k in range(indptr[i], indptr[i + 1]):
                if hosts[targets[k]] == host:
                    weights[k] *= factor
