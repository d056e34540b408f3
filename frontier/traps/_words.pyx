# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The words of a page as 32-bit hashes, sets of them, and the tables of what a site has said."""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport (
    Py_UNICODE_ISALNUM,
    Py_UNICODE_ISDECIMAL,
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t

cdef enum:
    LONGEST_WORD = 40

# Odd numbers with evenly mixed bits, by which the hashes of a pair are joined.
cdef uint32_t LEFT = 0x9E3779B1, RIGHT = 0x85EBCA77

cdef uint32_t[256] CRC  # of one byte, as zlib has it
for _code in range(256):
    _crc = _code
    for _ in range(8):
        _crc = _crc >> 1 ^ (0xEDB88320 if _crc & 1 else 0)
    CRC[_code] = _crc


cdef inline uint32_t checked(uint32_t crc, uint32_t byte) noexcept nogil:
    return crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]


cdef inline bint is_digit(uint32_t char) noexcept nogil:
    return 48 <= char <= 57


cdef inline bint is_alnum(uint32_t char) noexcept:
    if char < 128:
        return is_digit(char) or 97 <= (char | 32) <= 122
    return Py_UNICODE_ISALNUM(char)


cdef inline bint is_decimal(uint32_t char) noexcept:
    return is_digit(char) if char < 128 else Py_UNICODE_ISDECIMAL(char)


cdef inline bint is_unspaced(uint32_t char) noexcept nogil:
    """Whether it is Thai to Burmese, Khmer, Kana, Han: no spaces between words."""
    return (
        0x0E00 <= char <= 0x109F
        or 0x1780 <= char <= 0x17FF
        or 0x3040 <= char <= 0x30FF
        or 0x3400 <= char <= 0x9FFF
    )


cdef class _Cut:
    """A text between its characters and its words."""

    cdef int kind
    cdef void *data
    cdef Py_ssize_t size
    cdef uint32_t[::1] hashes
    cdef int8_t[::1] kinds
    cdef Py_ssize_t n

    cdef inline uint32_t at(self, Py_ssize_t i) noexcept:
        return PyUnicode_READ(self.kind, self.data, i)

    cdef void run(self) noexcept:
        cdef Py_ssize_t i = 0, end, last
        cdef bint letters, unspaced
        cdef uint32_t char
        while i < self.size:
            if not is_alnum(self.at(i)):
                i += 1
                continue
            end, letters, unspaced = i, True, False
            while end < self.size:
                char = self.at(end)
                if not is_alnum(char):
                    break
                letters = letters and not is_decimal(char)
                unspaced = unspaced or is_unspaced(char)
                end += 1
            if letters and end - i > 1:
                if unspaced:
                    for last in range(i + 1, end):
                        unspaced = is_unspaced(self.at(last - 1)) or is_unspaced(self.at(last))
                        self.say(last - 1, last + 1, not unspaced)
                else:
                    self.say(i, end, 1)
            elif is_digit(self.at(i)):
                last = self.last_digit(i)
                if last > i:
                    end = last + 1
                    if self.is_figure(i, end):
                        self.say(i, end, -1)
            i = end

    cdef Py_ssize_t last_digit(self, Py_ssize_t start) noexcept:
        """The last one of a number with points and commas that has no letter or digit behind."""
        cdef Py_ssize_t i = start + 1, last = start
        while i < self.size and (is_digit(self.at(i)) or self.at(i) == 46 or self.at(i) == 44):
            if is_digit(self.at(i)) and not (i + 1 < self.size and is_alnum(self.at(i + 1))):
                last = i
            i += 1
        return last

    cdef bint is_figure(self, Py_ssize_t start, Py_ssize_t end) noexcept:
        """False for up to three digits, a year, a date: what calendars and counters are made of."""
        cdef Py_ssize_t i, group = 0, groups = 1
        cdef bint short = True  # every group has one to four digits
        for i in range(start, end):
            if is_digit(self.at(i)):
                group += 1
                short = short and group <= 4
            else:
                short = short and group > 0
                group = 0
                groups += 1
        if groups == 1:
            return not (group <= 3 or (group == 4 and 49 <= self.at(start) <= 50))
        return not (groups == 3 and short)

    cdef void say(self, Py_ssize_t start, Py_ssize_t end, int kind) noexcept:
        """Add a word by the CRC of its UTF-8."""
        cdef uint32_t crc = 0xFFFFFFFF, char
        cdef Py_ssize_t i
        if end - start > LONGEST_WORD:
            return
        for i in range(start, end):
            char = self.at(i)
            if char < 0x80:
                crc = checked(crc, char)
            else:
                if char < 0x800:
                    crc = checked(crc, 0xC0 | char >> 6)
                else:
                    if char < 0x10000:
                        crc = checked(crc, 0xE0 | char >> 12)
                    else:
                        crc = checked(crc, 0xF0 | char >> 18)
                        crc = checked(crc, 0x80 | char >> 12 & 0x3F)
                    crc = checked(crc, 0x80 | char >> 6 & 0x3F)
                crc = checked(crc, 0x80 | char & 0x3F)
        self.hashes[self.n] = ~crc
        self.kinds[self.n] = kind
        self.n += 1


def cut(str text, uint32_t[::1] hashes, int8_t[::1] kinds):
    """Fill hashes and kinds, each as long as the text, of its words; how many those are.

    Words are letters alone, two at least, or digits with points and commas, without letters or
    digits beside them.
    """
    cdef _Cut found = _Cut()
    found.kind, found.data, found.size = PyUnicode_KIND(text), PyUnicode_DATA(text), len(text)
    found.hashes, found.kinds = hashes, kinds
    found.run()
    return found.n


