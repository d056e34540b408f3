# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Connected components of the bipartite graph of hubs and authorities, by union-find.

One pass over the links, 4 bytes an id. The root of a component is its smallest authority, so
labels depend on the graph alone.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t


cdef inline int32_t root_of(int32_t[::1] parent, int32_t i) noexcept nogil:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def unite(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const float[::1] weights,
    const uint8_t[::1] counted,
    int32_t[::1] parent,
    int32_t[::1] rows,
):
    """Unite the authorities that share a hub.

    Args:
        indptr: (m + 1,) the links of row i are targets[indptr[i]:indptr[i + 1]].
        targets: (L,) ids below n.
        weights: (L,) links of weight 0 do not count; None: all do.
        counted: (n,) 0 where links to an id do not count.
        parent: (n,) arange(n) before; after, the root of each id's component.
        rows: (m,) out: the root of each row's component, -1 without a link that counts.

    """
    cdef Py_ssize_t m = rows.shape[0], n = parent.shape[0], i
    cdef int64_t k
    cdef int32_t root, other
    cdef bint plain = weights is None
    with nogil:
        for i in range(m):
            root = -1
            for k in range(indptr[i], indptr[i + 1]):
                if not counted[targets[k]] or not (plain or weights[k] > 0):
                    continue
                other = root_of(parent, targets[k])
                if root < 0:
                    root = other
                elif other < root:
                    parent[root] = other
                    root = other
                else:
                    parent[other] = root
            rows[i] = root
        for i in range(n):
            parent[i] = root_of(parent, <int32_t>i)
        for i in range(m):
            if rows[i] >= 0:
                rows[i] = parent[rows[i]]
