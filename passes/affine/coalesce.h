// Coalescing: what is decided about a kernel's dims. Internal to coalesce*.c, but for strata_coalesce_kernel.
#ifndef STRATA_PASSES_AFFINE_COALESCE_H
#define STRATA_PASSES_AFFINE_COALESCE_H

#include "passes/affine/nest_graph.h"

// One nest. Other dims than |kept|, of extent 1, are dropped.
typedef struct {
  uint32_t kept;
  uint32_t merged; // a subset of kept: absorbed by the next kept dim of the same kind
} strata_coalesced_nest_t;

// One buffer. Other dims than |long_dims|, of size 1 and read at 0 alone, join a neighbour.
typedef struct {
  bool is_fixed; // its type must stay
  int rank;
  strata_size_t sizes[STRATA_MAX_DIMS];
  uint32_t long_dims;
  uint32_t open;   // could be one dim with the next long dim: no access minds
  uint32_t wanted; // should be: a merged pair of dims crosses here
} strata_coalesced_buffer_t;

typedef struct {
  strata_compile_t *compile;
  strata_nest_graph_t graph;
  strata_coalesced_nest_t *nests;     // by node
  strata_coalesced_buffer_t *buffers; // by buffer of the graph
} strata_coalescing_t;

// The pass on one kernel that nobody calls yet.
STRATA_MUST_CHECK strata_status_t strata_coalesce_kernel(strata_compile_t *compile, MlirOperation func);

static inline bool strata_mask_has(uint32_t mask, int bit) { return mask >> bit & 1; }

// The next kept dim of the same kind (parallel or reduction) after |dim|; -1 if there is none.
int strata_coalesce_next_dim(const strata_coalescing_t *coalescing, int node, int dim);
// The dim after |dim| in |mask|; -1 if there is none.
int strata_coalesce_next(uint32_t mask, int dim);

// The constraints of an affine.if over the nest's dims; the null map if it tests something else.
MlirAffineMap strata_coalesce_conditions(const strata_nest_t *nest, MlirOperation op);
// The map of an access or an affine.apply, or those constraints; the null map of any other op.
MlirAffineMap strata_coalesce_map(const strata_nest_t *nest, MlirOperation op);

// Carries out what is decided: nests, buffers, and the types of the function's arguments (coalesce_apply.c).
void strata_coalesce_apply(const strata_coalescing_t *coalescing);

// The dims of |buffer| dealt out to those of its new shape: *out_group[i] is the new dim of dim i. Returns the new
// rank.
int strata_coalesce_groups(const strata_coalesced_buffer_t *buffer, int *out_group);

// The calls of all kernels (coalesce_calls.c): one whose arguments have their new shapes is added, and the operands of
// its calls become views of their buffers.
typedef struct strata_coalesced_calls strata_coalesced_calls_t;
strata_coalesced_calls_t *strata_coalesced_calls_create(strata_compile_t *compile);
void strata_coalesced_calls_add(strata_coalesced_calls_t *calls, const strata_coalescing_t *coalescing);
void strata_coalesced_calls_rewrite(strata_coalesced_calls_t *calls, MlirOperation call);

#endif
