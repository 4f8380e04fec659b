// What affine-layout has decided; internal to layout.c and layout_order.c.
#ifndef STRATA_PASSES_AFFINE_LAYOUT_H
#define STRATA_PASSES_AFFINE_LAYOUT_H

#include "passes/affine/nest_graph.h"

typedef struct {
  bool is_free; // may be stored in another order
  bool is_decided;
  double weight; // of the wish followed so far
  int rank;
  int order[STRATA_MAX_DIMS]; // which old dim is stored at each place
} strata_stored_t;

typedef struct {
  strata_compile_t *compile;
  strata_nest_graph_t graph;
  strata_stored_t *buffers; // by buffer of the graph
  strata_ints_t queue;      // decided buffers whose neighbours have not heard of it
} strata_layout_choice_t;

int strata_layout_buffer(const strata_layout_choice_t *layout, MlirValue value);

// Puts the parallel dims of every nest in the order of what it stores, and the loops of contractions and of reductions
// over rows in that of what they read.
void strata_layout_order_nests(const strata_layout_choice_t *layout);

#endif
