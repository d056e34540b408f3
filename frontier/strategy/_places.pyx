# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Checksums of names, and of the folders of URLs."""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DATA
from libc.stdint cimport uint8_t, uint32_t

from frontier._crc cimport crc_begin, crc_with

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text) noexcept

crc_begin()


cdef Py_ssize_t _folder(const uint8_t *url, Py_ssize_t size) noexcept:
    """Where the folder of a URL ends: at the last slash of its path, if there is one."""
    cdef Py_ssize_t i, slash = -1, start = 0
    cdef bint schemed = False
    for i in range(size):
        if url[i] in (c"#", c"?"):
            size = i
            break
        if url[i] == c"/":
            if not schemed and 1 <= i < size - 1 and url[i - 1] == c":" and url[i + 1] == c"/":
                schemed, start, slash = True, i + 2, -1
            elif i >= start:
                slash = i
    return size if slash < 0 else slash


def checksums(list texts not None, bint folders, uint32_t[::1] out):
    """out[k] = CRC-32 of text k in UTF-8, of its folder where `folders`."""
    cdef const uint8_t *data
    cdef Py_ssize_t i, k, size
    cdef uint32_t crc
    cdef str text
    cdef bytes coded
    for k in range(out.shape[0]):
        text = texts[k]
        if PyUnicode_IS_ASCII(text):
            data, size = <const uint8_t *>PyUnicode_DATA(text), len(text)
        else:
            coded = text.encode("utf-8", "surrogatepass")
            data, size = <const uint8_t *>PyBytes_AS_STRING(coded), len(coded)
        if folders:
            size = _folder(data, size)
        crc = 0xFFFFFFFF
        for i in range(size):
            crc = crc_with(crc, data[i])
        out[k] = ~crc
