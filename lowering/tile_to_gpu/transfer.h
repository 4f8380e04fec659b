// What transfer.c knows of the registers it moves, for the ways of moving them that have files of their own.
#ifndef STRATA_LOWERING_TILE_TO_GPU_TRANSFER_H
#define STRATA_LOWERING_TILE_TO_GPU_TRANSFER_H

#include "lowering/tile_to_gpu/conditions.h"

typedef struct {
  strata_gpu_distribution_t *d;
  strata_transfer_t *transfer;
  const strata_registers_t *shape;
  int64_t element_bytes;
  int64_t step; // from a register to that of the next element in memory
  strata_item_t *items;
  MlirAffineExpr *bases; // emitted already
  MlirValue *base_values;
  int64_t n_bases;
} strata_walk_t;

MlirType strata_walk_element(const strata_walk_t *w);
// How many registers from |reg| on, |w->step| apart, are one vector in memory.
int64_t strata_walk_run(const strata_walk_t *w, int64_t reg);
MlirValue strata_walk_position(strata_walk_t *w, const strata_item_t *item);
// All conditions of |item| and |active|; a null value where there are none.
MlirValue strata_walk_conditions(strata_walk_t *w, const strata_item_t *item, MlirValue active);
// What elements that are not touched read as.
MlirValue strata_walk_pad(strata_walk_t *w);
// Loads |length| registers from |reg| on as one vector.
void strata_walk_load(strata_walk_t *w, int64_t reg, int64_t length, MlirValue *out);

// Loads the vectors that are not aligned, or not all there, by whole words of memory (unaligned.c); those registers are
// done.
void strata_unaligned_load(strata_walk_t *w, strata_registers_t *registers);

#endif
