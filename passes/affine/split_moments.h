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
  bool is_rounded;                  // mean, differences or squares are: parts of a row would be rounded otherwise
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

// True if |map|, of an access of the nest, takes its first |n_rows| dims, which are all parallel ones, as they are.
bool strata_moments_is_of_rows(const strata_nest_t *nest, MlirAffineMap map, int n_rows);

// The dim of |nest| along which |access| has elements side by side; -1 if there is none.
int strata_contiguous_dim(const strata_nest_t *nest, const strata_access_t *access);

// Bytes of the sectors read and stored for a byte of the rows, where a kernel reads and stores them one by one, as they
// are read. *out_read is 1 where neighbours of short pieces are no rows.
void strata_moments_traffic(const strata_moments_t *m, double *out_read, double *out_stored);

// Erases the squares, which nobody reads any more, and the differences if nothing else is made of them.
void strata_moments_erase_squares(const strata_moments_t *m);

// Has the sum of squares compute them, in the order of the elements, so that the differences may be elsewhere.
STRATA_MUST_CHECK strata_status_t strata_moments_part(strata_arena_t *arena, const strata_moments_t *m);

#endif
