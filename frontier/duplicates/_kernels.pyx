# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Three words in a row as 64-bit numbers; and the buckets of `KeyIndex`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

# FNV-1a of a word's bytes; odd numbers with evenly mixed bits join words. The first is 2^64 divided
# by the golden ratio: the upper bits of a product depend on all of a key (multiplicative hashing;
# Knuth, The Art of Computer Programming, section 6.4).
cdef uint64_t BASIS = 0xCBF29CE484222325, PRIME = 0x100000001B3
cdef uint64_t FIRST = 0x9E3779B97F4A7C15, SECOND = 0xC2B2AE3D27D4EB4F, THIRD = 0x165667B19E3779F9


cdef inline uint64_t mixed(uint64_t a, uint64_t b, uint64_t c) noexcept nogil:
    cdef uint64_t found = a * FIRST + b * SECOND + c * THIRD
    found = (found ^ found >> 32) * FIRST
    return found ^ found >> 29


def shingles(const uint8_t[::1] text not None, uint64_t[::1] out not None):
    """Fill `out` with the numbers of the first shingles of a text, as many as it has room for.

    Words end at white space of ASCII, however much there is of it.

    Returns:
        How many words there are, and 64 bits of all of them in their order.

    """
    cdef Py_ssize_t size = text.shape[0], i, words = 0
    cdef uint64_t before = 0, last = 0, word = BASIS, whole = 0
    cdef bint within = False
    for i in range(size + 1):
        if i < size and text[i] != 32 and not 9 <= text[i] <= 13:
            word = (word ^ text[i]) * PRIME
            within = True
        elif within:
            words += 1
            whole = mixed(whole, word, 0)
            if 2 < words <= out.shape[0] + 2:
                out[words - 3] = mixed(before, last, word)
            before, last, word, within = last, word, BASIS, False
    return words, whole


cdef inline Py_ssize_t bucket_of(uint64_t key, int shift) noexcept nogil:
    return <Py_ssize_t>(key * FIRST >> shift)


def sharing(
    const uint64_t[:, ::1] rows, const int32_t[:, :, ::1] tables, int shift,
    const uint64_t[::1] keys, Py_ssize_t bands,
):
    """The rows that have one of the first `bands` keys of a page, and those that have another."""
    cdef set near = set(), exact = set()
    cdef const int32_t *entries
    cdef Py_ssize_t kind, way
    for kind in range(keys.shape[0]):
        if keys[kind] == 0:
            continue
        entries = &tables[kind, bucket_of(keys[kind], shift), 0]
        for way in range(tables.shape[2]):
            if entries[way] >= 0 and rows[entries[way], kind] == keys[kind]:
                (near if kind < bands else exact).add(entries[way])
    return near, exact


def remember(
    const uint64_t[:, ::1] rows, int32_t[:, :, ::1] tables, int shift, int64_t first, int64_t n,
    int64_t capacity
):
    """Put n rows, from the oldest to the newest, in front of the buckets that their keys lead to.

    `first` is the oldest; behind the last of all comes row 0.
    """
    cdef int32_t *entries
    cdef int64_t row, i
    cdef Py_ssize_t kind, way
    for kind in range(rows.shape[1]):
        for i in range(first, first + n):
            row = i % capacity
            if rows[row, kind] == 0:
                continue
            entries = &tables[kind, bucket_of(rows[row, kind], shift), 0]
            for way in range(tables.shape[2] - 1, 0, -1):
                entries[way] = entries[way - 1]
            entries[0] = <int32_t>row
