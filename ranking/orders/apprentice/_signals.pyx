# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""From columns of any number type to the signals of some URLs, and what they are worth.

A page has a few dozen links and an order a few dozen columns: a call for each pair of these would
cost many times what the arithmetic does. Logarithms are the C library's, so that the
signals of a URL do not depend on how many others are asked for, nor on the width of the registers.
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

cdef double MATCH_STEPS = 255  # as in ranking.page_update
cdef double LEAST_SCORE = 1e-12  # a score of 0 has no logarithm
cdef double SEEN_PAGES = 5  # of what is expected anywhere, beside those fetched
cdef double SEEN_SOURCES = 2
cdef double SEEN_TRIES = 2  # answered, beside those at a place
cdef double HOST_UNSEEN = 0.1  # bonus of a place where nothing was tried
cdef double FOLDER_UNSEEN = 0.03
cdef double LEAST_LOSS = 0.05  # of a URL that surely does not answer, however little it is worth

cdef enum:
    # Rows of what is gathered, in the order of `signals.SignalColumns.gathered`.
    PREDICTED, PARENT_SUM, PARENT_MAX, IN_LINKS, DEPTH
    ANCHOR, CONTEXT, ADDRESS
    NEAR_ANCHOR, NEAR_CONTEXT, NEAR_ADDRESS, SIMILAR_PARENTS
    TOPICAL, GENERAL
    SOURCES_SUM, SOURCES_BEST, SOURCES_LINKS
    HOST, FOLDER, TEMPLATE, ZONE
    HOST_SUM, HOST_PAGES, HOST_FAILED
    FOLDER_SUM, FOLDER_PAGES, FOLDER_FAILED
    TEMPLATE_SUM, TEMPLATE_PAGES, TEMPLATE_FAILED
    ZONE_SUM, ZONE_PAGES, ZONE_FAILED
    GATHERED

cdef enum:
    SIGNALS = 20
    BLOCK = 256  # URLs whose numbers stay in a near cache from the first step to the last ...
    ROW = BLOCK + 8  # ... in rows that do not all begin at the same place of it
    LONG = 4096  # URLs that are worth letting other threads run meanwhile
    FEW = 1024  # numbers whose logarithm is kept

cdef double LOG1P[FEW]
for _number in range(FEW):
    LOG1P[_number] = log1p(<double><Py_ssize_t>_number)

cdef struct Column:
    char kind
    Py_ssize_t size
    Py_ssize_t count
    void *values

