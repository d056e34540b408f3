# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Passes over sorted links, as keys: head << 32 | source (see `ranking.external.lists`)."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from ranking._prefetch cimport AHEAD, PREFETCH_WRITE


def distinct(uint64_t[::1] keys, float[::1] weights):
    """Leave one of each key, with the largest of its weights, in front; returns how many.

    keys: (k,) ascending. weights: (k,), or None.
    """
    cdef int64_t k, last = 0, size = keys.shape[0]
    if not size:
        return 0
    with nogil:
        for k in range(1, size):
            if keys[k] != keys[last]:
                last += 1
                keys[last] = keys[k]
                if weights is not None:
                    weights[last] = weights[k]
            elif weights is not None and weights[k] > weights[last]:
                weights[last] = weights[k]
    return last + 1


def split(
    const uint64_t[::1] keys,
    const float[::1] weights,
    uint32_t[::1] heads,
    uint32_t[::1] counts,
    int32_t[::1] sources,
    double[::1] totals,
):
    """Take sorted links (k,) apart into lists; returns how many lists.

    keys: ascending, each once. weights: (k,), or None for all 1. heads, counts: out, the first of
    (k,). sources: (k,) out. totals: (m,), the weights of each row's links are added.
    """
    cdef int64_t k, lists = 0, size = keys.shape[0]
    cdef uint32_t head
    with nogil:
        for k in range(size):
            if k + AHEAD < size:
                PREFETCH_WRITE(&totals[<uint32_t>keys[k + AHEAD]])
            head = <uint32_t>(keys[k] >> 32)
            if not k or head != heads[lists - 1]:
                heads[lists] = head
                counts[lists] = 0
                lists += 1
            counts[lists - 1] += 1
            sources[k] = <int32_t>keys[k]
            totals[sources[k]] += 1 if weights is None else weights[k]
    return lists
