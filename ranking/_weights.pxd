# Weights of links as `GraphView.coded_weights` tells them: codes and a palette, or plain ones.

from libc.stdint cimport int64_t, uint8_t


cdef inline float weight_of(
    const uint8_t[::1] codes, const float[::1] palette, int64_t k
) noexcept nogil:
    """Of link k; `palette` holds the weights themselves where `codes` are None."""
    return palette[k] if codes is None else palette[codes[k]]
