# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""URLs that have nothing odd about them, as nearly all, told at a glance."""

from cpython.unicode cimport PyUnicode_DATA
from libc.stdint cimport uint8_t
from libc.string cimport memcmp

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text) noexcept

cdef enum:
    MOST_PARTS = 24
    ORIGIN = 3  # parts before those of the path: scheme, nothing, host


def is_plain(str url not None, Py_ssize_t parts, Py_ssize_t arguments):
    """Whether a URL has so many parts and arguments at most, no part twice, no escapes of escapes.

    False too for some of which that is true: ones with more than 24 parts, or not in ASCII.
    """
    cdef const uint8_t *text
    cdef const uint8_t *start[MOST_PARTS]
    cdef Py_ssize_t length[MOST_PARTS]
    cdef Py_ssize_t size = len(url), i, end, path, n = 0, met = 0, seen
    if not PyUnicode_IS_ASCII(url):
        return False
    text = <const uint8_t *>PyUnicode_DATA(url)
    path = size
    for i in range(size):
        if text[i] == 37 and i + 2 < size and text[i + 1] == 50 and text[i + 2] == 53:  # %25
            return False
        if text[i] == 59 and i >= 3 and text[i - 1] == 112 and text[i - 2] == 109:  # mp;
            return False
        if path == size:
            path = i if text[i] == 63 else size  # a question mark
        else:
            n += text[i] == 38  # an ampersand
    if path < size and n + 1 > arguments:
        return False
    while path and text[path - 1] == 47:
        path -= 1
    i, n = 0, 0
    while True:
        end = i
        while end < path and text[end] != 47:
            end += 1
        if met >= ORIGIN:
            if n == parts or n == MOST_PARTS:
                return False
            start[n], length[n] = text + i, end - i
            for seen in range(n):
                if length[seen] == end - i and not memcmp(start[seen], text + i, end - i):
                    return False
            n += 1
        met += 1
        if end >= path:
            return True
        i = end + 1
