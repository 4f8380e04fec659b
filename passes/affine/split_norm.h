// What mean and variance of rows are for, where it is no kernel of theirs. Internal to split*.c.
#ifndef STRATA_PASSES_AFFINE_SPLIT_NORM_H
#define STRATA_PASSES_AFFINE_SPLIT_NORM_H

#include "passes/affine/split_moments.h"

// A nest over the elements of the rows that reads what each row has one of.
typedef struct {
  const strata_nest_node_t *writer, *reader;
  const strata_access_t *load;
  bool is_beside; // neighbours along a row dim lie side by side in what the reader stores, ...
  int result;     // ... this result of the load's map, ...
  int inner;      // ... each with the elements along this dim of the reader; -1: with one
} strata_norm_read_t;

typedef struct {
  STRATA_VECTOR(strata_norm_read_t) reads;
  bool is_beside; // all of them
} strata_norm_t;

// Finds the reads of means and variances, and of what is made of them alone.
void strata_norm_find(strata_arena_t *arena, const strata_moments_t *m, strata_norm_t *out);

// Has elements of rows that lie side by side read values of their own, copies of the row's, so that the two dims are
// one for the norm: it is elementwise. It becomes another kernel than the one that makes the copies.
STRATA_MUST_CHECK strata_status_t strata_norm_spread(strata_arena_t *arena, const strata_norm_t *norm);

// True of a nest that makes such copies (`strata.stored`): those that read them are other kernels.
bool strata_nest_is_stored(const strata_nest_t *nest);

#endif
