# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The words of a page as 32-bit hashes, sets of them, and the tables of what a site has said."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.unicode cimport (
    Py_UNICODE_ISALNUM,
    Py_UNICODE_ISDECIMAL,
    PyUnicode_DATA,
    PyUnicode_KIND,
)
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

from frontier._crc cimport crc_begin, crc_with
from ranking._prefetch cimport PREFETCH

from ranking import letters

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text) noexcept

cpdef enum Which:
    """Which words of a page, figures left out: all that count, the old ones, those not of a URL."""
    COUNTED
    OLD
    OWN

cdef enum:
    LONGEST_WORD = 40
    BYTES_A_WORD = 5
    NEW = 1  # marks of a word: its site has not used it
    NAMED = 2  # it is a name, and does not count
    OF_URL = 4

# Odd numbers with evenly mixed bits, by which the hashes of a pair are joined.
cdef uint32_t LEFT = 0x9E3779B1, RIGHT = 0x85EBCA77

crc_begin()


cdef inline bint is_digit(uint32_t char) noexcept nogil:
    return 48 <= char <= 57


cdef uint8_t[128] ALNUM, LOWER
for _code in range(128):
    ALNUM[_code] = chr(_code).isalnum()
    LOWER[_code] = ord(chr(_code).lower())


cdef inline bint is_alnum(uint32_t char) noexcept:
    return ALNUM[char] if char < 128 else Py_UNICODE_ISALNUM(char)


cdef inline bint is_decimal(uint32_t char) noexcept:
    return is_digit(char) if char < 128 else Py_UNICODE_ISDECIMAL(char)


# Of what is no letter or digit the marks that spell words; of letters those of words without spaces.
cdef enum:
    TABLED = 0x20000
cdef uint8_t[TABLED] MARK, UNSPACED
for _char in letters.MARKS:
    MARK[ord(_char)] = 1
for _first, _last in letters.UNSPACED:
    for _code in range(_first, min(_last + 1, TABLED)):
        UNSPACED[_code] = 1


cdef inline bint is_mark(uint32_t char) noexcept nogil:
    return char < TABLED and MARK[char]


cdef inline bint is_unspaced(uint32_t char) noexcept nogil:
    return char >= TABLED or UNSPACED[char]


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


cdef int make_of(Set *new, Words words) except -1:
    cdef Py_ssize_t i, n = 0 if words is None else words.n
    make(new, n)
    for i in range(n):
        enter(new, words.hash[i])


cdef inline bint has(const Set *where, uint32_t hashed) noexcept:
    return where.slots[slot_of(where, hashed)] != 0


cdef inline uint32_t pair_of(uint32_t first, uint32_t second) noexcept nogil:
    return first * LEFT ^ second * RIGHT


cdef inline bint is_known(uint32_t hashed, const uint8_t[:, ::1] tables, uint32_t mask) noexcept nogil:
    cdef uint32_t place = hashed >> 3 & mask
    return (tables[0, place] | tables[1, place]) >> (hashed & 7) & 1


cdef inline bint is_set(const uint8_t[::1] table, uint32_t mask, uint32_t hashed) noexcept nogil:
    return table[hashed >> 3 & mask] >> (hashed & 7) & 1


cdef inline void put(uint8_t[::1] table, uint32_t mask, uint32_t hashed) noexcept nogil:
    table[hashed >> 3 & mask] |= <uint8_t>1 << (hashed & 7)


ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t


