# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""White space of a text, or of a place in it, which a list of its words would cost thrice as much."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept
    int PyUnicode_KIND(object text) noexcept
    const void *PyUnicode_DATA(object text) noexcept
    Py_UCS4 PyUnicode_READ(int kind, const void *data, Py_ssize_t at) noexcept
    void PyUnicode_WRITE(int kind, void *data, Py_ssize_t at, Py_UCS4 one) noexcept
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t size)


def collapse(str text not None, Py_ssize_t start=0, Py_ssize_t end=PY_SSIZE_T_MAX):
    """Make white space of any kind and length one space, and none at the ends.

    Of text[start:end], neither of which counts from the end: `" ".join(text[start:end].split())`.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef void *out
    cdef Py_ssize_t at, written = 0
    cdef bint apart = False
    cdef Py_UCS4 one
    start, end = max(start, 0), min(end, len(text))
    if start >= end:
        return ""
    out = PyMem_Malloc((end - start) * kind)
    if out is NULL:
        raise MemoryError
    try:
        for at in range(start, end):
            one = PyUnicode_READ(kind, data, at)
            if Py_UNICODE_ISSPACE(one):
                apart = written > 0
                continue
            if apart:
                PyUnicode_WRITE(kind, out, written, c" ")
                written += 1
                apart = False
            PyUnicode_WRITE(kind, out, written, one)
            written += 1
        return PyUnicode_FromKindAndData(kind, out, written)
    finally:
        PyMem_Free(out)
