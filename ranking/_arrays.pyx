# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Checks of the arrays that callers hand in: ids and weights of other types, copied and in range.

The GIL is released, but not for the few ids of one page: another thread would take it, and getting
it back takes up to 5 ms.
"""

from cpython.long cimport PyLong_CheckExact
from libc.math cimport INFINITY
from libc.stdint cimport INT32_MAX, int32_t, int64_t

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1

cdef enum:
    LONG = 65536  # ids that are worth letting other threads run meanwhile


def from_list(list values, int32_t[::1] out):
    """Copy ids; False, with `out` half written, at anything but an int from 0 to 2**31 - 2."""
    cdef Py_ssize_t k
    cdef long long value
    cdef int overflow = 0
    cdef object one
    if len(values) != out.shape[0]:
        return False
    for k in range(out.shape[0]):
        one = values[k]
        # Exactly: a bool or an array's number is for numpy to judge.
        if not PyLong_CheckExact(one):
            return False
        value = PyLong_AsLongLongAndOverflow(one, &overflow)
        if overflow or value < 0 or value >= INT32_MAX:
            return False
        out[k] = <int32_t>value
    return True


def narrow(const int64_t[::1] values, int32_t[::1] out):
    """Copy ids; whether all are from 0 to 2**31 - 2."""
    cdef bint valid
    if values.shape[0] < LONG:
        return _narrow(values, out)
    with nogil:
        valid = _narrow(values, out)
    return valid


cdef bint _narrow(const int64_t[::1] values, int32_t[::1] out) noexcept nogil:
    cdef Py_ssize_t k
    cdef bint valid = True
    for k in range(values.shape[0]):
        valid &= 0 <= values[k] < INT32_MAX
        out[k] = <int32_t>values[k]
    return valid


def in_range(const int32_t[::1] ids):
    """Whether all ids are from 0 to 2**31 - 2."""
    cdef bint valid
    if ids.shape[0] < LONG:
        return _in_range(ids)
    with nogil:
        valid = _in_range(ids)
    return valid


cdef bint _in_range(const int32_t[::1] ids) noexcept nogil:
    cdef Py_ssize_t k
    cdef bint valid = True
    for k in range(ids.shape[0]):
        valid &= 0 <= ids[k] < INT32_MAX
    return valid


def highest(const int32_t[::1] ids):
    """The highest of some ids, -1 of none."""
    cdef int32_t found
    if ids.shape[0] < LONG:
        return _highest(ids)
    with nogil:
        found = _highest(ids)
    return found


cdef int32_t _highest(const int32_t[::1] ids) noexcept nogil:
    cdef Py_ssize_t k
    cdef int32_t found = -1
    for k in range(ids.shape[0]):
        found = max(found, ids[k])
    return found


def to_single(const double[::1] values, float[::1] out):
    """Copy weights; whether all are 0 or become a positive and finite float."""
    cdef bint valid
    if values.shape[0] < LONG:
        return _to_single(values, out)
    with nogil:
        valid = _to_single(values, out)
    return valid


cdef bint _to_single(const double[::1] values, float[::1] out) noexcept nogil:
    cdef Py_ssize_t k
    cdef bint valid = True
    for k in range(values.shape[0]):
        out[k] = <float>values[k]
        # A NaN fails every comparison.
        valid &= values[k] == 0 or 0 < out[k] < INFINITY
    return valid


ctypedef fused real:
    float
    double


cdef bint _within(const real[::1] values, double most) noexcept nogil:
    cdef Py_ssize_t k
    cdef bint valid = True
    for k in range(values.shape[0]):
        # A NaN fails every comparison.
        valid &= 0 <= values[k] <= most
    return valid


def singles_within(const float[::1] values, double most):
    """Whether all are from 0 to `most`."""
    cdef bint valid
    if values.shape[0] < LONG:
        return _within(values, most)
    with nogil:
        valid = _within(values, most)
    return valid


def doubles_within(const double[::1] values, double most):
    """Whether all are from 0 to `most`."""
    cdef bint valid
    if values.shape[0] < LONG:
        return _within(values, most)
    with nogil:
        valid = _within(values, most)
    return valid
