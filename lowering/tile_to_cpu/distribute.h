// Distribution: the block-level code of one kernel rewritten over native registers.
//
// The old body is walked once, in order, and new code is appended to a new one. Each old value is mapped to its pieces
// (pieces.h); each op has a rule (rules.def) that reads the pieces of its operands and defines those of its results.
// What has no rule is arithmetic, done piece by piece, or structure (loops, branches, scalar code), kept with its
// values replaced by their pieces. Before, layout.c decides which values are kept in scalars.
//
// Distribution for GPUs has the same shape: another layout record, other rules for the few ops that move data.
#ifndef STRATA_LOWERING_TILE_TO_CPU_DISTRIBUTE_H
#define STRATA_LOWERING_TILE_TO_CPU_DISTRIBUTE_H

#include "dialects/affine/symbols.h"
#include "lowering/distribute/records.h"
#include "lowering/expand/arithmetic.h"
#include "lowering/expand/combine.h"
#include "lowering/tile_to_cpu/pieces.h"
#include "passes/target.h"

enum { STRATA_NO_TASKS = -1 };

typedef struct {
  strata_compile_t *compile;
  const strata_cpu_device_t *device;
  strata_emitter_t e;                      // the end of the new code
  strata_arithmetic_t arithmetic;          // emits to e
  int64_t lanes;                           // elements of a native register; see strata_native_lanes
  MlirModule kernels;                      // where the new function goes, and declarations of libm functions
  MlirValue begin, end;                    // the tasks to run
  MlirValue scratch;                       // memory of the running thread
  int64_t scratch_size;                    // bytes of it used so far
  int n_spaces;                            // of tasks: foralls
  int64_t n_tasks;                         // of those met so far; STRATA_NO_TASKS until one is
  MlirAffineExpr n_tasks_expr;             // over the module's symbols, where their number varies; else null
  int n_symbols;                           // of the module
  strata_size_symbols_t sizes;             // what is known of all symbols of the module
  MlirValue *symbols;                      // the values of those the kernel uses so far; else null
  strata_records_t values;                 // what is known of old values
  STRATA_VECTOR(struct strata_step *) run; // piecewise ops begun and not finished
  unsigned run_number;
} strata_distribution_t;

typedef strata_status_t (*strata_rule_t)(strata_distribution_t *d, MlirOperation op);

//===-- Values ---------------------------------------------------------------------------------------------------===//

// For a distribution's ->values.
strata_records_t strata_cpu_records(strata_arena_t *arena);

// The pieces of an old value in its own layout.
const strata_pieces_t *strata_pieces_of(strata_distribution_t *d, MlirValue old);
// The same in pieces of |lanes| elements, emitting moves where they differ.
strata_pieces_t strata_pieces_as(strata_distribution_t *d, MlirValue old, int64_t lanes);
// Fills in the values of |pieces| with constants from a dense elements attribute.
void strata_emit_dense(strata_distribution_t *d, MlirAttribute dense, strata_pieces_t *pieces);
// The new value of an old scalar.
MlirValue strata_scalar_of(strata_distribution_t *d, MlirValue old);

// Empty pieces for an old value in the layout chosen for it; fill ->values, then define.
strata_pieces_t strata_pieces_new(strata_distribution_t *d, MlirValue old);
void strata_pieces_define(strata_distribution_t *d, MlirValue old, const strata_pieces_t *pieces);
// The same where the values are filled in as the run in hand is emitted.
void strata_pieces_define_later(strata_distribution_t *d, MlirValue old, const strata_pieces_t *pieces);
void strata_scalar_define(strata_distribution_t *d, MlirValue old, MlirValue scalar);

//===-- Sizes that vary (symbols.c) -------------------------------------------------------------------------------===//

// An expression over the module's symbols as a value.
MlirValue strata_emit_size(strata_distribution_t *d, MlirAffineExpr expr);
// One over |n| dims, which are |operands|, and the symbols.
MlirValue strata_emit_over_sizes(strata_distribution_t *d, MlirAffineExpr expr, int n, const MlirValue *operands);

