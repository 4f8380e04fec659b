// Loops, at the levels of tensors and of buffers alike: @main, or the body of another loop, calls a declaration whose
// attributes say what the call does. They have strata.count iterations, a number or a size (affine_map<()[s0] -> (s0)>
// over the module's symbols), or, if the call decides that, so many at most.
//
//   func.func private @loop0(%h: tensor<4x8xf32>, %xs: tensor<512x4x8xf32>, %b: tensor<8xf32>)
//       -> (tensor<4x8xf32>, tensor<512x4x8xf32>)
//       attributes {strata.body = @loop0_body, strata.count = 512 : i64, strata.parts = array<i64: 1, 1, 1, 1>,
//                   strata.reversed = array<i64: 0, 0>}
//   func.func @loop0_body(%h: tensor<4x8xf32>, %x: tensor<4x8xf32>, %b: tensor<8xf32>)
//       -> (tensor<4x8xf32>, tensor<4x8xf32>) { ... }
//
// Operands are the first states, the tensors that are walked (scan inputs), and what is the same in all iterations
// (captured values). The body gets the states so far, slice t of dim 0 of each scan input (or slice count-1-t: it is
// reversed), and the captured values. It gives the next states, and a slice of each scan output, which is put in its
// place likewise. Results are the last states and the scan outputs. strata.parts counts states, scan inputs, captured
// values and scan outputs; strata.reversed has the scan inputs, then the outputs.
//
// An open loop ends earlier: with strata.condition its first state is an i1, and an iteration only begins if it is
// true; else, with strata.limit, its first captured value is an i64, and there are no more iterations than that. It has
// no scans. If there is no iteration at all, the last states are the first.
//
// At the level of buffers results are arguments behind the operands, of the declaration and of the body; no output is
// also an operand. A scan buffer has one row an iteration, each beginning at a multiple of 16 bytes. affine-memory-plan
// adds one argument more to both: the memory that the loop works in.
#ifndef STRATA_DIALECTS_COUNTED_LOOP_H
#define STRATA_DIALECTS_COUNTED_LOOP_H

#include "dialects/pointer_map.h"
#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/IR.h>
#include <stdbool.h>
#include <stdint.h>

// Arguments of a loop at the level of buffers, at most: the runtime has so much room for them.
enum { STRATA_LOOP_MAX_ARGS = 128 };
enum { STRATA_LOOP_ROW_ALIGNMENT = 16 }; // bytes

typedef struct {
  MlirOperation declaration;
  MlirStringRef body;  // symbol
  int64_t count;       // of an open loop, at most; 0 where it is |size|
  MlirAffineExpr size; // iterations, over the module's symbols; null: |count| says how many
  int n_states, n_inputs, n_captured, n_outputs;
  bool has_condition, has_limit;
  bool reversed[STRATA_LOOP_MAX_ARGS]; // scan inputs, then outputs
} strata_counted_loop_t;

#define STRATA_LOOP_COUNT "strata.count"

bool strata_op_is_loop(MlirOperation func);
strata_counted_loop_t strata_counted_loop_read(MlirOperation declaration);
void strata_counted_loop_write(const strata_counted_loop_t *loop);

static inline int strata_counted_loop_n_operands(const strata_counted_loop_t *loop) {
  return loop->n_states + loop->n_inputs + loop->n_captured;
}
static inline int strata_counted_loop_n_results(const strata_counted_loop_t *loop) {
  return loop->n_states + loop->n_outputs;
}

// True if the number of iterations is a size that is known when the library runs.
static inline bool strata_counted_loop_varies(const strata_counted_loop_t *loop) {
  return !mlirAffineExprIsNull(loop->size);
}

static inline bool strata_counted_loop_is_open(const strata_counted_loop_t *loop) {
  return loop->has_condition || loop->has_limit;
}

// On a GPU an open loop has flags in its memory, strata.flags its number of bytes from its beginning, each of so many
// bytes: whether an iteration runs, and one behind the last. So many iterations can be launched without the host.
enum { STRATA_LOOP_FLAG_BYTES = 16, STRATA_LOOP_MAX_FLAGS = 1024 };
static inline int64_t strata_counted_loop_n_flags(const strata_counted_loop_t *loop) {
  bool is_short = !strata_counted_loop_varies(loop) && loop->count < STRATA_LOOP_MAX_FLAGS;
  return is_short ? loop->count : STRATA_LOOP_MAX_FLAGS;
}

// The declarations of a module's loops, by the callee of their calls.
typedef struct {
  strata_pointer_map_t declarations; // attribute, which MLIR makes unique -> address of the operation
} strata_loop_table_t;

strata_loop_table_t strata_loop_table(strata_arena_t *arena, MlirModule module);
// The loop that |call| calls; a null operation where it is none.
MlirOperation strata_called_loop(const strata_loop_table_t *table, MlirOperation call);

// INVALID_ARGUMENT if a declaration with the attribute strata.body is no loop over tensors, or is called twice, or if
// another function than a loop is called.
STRATA_MUST_CHECK strata_status_t strata_counted_loops_verify(strata_arena_t *arena, MlirModule module);

// The functions that launch kernels in a run: @main, the bodies of loops, and what they are cut into meanwhile; not
// @prepare. In the order of the module, callers after what they call.
typedef STRATA_VECTOR(MlirOperation) strata_functions_t;
strata_functions_t strata_running_functions(strata_arena_t *arena, MlirModule module);

// Removes the loops that no function calls, and their bodies.
void strata_remove_unused_loops(strata_arena_t *arena, MlirModule module);

#endif
