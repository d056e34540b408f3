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
    float[::1] best_link,
):
    """Take in the links (k,) of a page of relevance `own` to different ids below n.

    Where it is not followed the page does not vouch for the target, and only the link's text
    counts; `followed` is None where all are, and `best_link` where nobody reads it.
    """
    cdef Py_ssize_t k
    cdef int32_t target
    cdef float half = 0.5
    cdef float best
    cdef bint all_followed = followed is None, rated = best_link is not None
    for k in range(ids.shape[0]):
        target = ids[k]
        promise[target] = max(promise[target], promises[k])
        if not (all_followed or followed[k]):
            best = promises[k] * half
        else:
            in_links[target] += 1
            parent_sum[target] += own
            parent_max[target] = max(parent_max[target], own)
            best = (own + promises[k]) * half
        if rated:
            best_link[target] = max(best_link[target], best)
