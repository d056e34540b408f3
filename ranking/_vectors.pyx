# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Sums over long vectors, always in the same order.

BLAS would do, but adds in an order that depends on its number of threads, and its threads wait
for each other by spinning, beside a crawl that needs the other core. Eight partial sums let the
compiler use wide registers without changing the order.
"""

from libc.stdint cimport int64_t

cdef enum:
    WIDTH = 8
    CHUNK = 4096  # values of each row at a time: they stay near while all rows pass


cdef inline double _dot(const double *a, const double *b, int64_t size) noexcept nogil:
    cdef double sums[WIDTH]
    cdef int64_t k = 0, lane
    for lane in range(WIDTH):
        sums[lane] = 0
    while k + WIDTH <= size:
        for lane in range(WIDTH):
            sums[lane] += a[k + lane] * b[k + lane]
        k += WIDTH
    while k < size:
        sums[0] += a[k] * b[k]
        k += 1
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))


def dots(const double[:, ::1] rows, const double[::1] vector, double[::1] out):
    """out[i] = row i · vector."""
    cdef int64_t chunk, first, size, i, n = vector.shape[0]
    with nogil:
        for i in range(rows.shape[0]):
            out[i] = 0
        for chunk in range((n + CHUNK - 1) // CHUNK):
            first = chunk * CHUNK
            size = min(CHUNK, n - first)
            for i in range(rows.shape[0]):
                out[i] += _dot(&rows[i, first], &vector[first], size)


def gram(const double[:, ::1] rows, double[:, ::1] out):
    """out[i, j] = row i · row j."""
    cdef int64_t chunk, first, size, i, j, n = rows.shape[1]
    cdef double part
    with nogil:
        for i in range(rows.shape[0]):
            for j in range(rows.shape[0]):
                out[i, j] = 0
        for chunk in range((n + CHUNK - 1) // CHUNK):
            first = chunk * CHUNK
            size = min(CHUNK, n - first)
            for i in range(rows.shape[0]):
                for j in range(i + 1):
                    part = _dot(&rows[i, first], &rows[j, first], size)
                    out[i, j] += part
                    if i != j:
                        out[j, i] += part


def combine(const double[:, ::1] rows, const double[::1] factors, double[::1] onto):
    """onto += sum of factors[i] * row i."""
    cdef int64_t chunk, first, last, i, k, n = onto.shape[0]
    cdef double factor
    with nogil:
        for chunk in range((n + CHUNK - 1) // CHUNK):
            first = chunk * CHUNK
            last = min(first + CHUNK, n)
            for i in range(rows.shape[0]):
                factor = factors[i]
                for k in range(first, last):
                    onto[k] += factor * rows[i, k]
