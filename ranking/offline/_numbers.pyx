# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Names that are numbers: reading them, and closing the gaps between them.

Integer ids may have gaps, and count from 1 as often as from 0; a graph wants 0 to n - 1. One bit
for each possible number says which occur, and the number of bits before it is the id: a table of
ids would take 32 bits for each number up to the highest.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from ranking._prefetch cimport AHEAD, PREFETCH, PREFETCH_WRITE

cdef extern from *:
    """
    #define POPCOUNT(x) __builtin_popcountll(x)
    #define LOWEST(x) __builtin_ctzll(x)
    """
    int POPCOUNT(uint64_t x) noexcept nogil
    int LOWEST(uint64_t x) noexcept nogil

cdef enum:
    MAX_ID = 2147483647
    NUMBER = 0
    NO_NUMBER = 1
    NEGATIVE = 2


def parse_numbers(
    const unsigned char[::1] text,
    const int64_t[::1] starts,
    const int32_t[::1] lengths,
    int32_t[::1] out,
):
    """Integers in [0, 2**31 - 1) as one would write them: digits only, no leading zeros.

    Returns how many were read before the first that is none, and what that is: 0 nothing, 1 no
    such number, 2 a negative integer.
    """
    cdef int64_t k = 0, size = starts.shape[0]
    cdef int status = NUMBER
    with nogil:
        while k < size:
            status = parse(&text[starts[k]], lengths[k], &out[k])
            if status != NUMBER:
                break
            k += 1
    return k, status


cdef inline int parse(const unsigned char *text, int32_t length, int32_t *out) noexcept nogil:
    cdef int64_t number = 0
    cdef int32_t k
    if text[0] == c"-" and length > 1 and c"0" <= text[1] <= c"9":
        return NEGATIVE
    if length > 10 or (text[0] == c"0" and length > 1):
        return NO_NUMBER
    for k in range(length):
        if not c"0" <= text[k] <= c"9":
            return NO_NUMBER
        number = number * 10 + (text[k] - c"0")
    if number >= MAX_ID:
        return NO_NUMBER
    out[0] = <int32_t>number
    return NUMBER


def mark(const int32_t[::1] numbers, uint64_t[::1] bits):
    """Set the bit of every number."""
    cdef int64_t k, size = numbers.shape[0]
    with nogil:
        for k in range(size):
            if k + AHEAD < size:
                PREFETCH_WRITE(&bits[numbers[k + AHEAD] >> 6])
            bits[numbers[k] >> 6] |= <uint64_t>1 << (numbers[k] & 63)


def count_before(const uint64_t[::1] bits, int32_t[::1] before):
    """before[w] = bits set in the words before w; returns the bits set in all."""
    cdef int64_t w, total = 0
    with nogil:
        for w in range(bits.shape[0]):
            before[w] = <int32_t>total
            total += POPCOUNT(bits[w])
    return total


def list_marked(const uint64_t[::1] bits, int32_t[::1] out):
    """The numbers whose bits are set, ascending."""
    cdef int64_t w, used = 0
    cdef uint64_t word
    with nogil:
        for w in range(bits.shape[0]):
            word = bits[w]
            while word:
                out[used] = <int32_t>(w * 64 + LOWEST(word))
                used += 1
                word &= word - 1


def renumber(int32_t[::1] numbers, const uint64_t[::1] bits, const int32_t[::1] before):
    """Replace every number, all of which are marked, by its place among the marked ones."""
    cdef int64_t k, word, size = numbers.shape[0]
    cdef uint64_t below
    with nogil:
        for k in range(size):
            if k + AHEAD < size:
                PREFETCH(&bits[numbers[k + AHEAD] >> 6])
                PREFETCH(&before[numbers[k + AHEAD] >> 6])
            word, below = numbers[k] >> 6, (<uint64_t>1 << (numbers[k] & 63)) - 1
            numbers[k] = before[word] + POPCOUNT(bits[word] & below)
