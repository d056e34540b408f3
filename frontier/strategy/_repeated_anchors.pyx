# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Who has said what of a URL: links one after the other, each after what those before it said.

`first` and `row` have one value a URL, `more` MOST - 1 a row, as `repeated_anchors` describes them.
Targets are URL ids for which the columns have room. 0 is no voice.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef enum:
    MOST = 8  # voices remembered of a URL
    CUES = 3

MOST_VOICES = MOST


cdef struct Told:
    bint voice  # whether the URL has had the voice
    bint words  # or one of the same upper half
    int free  # the first place for another, MOST where there is none


cdef Told told(uint32_t first, const uint32_t *more, uint32_t voice) noexcept nogil:
    cdef Told found
    cdef uint32_t one
    cdef int at
    found.voice = found.words = False
    found.free = MOST
    for at in range(MOST):
        one = more[at - 1] if at else first
        found.voice |= one == voice
        found.words |= one >> 16 == voice >> 16
        if one == 0 and found.free == MOST:
            found.free = at
    return found


cdef int check(Py_ssize_t k, tuple lengths) except -1:
    """What is said of k links must be of length k."""
    for one in lengths:
        if one != k:
            raise ValueError(f"expected what {k} links say, got {one}")
    return 0


cdef bint is_new(uint64_t[::1] table, uint64_t key) noexcept nogil:
    """Whether a key is in the table for the first time; its size is a power of two."""
    cdef uint64_t mask = table.shape[0] - 1
    cdef uint64_t at = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & mask
    while table[at] != 0:
        if table[at] == key:
            return False
        at = (at + 1) & mask
    table[at] = key
    return True


def mark(
    const uint32_t[::1] first,
    const int32_t[::1] row,
    const uint32_t[:, ::1] more,
    const int32_t[::1] targets,
    const uint32_t[::1] voices,
    uint64_t[:, ::1] seen,
    uint8_t[::1] flags,
    uint8_t repeated,
    uint8_t said,
):
    """Flag links whose voice, or the upper half of it, has spoken of the target before.

    `seen` are two rows of zeros for what the links of this page say, at least twice as long as
    there are links, a power of two.
    """
    cdef Py_ssize_t k
    cdef uint64_t about
    cdef bint again, again_words
    cdef Told known
    check(targets.shape[0], (voices.shape[0], flags.shape[0]))
    with nogil:
        for k in range(targets.shape[0]):
            known = told(first[targets[k]], &more[row[targets[k]], 0], voices[k])
            about = (<uint64_t>targets[k] + 1) << 32
            again = not is_new(seen[0], about | voices[k])
            again_words = not is_new(seen[1], about | voices[k] >> 16)
            if voices[k] != 0:
                flags[k] = repeated * (known.voice or again) | said * (known.words or again_words)


def remember(
    uint32_t[::1] first,
    int32_t[::1] row,
    uint32_t[:, ::1] more,
    int32_t used,
    uint8_t[:, ::1] best,
    float[::1] similarities,
    const int32_t[::1] targets,
    const uint32_t[::1] voices,
    const uint8_t[:, ::1] cues,
    const float[::1] similarity,
):
    """Take in what links say; returns how many rows of `more` are used then.

    There is room in it for a row more a link than the `used` ones.
    """
    cdef Py_ssize_t k, target
    cdef int one
    cdef Told known
    check(targets.shape[0], (voices.shape[0], cues.shape[0], similarity.shape[0]))
    with nogil:
        for k in range(targets.shape[0]):
            target = targets[k]
            for one in range(CUES):
                best[target, one] = max(best[target, one], cues[k, one])
            similarities[target] = max(similarities[target], similarity[k])
            if voices[k] == 0:
                continue
            known = told(first[target], &more[row[target], 0], voices[k])
            if known.voice or known.free == MOST:
                continue
            if known.free == 0:
                first[target] = voices[k]
                continue
            if row[target] == 0:
                row[target] = used
                used += 1
            more[row[target], known.free - 1] = voices[k]
    return used


def keep(
    uint8_t[::1] counts,
    const int32_t[::1] targets,
    const uint8_t[::1] wanted,
    uint8_t most,
    uint8_t[::1] flags,
    uint8_t kept,
):
    """Flag wanted links of which fewer than `most` of their target are counted, and count them."""
    cdef Py_ssize_t k
    check(targets.shape[0], (wanted.shape[0], flags.shape[0]))
    for k in range(targets.shape[0]):
        if wanted[k] and counts[targets[k]] < most:
            counts[targets[k]] += 1
            flags[k] = kept