//===-- Layout ---------------------------------------------------------------------------------------------------===//

// How many elements a native register holds in this function: by its widest float, or where it has none by its widest
// integer, so that every vector of the kernel falls into the same pieces.
int64_t strata_native_lanes(MlirOperation func, const strata_cpu_device_t *device);
// Decides which values of |func| live in scalars: operands that are broadcast lane by lane, row results, and what is
// computed from them.
void strata_choose_lanes(strata_distribution_t *d, MlirOperation func);
// What choose_lanes decided for a value.
int64_t strata_lanes_of(strata_distribution_t *d, MlirValue old);
// Makes values share one decision; asks for scalars.
void strata_lanes_unify(strata_distribution_t *d, MlirValue a, MlirValue b);
void strata_lanes_want_scalars(strata_distribution_t *d, MlirValue old);

//===-- Rules ----------------------------------------------------------------------------------------------------===//

// Rewrites every op of a block.
STRATA_MUST_CHECK strata_status_t strata_distribute_block(strata_distribution_t *d, MlirBlock block);
// Rewrites one op; what was begun before is finished first unless |op| is piecewise itself.
STRATA_MUST_CHECK strata_status_t strata_distribute_op(strata_distribution_t *d, MlirOperation op);

// A piecewise op in hand. Consecutive ones are carried out together, a few pieces at a time (run.c), so that what is
// live at once fits the registers however large the block is.
typedef struct strata_step {
  MlirOperation op;
  strata_pieces_t pieces; // of the result, values to be filled in; of the stored vector
  bool reads, writes;     // memory
  void *state;            // of the rule
  // Emits piece |piece|; the same piece of the operands has been emitted.
  void (*emit)(strata_distribution_t *d, struct strata_step *step, int64_t piece);
} strata_step_t;

// Fills in |step|, whose op is set; leaves ->emit NULL where nothing is to be done. What it needs of an operand besides
// the same piece, it needs at once: then it finishes the run if the operand is pending.
typedef strata_status_t (*strata_prepare_t)(strata_distribution_t *d, strata_step_t *step);

// True if |old| is a vector whose pieces are not all emitted yet.
bool strata_is_pending(strata_distribution_t *d, MlirValue old);
// Emits what was begun.
void strata_finish_run(strata_distribution_t *d);

#define RULE(name, function) STRATA_MUST_CHECK strata_status_t function(strata_distribution_t *d, MlirOperation op);
#define PIECEWISE(name, function)                                                                                      \
  STRATA_MUST_CHECK strata_status_t function(strata_distribution_t *d, strata_step_t *step);
#include "lowering/tile_to_cpu/rules.def"

STRATA_MUST_CHECK strata_status_t strata_step_arithmetic(strata_distribution_t *d, strata_step_t *step);
STRATA_MUST_CHECK strata_status_t strata_rule_structure(strata_distribution_t *d, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_rule_missing(MlirOperation op, const char *what);

//===-- Movement -------------------------------------------------------------------------------------------------===//

// An op that only rearranges elements: result element i is element source[i] of |from|. Chains of such ops are one
// movement. False if |op| is none.
typedef struct {
  MlirValue from;
  int64_t n_elements;
  int64_t *source;
} strata_movement_t;
bool strata_movement_of(strata_distribution_t *d, MlirOperation op, strata_movement_t *out_movement);

//===-- Transposition --------------------------------------------------------------------------------------------===//

// Whether dims |dim| and the last are worth transposing in registers; the type with the two swapped; the pieces of it.
bool strata_can_swap(const strata_pieces_t *shape, int dim);
MlirType strata_swapped_type(const strata_pieces_t *shape, int dim);
strata_pieces_t strata_pieces_swap(strata_distribution_t *d, const strata_pieces_t *from, int dim);

#endif
