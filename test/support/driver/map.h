// Tensor maps: what cuTensorMapEncodeTiled writes here, and how the copy engine's swizzles place bytes.
#ifndef STRATA_TEST_SUPPORT_DRIVER_MAP_H
#define STRATA_TEST_SUPPORT_DRIVER_MAP_H

#include "test/support/driver/driver.h"

#pragma GCC visibility push(hidden)

enum { MAP_SIZE = 128, MAP_ALIGNMENT = 64, MAP_RANK = 5 }; // CUtensorMap

// The call's parameters, in order.
typedef struct {
  int type;
  unsigned rank;
  void *address;
  const uint64_t *sizes, *strides;
  const uint32_t *box, *steps;
  int interleave, swizzle, promotion, fill;
} tiled_t;

// cuTensorMapEncodeIm2col's beyond those; |box| is NULL there.
typedef struct {
  const int *lower, *upper;
  unsigned channels, pixels;
} window_t;

// Dims are innermost first.
typedef struct {
  uint64_t magic; // no address
  char *address;
  uint64_t sizes[MAP_RANK], strides[MAP_RANK]; // strides in bytes, of the innermost dim too
  uint16_t box[MAP_RANK];
  int16_t lower[MAP_RANK - 2], upper[MAP_RANK - 2]; // of the dims that a window moves along
  uint8_t steps[MAP_RANK];
  uint8_t rank, element, swizzle; // bytes of an element; of the span, 0: none
  bool rounds_to_tf32, has_window;
} map_t;

// Checks every rule of the driver API, then writes MAP_SIZE bytes.
int map_encode(const tiled_t *tiled, void *out);
int map_encode_window(const tiled_t *tiled, const window_t *window, void *out);
// NULL: no map lies there.
const map_t *map_at(const void *memory);
// Bytes from the address to the end of the last element.
size_t map_extent(const map_t *map);

// Where the byte at |address| of shared memory lies: units of 16 bytes are exchanged within rows of |span| bytes.
static inline uintptr_t swizzled(uintptr_t address, unsigned span) {
  return span ? address ^ (address >> 3 & (span / 16 - 1) << 4) : address;
}

#pragma GCC visibility pop

#endif
