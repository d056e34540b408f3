# CRC-32, byte by byte, as zlib has it. Whoever uses it begins with `crc_begin()`.

from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stdint.h>

    static uint32_t CRC_OF[256];

    static void crc_begin(void) {
        for (uint32_t code = 0; code < 256; code++) {
            uint32_t crc = code;
            for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
            CRC_OF[code] = crc;
        }
    }

    static inline uint32_t crc_with(uint32_t crc, uint32_t byte) {
        return crc >> 8 ^ CRC_OF[(crc ^ byte) & 0xFF];
    }
    """
    void crc_begin() noexcept nogil
    uint32_t crc_with(uint32_t crc, uint32_t byte) noexcept nogil
