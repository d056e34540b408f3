# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Numbers of places by their keys: a table of 6 to 12 bytes a place, where a dict takes 90."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef uint64_t ODD = 0x9E3779B97F4A7C15  # 2**64 / golden ratio


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
