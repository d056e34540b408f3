# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""From columns of any number type to the signals of some URLs, and what they are worth.

A page has a few dozen links and an order a few dozen columns: a call for each pair of them would
cost many times what the arithmetic does. Logarithms are the C library's, so that what is found for
a URL does not depend on how many others are asked for, nor on the width of the registers.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.math cimport log, log1p, sqrt
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused number:
    int8_t
    uint8_t
    int16_t
    uint16_t
    int32_t
    uint32_t
    int64_t
    uint64_t
    float
    double

ctypedef fused index:
    int64_t
    double

cdef double CUE_STEPS = 255  # as in ranking.lesson
cdef double LEAST_SCORE = 1e-12  # a score of 0 has no logarithm
cdef double SEEN_PAGES = 5  # of what is expected anywhere, beside those fetched
cdef double SEEN_SOURCES = 2
cdef double SEEN_TRIES = 2
cdef double HOST_UNSEEN = 0.1  # bonus of a place where nothing was tried
cdef double FOLDER_UNSEEN = 0.03
cdef double LEAST_LOSS = 0.05  # of a URL that surely does not answer, however little it is worth

cdef enum:
    # Rows of what is gathered, in the order of `looks.Sight.looked`.
    PROMISE, PARENT_SUM, PARENT_MAX, IN_LINKS, DEPTH
    ANCHOR, ANCHOR_SUM, VOICES, CONTEXT, ADDRESS, SIMILARITY, SHARE, POSITION
    TOPICAL, GENERAL, TRUST, AUTHORITY
    SOURCES_SUM, SOURCES_BEST, SOURCES_LINKS
    HOST, FOLDER
    HOST_SUM, HOST_PAGES, HOST_FAILED
    FOLDER_SUM, FOLDER_PAGES, FOLDER_FAILED
    GATHERED


