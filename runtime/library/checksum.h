// The checksum that ties a file of weights to its library: fast, and the same in the compiler and the runtime. It finds
// accidents, not forgeries.
#ifndef STRATA_RUNTIME_CHECKSUM_H
#define STRATA_RUNTIME_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The running state. Data may be added in pieces; every piece but the last is a multiple of 32 bytes.
typedef struct {
  uint64_t lanes[4];
  uint64_t size;
} strata_checksum_t;

#define STRATA_CHECKSUM_INIT                                                                                           \
  { {1, 2, 3, 4}, 0 }

static inline uint64_t strata_checksum_mix(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return lane ^ lane >> 29;
}

static inline void strata_checksum_add(strata_checksum_t *sum, const void *data, size_t size) {
  const unsigned char *bytes = data;
  sum->size += size;
  for (; size; bytes += 32) {
    uint64_t words[4] = {0}; // little endian; a short tail is filled with zeros
    size_t n = size < 32 ? size : 32;
    memcpy(words, bytes, n);
    for (int i = 0; i < 4; i++)
      sum->lanes[i] = strata_checksum_mix(sum->lanes[i], words[i]);
    size -= n;
  }
}

static inline uint64_t strata_checksum_value(const strata_checksum_t *sum) {
  uint64_t value = sum->size;
  for (int i = 0; i < 4; i++)
    value = strata_checksum_mix(value, sum->lanes[i]);
  return value;
}

#endif
