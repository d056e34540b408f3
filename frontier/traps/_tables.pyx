# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Tables of bits in few bytes: those of a small site are nearly empty, those of a large one are not.

An empty table is one byte, 0. Any other is a 1, a bit for each of its words of 8 bytes, the low one
first, and of each word that is not 0 a bit for each of its bytes, and those that are not 0.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    WORD = 8
    PART = 64  # bytes of a table that one byte stands for

cdef uint8_t[256] ONES
for _code in range(256):
    ONES[_code] = bin(_code).count("1")


def sparse(const uint8_t[:, ::1] tables):
    """The rows of some tables, each of a multiple of 64 bytes."""
    cdef Py_ssize_t size = tables.shape[1], row
    cdef Py_ssize_t most = 1 + size // PART + size // WORD + size
    cdef bytes found = PyBytes_FromStringAndSize(NULL, tables.shape[0] * most)
    cdef uint8_t *start = <uint8_t *>PyBytes_AS_STRING(found)
    cdef uint8_t *out = start
    for row in range(tables.shape[0]):
        out = pack(&tables[row, 0], size, out)
    return found[:out - start]


cdef uint8_t *pack(const uint8_t *table, Py_ssize_t size, uint8_t *out) noexcept nogil:
    """Write what stands for a table; return where that ends."""
    cdef uint8_t *start = out
    cdef uint8_t *parts = out + 1
    cdef uint8_t *masks
    cdef Py_ssize_t i, place
    cdef uint64_t word
    cdef uint8_t mask
    memset(parts, 0, size // PART)
    out = parts + size // PART
    for i in range(size // WORD):
        memcpy(&word, table + i * WORD, WORD)
        if not word:
            continue
        parts[i >> 3] |= <uint8_t>1 << (i & 7)
        masks = out
        out += 1
        mask = 0
        for place in range(WORD):
            out[0] = table[i * WORD + place]  # overwritten if it is 0
            mask |= (out[0] != 0) << place
            out += out[0] != 0
        masks[0] = mask
    start[0] = out > parts + size // PART
    return out if start[0] else parts


def spread(const uint8_t[::1] data, Py_ssize_t at, uint8_t[:, ::1] tables):
    """Fill tables, all 0, with what `sparse` made; return where what stands for the next begins.

    Raises ValueError where the data end before.
    """
    cdef Py_ssize_t size = tables.shape[1], row, i, place, parts
    cdef uint8_t mask
    for row in range(tables.shape[0]):
        parts = at + 1
        if parts > data.shape[0] or data[at] and parts + size // PART > data.shape[0]:
            raise ValueError("tables of bits are cut off")
        at = parts
        if not data[parts - 1]:
            continue
        at += size // PART
        for i in range(size // WORD):
            if not data[parts + (i >> 3)] >> (i & 7) & 1:
                continue
            if at >= data.shape[0] or at + ONES[data[at]] >= data.shape[0]:
                raise ValueError("tables of bits are cut off")
            mask = data[at]
            at += 1
            for place in range(WORD):
                if mask >> place & 1:
                    tables[row, i * WORD + place] = data[at]
                    at += 1
    return at