cdef void _copy(
    const number *column, const index *ids, Py_ssize_t k, double *out
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(k):
        out[i] = <double>column[<Py_ssize_t>ids[i]]


cdef void _copied(
    const Column *of, const index *ids, Py_ssize_t k, double *out
) noexcept nogil:
    cdef char kind = of.kind
    cdef Py_ssize_t size = of.size
    cdef void *column = of.values
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
    else:
        if size == 1:
            _copy(<const int8_t *>column, ids, k, out)
        elif size == 2:
            _copy(<const int16_t *>column, ids, k, out)
        elif size == 4:
            _copy(<const int32_t *>column, ids, k, out)
        else:
            _copy(<const int64_t *>column, ids, k, out)


def gather(tuple columns, const index[::1] ids, double[:, ::1] out):
    """out[i, k] = columns[i][ids[k]].

    Columns are 1-d, contiguous, of any integers or of float32 or float64. Raises IndexError for an
    id that one of them does not have, and TypeError for another type.
    """
    cdef Py_ssize_t i, k = ids.shape[0]
    cdef _Columns held
    if k == 0:
        return
    held = _Columns(columns)
    _bounds_hold(held, &ids[0], k)
    for i in range(held.many):
        _copied(&held.columns[i], &ids[0], k, &out[i, 0])


cdef class _Columns:
    """Columns that stay where they are while this lives."""

    cdef Py_buffer views[GATHERED]
    cdef Column columns[GATHERED]
    cdef Py_ssize_t many
    cdef Py_ssize_t least  # ids that all of them have

    def __cinit__(self, tuple columns):
        cdef Py_ssize_t i
        cdef Py_buffer *view
        self.many = 0
        if len(columns) > GATHERED:
            raise ValueError(f"expected up to {GATHERED} columns, got {len(columns)}")
        for i in range(len(columns)):
            view = &self.views[i]
            PyObject_GetBuffer(columns[i], view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
            self.many = i + 1
            self.columns[i] = Column(view.format[0], view.itemsize, view.shape[0], view.buf)
            if view.format[0] not in b"?BHILQbhilqfd":
                raise TypeError(f"expected integers or float32 or float64 in column {i}")
            self.least = min(self.least, view.shape[0]) if i else view.shape[0]

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.many):
            PyBuffer_Release(&self.views[i])


cdef int _bounds_hold(_Columns held, const index *ids, Py_ssize_t k) except -1:
    """Raise IndexError for an id, of k > 0, that a column does not have."""
    cdef Py_ssize_t i
    cdef int64_t low, high
    low = high = <int64_t>ids[0]
    for i in range(k):
        low, high = min(low, <int64_t>ids[i]), max(high, <int64_t>ids[i])
    if low < 0 or (held.many and high >= held.least):
        raise IndexError(f"ids must be from 0 to {held.least - 1}, got {low} to {high}")
    return 0


cdef inline double _log1p(double number) noexcept nogil:
    """Most of what is counted is a small number."""
    cdef Py_ssize_t whole
    if 0 <= number < FEW:
        whole = <Py_ssize_t>number
        if <double>whole == number:
            return LOG1P[whole]
    return log1p(number)


cdef inline double _tried(const double *pages, Py_ssize_t row) noexcept nogil:
    """Pages fetched at a place, or tried in vain: two rows that follow each other."""
    return pages[0] + pages[row]


cdef void _read(
    const double *of, Py_ssize_t row, Py_ssize_t n, double mean, double level, double *out
) noexcept nogil:
    """Signals of n URLs, in rows of that length as what was gathered of them."""
    cdef Py_ssize_t k
    cdef double host, kind, topical
    cdef const double *at
    cdef double *to
    for k in range(n):
        at, to = of + k, out + k
        to[0] = at[PREDICTED * row]
        to[row] = at[ANCHOR * row] / MATCH_STEPS
        to[2 * row] = at[CONTEXT * row] / MATCH_STEPS
        to[3 * row] = at[ADDRESS * row] / MATCH_STEPS
        to[4 * row] = (at[PARENT_SUM * row] + SEEN_PAGES * level) / (
            at[IN_LINKS * row] + SEEN_PAGES
        )
        to[5 * row] = at[PARENT_MAX * row]
        to[6 * row] = log1p(at[PARENT_SUM * row])
        to[7 * row] = _log1p(at[IN_LINKS * row])
        topical = log(at[TOPICAL * row] + LEAST_SCORE)
        to[8 * row] = topical
        to[9 * row] = topical - log(at[GENERAL * row] + LEAST_SCORE)
        to[10 * row] = (at[SOURCES_SUM * row] + SEEN_SOURCES * mean) / (
            at[SOURCES_LINKS * row] + SEEN_SOURCES
        )
        to[11 * row] = at[SOURCES_BEST * row]
        host = (at[HOST_SUM * row] + SEEN_PAGES * mean) / (
            _tried(at + HOST_PAGES * row, row) + SEEN_PAGES
        )
        to[12 * row] = host
        kind = (at[TEMPLATE_SUM * row] + SEEN_PAGES * host) / (
            _tried(at + TEMPLATE_PAGES * row, row) + SEEN_PAGES
        )
        to[13 * row] = (at[FOLDER_SUM * row] + SEEN_PAGES * kind) / (
            _tried(at + FOLDER_PAGES * row, row) + SEEN_PAGES
        )
        to[14 * row] = -at[DEPTH * row]
        to[15 * row] = (at[ZONE_SUM * row] + SEEN_PAGES * mean) / (
            at[ZONE_PAGES * row] + SEEN_PAGES
        )
        to[16 * row] = at[NEAR_ANCHOR * row] / MATCH_STEPS
        to[17 * row] = at[NEAR_CONTEXT * row] / MATCH_STEPS
        to[18 * row] = at[NEAR_ADDRESS * row] / MATCH_STEPS
        to[19 * row] = (at[SIMILAR_PARENTS * row] + SEEN_PAGES * level) / (
            at[IN_LINKS * row] + SEEN_PAGES
        )


def read(const double[:, ::1] of, double mean, double level, double[:, ::1] out):
    """out[i, k] = signal i of URL k, in the order of `signals.SIGNALS`, of what was gathered.

    `mean` is what is expected of any page, and `level` the same where it must not be 0.
    """
    cdef Py_ssize_t n = of.shape[1]
    if n:
        _read(&of[0, 0], n, n, mean, level, &out[0, 0])


cdef void _explore(const double *of, Py_ssize_t row, Py_ssize_t n, double *out) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        out[k] = (
            HOST_UNSEEN / sqrt(1 + _tried(of + HOST_PAGES * row + k, row))
            + FOLDER_UNSEEN / sqrt(1 + _tried(of + FOLDER_PAGES * row + k, row))
        )


def explore(const double[:, ::1] of, double[::1] out):
    """out[k] = what is added for a host and a folder of which little was seen."""
    if out.shape[0]:
        _explore(&of[0, 0], of.shape[1], out.shape[0], &out[0])


cdef inline double _answering(const double *pages, Py_ssize_t row, double expected) noexcept nogil:
    """Share of what was tried at a place that answered, drawn to what is expected."""
    return (pages[0] + SEEN_TRIES * expected) / (_tried(pages, row) + SEEN_TRIES)


cdef void _silence(
    const double *of, Py_ssize_t row, Py_ssize_t n, const double *value, double *out
) noexcept nogil:
    cdef Py_ssize_t k
    cdef double chance
    for k in range(n):
        chance = _answering(of + HOST_PAGES * row + k, row, 1.0)
        chance = _answering(of + FOLDER_PAGES * row + k, row, chance)
        chance *= _answering(of + TEMPLATE_PAGES * row + k, row, 1.0)
        # A value that is no number stays none.
        out[k] = (1 - chance) * ((0 if value[k] < 0 else value[k]) + LEAST_LOSS)


def silence(const double[:, ::1] of, const double[::1] value, double[::1] out):
    """out[k] = what the chance that nothing new comes of it takes from a URL of this value."""
    if out.shape[0]:
        _silence(&of[0, 0], of.shape[1], out.shape[0], &value[0], &out[0])


def add_example(
    const double[::1] x, double value, double count, double[:, ::1] squares, double[::1] sums
):
    """squares += count * x xᵀ and sums += count * value * x."""
    cdef Py_ssize_t i, j, d = x.shape[0]
    for i in range(d):
        for j in range(d):
            squares[i, j] += count * (x[i] * x[j])
        sums[i] += count * value * x[i]


cdef void _look_up(
    const int64_t[::1] starts,
    const float[::1] steps,
    const double[::1] at,
    Py_ssize_t i,
    const double *values,
    Py_ssize_t n,
    double *out,
) noexcept nogil:
    """Up to BLOCK values side by side: each waits for memory at each step, and none for others."""
    cdef Py_ssize_t k
    cdef int32_t half, left, size = <int32_t>(starts[i + 1] - starts[i])
    cdef const float *step = &steps[starts[i]]
    cdef const double *of = &at[2 * starts[i] + i]
    cdef float asked[BLOCK]
    cdef int32_t low[BLOCK]
    for k in range(n):
        asked[k], low[k] = <float>values[k], 0
    left = size
    while left > 1:
        half = left // 2
        for k in range(n):
            # No branch that depends on values: it would be guessed wrong half the time.
            low[k] += half * (step[low[k] + half - 1] < asked[k])
        left -= half
    for k in range(n):
        low[k] += step[low[k]] < asked[k]
        half = step[min(low[k], size - 1)] == asked[k]
        out[k] = of[2 * low[k] + half]


def look_up(
    const int64_t[::1] starts,
    const float[::1] steps,
    const double[::1] at,
    const double[:, ::1] values,
    double[:, ::1] out,
):
    """out[i, k] = what the scale of signal i has for values[i, k], compared in single precision.

    The steps of signal i, ascending, at least one, are those from starts[i] to starts[i + 1]; `at`
    has twice as many numbers and one for each: below the first step, at it, between it and the
    second, at that ... above the last.
    """
    cdef Py_ssize_t i, k, n = values.shape[1]
    for i in range(starts.shape[0] - 1):
        for k in range(0, n, BLOCK):
            _look_up(starts, steps, at, i, &values[i, k], min(n - k, BLOCK), &out[i, k])


cdef class Weighing:
    """What the URLs of some columns are worth: from the columns to the value, in one pass.

    columns: by id, in the order of the rows above up to the places; places: what is known of these,
    by place, of each kind.
    mean, level: as in `read`; graded: the signals that also count by their value. scales: as in
    `look_up`, or without a signal. weights: of all rarities, then of the graded signals, then of 1.
    """

    cdef _Columns _ids, _hosts, _folders, _templates, _zones
    cdef double _mean, _level
    cdef const int64_t[::1] _graded
    cdef const double[::1] _weights
    cdef const int64_t[::1] _starts
    cdef const float[::1] _steps
    cdef const double[::1] _at

    def __init__(
        self,
        tuple columns,
        tuple places,
        double mean,
        double level,
        const int64_t[::1] graded,
        const double[::1] weights,
        scales,
    ):
        self._ids = _Columns(columns)
        self._hosts, self._folders, self._templates, self._zones = map(_Columns, places)
        self._mean, self._level = mean, level
        self._graded, self._weights = graded, weights
        self._starts, self._steps, self._at = scales

    def values(self, const int64_t[::1] ids, double[::1] out):
        """out[k] = what ids[k] is worth; IndexError for one that is not known."""
        cdef Py_ssize_t n = ids.shape[0]
        cdef bint known
        if n == 0:
            return
        _bounds_hold(self._ids, &ids[0], n)
        if n < LONG:
            known = self._find(&ids[0], n, &out[0])
        else:
            with nogil:
                known = self._find(&ids[0], n, &out[0])
        if not known:
            raise IndexError("a URL lies in a place that is not known")

    cdef bint _find(self, const int64_t *ids, Py_ssize_t n, double *out) noexcept nogil:
        cdef Py_ssize_t k = 0
        while k < n:
            if not self._find_block(ids + k, min(n - k, BLOCK), out + k):
                return False
            k += BLOCK
        return True

    cdef bint _find_block(self, const int64_t *ids, Py_ssize_t n, double *out) noexcept nogil:
        cdef double of[GATHERED * ROW]
        cdef double values[SIGNALS * ROW]
        cdef double part[BLOCK]
        cdef Py_ssize_t i, k, g = self._graded.shape[0]
        for i in range(self._ids.many):
            _copied(&self._ids.columns[i], ids, n, of + i * ROW)
        if not (
            _gathered(self._hosts, of + HOST * ROW, n, of + HOST_SUM * ROW)
            and _gathered(self._folders, of + FOLDER * ROW, n, of + FOLDER_SUM * ROW)
            and _gathered(self._templates, of + TEMPLATE * ROW, n, of + TEMPLATE_SUM * ROW)
            and _gathered(self._zones, of + ZONE * ROW, n, of + ZONE_SUM * ROW)
        ):
            return False
        _read(of, ROW, n, self._mean, self._level, values)
        _explore(of, ROW, n, out)
        # One after the other: a product of matrices would round by how many URLs it is asked for.
        for i in range(self._starts.shape[0] - 1):
            _look_up(self._starts, self._steps, self._at, i, values + i * ROW, n, part)
            _add(self._weights[i], part, n, out)
        for i in range(g):
            _add(self._weights[SIGNALS + i], values + self._graded[i] * ROW, n, out)
        for k in range(n):
            out[k] += self._weights[SIGNALS + g]
        _silence(of, ROW, n, out, part)
        for k in range(n):
            out[k] -= part[k]
        return True


cdef bint _gathered(
    _Columns held, const double *places, Py_ssize_t n, double *out
) noexcept nogil:
    """Whether all places are known; then what is known of them."""
    cdef Py_ssize_t i
    for i in range(n):
        if not 0 <= places[i] < held.least:
            return False
    for i in range(held.many):
        _copied(&held.columns[i], places, n, out + i * ROW)
    return True


cdef inline void _add(
    double weight, const double *values, Py_ssize_t n, double *onto
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        onto[k] += weight * values[k]
