# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""White space of a text, or of a place in it, which a list of its words would cost thrice as much."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept
    int PyUnicode_KIND(object text) noexcept
    const void *PyUnicode_DATA(object text) noexcept
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t size)

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef uint8_t[256] SPACE
for _code in range(256):
    SPACE[_code] = chr(_code).isspace()


cdef Py_ssize_t squeeze(const Char *text, Py_ssize_t size, Char *out) noexcept:
    """Write a text without superfluous white space; how long that is. Without a branch a character."""
    cdef Py_ssize_t at, n = 0
    cdef bint was = True, now
    for at in range(size):
        now = SPACE[text[at]] if text[at] < 256 else Py_UNICODE_ISSPACE(text[at])
        out[n] = 32 if now else text[at]
        n += not (now & was)
        was = now
    return n - (n > 0 and was)


def collapse(str text not None, Py_ssize_t start=0, Py_ssize_t end=PY_SSIZE_T_MAX):
    """Make white space of any kind and length one space, and none at the ends.

    Of text[start:end], neither of which counts from the end: `" ".join(text[start:end].split())`.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef void *out
    cdef Py_ssize_t n
    start, end = max(start, 0), min(end, len(text))
    if start >= end:
        return ""
    out = PyMem_Malloc((end - start) * kind)
    if out is NULL:
        raise MemoryError
    try:
        if kind == 1:
            n = squeeze(<const uint8_t *>data + start, end - start, <uint8_t *>out)
        elif kind == 2:
            n = squeeze(<const uint16_t *>data + start, end - start, <uint16_t *>out)
        else:
            n = squeeze(<const uint32_t *>data + start, end - start, <uint32_t *>out)
        return PyUnicode_FromKindAndData(kind, out, n)
    finally:
        PyMem_Free(out)
