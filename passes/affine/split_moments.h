// Mean and variance of rows as nests; internal to split*.c.
#ifndef STRATA_PASSES_AFFINE_SPLIT_MOMENTS_H
#define STRATA_PASSES_AFFINE_SPLIT_MOMENTS_H

#include "passes/affine/nest_graph.h"

typedef struct {
  const strata_nest_graph_t *graph;
  const strata_nest_node_t *sum, *mean, *difference, *square, *squares;
  const strata_access_t *x, *own_x; // as ->sum and ->difference read it
  const strata_access_t *own_mean;  // as ->difference reads it
  double factor;                    // 1 / n
  int own[STRATA_MAX_DIMS];         // by dim of ->sum: that of ->difference
  int of_squares[STRATA_MAX_DIMS];  // by dim of ->sum: that of ->squares
} strata_moments_t;

// Reads what begins with the sum |node|; false if that is something else.
bool strata_moments_find(const strata_nest_graph_t *graph, int node, strata_moments_t *out);

// The only store of a nest, and its only load of |buffer|; NULL where there is none or several.
const strata_access_t *strata_moments_store(const strata_nest_node_t *node);
const strata_access_t *strata_moments_load(const strata_nest_node_t *node, MlirValue buffer);
// The buffer of an access of |node|.
const strata_nest_buffer_t *strata_moments_buffer(const strata_moments_t *m, const strata_nest_node_t *node,
                                                  const strata_access_t *access);

// Bytes of the sectors read and stored for a byte of the rows, where a kernel reads and stores them one by one. What is
// stored in the end has the order of the differences. *out_read is 1 where neighbours of short pieces are no rows.
void strata_moments_traffic(const strata_moments_t *m, double *out_read, double *out_stored);

#endif
