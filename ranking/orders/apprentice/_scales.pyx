# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Looking values up on the scales of many signals.

A scale is a sorted sample. Where a value lies in it is searched for in one of many parts of equal
length, since most of these hold a few steps.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

cdef enum:
    LANES = 8
    BINS = 256  # parts of a scale

cdef float LONGEST = 3e38  # of a scale; a longer one is not parted


cdef class Scales:
    """The samples of s signals as steps, one behind the other.

    starts: (s + 1,), where the steps of each signal begin; steps: (u,), the different values of
    each, at least one, ascending; at: (u,) what is said at each of them; between: (u + s,) below a
    signal's first, between two, above its last.
    """

    def __init__(
        self,
        const int64_t[::1] starts,
        const float[::1] steps,
        const double[::1] at,
        const double[::1] between,
    ):
        cdef Py_ssize_t i, k
        cdef int32_t *first
        cdef Scale scale
        self._starts, self._steps = starts, steps
        self._said = np.empty(len(at) + len(between))
        for i in range(starts.shape[0] - 1):
            for k in range(starts[i], starts[i + 1]):
                self._said[2 * k + i], self._said[2 * k + i + 1] = between[k + i], at[k]
            k = starts[i + 1]
            self._said[2 * k + i] = between[k + i]
        self._first = np.zeros((starts.shape[0] - 1, BINS + 1), np.int32)
        for i in range(starts.shape[0] - 1):
            scale, first = self.scale(i), &self._first[i, 0]
            for k in range(scale.size):
                first[1 + _bin(&scale, scale.steps[k])] += 1
            for k in range(BINS):
                first[k + 1] += first[k]

    cdef Scale scale(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t start = self._starts[i], last = self._starts[i + 1] - 1
        cdef float length = self._steps[last] - self._steps[start]
        return Scale(
            &self._steps[start],
            <int32_t>(last + 1 - start),
            &self._said[2 * start + i],
            BINS / length if 0 < length <= LONGEST else 0,
            &self._first[i, 0],
        )

    def look_up(self, const double[:, ::1] values, double[:, ::1] out):
        """out[i, k] = what scale i says of values[i, k], compared in single precision."""
        cdef Py_ssize_t i
        cdef Scale scale
        if values.shape[1]:
            for i in range(values.shape[0]):
                scale = self.scale(i)
                look_up(&scale, &values[i, 0], values.shape[1], &out[i, 0])


cdef inline int32_t _bin(const Scale *scale, float value) noexcept nogil:
    """The part of a scale that a value lies in: never a later one than of a larger value."""
    cdef float part = (value - scale.steps[0]) * scale.bins
    part = part if part > 0 else 0  # so is what is no number
    return <int32_t>(part if part < BINS - 1 else BINS - 1)


cdef void look_up(
    const Scale *scale, const double *values, Py_ssize_t n, double *out
) noexcept nogil:
    cdef Py_ssize_t k = 0
    while k < n:
        _look_up_lanes(scale, values + k, min(n - k, LANES), out + k)
        k += LANES


cdef inline void _look_up_lanes(
    const Scale *scale, const double *values, Py_ssize_t lanes, double *out
) noexcept nogil:
    """A few values side by side: each waits for memory at each step, and none for the others."""
    cdef float asked[LANES]
    cdef int32_t low[LANES]
    cdef int32_t half, size = 1, last = scale.size - 1
    cdef Py_ssize_t lane
    cdef const float *steps = scale.steps
    for lane in range(LANES):
        asked[lane] = <float>values[min(lane, lanes - 1)]
        half = _bin(scale, asked[lane])
        low[lane] = scale.first[half]
        size = max(size, scale.first[half + 1] - low[lane])
    for lane in range(LANES):
        low[lane] = min(low[lane], last + 1 - size)
    while size > 1:
        half = size // 2
        for lane in range(LANES):
            # No branch that depends on values: it would be guessed wrong half the time.
            low[lane] += half * (steps[low[lane] + half - 1] < asked[lane])
        size -= half
    for lane in range(lanes):
        low[lane] += steps[low[lane]] < asked[lane]
        half = steps[min(low[lane], last)] == asked[lane]
        out[lane] = scale.said[2 * low[lane] + half]
