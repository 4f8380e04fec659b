// What follows several values alike: elementwise ops that are the same for each, so that they can follow one value of
// which the several are slices.
#ifndef STRATA_PASSES_STRATA_ALIKE_H
#define STRATA_PASSES_STRATA_ALIKE_H

#include "dialects/pointer_map.h"
#include "passes/strata/graph.h"

enum { STRATA_MAX_LEVELS = 32 };

// Elementwise ops that read every part alike, one for each part. Their results are values like those that the parts
// begin with, which are number 0; those of level i are number i + 1.
typedef struct {
  int operands[2]; // numbers of values; negative: a constant that varies along the dim alone
  MlirOperation *ops;
} strata_level_t;

typedef struct {
  size_t n;
  MlirValue *values[1 + STRATA_MAX_LEVELS]; // by number and part: to be slices of one value along |dim|
  int dim;
  int n_levels;
  strata_level_t levels[STRATA_MAX_LEVELS];
  strata_pointer_map_t taken; // ops of levels
} strata_alike_t;

// Of |n| parts, whose first values are to be filled in.
strata_alike_t *strata_alike_create(strata_arena_t *arena, size_t n, int dim);
// Finds the levels. |is_constant|: ops that depend on constants only.
void strata_alike_find(strata_arena_t *arena, const strata_pointer_map_t *is_constant, strata_alike_t *alike);

// What others than the levels do with a value.
typedef struct {
  bool is_read, is_read_elementwise; // by such ops alone
} strata_alike_readers_t;
strata_alike_readers_t strata_alike_readers(const strata_alike_t *alike, MlirValue value);

strata_dim_t strata_alike_dim(MlirValue value, int dim);

#endif
