// How rows lie in shared memory: digits, as in a layout, then an exchange of units against bank conflicts.
#ifndef STRATA_LOWERING_TILE_TO_GPU_SWIZZLE_H
#define STRATA_LOWERING_TILE_TO_GPU_SWIZZLE_H

#include "lowering/emit/emit.h"
#include "lowering/tile_to_gpu/layout.h"

// The last step of a place: its unit's number changes with  coordinate along |dim| / divisor mod extent * stride,  bit
// by bit.
typedef struct {
  int dim;
  int64_t divisor, extent, stride;
} strata_swizzle_t;

// Where the element at some coordinates lies. A coordinate is a number in mixed radix by the extents of the digits
// along its dim, in their order; the last one's is the rest of it, whatever its extent.
enum { STRATA_PLACE_DIGITS = 3, STRATA_PLACE_STEPS = 3 };
typedef struct {
  strata_digit_t digits[STRATA_PLACE_DIGITS];
  int64_t unit; // elements
  strata_swizzle_t swizzles[STRATA_PLACE_STEPS];
} strata_place_layout_t;
int64_t strata_place_of(const strata_place_layout_t *layout, const int64_t *coordinates);

// The swizzle of rows of |span| bytes, a power of two up to that of all banks: rows that touch the same banks have
// their units in different ones.
strata_swizzle_t strata_swizzle_of(int64_t span, int dim);
// In such rows: what units of |row| change with; where the unit of |column|, of |unit| elements, begins in its row.
MlirValue strata_swizzle_turn(strata_emitter_t *e, int64_t span, MlirValue row);
MlirValue strata_swizzle_unit(strata_emitter_t *e, MlirValue turn, MlirValue column, int64_t unit);

#endif