cdef void _copy(
    const number *column, const index *ids, Py_ssize_t k, double *out
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(k):
        out[i] = <double>column[<Py_ssize_t>ids[i]]


cdef bint _copied(
    char kind, Py_ssize_t size, void *column, const index *ids, Py_ssize_t k, double *out
) noexcept nogil:
    """Whether the type of the column is one that is known."""
    if kind == c"f":
        _copy(<const float *>column, ids, k, out)
    elif kind == c"d":
        _copy(<const double *>column, ids, k, out)
    elif kind in (c"?", c"B", c"H", c"I", c"L", c"Q"):
        if size == 1:
            _copy(<const uint8_t *>column, ids, k, out)
        elif size == 2:
            _copy(<const uint16_t *>column, ids, k, out)
        elif size == 4:
            _copy(<const uint32_t *>column, ids, k, out)
        else:
            _copy(<const uint64_t *>column, ids, k, out)
    elif kind in (c"b", c"h", c"i", c"l", c"q"):
        if size == 1:
            _copy(<const int8_t *>column, ids, k, out)
        elif size == 2:
            _copy(<const int16_t *>column, ids, k, out)
        elif size == 4:
            _copy(<const int32_t *>column, ids, k, out)
        else:
            _copy(<const int64_t *>column, ids, k, out)
    else:
        return False
    return True


def gather(tuple columns, const index[::1] ids, double[:, ::1] out):
    """out[i, k] = columns[i][ids[k]].

    Columns are 1-d, contiguous, of any integers or of float32 or float64. Raises IndexError for an
    id that one of them does not have, and TypeError for another type.
    """
    cdef Py_buffer view
    cdef Py_ssize_t i, k = ids.shape[0]
    cdef int64_t low, high
    cdef bint known
    if k == 0:
        return
    low = high = <int64_t>ids[0]
    for i in range(k):
        low, high = min(low, <int64_t>ids[i]), max(high, <int64_t>ids[i])
    for i in range(len(columns)):
        PyObject_GetBuffer(columns[i], &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
        known = 0 <= low and high < view.shape[0]
        if known:
            known = _copied(view.format[0], view.itemsize, view.buf, &ids[0], k, &out[i, 0])
            PyBuffer_Release(&view)
            if not known:
                raise TypeError(f"expected integers or float32 or float64 in column {i}")
        else:
            PyBuffer_Release(&view)
            raise IndexError(f"ids must be from 0 to {len(columns[i]) - 1}, got {low} to {high}")


def read(const double[:, ::1] of, double mean, double level, double[:, ::1] out):
    """out[i, k] = signal i of URL k, in the order of `signals.SIGNALS`, of what was gathered.

    `mean` is what is expected of any page, and `level` the same where it must not be 0.
    """
    cdef Py_ssize_t k
    cdef double host
    for k in range(of.shape[1]):
        out[0, k] = of[PROMISE, k]
        out[1, k] = of[ANCHOR, k] / CUE_STEPS
        out[2, k] = of[ANCHOR_SUM, k] / (CUE_STEPS * max(of[VOICES, k], 1.0))
        out[3, k] = of[CONTEXT, k] / CUE_STEPS
        out[4, k] = of[ADDRESS, k] / CUE_STEPS
        out[5, k] = (of[PARENT_SUM, k] + SEEN_PAGES * level) / (of[IN_LINKS, k] + SEEN_PAGES)
        out[6, k] = of[PARENT_MAX, k]
        out[7, k] = of[SIMILARITY, k] / (of[IN_LINKS, k] + 2)
        out[8, k] = log1p(of[PARENT_SUM, k])
        out[9, k] = log1p(of[IN_LINKS, k])
        out[10, k] = log(of[TOPICAL, k] + LEAST_SCORE)
        out[11, k] = out[10, k] - log(of[GENERAL, k] + LEAST_SCORE)
        out[12, k] = log(of[TRUST, k] + LEAST_SCORE)
        out[13, k] = log(of[AUTHORITY, k] + LEAST_SCORE)
        out[14, k] = of[SHARE, k]
        out[15, k] = (of[SOURCES_SUM, k] + SEEN_SOURCES * mean) / (
            of[SOURCES_LINKS, k] + SEEN_SOURCES
        )
        out[16, k] = of[SOURCES_BEST, k]
        host = (of[HOST_SUM, k] + SEEN_PAGES * mean) / (_tried(of, HOST_PAGES, k) + SEEN_PAGES)
        out[17, k] = host
        out[18, k] = (of[FOLDER_SUM, k] + SEEN_PAGES * host) / (
            _tried(of, FOLDER_PAGES, k) + SEEN_PAGES
        )
        out[19, k] = -log1p(of[POSITION, k])
        out[20, k] = -of[DEPTH, k]


cdef inline double _tried(const double[:, ::1] of, Py_ssize_t pages, Py_ssize_t k) noexcept nogil:
    """Pages fetched at a place, or tried in vain: two rows that follow each other."""
    return of[pages, k] + of[pages + 1, k]


def explore(const double[:, ::1] of, double[::1] out):
    """out[k] = what is added for a host and a folder of which little was seen."""
    cdef Py_ssize_t k
    for k in range(out.shape[0]):
        out[k] = (
            HOST_UNSEEN / sqrt(1 + _tried(of, HOST_PAGES, k))
            + FOLDER_UNSEEN / sqrt(1 + _tried(of, FOLDER_PAGES, k))
        )


def silence(const double[:, ::1] of, double answering, const double[::1] value, double[::1] out):
    """out[k] = what the chance that it does not answer takes from a URL of this value.

    `answering` is the share of hosts that answer.
    """
    cdef Py_ssize_t k
    cdef double host, chance
    for k in range(out.shape[0]):
        host = (of[HOST_PAGES, k] + SEEN_TRIES * answering) / (
            _tried(of, HOST_PAGES, k) + SEEN_TRIES
        )
        chance = (of[FOLDER_PAGES, k] + SEEN_TRIES * host) / (
            _tried(of, FOLDER_PAGES, k) + SEEN_TRIES
        )
        # A value that is no number stays none.
        out[k] = (1 - chance) * ((0 if value[k] < 0 else value[k]) + LEAST_LOSS)


def add_example(
    const double[::1] x, double value, double count, double[:, ::1] squares, double[::1] sums
):
    """squares += count * x xᵀ and sums += count * value * x."""
    cdef Py_ssize_t i, j, d = x.shape[0]
    for i in range(d):
        for j in range(d):
            squares[i, j] += count * (x[i] * x[j])
        sums[i] += count * value * x[i]


def weigh(
    const double[:, ::1] surprise,
    const double[:, ::1] values,
    const int64_t[::1] graded,
    const double[::1] weights,
    double[::1] onto,
):
    """onto[k] += weights · (surprise[:, k], values[graded, k], 1), one after the other."""
    cdef Py_ssize_t i, k, s = surprise.shape[0], g = graded.shape[0]
    cdef double weight
    for i in range(s + g + 1):
        weight = weights[i]
        for k in range(onto.shape[0]):
            if i < s:
                onto[k] += weight * surprise[i, k]
            elif i < s + g:
                onto[k] += weight * values[graded[i - s], k]
            else:
                onto[k] += weight
