// A contraction's tile of registers on a cpu: the one with the fewest cycles by a model of the machine (multiply-adds,
// loads, latency, what a core that is shared issues).
#ifndef STRATA_PASSES_AFFINE_REGISTER_TILE_H
#define STRATA_PASSES_AFFINE_REGISTER_TILE_H

#include "dialects/compile.h"

typedef struct {
  int64_t vector_bytes, registers, l1_bytes, l2_bytes;
} strata_machine_t;

STRATA_MUST_CHECK strata_status_t strata_machine_of(strata_compile_t *compile, strata_machine_t *out_machine);

// A contraction to be tiled: the extents of its tiled dims, the rows that a tile may have, the reduction's steps.
typedef struct {
  strata_machine_t machine;
  int64_t u, v, most_rows, steps;
} strata_tiling_t;

enum { STRATA_REGISTER_TILE_ROWS = 16, STRATA_REGISTER_TILE_VECTORS = 8 }; // at most

// Rows of the tiles that do what tiles of |rows| leave, where their number varies: half as many, and of few one less,
// so that few rows are one tile. 0 behind tiles of one row.
static inline int64_t strata_register_tile_part(int64_t rows) { return rows <= 4 ? rows - 1 : rows / 2; }

// Rows and elements of a row.
void strata_register_tile_choose(const strata_tiling_t *t, int64_t *out_tile);
// Seconds of what the model counts in; only their order counts.
#define STRATA_CPU_HALF_CYCLE (0.5 / 3e9)
// Half cycles of one step of all tiles, of |rows| and |width| each.
int64_t strata_register_tile_cost(const strata_tiling_t *t, int64_t rows, int64_t width);
// Half cycles of a tile of |rows| at a time, |width| elements each, along all of the row.
int64_t strata_register_tile_row_cost(const strata_tiling_t *t, int64_t rows, int64_t width);
// True if the registers hold such a tile.
bool strata_register_tile_fits(const strata_tiling_t *t, int64_t rows, int64_t width);
// Elements of a row, and the half cycles of all tiles, where they have |rows|, of which there are as many.
int64_t strata_register_tile_width(const strata_tiling_t *t, int64_t rows, int64_t *out_cost);

// Elements that maps and rows compute side by side along |extent|: four registers in flight hide the latency of most
// chains, and a short dim is one tile.
static inline int64_t strata_row_width(int64_t lanes, int64_t extent) {
  int64_t width = 4 * lanes;
  if (extent <= width)
    return extent;
  return extent % width && extent % (2 * lanes) == 0 ? 2 * lanes : width;
}

#endif
