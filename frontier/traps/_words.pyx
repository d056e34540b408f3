# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The words of a text as 32-bit hashes, and a table of bits of the words that a site has used.

The lowest two bits of a hash are the kind of the word. Tables have a row of 2^14 bytes for each
generation, the newer row first.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport (
    Py_UNICODE_ISALNUM,
    Py_UNICODE_ISDECIMAL,
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from ranking import letters

cdef enum:
    FIGURE = 0  # kinds
    LETTERS = 1  # two in a row of a script without spaces
    WORD = 2
    LONGEST_WORD = 40
    ROW = 1 << 14
    NAMES = 1 << 11
    TABLED = 0x20000

# FNV-1a; odd numbers with evenly mixed bits spread what is hashed, and join the words of a pair.
cdef uint32_t BASIS = 0x811C9DC5, PRIME = 0x01000193, LEFT = 0x9E3779B1, RIGHT = 0x85EBCA77

cdef uint8_t[TABLED] MARK, UNSPACED
for _char in letters.MARKS:
    MARK[ord(_char)] = 1
for _first, _last in letters.UNSPACED:
    for _code in range(_first, min(_last + 1, TABLED)):
        UNSPACED[_code] = 1


cdef inline bint is_digit(uint32_t char) noexcept nogil:
    return 48 <= char <= 57


cdef inline bint is_word(uint32_t char) noexcept:
    if char < 128:
        return is_digit(char) or 97 <= char | 32 <= 122
    return Py_UNICODE_ISALNUM(char) or (char < TABLED and MARK[char])


cdef inline bint is_unspaced(uint32_t char) noexcept nogil:
    return char >= TABLED or UNSPACED[char]


cdef inline uint32_t hashed(int kind, void *text, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef uint32_t found = BASIS, char
    cdef Py_ssize_t i
    for i in range(start, end):
        char = PyUnicode_READ(kind, text, i)
        found = (found ^ (char | 32 if 65 <= char <= 90 else char)) * PRIME
    return found & ~<uint32_t>3


def words(str text not None):
    """The words of a text in order, four bytes each; a text that is not ASCII must be folded.

    Words are letters and their marks, or digits with points and commas: a mix is an identifier and
    no word. Numbers of up to four digits and dates, of calendars and counters, are no words either.
    Pairs of letters stand for the words of scripts without spaces.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), i = 0, n = 0, end, at
    cdef bytes found = PyBytes_FromStringAndSize(NULL, 4 * size)
    cdef uint32_t *out = <uint32_t *>PyBytes_AS_STRING(found)
    cdef bint plain, unspaced
    cdef uint32_t char
    while i < size:
        if not is_word(PyUnicode_READ(kind, data, i)):
            i += 1
            continue
        end, plain, unspaced = i, True, False
        while end < size:
            char = PyUnicode_READ(kind, data, end)
            if not is_word(char):
                break
            plain = plain and not (is_digit(char) if char < 128 else Py_UNICODE_ISDECIMAL(char))
            unspaced = unspaced or is_unspaced(char)
            end += 1
        if plain and unspaced:
            for at in range(i + 1, end):
                out[n] = hashed(kind, data, at - 1, at + 1) | LETTERS
                n += 1
        elif plain and 1 < end - i <= LONGEST_WORD:
            out[n] = hashed(kind, data, i, end) | WORD
            n += 1
        elif is_digit(PyUnicode_READ(kind, data, i)):
            end = end_of_number(kind, data, size, i, end)
            if is_figure(kind, data, i, end):
                out[n] = hashed(kind, data, i, end) | FIGURE
                n += 1
        i = end
    return found[:4 * n]


cdef Py_ssize_t end_of_number(
    int kind, void *text, Py_ssize_t size, Py_ssize_t start, Py_ssize_t end
) noexcept:
    """The end of a number with points and commas from `start`; `end` is that of its first part."""
    cdef Py_ssize_t i = end
    cdef uint32_t char
    while i + 1 < size:
        char = PyUnicode_READ(kind, text, i)
        if char != 46 and char != 44 or not is_digit(PyUnicode_READ(kind, text, i + 1)):
            break
        i += 1
        while i < size and is_word(PyUnicode_READ(kind, text, i)):
            i += 1
        end = i
    return end


cdef bint is_figure(int kind, void *text, Py_ssize_t start, Py_ssize_t end) noexcept:
    """False for a number of four digits, for three such in a row, and for a word with letters."""
    cdef Py_ssize_t i, group = 0, groups = 1
    cdef bint short = True
    cdef uint32_t char
    for i in range(start, end):
        char = PyUnicode_READ(kind, text, i)
        if is_digit(char):
            group += 1
            short = short and group <= 4
        elif char == 46 or char == 44:
            group, groups = 0, groups + 1
        else:
            return False
    return groups == 2 or not short


cdef inline bint is_known(const uint8_t[:, ::1] tables, uint32_t number) noexcept nogil:
    cdef uint32_t mixed = number * LEFT
    return (tables[0, mixed >> 18] | tables[1, mixed >> 18]) >> (mixed >> 15 & 7) & 1


cdef inline bint put(uint8_t *row, uint32_t number, int shift) noexcept nogil:
    """Set the bit of a hash, of which 32 - shift bits give the byte; whether it is new."""
    cdef uint32_t mixed = number * LEFT
    cdef uint8_t bit = 1 << (mixed >> (shift - 3) & 7)
    cdef bint new = not row[mixed >> shift] & bit
    row[mixed >> shift] |= bit
    return new


cdef void mark(uint8_t *names, const uint8_t[::1] text) noexcept:
    cdef const uint32_t *numbers = <const uint32_t *>&text[0] if text.shape[0] else NULL
    cdef Py_ssize_t i
    memset(names, 0, NAMES)
    for i in range(text.shape[0] // 4):
        put(names, numbers[i], 21)


cdef inline bint is_named(const uint8_t *names, uint32_t number) noexcept nogil:
    return names[number * LEFT >> 21] >> (number * LEFT >> 18 & 7) & 1


def read(
    const uint8_t[::1] page not None,
    const uint8_t[::1] url not None,
    const uint8_t[::1] anchors not None,
    uint8_t[:, ::1] tables,
):
    """Set the words of a page, and each pair of neighbours, in the newer row of a site's tables.

    `page`, `url` and `anchors` are from `words`: words of the URL do not count as new, words of
    `anchors` neither as new nor as in a new order.

    Returns:
        Numbers of words, of unknown words, of new words that count, of new figures that count, of
        pairs of known words, of new pairs among these, of other pairs of words, of set bits.

    """
    cdef uint8_t[NAMES] in_url
    cdef uint8_t[NAMES] in_anchors
    cdef const uint32_t *numbers = <const uint32_t *>&page[0] if page.shape[0] else NULL
    cdef Py_ssize_t i, bits = 0
    cdef Py_ssize_t n = 0, unknown = 0, new_words = 0, new_figures = 0
    cdef Py_ssize_t pairs = 0, new_pairs = 0, other_pairs = 0
    cdef uint32_t number, pair, before = 0
    cdef bint known, was_known = False, is_own, is_text, was_text = False
    if tables.shape[0] != 2 or tables.shape[1] != ROW:
        raise ValueError(f"expected tables of 2 rows of {ROW} bytes")
    mark(in_url, url)
    mark(in_anchors, anchors)
    for i in range(page.shape[0] // 4):
        number = numbers[i]
        known = is_known(tables, number)
        is_own = not is_named(in_anchors, number)
        is_text = number & 3 != FIGURE
        n += number & 3 == WORD
        unknown += number & 3 == WORD and not known
        if is_own and not known and not is_named(in_url, number):
            new_words += is_text
            new_figures += not is_text
        is_text = is_text and is_own
        pair = before * LEFT ^ number * RIGHT
        if is_text and was_text:
            if known and was_known:
                pairs += 1
                new_pairs += not is_known(tables, pair)
            else:
                other_pairs += 1
        bits += put(&tables[0, 0], number, 18)
        if i:
            bits += put(&tables[0, 0], pair, 18)
        before, was_known, was_text = number, known, is_text
    return n, unknown, new_words, new_figures, pairs, new_pairs, other_pairs, bits