cdef struct Set:
    uint64_t *slots  # hash + 1, or 0 if free; at most half are taken
    uint32_t mask


cdef int make(Set *new, Py_ssize_t most) except -1:
    cdef uint32_t size = 16
    while size < 2 * most:
        size *= 2
    new.slots = <uint64_t *>PyMem_Calloc(size, sizeof(uint64_t))
    if new.slots == NULL:
        raise MemoryError
    new.mask = size - 1
    return 0


cdef inline uint32_t slot_of(const Set *where, uint32_t hashed) noexcept:
    cdef uint32_t slot = (hashed * LEFT) >> 7 & where.mask
    while where.slots[slot] and where.slots[slot] != <uint64_t>hashed + 1:
        slot = (slot + 1) & where.mask
    return slot


cdef inline bint enter(Set *into, uint32_t hashed) noexcept:
    """Add a hash; whether it is new."""
    cdef uint32_t slot = slot_of(into, hashed)
    cdef bint new = not into.slots[slot]
    into.slots[slot] = <uint64_t>hashed + 1
    return new


cdef inline bint is_known(
    uint32_t hashed, const uint8_t[:, ::1] tables, uint32_t mask
) noexcept nogil:
    cdef uint32_t place = hashed >> 3 & mask
    return (tables[0, place] | tables[1, place]) >> (hashed & 7) & 1


def look(
    const uint32_t[::1] hashes,
    const int8_t[::1] kinds,
    const uint32_t[::1] names,
    const uint8_t[:, ::1] tables,
    uint8_t[::1] new,
    uint8_t[::1] counted,
    uint32_t[::1] said,
):
    """Look at the k > 0 words of a page.

    Args:
        hashes: (k,) of the words.
        kinds: (k,) below 0 for a figure, above 0 for a word.
        names: hashes of words that do not count.
        tables: see `unknown`.
        new: (k,) becomes whether the tables do not know a word.
        counted: (k,) becomes whether it counts.
        said: (2k - 1,) becomes the hashes, and those of the pairs of neighbours.

    Returns:
        How many distinct new words that count there are, how many such figures, how many words,
        and how many new ones, repeats counted.

    """
    cdef Set named, words, figures
    cdef Py_ssize_t i, k = hashes.shape[0], n = 0, n_figures = 0, total = 0, unheard = 0
    cdef uint32_t mask = <uint32_t>tables.shape[1] - 1, one
    named.slots = words.slots = figures.slots = NULL
    try:
        make(&named, names.shape[0])
        make(&words, k)
        make(&figures, k)
        for i in range(names.shape[0]):
            enter(&named, names[i])
        for i in range(k):
            one = said[i] = hashes[i]
            new[i] = not is_known(one, tables, mask)
            counted[i] = not named.slots[slot_of(&named, one)]
            total += kinds[i] > 0
            unheard += kinds[i] > 0 and new[i]
            if new[i] and counted[i]:
                if kinds[i] < 0:
                    n_figures += enter(&figures, one)
                else:
                    n += enter(&words, one)
        for i in range(k - 1):
            said[k + i] = hashes[i] * LEFT ^ hashes[i + 1] * RIGHT
    finally:
        PyMem_Free(named.slots)
        PyMem_Free(words.slots)
        PyMem_Free(figures.slots)
    return n, n_figures, total, unheard


def distinct(const uint32_t[::1] hashes, const uint8_t[::1] of, uint32_t[::1] out):
    """Fill `out` with the distinct ones of those that `of` marks; how many those are."""
    cdef Set seen
    cdef Py_ssize_t i, n = 0
    make(&seen, hashes.shape[0])
    for i in range(hashes.shape[0]):
        if of[i] and enter(&seen, hashes[i]):
            out[n] = hashes[i]
            n += 1
    PyMem_Free(seen.slots)
    return n


def others(const uint32_t[::1] hashes, const uint32_t[::1] names, uint8_t[::1] out):
    """out[i] = whether hash i is none of the names."""
    cdef Set named
    cdef Py_ssize_t i
    make(&named, names.shape[0])
    for i in range(names.shape[0]):
        enter(&named, names[i])
    for i in range(hashes.shape[0]):
        out[i] = not named.slots[slot_of(&named, hashes[i])]
    PyMem_Free(named.slots)


def unknown(const uint32_t[::1] hashes, const uint8_t[:, ::1] tables, uint8_t[::1] out):
    """out[i] = whether neither table, a power of 2 of bytes, has the bit of hash i."""
    cdef uint32_t mask = <uint32_t>tables.shape[1] - 1
    cdef Py_ssize_t i
    for i in range(hashes.shape[0]):
        out[i] = not is_known(hashes[i], tables, mask)


def note(const uint32_t[::1] hashes, uint8_t[::1] table):
    """Set the bits of hashes in a table; of how many they were not set, repeats counted."""
    cdef uint32_t mask = <uint32_t>table.shape[0] - 1
    cdef Py_ssize_t i, n = 0
    for i in range(hashes.shape[0]):
        n += not table[hashes[i] >> 3 & mask] >> (hashes[i] & 7) & 1
    for i in range(hashes.shape[0]):
        table[hashes[i] >> 3 & mask] |= <uint8_t>1 << (hashes[i] & 7)
    return n
