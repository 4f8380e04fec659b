// What the copy engine and its driver take of a tensor map (docs/gpu.md, tensor maps).
#ifndef STRATA_DIALECTS_TILE_MAP_LIMITS_H
#define STRATA_DIALECTS_TILE_MAP_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum { STRATA_MAX_MAPS = 28 }; // of a launch; the runtime has room for as many
enum {
  STRATA_MAP_RANK = 5,        // dims at most
  STRATA_MAP_UNIT = 16,       // bytes: where buffers begin, strides and rows of the box are multiples of it
  STRATA_MAP_MAX_BOX = 256,   // elements of the box along each dim
  STRATA_MAP_MAX_STEP = 8,    // from one element taken to the next
  STRATA_MAP_WINDOW_RANK = 3, // dims that windows move along, at most
};
#define STRATA_MAP_MAX_SIZE (INT64_C(1) << 32) // elements of the buffer along each dim
#define STRATA_MAP_MAX_STRIDE ((INT64_C(1) << 40) - 1)

static inline bool strata_map_is_swizzle(int64_t bytes) {
  return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128;
}

// Elements of |bytes| that boxes begin at multiples of along the innermost dim: a copy that begins elsewhere is an
// illegal instruction, wherever the buffer and its rows begin.
static inline int64_t strata_map_unit_elements(int64_t bytes) {
  return bytes < STRATA_MAP_UNIT ? STRATA_MAP_UNIT / bytes : 1;
}

// Offsets in a window are in [0, bound), corners in [-bound / 2, bound / 2), where windows move along |n_dims| dims.
static inline int64_t strata_map_offset_bound(int n_dims) {
  return INT64_C(1) << (n_dims == 1 ? 16 : n_dims == 2 ? 8 : 5);
}

static inline bool strata_map_takes_corner(int n_dims, int64_t corner) {
  int64_t bound = strata_map_offset_bound(n_dims) / 2;
  return corner >= -bound && corner < bound;
}

#endif
