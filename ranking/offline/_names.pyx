# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""A table of names: bytes -> id in the order of first appearance, and back.

The bytes of all names lie in one arena, one after the other; `ends` says where each ends. A hash
table with linear probing leads from a name to its id: 8 bytes a slot, half of them hash, so that
other names are nearly always told apart without a look at the arena; equal ones are compared byte
by byte. A name costs its bytes, 8 for its end and 13 to 27 for its slots; a dict of Python
strings would take 150 more.

Interning is bound by memory that is not in the cache: a slot, the end, the bytes. All three are
asked for ahead, in steps of STEP names.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

import os

from ranking._prefetch cimport PREFETCH

cdef extern from *:
    """
    /* Both halves of the 128-bit product, folded: every bit of either factor reaches the result. */
    static inline uint64_t fold(uint64_t a, uint64_t b) {
        __uint128_t product = (__uint128_t)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    """
    uint64_t fold(uint64_t a, uint64_t b) noexcept nogil

cdef enum:
    STEP = 8  # names between asking for a cache line and using it; 4 and 16 were no faster
    RING = 32  # hashes kept, a power of 2 above 3 * STEP
    MAX_NAMES = 2147483646
    FIRST_SLOTS = 1024

cdef uint64_t ODD = 0x9E3779B97F4A7C15  # 2**64 / golden ratio
cdef uint64_t ODDER = 0xD1B54A32D192ED03


