# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Text to fields: where the names of each line are, and its number.

Nothing is copied: a name is a position and a length in the text. Only a quoted field that holds
quotes is rewritten, where it stands. The GIL is released throughout.
"""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport strtod
from libc.string cimport memchr, memcpy

cdef enum:
    QUOTE = 34
    DIGITS = 15  # so many decimal digits are exact in a float64
    LONGEST = 63  # characters of a number; the longest repr of a float64 has 24

# What is wrong with a line; ranking/offline/lines.py has the words for them.
cdef enum:
    FINE = 0
    TOO_FEW = 1
    TOO_MANY = 2
    EMPTY_NAME = 3
    BAD_VALUE = 4
    BAD_QUOTE = 5

cdef double[23] TENS = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

cdef struct Field:
    int64_t start
    int64_t stop
    int64_t following  # where the next field starts; -1: there is none


def split_lines(
    unsigned char[::1] text,
    int separator,
    int first,
    int second,
    int value,
    int limit,
    bint commented,
    int64_t[::1] starts,
    int32_t[::1] lengths,
    double[::1] values,
):
    """Find the fields of whole lines, up to the first bad one.

    Args:
        text: lines, each with its line end.
        separator: a character; 32 is any run of blanks and tabs. With a comma or semicolon,
            fields may be quoted.
        first: column of the first name.
        second: column of the second name; -1: one name a line.
        value: column of the number; -1: none.
        limit: the most fields a line may have; 0: any number.
        commented: lines that start with # or % are comments.
        starts: (lines * names a line,) positions of the names, filled.
        lengths: likewise.
        values: (lines,) filled; 1 where the line has no number.

    Returns:
        Lines with fields, comment lines, whether any had a number; what is wrong (0: nothing),
        and start and stop of the bad line.

    """
    cdef int64_t size = text.shape[0], at = 0, stop = 0, rows = 0, comments = 0
    cdef bint valued = False
    cdef int status = FINE
    cdef unsigned char *data
    if size == 0:
        return 0, 0, False, FINE, 0, 0
    data = &text[0]
    with nogil:
        while at < size:
            stop = line_end(data, at, size)
            if commented and is_comment(data, at, stop):
                comments += 1
            elif not is_blank(data, at, stop):
                status = split_line(
                    data, at, stop, separator, first, second, value, limit,
                    &starts[0], &lengths[0], &values[0], rows, &valued,
                )
                if status != FINE:
                    break
                rows += 1
            at = stop + 1
    return rows, comments, valued, status, at, stop


cdef inline int64_t line_end(const unsigned char *data, int64_t at, int64_t size) noexcept nogil:
    cdef const unsigned char *found = <const unsigned char *>memchr(data + at, 10, size - at)
    return size if found == NULL else found - data


cdef inline bint is_space(unsigned char c) noexcept nogil:
    return c == 32 or c == 9 or c == 13


cdef inline bint is_blank(const unsigned char *data, int64_t at, int64_t stop) noexcept nogil:
    while at < stop and is_space(data[at]):
        at += 1
    return at == stop


cdef inline bint is_comment(const unsigned char *data, int64_t at, int64_t stop) noexcept nogil:
    while at < stop and data[at] == 32:
        at += 1
    return at < stop and (data[at] == c"#" or data[at] == c"%")


cdef int split_line(
    unsigned char *data,
    int64_t at,
    int64_t stop,
    int separator,
    int first,
    int second,
    int value,
    int limit,
    int64_t *starts,
    int32_t *lengths,
    double *values,
    int64_t row,
    bint *valued,
) noexcept nogil:
    cdef int column = 0, missing = 1 if second < 0 else 2, last = max(first, max(second, value))
    cdef int64_t place, names = missing, count = 0
    cdef unsigned char *digits = NULL
    cdef Field field
    values[row] = 1
    while stop > at and is_space(data[stop - 1]):
        stop -= 1
    field.following = at
    while field.following >= 0 and (limit or column <= last):
        if not next_field(data, stop, separator, &field):
            return BAD_QUOTE
        if field.start < 0:
            break
        if column == first or column == second:
            if field.start == field.stop:
                return EMPTY_NAME
            place = row * names + (column == second)
            starts[place] = field.start
            lengths[place] = <int32_t>(field.stop - field.start)
            missing -= 1
        elif column == value:
            digits, count = data + field.start, field.stop - field.start
        column += 1
    if missing:
        return TOO_FEW
    if limit and column > limit:
        return TOO_MANY
    if count:
        valued[0] = True
        return FINE if number(digits, count, &values[row]) else BAD_VALUE
    return FINE


cdef bint next_field(unsigned char *data, int64_t stop, int separator, Field *field) noexcept nogil:
    """From field.following on; start -1: there was none. False for a quote that does not close."""
    cdef int64_t at = field.following
    cdef const unsigned char *found
    if separator == 32:
        while at < stop and is_space(data[at]):
            at += 1
        field.start = at if at < stop else -1
        while at < stop and not is_space(data[at]):
            at += 1
        field.stop = at
        field.following = at if at < stop else -1
        return True
    while at < stop and data[at] == 32:
        at += 1
    if (separator == c"," or separator == c";") and at < stop and data[at] == QUOTE:
        return quoted(data, at, stop, separator, field)
    found = <const unsigned char *>memchr(data + at, separator, stop - at)
    field.start = at
    field.stop = stop if found == NULL else found - data
    field.following = -1 if found == NULL else field.stop + 1
    while field.stop > at and data[field.stop - 1] == 32:
        field.stop -= 1
    return True


cdef bint quoted(
    unsigned char *data, int64_t at, int64_t stop, int separator, Field *field
) noexcept nogil:
    """RFC 4180: a quoted field ends at a quote that no quote follows."""
    cdef int64_t out = at + 1
    field.start = out
    at += 1
    while at < stop:
        if data[at] == QUOTE:
            if at + 1 == stop or data[at + 1] != QUOTE:
                break
            at += 1
        data[out] = data[at]
        out += 1
        at += 1
    if at >= stop:
        return False
    field.stop = out
    at += 1
    while at < stop and data[at] == 32:
        at += 1
    field.following = at + 1 if at < stop else -1
    return at == stop or data[at] == separator


cdef bint number(const unsigned char *text, int64_t size, double *out) noexcept nogil:
    """A finite number >= 0; False where there is none."""
    cdef int64_t at = 0, point = -1
    cdef uint64_t digits = 0
    cdef bint negative = text[0] == c"-"
    if size > LONGEST:
        return False
    if text[0] == c"-" or text[0] == c"+":
        at = 1
    cdef int64_t start = at
    while at < size and at - start <= DIGITS:
        if text[at] == c"." and point < 0:
            point = at
        elif c"0" <= text[at] <= c"9":
            digits = digits * 10 + (text[at] - c"0")
        else:
            break
        at += 1
    if at < size:
        if not by_strtod(text, size, out):
            return False
    elif at == start or (at == start + 1 and point == start):
        return False
    else:
        # Both exact, so the quotient is the nearest float64 (Clinger 1990).
        out[0] = <double>digits / TENS[0 if point < 0 else size - point - 1]
    return isfinite(out[0]) and not (negative and out[0] != 0) and out[0] >= -0.0


cdef bint by_strtod(const unsigned char *text, int64_t size, double *out) noexcept nogil:
    cdef char[LONGEST + 1] copy
    cdef char *stop
    cdef int64_t k
    for k in range(size):
        # strtod would also take hexadecimal numbers, inf and nan.
        if not (c"0" <= text[k] <= c"9" or text[k] in (c".", c"e", c"E", c"+", c"-")):
            return False
    memcpy(copy, text, size)
    copy[size] = 0
    out[0] = strtod(copy, &stop)
    if stop != copy + size:
        return False
    return True
