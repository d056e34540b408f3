# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Who says what of the targets of a page's links, in 32 bits each."""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DATA
from libc.stdint cimport uint8_t, uint32_t

from frontier._crc cimport crc_begin, crc_with

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text) noexcept

crc_begin()

cdef uint8_t[256] LOWER
for _code in range(256):
    LOWER[_code] = _code + 32 if 65 <= _code <= 90 else _code


cdef uint32_t spoken(uint32_t crc, str text) except? 0:
    """The checksum that goes on with a text in UTF-8, whatever its letter case."""
    cdef const uint8_t *data
    cdef bytes folded
    cdef Py_ssize_t i, size
    if PyUnicode_IS_ASCII(text):
        data, size = <const uint8_t *>PyUnicode_DATA(text), len(text)
        for i in range(size):
            crc = crc_with(crc, LOWER[data[i]])
        return crc
    folded = text.casefold().encode("utf-8", "replace")
    data, size = <const uint8_t *>PyBytes_AS_STRING(folded), len(folded)
    for i in range(size):
        crc = crc_with(crc, data[i])
    return crc


cdef inline uint32_t half(uint32_t crc) noexcept:
    cdef uint32_t folded = (~crc ^ ~crc >> 16) & 0xFFFF
    return folded if folded else 1


def voices(str host not None, list said not None):
    """Of each (anchor, context) of links of a host, in order: see `voice_of`."""
    cdef uint32_t here = spoken(spoken(0xFFFFFFFF, host), "\n"), crc
    cdef str anchor, context
    cdef list found = []
    for anchor, context in said:
        crc = spoken(here, anchor)
        found.append(half(crc) << 16 | half(spoken(crc, context)))
    return found
