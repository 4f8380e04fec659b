// Pieces of a pipelined product's values in the staging memory of their warp group: between the layout of the sums and
// runs of neighbours in memory. Internal to pipelined_runs.c and pipelined_rows.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_RUNS_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_RUNS_H

#include "lowering/tile_to_gpu/pipelined.h"

// A piece: rows of |length| elements along the dim that is contiguous in memory, one behind the other in staging.
typedef struct {
  strata_gpu_distribution_t *d;
  strata_pipelined_kernel_t *k;
  MlirType element;
  int64_t bytes;         // of an element
  bool crossed;          // memory is contiguous along the instruction's rows
  int64_t parts;         // of the instruction's columns
  int64_t length, rows;  // of a piece
  int64_t pitch;         // bytes from row to row
  int64_t width;         // of a vector, in elements
  int64_t along, across; // threads
  MlirValue memory, lane, area;
} strata_runs_t;

// What a value of |type| in |layout| that is moved from or to |box| needs; false if it has no use of runs.
bool strata_runs_read(strata_gpu_distribution_t *d, MlirType type, const strata_layout_t *layout,
                      const strata_gpu_box_t *box, strata_runs_t *x);
// Before the first piece.
void strata_runs_begin(strata_runs_t *x);

#endif
