// The nests of @main as a graph: who reads what whom produces, and what each nest costs. What grouping, layout and
// explanations are decided on. Records go stale when the IR changes.
#ifndef STRATA_PASSES_AFFINE_NEST_GRAPH_H
#define STRATA_PASSES_AFFINE_NEST_GRAPH_H

#include "dialects/affine/kernel.h"
#include "dialects/affine/symbols.h"
#include "dialects/pointer_map.h"

typedef enum {
  STRATA_NEST_SCALAR, // no vector form: a kernel of its own
  STRATA_NEST_MAP,    // no reduction
  STRATA_NEST_ROW,    // a reduction that reads each element for one result: over rows
  STRATA_NEST_ANCHOR, // a reduction that reads elements for many results: contractions, sliding windows
} strata_nest_class_t;

// A read of a buffer that one nest alone stores into, once: computing the producer where it is read is possible.
typedef struct {
  const strata_access_t *load;
  int buffer;
  int producer; // node
  const strata_access_t *store;
} strata_nest_read_t;

typedef STRATA_VECTOR(int) strata_ints_t;
bool strata_ints_contain(const strata_ints_t *ints, int value);

typedef struct {
  MlirValue value;
  double elements, bytes; // likely
  bool is_alloc;          // no one outside of @main sees it
  bool is_constant;       // known before the first run
  int n_stores;
  int writer; // node of the last store
  const strata_access_t *store;
  strata_ints_t readers; // nodes, each once
} strata_nest_buffer_t;

typedef struct {
  strata_nest_t *nest; // NULL: a join, which stands for "all parts of a buffer are written"
  strata_nest_class_t class;
  bool needs_varying_scratch; // a product that would be an ANCHOR, but for operands packed along sums whose length
                              // varies
  double points;              // of the parallel dims
  double trips;               // of all dims
  double work;                // of one point: ops weighted by op_costs.def, the reduction included
  bool is_dear;               // has an op like exp
  bool is_constant;           // depends on constants only: part of the preparation program
  strata_ints_t buffers;      // of the nest's accesses, in their order
  STRATA_VECTOR(strata_nest_read_t) reads;
  strata_ints_t before, after; // nodes it depends on; nodes that depend on it
} strata_nest_node_t;

// Nodes are numbered so that dependences go from lower to higher numbers.
typedef struct {
  strata_arena_t *arena;
  MlirOperation func;
  STRATA_VECTOR(strata_nest_node_t) nodes;
  STRATA_VECTOR(strata_nest_buffer_t) buffers;
  strata_pointer_map_t buffer_of; // value -> 1 + index
} strata_nest_graph_t;

// Reads all nests of |func|. INTERNAL if something else in it touches memory.
STRATA_MUST_CHECK strata_status_t strata_nest_graph_read(strata_arena_t *arena, MlirOperation func,
                                                         strata_nest_graph_t *out_graph);

// Products pack no operands, as is so on GPUs: those whose sums' length varies are like any others.
void strata_nest_graph_pack_nothing(strata_nest_graph_t *graph);

// The point of the producer that |read| of |consumer| reads: the producer's parallel dims over the consumer's dims.
// False if the store cannot be inverted.
bool strata_nest_graph_point(const strata_nest_graph_t *graph, const strata_nest_node_t *consumer,
                             const strata_nest_read_t *read, MlirAffineExpr *out_dims);

// One point of a nest, its reduction included.
typedef struct {
  double work;  // ops weighted by op_costs.def
  double flops; // arithmetic on numbers, once each: no conversions, comparisons or selections
  bool is_dear; // has an op like exp
} strata_nest_work_t;

// True of a scalar op like exp.
bool strata_is_dear_op(const char *name);

strata_nest_work_t strata_nest_work(const strata_nest_t *nest);
double strata_memref_bytes(MlirType type); // of sizes that are known
double strata_memref_likely_bytes(const strata_size_symbols_t *symbols, MlirType type);
// True if |value| is used beside |n_accesses| accesses.
bool strata_nest_has_other_uses(MlirValue value, int n_accesses);

#endif
