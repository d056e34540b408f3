# Sets that are united: everybody has a parent, and whoever is its own is the root of a set.

from libc.stdint cimport int32_t


cdef inline int32_t root_of(int32_t[::1] parent, int32_t i) noexcept nogil:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
