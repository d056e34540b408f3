# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Words in a row as 64-bit numbers, the ones that rensa gives them (Fx hashing, 64-bit machines)."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DATA
from libc.stdint cimport uint8_t, uint64_t

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text) noexcept

cdef extern from *:
    """
    #include <string.h>

    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define LITTLE(bits, number) __builtin_bswap##bits(number)
    #else
    #define LITTLE(bits, number) (number)
    #endif

    static inline uint64_t eight(const uint8_t *at) {
        uint64_t found;
        memcpy(&found, at, 8);
        return LITTLE(64, found);
    }

    static inline uint64_t four(const uint8_t *at) {
        uint32_t found;
        memcpy(&found, at, 4);
        return LITTLE(32, found);
    }

    /* Both halves of the 128-bit product, folded. */
    static inline uint64_t mixed(uint64_t a, uint64_t b) {
        __uint128_t product = (__uint128_t)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }

    static inline uint64_t fx(const uint8_t *text, uint64_t size) {
        uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707344, at = 0, number;
        if (size > 16) {
            for (; at < size - 16; at += 16) {
                number = mixed(a ^ eight(text + at),
                               0xa4093822299f31d0 ^ eight(text + at + 8));
                a = b;
                b = number;
            }
        }
        if (size >= 8) {
            a ^= eight(text + (size > 16 ? size - 16 : 0));
            b ^= eight(text + size - 8);
        } else if (size >= 4) {
            a ^= four(text);
            b ^= four(text + size - 4);
        } else if (size > 0) {
            a ^= text[0];
            b ^= (uint64_t)text[size - 1] << 8 | text[size / 2];
        }
        number = (mixed(a, b) ^ size) * 0xf1357aea2e62a9c5;
        return number << 26 | number >> 38;
    }
    """
    uint64_t fx(const uint8_t *text, uint64_t size) noexcept

cdef enum:
    IN_A_ROW = 3


def lowered(str text):
    """A text of ASCII with single spaces between words, in lower case, and its words; or None.

    None too where there may be other white space, or a space at an end: as visible text has none.
    """
    cdef Py_ssize_t size = len(text), i
    cdef unsigned int spaces = 0, odd = 0
    cdef const uint8_t *old
    cdef uint8_t *new
    cdef bytes found
    if not size or not PyUnicode_IS_ASCII(text):
        return None
    old = <const uint8_t *>PyUnicode_DATA(text)
    if old[0] <= 32 or old[size - 1] <= 32:
        return None
    found = PyBytes_FromStringAndSize(NULL, size)
    new = <uint8_t *>PyBytes_AS_STRING(found)
    new[0] = old[0] + ((<uint8_t>(old[0] - 65) < 26) << 5)
    for i in range(1, size):
        spaces += old[i] == 32
        odd |= (old[i] < 32) | (old[i] == 32) & (old[i - 1] == 32)
        new[i] = old[i] + ((<uint8_t>(old[i] - 65) < 26) << 5)
    return None if odd else (found, spaces + 1)


def spaced(bytes text):
    """The text with one space for any white space of ASCII and none at its ends, and its words."""
    cdef const uint8_t *old = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef Py_ssize_t size = len(text), n = 0, words = 0, i
    cdef bytes found = PyBytes_FromStringAndSize(NULL, size)
    cdef uint8_t *new = <uint8_t *>PyBytes_AS_STRING(found)
    cdef bint within = False
    for i in range(size):
        if old[i] == 32 or 9 <= old[i] <= 13:
            within = False
            continue
        if not within:
            within = True
            if words:
                new[n] = 32
                n += 1
            words += 1
        new[n] = old[i]
        n += 1
    return found if n == size else found[:n], words


def shingles(bytes text, uint64_t[::1] out):
    """Fill `out` with the numbers of the first shingles of a text with one space between words."""
    cdef const uint8_t *said = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef Py_ssize_t size = len(text), i, n = 0, words = 0
    cdef Py_ssize_t[IN_A_ROW] starts  # of the last words, in turns
    starts[0] = 0
    for i in range(size + 1):
        if i == size or said[i] == 32:
            if words >= IN_A_ROW - 1:
                if n == out.shape[0]:
                    break
                out[n] = fx(said + starts[(words + 1) % IN_A_ROW], i - starts[(words + 1) % IN_A_ROW])
                n += 1
            words += 1
            starts[words % IN_A_ROW] = i + 1


def low_bytes(list numbers):
    """The lowest byte of each of some numbers of 32 bits."""
    cdef Py_ssize_t i, n = len(numbers)
    cdef bytes found = PyBytes_FromStringAndSize(NULL, n)
    cdef char *out = PyBytes_AS_STRING(found)
    for i in range(n):
        out[i] = <char>(<uint64_t>numbers[i] & 0xFF)
    return found
