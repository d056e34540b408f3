# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The buckets of `KeyIndex` for one page: what two dozen calls of numpy would take ten times as long for."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

ctypedef fused row_t:
    int16_t
    int32_t

cdef uint64_t SPREAD = 0x9E3779B97F4A7C15  # as in `index.py`


cdef inline uint64_t bucket_of(uint64_t key, int bits) noexcept nogil:
    return key * SPREAD >> (64 - bits)


def sharing(
    const uint64_t[:, ::1] rows, row_t[:, :, ::1] tables, int bits,
    const uint64_t[::1] keys, Py_ssize_t bands,
):
    """The rows that have one of the first `bands` keys of a page, and those that have another."""
    cdef set near = set(), exact = set()
    cdef row_t *entries
    cdef Py_ssize_t kind, way
    for kind in range(keys.shape[0]):
        if keys[kind] == 0:
            continue
        entries = &tables[kind, <Py_ssize_t>bucket_of(keys[kind], bits), 0]
        for way in range(tables.shape[2]):
            if entries[way] >= 0 and rows[entries[way], kind] == keys[kind]:
                (near if kind < bands else exact).add(entries[way])
    return near, exact


def forget(const uint64_t[:, ::1] rows, row_t[:, :, ::1] tables, int bits, int32_t row):
    """Take a row out of the buckets that its keys lead to."""
    cdef row_t *entries
    cdef Py_ssize_t kind, way
    for kind in range(rows.shape[1]):
        entries = &tables[kind, <Py_ssize_t>bucket_of(rows[row, kind], bits), 0]
        for way in range(tables.shape[2]):
            if entries[way] == row:
                entries[way] = -1


def remember(
    const uint64_t[::1] keys, row_t[:, :, ::1] tables, int bits, int32_t row, int64_t capacity
):
    """Enter a row, the newest, into the buckets that its keys lead to: in a free place, or the oldest."""
    cdef row_t *entries
    cdef int64_t age, least
    cdef Py_ssize_t kind, way, place
    for kind in range(keys.shape[0]):
        if keys[kind] == 0:
            continue
        entries = &tables[kind, <Py_ssize_t>bucket_of(keys[kind], bits), 0]
        place, least = 0, capacity
        for way in range(tables.shape[2]):
            age = -1 if entries[way] < 0 else entries[way] - row
            if age < 0 <= entries[way]:
                age += capacity
            if age < least:
                place, least = way, age
        entries[place] = <row_t>row
