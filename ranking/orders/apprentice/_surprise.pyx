# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Looking values up on the scales of many signals at once.

A page has a few dozen links and an order a few dozen signals: a call for each pair of them would
cost several times what the searching does.
"""

from libc.stdint cimport int32_t, int64_t

cdef enum:
    LONG = 65536  # values that are worth letting other threads run meanwhile
    LANES = 8


cdef void _look_up(
    const double[:, ::1] values,
    const int64_t[::1] starts,
    const float[::1] steps,
    const double[::1] at,
    const double[::1] between,
    double[:, ::1] out,
) noexcept nogil:
    cdef Py_ssize_t i, k, columns = values.shape[1]
    for i in range(values.shape[0]):
        k = 0
        while k < columns:
            _look_up_lanes(
                &values[i, k],
                min(columns - k, LANES),
                &steps[starts[i]],
                starts[i + 1] - starts[i],
                &at[starts[i]],
                &between[starts[i] + i],
                &out[i, k],
            )
            k += LANES


cdef inline void _look_up_lanes(
    const double *values,
    Py_ssize_t lanes,
    const float *steps,
    Py_ssize_t size,
    const double *at,
    const double *between,
    double *out,
) noexcept nogil:
    """A few values side by side: each waits for memory at each step, and none for the others."""
    cdef float asked[LANES]
    cdef int32_t low[LANES]
    cdef int32_t half
    cdef Py_ssize_t lane, last = size - 1
    for lane in range(LANES):
        asked[lane] = <float>values[min(lane, lanes - 1)]
        low[lane] = 0
    while size > 1:
        half = <int32_t>(size // 2)
        for lane in range(LANES):
            # No branch that depends on values: it would be guessed wrong half the time.
            low[lane] += half * (steps[low[lane] + half - 1] < asked[lane])
        size -= half
    for lane in range(lanes):
        low[lane] += steps[low[lane]] < asked[lane]
        if low[lane] <= last and steps[low[lane]] == asked[lane]:
            out[lane] = at[low[lane]]
        else:
            out[lane] = between[low[lane]]


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
