# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Distances to every id: exactly, 64 sources at a time, or by HyperLogLog counters.

Only links with a weight above 0 are passed in; an id without a row leads nowhere.
"""

from libc.math cimport ldexp
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from ranking._prefetch cimport AHEAD, PREFETCH_WRITE

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define lr_popcount64 (int)__popcnt64
    static int lr_leading_zeros64(unsigned long long x)
    { unsigned long i; _BitScanReverse64(&i, x); return 63 - (int)i; }
    #else
    #define lr_popcount64 __builtin_popcountll
    #define lr_leading_zeros64 __builtin_clzll
    #endif

    #include <string.h>

    /* Join `source` into `target`, both of `width` bytes, a multiple of 16; whether it changed.
       Copies of 16 bytes are what compilers turn into one instruction each. */
    static int lr_join(const unsigned char *source, unsigned char *target, long width)
    {
        int changed = 0;
        for (long block = 0; block < width; block += 16) {
            unsigned char given[16], before[16], larger[16];
            memcpy(given, source + block, 16);
            memcpy(before, target + block, 16);
            for (int j = 0; j < 16; j++) larger[j] = given[j] > before[j] ? given[j] : before[j];
            if (memcmp(larger, before, 16)) {
                memcpy(target + block, larger, 16);
                changed = 1;
            }
        }
        return changed;
    }
    """
    int lr_popcount64(unsigned long long x) noexcept nogil
    int lr_leading_zeros64(unsigned long long x) noexcept nogil
    bint lr_join(const uint8_t* source, uint8_t* target, long width) noexcept nogil


def distances(
    const int32_t[::1] pages,
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const int32_t[::1] row,
    uint64_t[::1] seen,
    uint64_t[::1] now,
    uint64_t[::1] after,
    int32_t[::1] wave,
    int32_t[::1] following,
    double[::1] values,
):
    """Add 1 / d(u, v) to values[v] for every page u and every id v that it reaches.

    64 breadth-first searches share each pass: one bit an id for each of them.

    Args:
        pages: (m,) the id of each row.
        indptr: (m + 1,) links of a row.
        targets: (L,) ids below n.
        row: (n,) row of each id; negative, or m and more, for ids without one.
        seen: (n,) scratch, like `now`, `after`, `wave` and `following`; `now` and `after` zeros.
        values: (n,) changed.

    Returns:
        The longest distance met.

    """
    cdef Py_ssize_t m = pages.shape[0], n = row.shape[0], first, i
    cdef Py_ssize_t size, next_size, longest = 0, level
    cdef int64_t k
    cdef int32_t u, v
    cdef uint64_t bits
    cdef uint64_t *met
    cdef uint64_t *current
    cdef uint64_t *coming
    cdef int32_t *here
    cdef int32_t *there
    if n == 0:
        return 0
    met, current, coming = &seen[0], &now[0], &after[0]
    here, there = &wave[0], &following[0]
    with nogil:
        for first in range(0, m, 64):
            memset(met, 0, n * sizeof(uint64_t))
            size = 0
            for i in range(first, min(first + 64, m)):
                u = pages[i]
                met[u] = current[u] = (<uint64_t>1) << (i - first)
                here[size] = u
                size += 1
            level = 0
            while size:
                level += 1
                next_size = 0
                for i in range(size):
                    u = here[i]
                    if row[u] < 0 or row[u] >= m:
                        continue
                    for k in range(indptr[row[u]], indptr[row[u] + 1]):
                        v = targets[k]
                        bits = current[u] & ~met[v]
                        if bits:
                            if not coming[v]:
                                there[next_size] = v
                                next_size += 1
                            coming[v] |= bits
                for i in range(size):
                    current[here[i]] = 0
                for i in range(next_size):
                    v = there[i]
                    met[v] |= coming[v]
                    values[v] += lr_popcount64(coming[v]) / <double>level
                if next_size and level > longest:
                    longest = level
                current, coming = coming, current
                here, there = there, here
                size = next_size
    return longest


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    # splitmix64 (Steele, Lea, Flood 2014): ids in a row come out as if drawn at random.
    x = x + <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


def count_self(uint8_t[:, ::1] registers, int precision):
    """Put every id into its own counter; registers (n, 2**precision) are zeros before."""
    cdef Py_ssize_t n = registers.shape[0], i
    cdef uint64_t bits, rest
    with nogil:
        for i in range(n):
            bits = mixed(<uint64_t>i)
            # The lowest bit set: a rank that cannot exceed what is left of the 64 bits.
            rest = (bits << precision) | ((<uint64_t>1) << (precision - 1))
            registers[i, bits >> (64 - precision)] = <uint8_t>(lr_leading_zeros64(rest) + 1)


def estimate(
    const uint8_t[:, ::1] registers, const int32_t[::1] ids, double[::1] sizes
):
    """Write the number of ids in each counter to `sizes` (k,); Ertl 2017, algorithm 4."""
    cdef Py_ssize_t count = ids.shape[0], width = registers.shape[1], i, j
    cdef const uint8_t* counter
    cdef double power, total, x, y, before, zeros
    cdef double[256] powers
    for i in range(256):
        powers[i] = ldexp(1.0, -<int>i)
    with nogil:
        for i in range(count):
            counter = &registers[ids[i], 0]
            total = 0
            zeros = 0
            for j in range(width):
                total += powers[counter[j]]
                zeros += counter[j] == 0
            # An empty register is worth σ(share of empty ones) instead of 1: no bias where small.
            x = zeros / width
            if x < 1:
                y = 1
                power = x
                before = -1
                while power != before:
                    x = x * x
                    before = power
                    power += x * y
                    y += y
                sizes[i] = 0.7213475204444817 * width * width / (total - zeros + width * power)
            else:
                sizes[i] = 0


def spread(
    const int64_t[::1] indptr,
    const int32_t[::1] targets,
    const int32_t[::1] rows,
    const uint8_t[:, ::1] given,
    uint8_t[:, ::1] registers,
    uint8_t[::1] marked,
    int32_t[::1] changed,
):
    """Join the counters of `rows` into those of the ids they link to.

    Args:
        indptr: (m + 1,) links of a row.
        targets: (L,) ids below n.
        rows: (k,) rows whose counters changed in the last pass.
        given: (k, width) their counters as they were after it.
        registers: (n, width) all counters, changed.
        marked: (n,) zeros, before and after.
        changed: (n,) out: ids whose counters changed.

    Returns:
        The number of them.

    """
    cdef Py_ssize_t count = rows.shape[0], width = given.shape[1], size = 0, i
    cdef int64_t k, links = targets.shape[0]
    cdef int32_t v
    cdef const uint8_t* source
    with nogil:
        for i in range(count):
            source = &given[i, 0]
            for k in range(indptr[rows[i]], indptr[rows[i] + 1]):
                if k + AHEAD < links:
                    PREFETCH_WRITE(&registers[targets[k + AHEAD], 0])
                v = targets[k]
                if lr_join(source, &registers[v, 0], width) and not marked[v]:
                    marked[v] = 1
                    changed[size] = v
                    size += 1
        for i in range(size):
            marked[changed[i]] = 0
    return size


def copy_rows(const uint8_t[:, ::1] registers, const int32_t[::1] ids, uint8_t[:, ::1] given):
    """Copy the counters of ids (k,) to `given` (k, width)."""
    cdef Py_ssize_t count = ids.shape[0], i
    with nogil:
        for i in range(count):
            memcpy(&given[i, 0], &registers[ids[i], 0], registers.shape[1])
