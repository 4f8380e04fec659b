// Reading level 2: one loop nest of an affine function as a record.
//
// A record borrows the IR it was read from and lives in the arena it was given; it goes stale when the nest changes.
// Iteration dims are numbered parallel dims first, then reduction dims from the outside in.
#ifndef STRATA_DIALECTS_AFFINE_NEST_H
#define STRATA_DIALECTS_AFFINE_NEST_H

#include "dialects/affine/space.h"
#include "dialects/affine/symbols.h"
#include "dialects/compile.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>

enum { STRATA_MAX_DIMS = 24 };

// On the affine.if of a load in a reduction: where it holds at the last iteration it holds at all of them.
#define STRATA_TAIL "strata.tail"
// On an scf.for of a serial nest, from 0 to this number of lanes, by 1: what it carries is combined, and what one lane
// stores only that lane touches, in this loop and in the nest's others. A group of threads may carry it out
// (lowering/affine_to_tile/scalar.h), and has this on its accesses then.
#define STRATA_LANES "strata.lanes"

typedef struct {
  MlirOperation op; // affine.load, affine.store, memref.load or memref.store
  MlirValue buffer;
  MlirValue value;   // loaded, or stored
  MlirAffineMap map; // iteration dims -> buffer coordinates; the null map where an index depends on data
  bool is_store;
  bool in_reduction;   // inside the reduction loops
  MlirOperation guard; // the affine.if that yields the load or its padding; a null operation where there is none
} strata_access_t;

typedef struct {
  MlirOperation op;   // the affine.parallel
  MlirStringRef name; // strata.nest
  bool is_serial;     // strata.serial: scalar code of any form inside
  int n_parallel, n_reduction;
  strata_space_t space;                 // the dims and how often each is gone through
  const int64_t *likely;                // by symbol of the space
  MlirValue dims[STRATA_MAX_DIMS];      // induction variables
  MlirOperation loops[STRATA_MAX_DIMS]; // of the reduction dims: affine.for, indexed from 0
  MlirBlock body;                       // of the parallel op
  MlirBlock inner;                      // the innermost block: of the last reduction loop, or body
  int n_accesses;
  strata_access_t *accesses; // in textual order
} strata_nest_t;

// Reads an affine.parallel op. INTERNAL if it breaks the contract of docs/architecture.md.
STRATA_MUST_CHECK strata_status_t strata_nest_read(strata_arena_t *arena, MlirOperation op, strata_nest_t *out_nest);

// The map of an affine op over the iteration dims of |nest|: the op's own map with its operands replaced. Operands that
// are affine.apply results are composed; a null map if an operand is none of the nest's dims.
MlirAffineMap strata_nest_map(const strata_nest_t *nest, MlirOperation op);

// What is known of the sizes that vary.
static inline strata_size_symbols_t strata_nest_symbols(const strata_nest_t *nest) {
  return (strata_size_symbols_t){.count = nest->space.n_symbols, .sizes = nest->space.symbols, .likely = nest->likely};
}

// The lanes of the loops in |nest| that are marked STRATA_LANES, the same of all; 0 if there are none.
int64_t strata_nest_lanes(const strata_nest_t *nest);

// How often dim |dim| is likely gone through: for costs.
int64_t strata_nest_likely_extent(const strata_nest_t *nest, int dim);

// True if sizes that vary are in its bounds, its maps or its buffers.
bool strata_nest_varies(const strata_nest_t *nest);

// True if one of its reduction dims is of a size that varies.
bool strata_nest_sums_vary(const strata_nest_t *nest);

// True if each of its elements is made of one that it loads: accesses[0], at a place that its map says and without a
// guard; accesses[1] stores it, at a place that its map says.
bool strata_nest_is_unary(const strata_nest_t *nest);

// What result |i| of an affine.for begins with: the operands in front are sizes.
static inline MlirValue strata_loop_start(MlirOperation loop, intptr_t i) {
  return mlirOperationGetOperand(loop, mlirOperationGetNumOperands(loop) - mlirOperationGetNumResults(loop) + i);
}

// Of a nest with a reduction: what combines the carried value with an element, innermost.
static inline MlirOperation strata_nest_combining_op(const strata_nest_t *nest) {
  return mlirOpResultGetOwner(mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0));
}

// Iteration dims: parallel ones, then those of reductions.
static inline int strata_nest_n_dims(const strata_nest_t *nest) { return nest->n_parallel + nest->n_reduction; }

// How often dim |dim| is gone through, where only constants are dealt with.
static inline int64_t strata_nest_static_extent(const strata_nest_t *nest, int dim) {
  return strata_size_static_value(nest->space.sizes[dim]);
}

// What value |i| that its reduction loops carry starts from.
MlirValue strata_nest_start(const strata_nest_t *nest, int i);

// The nest's space with one point of its reduction dims; |out_sizes| holds it.
strata_space_t strata_nest_results(const strata_nest_t *nest, strata_size_t *out_sizes);

// The nest's store; NULL if it has none, or several.
const strata_access_t *strata_nest_only_store(const strata_nest_t *nest);

// All nests of a function's entry block, in order.
STRATA_MUST_CHECK strata_status_t strata_nests_of(strata_arena_t *arena, MlirOperation func, strata_nest_t **out_nests,
                                                  int *out_count);

#endif
