// A kernel of decision trees: the one nest that strata-to-affine makes of strata.trees, read back. What other code
// makes of the nest, and what it does not take, stays scalar.
#ifndef STRATA_DIALECTS_AFFINE_TREES_H
#define STRATA_DIALECTS_AFFINE_TREES_H

#include "dialects/affine/places.h"

// Of a task on a cpu: the rows that go down a tree one after the other while it is in the caches, and how many walks
// are in hand at once. Each waits for two loads a step, and has one register of x86-64's 16.
enum { STRATA_TREES_WINDOW = 64, STRATA_TREES_LANES = 8 };

// The dims that places are over. A number is a column that a node compares, or a leaf's row of values.
enum {
  STRATA_TREES_ROW,
  STRATA_TREES_GROUP,
  STRATA_TREES_COLUMN,
  STRATA_TREES_TREE,
  STRATA_TREES_NUMBER,
  STRATA_TREES_DIMS,
};

typedef struct {
  strata_place_t roots, steps, x, values, result;
  MlirValue nodes;
  strata_size_t n_rows;
  int64_t groups, columns, n_trees; // of a group
  bool is_double;                   // thresholds are
  MlirStringRef combiner;           // of two values: arith.addf, ...
} strata_trees_t;

// False if the kernel is no such nest.
bool strata_trees_read(const strata_kernel_t *kernel, strata_trees_t *out);

#endif