cdef class NameTable:
    """Ids 0 to n - 1 of n distinct names.

    Invariant: slot = (high half of the hash) << 32 | id + 1, or 0 if free; at most 5 of 8 slots
    are taken, so that every probe ends. Slots are NULL after `drop_slots`.
    """

    cdef uint8_t *arena
    cdef int64_t room  # bytes of the arena
    cdef int64_t *ends  # ends[0] = 0; name k is arena[ends[k]:ends[k + 1]]
    cdef int64_t ends_room
    cdef uint64_t *slots
    cdef uint64_t mask
    cdef int64_t n
    cdef uint64_t seed

    def __cinit__(self):
        self.ends = <int64_t *>PyMem_RawMalloc(64 * sizeof(int64_t))
        self.slots = <uint64_t *>PyMem_RawCalloc(FIRST_SLOTS, sizeof(uint64_t))
        self.arena = <uint8_t *>PyMem_RawMalloc(64)
        if self.ends == NULL or self.slots == NULL or self.arena == NULL:
            raise MemoryError
        self.ends[0] = 0
        self.ends_room, self.room, self.mask = 64, 64, FIRST_SLOTS - 1
        # From outside, so that no file can be made whose names all collide.
        self.seed = int.from_bytes(os.urandom(8), "little")

    def __dealloc__(self):
        PyMem_RawFree(self.ends)
        PyMem_RawFree(self.slots)
        PyMem_RawFree(self.arena)

    def __len__(self):
        return self.n

    def drop_slots(self):
        """Give back the memory of the hash table; it is made anew when a name is looked for."""
        PyMem_RawFree(self.slots)
        self.slots, self.mask = NULL, 0

    cdef str text(self, int64_t k):
        cdef int64_t start = self.ends[k]
        return PyUnicode_DecodeUTF8(<char *>self.arena + start, self.ends[k + 1] - start, NULL)

    def take(self, const int64_t[::1] ids):
        """The list of the names of ids, all in [0, n)."""
        cdef int64_t k
        return [self.text(ids[k]) for k in range(ids.shape[0])]

    def holds(self, int byte):
        """Whether any name holds this byte."""
        return memchr(self.arena, byte, self.ends[self.n]) != NULL

    def intern(
        self,
        const unsigned char[::1] text,
        const int64_t[::1] starts,
        const int32_t[::1] lengths,
        int32_t[::1] out,
        bint add=True,
    ):
        """out[k] = id of name k, text[starts[k]:starts[k] + lengths[k]]; new names get new ids.

        Without `add` they get -1 and are not kept. Names are valid UTF-8. Raises OverflowError when
        there would be 2**31 - 1 names.
        """
        cdef int64_t size = starts.shape[0], more = size if add else 0, bytes_more = 0, k
        if size == 0:
            return
        for k in range(more):
            bytes_more += lengths[k]
        if self.n + more > MAX_NAMES:
            raise OverflowError(f"more than {MAX_NAMES} names")
        self.reserve(more, bytes_more)
        with nogil:
            self.run(&text[0] if text.shape[0] else NULL, &starts[0], &lengths[0], &out[0], size, add)

    cdef void run(
        self,
        const unsigned char *text,
        const int64_t *starts,
        const int32_t *lengths,
        int32_t *out,
        int64_t size,
        bint add,
    ) noexcept nogil:
        cdef uint64_t[RING] hashes
        cdef int64_t k, ahead
        cdef uint64_t slot
        for k in range(-3 * STEP, size):
            ahead = k + 3 * STEP
            if ahead < size:
                hashes[ahead & (RING - 1)] = self.hash(text + starts[ahead], lengths[ahead])
                PREFETCH(&self.slots[hashes[ahead & (RING - 1)] & self.mask])
            ahead = k + 2 * STEP
            if 0 <= ahead < size:
                slot = self.slots[hashes[ahead & (RING - 1)] & self.mask]
                if slot:
                    PREFETCH(&self.ends[<int64_t><uint32_t>slot - 1])
            ahead = k + STEP
            if 0 <= ahead < size:
                slot = self.slots[hashes[ahead & (RING - 1)] & self.mask]
                if slot:
                    PREFETCH(&self.arena[self.ends[<int64_t><uint32_t>slot - 1]])
            if k >= 0:
                out[k] = self.place(text + starts[k], lengths[k], hashes[k & (RING - 1)], add)

    cdef inline int32_t place(
        self, const unsigned char *name, int32_t length, uint64_t hash, bint add
    ) noexcept nogil:
        cdef uint64_t at = hash & self.mask, slot
        cdef int64_t k
        while self.slots[at]:
            slot = self.slots[at]
            if slot >> 32 == hash >> 32:
                k = <int64_t><uint32_t>slot - 1
                if self.equals(k, name, length):
                    return <int32_t>k
            at = (at + 1) & self.mask
        if not add:
            return -1
        k = self.n
        memcpy(self.arena + self.ends[k], name, length)
        self.ends[k + 1] = self.ends[k] + length
        self.slots[at] = (hash >> 32) << 32 | <uint64_t>(k + 1)
        self.n += 1
        return <int32_t>k

    cdef inline bint equals(
        self, int64_t k, const unsigned char *name, int32_t length
    ) noexcept nogil:
        cdef int64_t start = self.ends[k]
        return (
            self.ends[k + 1] - start == length and memcmp(self.arena + start, name, length) == 0
        )

    cdef inline uint64_t hash(self, const unsigned char *name, int64_t length) noexcept nogil:
        cdef uint64_t state = self.seed ^ (<uint64_t>length * ODD), word
        while length >= 8:
            memcpy(&word, name, 8)
            state = fold(state ^ word, ODDER)
            name += 8
            length -= 8
        word = 0
        memcpy(&word, name, length)
        return fold(state ^ word ^ ODD, ODDER)

    cdef reserve(self, int64_t names, int64_t bytes_more):
        """Make room for so many new names, so that `run` never has to."""
        cdef void *moved
        cdef int64_t need = self.ends[self.n] + bytes_more
        if need > self.room:
            # Realloc moves pages, not bytes, and what is not written yet takes no memory.
            moved = PyMem_RawRealloc(self.arena, max(need, self.room + self.room // 2))
            if moved == NULL:
                raise MemoryError
            self.arena, self.room = <uint8_t *>moved, max(need, self.room + self.room // 2)
        need = self.n + names + 1
        if need > self.ends_room:
            need = max(need, self.ends_room + self.ends_room // 2)
            moved = PyMem_RawRealloc(self.ends, need * sizeof(int64_t))
            if moved == NULL:
                raise MemoryError
            self.ends, self.ends_room = <int64_t *>moved, need
        if self.slots == NULL or (self.n + names) * 8 > (<int64_t>self.mask + 1) * 5:
            self.rehash(self.n + names)

    cdef rehash(self, int64_t names):
        cdef uint64_t size = FIRST_SLOTS if self.slots == NULL else self.mask + 1
        while names * 8 > <int64_t>size * 5:
            size *= 2
        cdef uint64_t *slots = <uint64_t *>PyMem_RawCalloc(size, sizeof(uint64_t))
        if slots == NULL:
            raise MemoryError
        PyMem_RawFree(self.slots)
        self.slots, self.mask = slots, size - 1
        with nogil:
            self.fill()

    cdef void fill(self) noexcept nogil:
        cdef int64_t k
        cdef uint64_t hash, at
        for k in range(self.n):
            hash = self.hash(self.arena + self.ends[k], self.ends[k + 1] - self.ends[k])
            at = hash & self.mask
            while self.slots[at]:
                at = (at + 1) & self.mask
            self.slots[at] = (hash >> 32) << 32 | <uint64_t>(k + 1)