cdef class Words:
    """The words of a page in their order, as 32-bit hashes, and of which kind each is.

    Words are letters and their marks, or digits with points and commas: a mix is an identifier and no word.
    Nor are up to three digits, a year, a date, of which calendars and counters are made. Pairs of
    letters stand for the words of scripts without spaces. A kind is 1 for a word, 0 for such a
    pair, -1 for a figure.
    """

    cdef uint32_t *hash
    cdef int8_t *kind
    cdef uint8_t *marks  # see `look`
    cdef Py_ssize_t n

    def __cinit__(self, str text not None, Py_ssize_t cuts=0, Py_ssize_t each=0):
        """Cut a text, folded where it is not ASCII (`ranking/letters.py`).

        Of ASCII, not of other texts, only so many `cuts` of so many characters `each` are read if
        that is less: spread evenly, and each from its first space to its last, if anything is there.
        """
        cdef Py_ssize_t size = len(text)
        cdef bint some = PyUnicode_IS_ASCII(text) and cuts * each and size > cuts * each
        cdef Py_ssize_t most = cuts * each if some else size
        make_room(self, most)
        if some:
            cut_some(self, <const uint8_t *>PyUnicode_DATA(text), size, cuts, each)
        elif PyUnicode_KIND(text) == 1:
            cut(self, <const uint8_t *>PyUnicode_DATA(text), size)
        elif PyUnicode_KIND(text) == 2:
            cut(self, <const uint16_t *>PyUnicode_DATA(text), size)
        else:
            cut(self, <const uint32_t *>PyUnicode_DATA(text), size)

    def __dealloc__(self):
        PyMem_Free(self.hash)

    @staticmethod
    def frombytes(const uint8_t[::1] data not None):
        """The words of a page that another process has cut, from what `tobytes` gave there.

        Raises ValueError for bytes that are no words.
        """
        cdef Py_ssize_t n = data.shape[0] // BYTES_A_WORD, i, at
        cdef Words found = Words.__new__(Words, "")
        PyMem_Free(found.hash)
        make_room(found, n)
        for i in range(n):
            at = 4 * i
            found.hash[i] = (
                data[at]
                | <uint32_t>data[at + 1] << 8
                | <uint32_t>data[at + 2] << 16
                | <uint32_t>data[at + 3] << 24
            )
            found.kind[i] = <int8_t>data[4 * n + i] - 1
            if data[4 * n + i] > 2:
                break
        else:
            if BYTES_A_WORD * n == data.shape[0]:
                found.n = n
                return found
        raise ValueError(f"{data.shape[0]} bytes that are no words of a page")

    def tobytes(self):
        """Everything a page is judged by: n hashes, 4 bytes each, low ones first; n kinds + 1."""
        cdef bytes data = PyBytes_FromStringAndSize(NULL, BYTES_A_WORD * self.n)
        cdef uint8_t *out = <uint8_t *>PyBytes_AS_STRING(data)
        cdef Py_ssize_t i
        for i in range(self.n):
            out[4 * i] = self.hash[i] & 0xFF
            out[4 * i + 1] = self.hash[i] >> 8 & 0xFF
            out[4 * i + 2] = self.hash[i] >> 16 & 0xFF
            out[4 * i + 3] = self.hash[i] >> 24
            out[4 * self.n + i] = self.kind[i] + 1
        return data

    def __len__(self):
        return self.n

    @property
    def hashes(self):
        return [self.hash[i] for i in range(self.n)]

    @property
    def kinds(self):
        return [self.kind[i] for i in range(self.n)]

    @property
    def whole(self):
        """32 bits that stand for all words in their order."""
        cdef uint32_t crc = 0xFFFFFFFF, one
        cdef Py_ssize_t i
        for i in range(self.n):
            one = self.hash[i]
            crc = crc_with(crc_with(crc_with(crc_with(crc, one), one >> 8), one >> 16), one >> 24)
        return <uint32_t>~crc

    @property
    def distinct(self):
        """How many different words there are."""
        cdef Set seen
        cdef Py_ssize_t i, n = 0
        make(&seen, self.n)
        for i in range(self.n):
            n += enter(&seen, self.hash[i])
        PyMem_Free(seen.slots)
        return n

    def look(self, Words names, const uint8_t[:, ::1] tables):
        """Mark the words that the tables of a site do not know, and those that are names.

        Returns:
            How many distinct new words that count there are, how many such figures, how many
            words, and how many new ones, repeats counted.

        """
        cdef Set named, words, figures
        cdef Py_ssize_t i, n = 0, n_figures = 0, total = 0, unheard = 0
        cdef uint32_t mask = <uint32_t>tables.shape[1] - 1, one
        cdef bint new
        named.slots = words.slots = figures.slots = NULL
        try:
            make_of(&named, names)
            for i in range(self.n):  # of many sites the tables are in no cache
                PREFETCH(&tables[0, self.hash[i] >> 3 & mask])
                PREFETCH(&tables[1, self.hash[i] >> 3 & mask])
                n_figures += self.kind[i] < 0
            make(&words, self.n - n_figures)
            make(&figures, n_figures)
            n_figures = 0
            for i in range(self.n):
                one = self.hash[i]
                new = not is_known(one, tables, mask)
                self.marks[i] = NEW * new | NAMED * has(&named, one)
                total += self.kind[i] > 0
                unheard += self.kind[i] > 0 and new
                if self.marks[i] == NEW:
                    if self.kind[i] < 0:
                        n_figures += enter(&figures, one)
                    else:
                        n += enter(&words, one)
        finally:
            PyMem_Free(named.slots)
            PyMem_Free(words.slots)
            PyMem_Free(figures.slots)
        return n, n_figures, total, unheard

    def look_at_url(self, Words url not None):
        """Mark the words that a URL says too."""
        cdef Set said
        cdef Py_ssize_t i
        make_of(&said, url)
        for i in range(self.n):
            self.marks[i] |= OF_URL * has(&said, self.hash[i])
        PyMem_Free(said.slots)

    def pairs(self, Which which, const uint8_t[:, ::1] tables):
        """How many distinct pairs of neighbours, both of some kind, a site has not used, of how many.

        For this and `has_new` it must have been looked at.
        """
        cdef Set seen
        cdef uint32_t mask = <uint32_t>tables.shape[1] - 1, pair
        cdef Py_ssize_t i, n = 0, found = 0
        make(&seen, self.n)
        for i in range(self.n - 1):
            if self.is_one(i, which) and self.is_one(i + 1, which):
                pair = pair_of(self.hash[i], self.hash[i + 1])
                if enter(&seen, pair):
                    found += 1
                    n += not is_known(pair, tables, mask)
        PyMem_Free(seen.slots)
        return n, found

    def has_new(self, Which which):
        """Whether some of the words were never used by the site."""
        cdef Py_ssize_t i
        for i in range(self.n):
            if self.marks[i] & NEW and self.is_one(i, which):
                return True
        return False

    cdef inline bint is_one(self, Py_ssize_t i, Which which) noexcept:
        cdef uint8_t ruled_out = NAMED | NEW * (which == OLD) | OF_URL * (which == OWN)
        return self.kind[i] >= 0 and not self.marks[i] & ruled_out

    def note(self, uint8_t[::1] table):
        """Set the bits of the words and their pairs; of how many they were not set, repeats counted."""
        cdef uint32_t mask = <uint32_t>table.shape[0] - 1
        cdef Py_ssize_t i, n = 0
        for i in range(1, self.n):
            PREFETCH(&table[pair_of(self.hash[i - 1], self.hash[i]) >> 3 & mask])
        for i in range(self.n):
            n += not is_set(table, mask, self.hash[i])
            if i:
                n += not is_set(table, mask, pair_of(self.hash[i - 1], self.hash[i]))
        for i in range(self.n):
            put(table, mask, self.hash[i])
            if i:
                put(table, mask, pair_of(self.hash[i - 1], self.hash[i]))
        return n


