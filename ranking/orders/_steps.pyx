# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""One step of hubs and authorities from the links of a page, for scores of either precision.

Weights are of single precision and rounded as such, whatever the scores are.
"""

from libc.stdint cimport int32_t, uint8_t

ctypedef fused real:
    float
    double


def named(
    const int32_t[::1] ids,
    const float[::1] weights,
    double scale,
    const real[::1] authority,
    const uint8_t[::1] told,
    const float[::1] relevance,
    float mean,
    real[::1] out,
):
    """out[k] = authority * relevance * scale * weight of a target.

    ids: (k,) below n; weights: (k,), or None: all 1; authority: (n,); told: (n,) whether the
    relevance (n,) of an id counts, else `mean` does. None: nobody's does.
    """
    cdef Py_ssize_t k, n = authority.shape[0]
    cdef int32_t target
    cdef float single = <float>scale
    cdef real one = <real>scale
    if told is not None:
        n = min(n, min(told.shape[0], relevance.shape[0]))
    for k in range(ids.shape[0]):
        target = ids[k]
        if not 0 <= target < n:
            raise IndexError(f"id {target} is not below n={n}")
        if weights is not None:
            one = single * weights[k]
        out[k] = authority[target]
        if told is not None:
            out[k] *= relevance[target] if told[target] else mean
        out[k] *= one


def raised(
    const int32_t[::1] ids,
    const float[::1] weights,
    double scale,
    double handed,
    real[::1] authority,
):
    """authority[id] += handed * scale * weight for different ids."""
    cdef Py_ssize_t k, n = authority.shape[0]
    cdef int32_t target
    cdef float single = <float>scale, handed_single = <float>handed
    cdef real one = <real>(handed * scale)
    for k in range(ids.shape[0]):
        target = ids[k]
        if not 0 <= target < n:
            raise IndexError(f"id {target} is not below n={n}")
        if weights is not None:
            one = handed_single * (single * weights[k])
        authority[target] += one
