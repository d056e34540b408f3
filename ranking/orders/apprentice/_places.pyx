# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Numbers of places by their keys: a table of 6 to 12 bytes a place, where a dict takes 90.

And what was tried there, in sums over the places.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef uint64_t ODD = 0x9E3779B97F4A7C15  # 2**64 / golden ratio

cdef int64_t _UNIT = 2**12
UNIT = _UNIT


cdef inline uint64_t _slot(
    uint32_t key, const uint32_t[::1] keys, const int32_t[::1] slots
) noexcept nogil:
    """Where a key stands, or would."""
    cdef uint64_t mask = slots.shape[0] - 1, at = (key * ODD) >> 32 & mask
    while slots[at] != 0 and keys[slots[at] - 1] != key:
        at = (at + 1) & mask
    return at


def find(
    const uint32_t[::1] wanted,
    const uint32_t[::1] keys,
    const int32_t[::1] slots,
    int32_t[::1] numbers,
):
    """numbers[k] = place of the key wanted[k] in `keys`, -1 for none; returns whether some have none.

    `slots` hold 1 more than a number, 0 for none; a power of two of them, not all in use.
    """
    cdef Py_ssize_t k
    cdef bint missing = False
    for k in range(wanted.shape[0]):
        numbers[k] = slots[_slot(wanted[k], keys, slots)] - 1
        missing |= numbers[k] < 0
    return missing


def insert(const uint32_t[::1] keys, int32_t[::1] slots, int32_t first):
    """Let `slots` know the keys from `first` on."""
    cdef int32_t number
    for number in range(first, keys.shape[0]):
        slots[_slot(keys[number], keys, slots)] = number + 1


cdef class Tries:
    """Sums over places of what was tried there: pages fetched, and pages tried in vain.

    They are whole numbers: neither the order of tries nor where a crawl was resumed shows in them.
    That holds for up to 30 million tries at a place.
    """

    cdef readonly int64_t places  # that were tried
    cdef readonly int64_t rates  # their shares of pages fetched, in 1 / UNIT
    cdef readonly int64_t tries  # at places with two and more of them
    cdef readonly int64_t fetched  # of these
    cdef readonly int64_t differing  # tries there that went otherwise than another, in 1 / UNIT

    def count(self, int64_t pages, int64_t failed, int64_t more_pages, int64_t more_failed):
        """At a place where so many were fetched and failed, so many more are."""
        self._add(pages, failed, -1)
        self._add(pages + more_pages, failed + more_failed, 1)

    def take(self, const int32_t[::1] pages, const int32_t[::1] failed):
        """Places where so many were fetched and failed come to it."""
        cdef Py_ssize_t k
        for k in range(pages.shape[0]):
            self._add(pages[k], failed[k], 1)

    cdef void _add(self, int64_t pages, int64_t failed, int sign) noexcept:
        cdef int64_t tries = pages + failed
        if tries == 0:
            return
        self.places += sign
        self.rates += sign * (_UNIT * pages // tries)
        if tries > 1:
            self.tries += sign * tries
            self.fetched += sign * pages
            self.differing += sign * (2 * _UNIT * pages * failed // (tries - 1))
