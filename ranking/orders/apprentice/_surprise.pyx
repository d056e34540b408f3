# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Looking values up on the scales of many signals at once.

A page has a few dozen links and an order a few dozen signals: a call for each pair of them would
cost several times what the searching does.
"""

from libc.stdint cimport int64_t

cdef enum:
    LONG = 65536  # values that are worth letting other threads run meanwhile


cdef void _look_up(
    const double[:, ::1] values,
    const int64_t[::1] starts,
    const float[::1] steps,
    const double[::1] at,
    const double[::1] between,
    double[:, ::1] out,
) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef int64_t last, low, high, middle
    cdef float asked
    for i in range(values.shape[0]):
        last = starts[i + 1]
        for k in range(values.shape[1]):
            asked = <float>values[i, k]
            low, high = starts[i], last
            while low < high:
                middle = (low + high) // 2
                if steps[middle] < asked:
                    low = middle + 1
                else:
                    high = middle
            if low < last and steps[low] == asked:
                out[i, k] = at[low]
            else:
                out[i, k] = between[low + i]


def look_up(
    const double[:, ::1] values,
    const int64_t[::1] starts,
    const float[::1] steps,
    const double[::1] at,
    const double[::1] between,
    double[:, ::1] out,
):
    """out[i, k] = what scale i says of values[i, k], compared in single precision.

    Scale i has u = starts[i + 1] - starts[i] > 0 steps, ascending; `at` them one value each, and
    `between` u + 1: below the first, between two, above the last, from starts[i] + i on.
    """
    if values.shape[0] * values.shape[1] < LONG:
        _look_up(values, starts, steps, at, between, out)
        return
    with nogil:
        _look_up(values, starts, steps, at, between, out)