cdef int make_room(Words words, Py_ssize_t most) except -1:
    """Allocate arrays for so many words."""
    words.hash = <uint32_t *>PyMem_Malloc(6 * most + 1)
    if words.hash == NULL:
        raise MemoryError
    words.kind = <int8_t *>(words.hash + most)
    words.marks = <uint8_t *>(words.kind + most)


cdef void cut_some(
    Words words, const uint8_t *text, Py_ssize_t size, Py_ssize_t cuts, Py_ssize_t each
) noexcept:
    cdef Py_ssize_t at, start, end, first, last
    for at in range(cuts):
        start = first = at * ((size - each) // max(cuts - 1, 1))
        end = start + each
        last = end - 1
        while first < end and text[first] != 32:
            first += 1
        while last > start and text[last] != 32:
            last -= 1
        if first + 1 < last:
            start, end = first + 1, last
        cut(words, text + start, end - start)


cdef void cut(Words words, const Char *text, Py_ssize_t size) noexcept:
    cdef Py_ssize_t i = 0, end, last
    cdef bint letters, unspaced
    cdef uint32_t char
    while i < size:
        if not is_alnum(text[i]):
            i += 1
            continue
        end, letters, unspaced = i, True, False
        while end < size:
            char = text[end]
            if not (is_alnum(char) or is_mark(char)):
                break
            letters = letters and not is_decimal(char)
            unspaced = unspaced or is_unspaced(char)
            end += 1
        if letters and end - i > 1:
            if unspaced:
                say_pairs(words, text + i, end - i)
            else:
                say(words, text + i, end - i, 1)
        elif is_digit(text[i]):
            last = last_digit(text, size, i)
            if last > i:
                end = last + 1
                if is_figure(text + i, end - i):
                    say(words, text + i, end - i, -1)
        i = end


cdef void say_pairs(Words words, const Char *text, Py_ssize_t size) noexcept:
    """Add the overlapping pairs of the letters of a word, each with its marks."""
    cdef Py_ssize_t first = 0, second = next_letter(text, size, 0), end
    while second < size:
        end = next_letter(text, size, second)
        say(words, text + first, end - first, not (is_unspaced(text[first]) or is_unspaced(text[second])))
        first, second = second, end


cdef inline Py_ssize_t next_letter(const Char *text, Py_ssize_t size, Py_ssize_t i) noexcept nogil:
    i += 1
    while i < size and is_mark(text[i]):
        i += 1
    return i


cdef Py_ssize_t last_digit(const Char *text, Py_ssize_t size, Py_ssize_t start) noexcept:
    """The last one of a number with points and commas that has no letter or digit behind."""
    cdef Py_ssize_t i = start + 1, last = start
    while i < size and (is_digit(text[i]) or text[i] == 46 or text[i] == 44):
        if is_digit(text[i]) and not (i + 1 < size and is_alnum(text[i + 1])):
            last = i
        i += 1
    return last


cdef bint is_figure(const Char *text, Py_ssize_t size) noexcept:
    """False for up to three digits, a year, a date: what calendars and counters are made of."""
    cdef Py_ssize_t i, group = 0, groups = 1
    cdef bint short = True  # every group has one to four digits
    for i in range(size):
        if is_digit(text[i]):
            group += 1
            short = short and group <= 4
        else:
            short = short and group > 0
            group, groups = 0, groups + 1
    if groups == 1:
        return group > 4 or group == 4 and not 49 <= text[0] <= 50
    return not (groups == 3 and short)


cdef void say(Words words, const Char *text, Py_ssize_t size, int kind) noexcept:
    """Add a word by the CRC of its UTF-8."""
    cdef uint32_t crc = 0xFFFFFFFF, char
    cdef Py_ssize_t i
    if size > LONGEST_WORD:
        return
    for i in range(size):
        char = text[i]
        if char < 0x80:
            crc = crc_with(crc, LOWER[char])
        else:
            if char < 0x800:
                crc = crc_with(crc, 0xC0 | char >> 6)
            else:
                if char < 0x10000:
                    crc = crc_with(crc, 0xE0 | char >> 12)
                else:
                    crc = crc_with(crc, 0xF0 | char >> 18)
                    crc = crc_with(crc, 0x80 | char >> 12 & 0x3F)
                crc = crc_with(crc, 0x80 | char >> 6 & 0x3F)
            crc = crc_with(crc, 0x80 | char & 0x3F)
    words.hash[words.n] = ~crc
    words.kind[words.n] = kind
    words.n += 1
