# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Where each of many distinct numbers stands in an array, found by the number.

A hash table of rows alone, 4 bytes a place: the numbers are compared where they stand. It is cut
into SHARDS that grow one by one, so that no growth stalls a crawl and none needs twice the memory.
A number is multiplied by a secret odd one, and the upper bits say where it lies (universal hashing;
Dietzfelbinger et al. 1997): nobody can make up numbers that all lie at one place.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

import secrets

from ranking._prefetch cimport AHEAD, PREFETCH_WRITE

cdef enum:
    BITS = 6
    SHARDS = 1 << BITS
    FREE = -1

cdef struct Shard:
    int32_t *rows
    uint32_t size
    uint32_t used


cdef class FingerprintTable:
    """Rows of an int64 array by their values; the array is passed in each time, for it grows."""

    cdef Shard shards[SHARDS]
    cdef uint64_t secret

    def __cinit__(self):
        memset(self.shards, 0, sizeof(self.shards))
        self.secret = secrets.randbits(64) | 1

    def __dealloc__(self):
        for number in range(SHARDS):
            free(self.shards[number].rows)

    def enter(self, const int64_t[::1] values, Py_ssize_t first):
        """Enter the rows from `first` on; False at one whose value is there already.

        Raises MemoryError with those before the one it happened at entered.
        """
        cdef Py_ssize_t row
        cdef uint64_t mixed
        cdef uint64_t ahead
        cdef Shard *shard
        for row in range(first, values.shape[0]):
            if row + AHEAD < values.shape[0]:
                ahead = <uint64_t>values[row + AHEAD] * self.secret
                shard = &self.shards[ahead >> (64 - BITS)]
                if shard.size:
                    PREFETCH_WRITE(&shard.rows[place(ahead, shard.size)])
            mixed = <uint64_t>values[row] * self.secret
            shard = &self.shards[mixed >> (64 - BITS)]
            # Full to three quarters at most: a search for what is not there looks at 8 places.
            if 4 * <uint64_t>(shard.used + 1) > 3 * <uint64_t>shard.size:
                self.grow(shard, values, (values.shape[0] - row) // SHARDS)
            if not put(shard, values, mixed, <int32_t>row):
                return False
            shard.used += 1
        return True

    def find(self, const int64_t[::1] values, wanted):
        """Return the rows of some values, a list; -1 for what was never entered."""
        cdef int64_t value
        return [self.row_of(values, value) for value in wanted]

    cdef int32_t row_of(self, const int64_t[::1] values, int64_t value) noexcept:
        cdef uint64_t mixed = <uint64_t>value * self.secret
        cdef Shard *shard = &self.shards[mixed >> (64 - BITS)]
        cdef uint32_t at
        cdef int32_t row
        if shard.used == 0:
            return FREE
        at = place(mixed, shard.size)
        while True:
            row = shard.rows[at]
            if row == FREE or values[row] == value:
                return row
            at = at + 1 if at + 1 < shard.size else 0

    cdef int grow(self, Shard *shard, const int64_t[::1] values, uint32_t more) except -1:
        """Give a shard a quarter more places, or room for so many more rows."""
        cdef uint32_t size = max(shard.size + shard.size // 4, (shard.used + more) // 5 * 7) + 16
        cdef uint32_t before = shard.size
        cdef int32_t *moved = <int32_t *>malloc(max(before, 1) * sizeof(int32_t))
        cdef int32_t *rows = NULL
        cdef uint32_t at
        if moved != NULL:
            memcpy(moved, shard.rows, before * sizeof(int32_t))
            rows = <int32_t *>realloc(shard.rows, size * sizeof(int32_t))
        if rows == NULL:
            free(moved)
            raise MemoryError("the index of known URLs cannot grow")
        shard.rows, shard.size = rows, size
        memset(rows, 0xFF, size * sizeof(int32_t))
        for at in range(before):
            if moved[at] != FREE:
                put(shard, values, <uint64_t>values[moved[at]] * self.secret, moved[at])
        free(moved)
        return 0


cdef inline uint32_t place(uint64_t mixed, uint32_t size) noexcept nogil:
    """Scale the 32 bits below those of the shard to the places that there are."""
    return <uint32_t>((((mixed << BITS) >> 32) * size) >> 32)


cdef bint put(Shard *shard, const int64_t[::1] values, uint64_t mixed, int32_t row) noexcept nogil:
    """Take the first free place; False where the row's value was on the way to it."""
    cdef uint32_t at = place(mixed, shard.size)
    while shard.rows[at] != FREE:
        if values[shard.rows[at]] == values[row]:
            return False
        at = at + 1 if at + 1 < shard.size else 0
    shard.rows[at] = row
    return True
