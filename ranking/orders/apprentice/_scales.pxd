# How rare a value is: what the kernel of the signals asks of that of the scales.

from libc.stdint cimport int32_t, int64_t

cdef struct Scale:
    const float *steps
    int32_t size
    const double *said  # below the first, at it, between it and the second, at that ...
    float bins  # to the length of 1
    const int32_t *first  # step of each part


cdef class Scales:
    cdef const int64_t[::1] _starts
    cdef const float[::1] _steps
    cdef double[::1] _said
    cdef int32_t[:, ::1] _first

    cdef Scale scale(self, Py_ssize_t i) noexcept nogil


cdef void look_up(
    const Scale *scale, const double *values, Py_ssize_t n, double *out
) noexcept nogil
