# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Who has said what of a URL: links one after the other, each after what those before it said.

`first` and `marks` have one value a URL, `more` is a store of voices, as `repeated_anchors`
describes them. Targets are URL ids for which the columns have room. 0 is no voice.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef enum:
    MOST_DOUBLINGS = 3
    MOST = 1 << MOST_DOUBLINGS  # voices remembered of a URL
    CUES = 3
    DOUBLING = 32  # in a mark: the lower bits count texts
    TEXTS = DOUBLING - 1

MOST_VOICES = MOST


cdef struct Told:
    bint voice  # whether the URL has had the voice
    bint words  # or one of the same upper half
    int free  # the first place for another; as many as there are where there is none


cdef Told told(const uint32_t *voices, int places, uint32_t voice) noexcept nogil:
    cdef Told found
    found.voice = found.words = False
    found.free = 0
    while found.free < places and voices[found.free] != 0:
        found.voice |= voices[found.free] == voice
        found.words |= voices[found.free] >> 16 == voice >> 16
        found.free += 1
    return found


cdef uint32_t taken(uint32_t[::1] more, uint32_t[::1] free, int doublings) noexcept nogil:
    """A place for 2 ** doublings voices: one that was given back, else the next unused one."""
    cdef uint32_t at = free[doublings]
    if at != 0:
        free[doublings] = more[at]
    else:
        at = free[0]
        free[0] += 1 << doublings
    return at


cdef void move(
    uint32_t[::1] first,
    uint8_t[::1] marks,
    uint32_t[::1] more,
    uint32_t[::1] free,
    Py_ssize_t target,
    int doublings,
) noexcept nogil:
    """Give a URL twice the places it has."""
    cdef uint32_t old = first[target], new = taken(more, free, doublings + 1)
    cdef int at, had = 1 << doublings
    for at in range(had):
        more[new + at] = more[old + at] if doublings else old
        more[new + had + at] = 0
    if doublings:
        more[old] = free[doublings]
        free[doublings] = old
    first[target] = new
    marks[target] += DOUBLING


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


cdef void _mark(
    const uint32_t[::1] first,
    const uint8_t[::1] marks,
    const uint32_t[::1] more,
    const int32_t[::1] targets,
    const uint32_t[::1] voices,
    uint64_t[:, ::1] seen,
    uint8_t[::1] flags,
    uint8_t repeated,
    uint8_t said,
) noexcept nogil:
    """Flag links whose voice, or the upper half of it, has spoken of the target before."""
    cdef Py_ssize_t k
    cdef uint64_t about
    cdef bint again, again_words
    cdef Told known
    cdef int doublings
    cdef const uint32_t *heard
    for k in range(targets.shape[0]):
        doublings = marks[targets[k]] // DOUBLING
        heard = &more[first[targets[k]]] if doublings else &first[targets[k]]
        known = told(heard, 1 << doublings, voices[k])
        about = (<uint64_t>targets[k] + 1) << 32
        again = not is_new(seen[0], about | voices[k])
        again_words = not is_new(seen[1], about | voices[k] >> 16)
        if voices[k] != 0:
            flags[k] |= repeated * (known.voice or again) | said * (known.words or again_words)


def remember(
    uint32_t[::1] first,
    uint8_t[::1] marks,
    uint32_t[::1] more,
    uint32_t[::1] free,
    uint8_t[:, ::1] best,
    float[::1] similarities,
    const int32_t[::1] targets,
    const uint32_t[::1] voices,
    const uint8_t[:, ::1] cues,
    const float[::1] similarity,
):
    """Take in what links say.

    `free` (4,) is the first unused place of `more`, and the first of those of 2, 4 and 8 voices
    that were given back, 0 for none; each leads to the next. MOST_VOICES more a link are there.
    """
    check(targets.shape[0], (voices.shape[0], cues.shape[0], similarity.shape[0]))
    with nogil:
        _remember(
            first, marks, more, free, best, similarities, targets, voices, cues, similarity
        )


cdef void _remember(
    uint32_t[::1] first,
    uint8_t[::1] marks,
    uint32_t[::1] more,
    uint32_t[::1] free,
    uint8_t[:, ::1] best,
    float[::1] similarities,
    const int32_t[::1] targets,
    const uint32_t[::1] voices,
    const uint8_t[:, ::1] cues,
    const float[::1] similarity,
) noexcept nogil:
    cdef Py_ssize_t k, target
    cdef int one, doublings
    cdef uint32_t *heard
    cdef Told known
    for k in range(targets.shape[0]):
        target = targets[k]
        for one in range(CUES):
            best[target, one] = max(best[target, one], cues[k, one])
        similarities[target] = max(similarities[target], similarity[k])
        if voices[k] == 0:
            continue
        doublings = marks[target] // DOUBLING
        heard = &more[first[target]] if doublings else &first[target]
        known = told(heard, 1 << doublings, voices[k])
        if known.voice or known.free == MOST:
            continue
        if known.free == 1 << doublings:
            move(first, marks, more, free, target, doublings)
            heard = &more[first[target]]
        heard[known.free] = voices[k]


def count_kept(uint8_t[::1] marks, const int32_t[::1] targets, uint8_t most):
    """Count texts that are kept of their targets, `most` of each."""
    cdef Py_ssize_t k
    for k in range(targets.shape[0]):
        if marks[targets[k]] & TEXTS < most:
            marks[targets[k]] += 1


def weigh(
    uint32_t[::1] first,
    uint8_t[::1] marks,
    uint32_t[::1] more,
    uint32_t[::1] free,
    uint8_t[:, ::1] best,
    float[::1] similarities,
    const int32_t[::1] targets,
    const uint32_t[::1] voices,
    const uint8_t[:, ::1] cues,
    const float[::1] similarity,
    list contexts,
    uint64_t[:, ::1] seen,
    uint8_t[::1] flags,
    uint8_t repeated,
    uint8_t said,
    uint8_t most,
    uint8_t kept,
):
    """Flag what the links of one page repeat, take in what they say, and keep texts around them.

    `seen` are two rows of zeros for what they say, at least twice as long as there are links, a
    power of two; None: nothing of it repeats anything. Adds to the `flags`, of which `repeated`
    means that a context is not wanted. Returns the contexts that are kept, "" for those that are
    not. The GIL is not released: getting it back would take longer than all of this.
    """
    cdef Py_ssize_t k, n = targets.shape[0]
    cdef list texts = [""] * n
    check(n, (voices.shape[0], cues.shape[0], similarity.shape[0], flags.shape[0], len(contexts)))
    if seen is not None:
        _mark(first, marks, more, targets, voices, seen, flags, repeated, said)
    _remember(first, marks, more, free, best, similarities, targets, voices, cues, similarity)
    for k in range(n):
        if contexts[k] and not flags[k] & repeated and marks[targets[k]] & TEXTS < most:
            marks[targets[k]] += 1
            flags[k] |= kept
            texts[k] = contexts[k]
    return texts
