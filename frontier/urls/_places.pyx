# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Checksums of names, of the folders of URLs, and of their templates."""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DATA
from libc.stdint cimport uint8_t, uint32_t

from frontier._crc cimport crc_begin, crc_with

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text) noexcept

crc_begin()

cpdef enum Part:
    WHOLE
    FOLDER
    TEMPLATE


cdef Py_ssize_t _folder(const uint8_t *url, Py_ssize_t size) noexcept:
    """The end of the folder of a URL: the last slash of its path, or the end of the URL."""
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


cdef Py_ssize_t _path(const uint8_t *url, Py_ssize_t size) noexcept:
    """The beginning of the path of a URL: the first slash behind its host, if any."""
    cdef Py_ssize_t i
    for i in range(size):
        if url[i] in (c"#", c"?"):
            return i
        if url[i] == c"/":
            if 1 <= i < size - 1 and url[i - 1] == c":" and url[i + 1] == c"/":
                for i in range(i + 2, size):
                    if url[i] in (c"/", c"?", c"#"):
                        return i
                return size
            return i
    return size


cdef uint32_t _masked(
    const uint8_t *part, Py_ssize_t size, bint last, uint32_t crc
) noexcept:
    """The checksum continued by the kind of a part of a path, and by its ending."""
    cdef Py_ssize_t i, dot = -1
    cdef bint digits = False, others = False
    for i in range(size):
        if last and part[i] == c"." and i > 0:
            dot = i
    if dot < 0 or size - dot > 6:
        dot = size
    for i in range(dot):
        if c"0" <= part[i] <= c"9":
            digits = True
        else:
            others = True
    if others:
        crc = crc_with(crc, c"A" if digits else c"W")
    elif digits:
        crc = crc_with(crc, c"N")
    for i in range(dot, size):
        crc = crc_with(crc, part[i])
    return crc


cdef uint32_t _template(const uint8_t *url, Py_ssize_t size, uint32_t crc) noexcept:
    """The checksum of a URL whose names, numbers and values are masked.

    Of the path the first part stays, if others follow and it holds no digit; of the query its keys.
    """
    cdef Py_ssize_t i, j, at = _path(url, size)
    cdef bint first = True, last, literal
    for i in range(at):
        crc = crc_with(crc, url[i])
    while at < size and url[at] == c"/":
        at += 1
        i = at
        literal = first
        while at < size and url[at] not in (c"/", c"?", c"#"):
            if c"0" <= url[at] <= c"9":
                literal = False
            at += 1
        last = at >= size or url[at] != c"/"
        crc = crc_with(crc, c"/")
        if literal and not last:
            for j in range(i, at):
                crc = crc_with(crc, url[j])
        else:
            crc = _masked(url + i, at - i, last, crc)
        first = False
    if at < size and url[at] == c"?":
        literal = True
        while at < size and url[at] != c"#":
            if url[at] in (c"?", c"&"):
                literal = True
            elif url[at] == c"=":
                literal = False
            if literal:
                crc = crc_with(crc, url[at])
            at += 1
    return crc


def checksums(list texts not None, Part part, uint32_t[::1] out):
    """out[k] = CRC-32 of text k in UTF-8, or of a part of it."""
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
        crc = 0xFFFFFFFF
        if part == TEMPLATE:
            out[k] = ~_template(data, size, crc)
            continue
        if part == FOLDER:
            size = _folder(data, size)
        for i in range(size):
            crc = crc_with(crc, data[i])
        out[k] = ~crc
