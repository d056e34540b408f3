# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What the links of one page change in the evidence table."""

from libc.stdint cimport int32_t, uint8_t


def vouch(
    const int32_t[::1] ids,
    const float[::1] promises,
    const uint8_t[::1] followed,
    float own,
    int32_t[::1] in_links,
    double[::1] parent_sum,
    float[::1] parent_max,
    float[::1] promise,
):
    """Take in the links (k,) of a page of relevance `own` to different ids below n.

    Where it is not followed the page does not vouch for the target, and only the link's text
    counts; `followed` is None where all are.
    """
    cdef Py_ssize_t k
    cdef int32_t target
    cdef bint all_followed = followed is None
    for k in range(ids.shape[0]):
        target = ids[k]
        promise[target] = max(promise[target], promises[k])
        if all_followed or followed[k]:
            in_links[target] += 1
            parent_sum[target] += own
            parent_max[target] = max(parent_max[target], own)
