// The order of calls in a function: which of them may change places.
//
// A call may stand where one before it does if nothing in between, nor that one, writes what it touches or touches what
// it writes. What is compared is where accesses go (touched.h): kernels that store parts of one buffer do not depend on
// one another.
#ifndef STRATA_PASSES_AFFINE_CALL_ORDER_H
#define STRATA_PASSES_AFFINE_CALL_ORDER_H

#include "passes/affine/calls.h"
#include "passes/affine/touched.h"

typedef struct {
  const strata_calls_t *calls;
  strata_pointer_map_t kernels; // callee, a unique attribute -> 1 + index of the called kernel
  strata_touched_t touched;
  const bool **writes; // by called kernel and argument
  strata_arena_t *arena;
  strata_pointer_map_t called; // call -> what is known of it
} strata_call_order_t;

// Good for as long as kernels, and what calls are of, stay as they are.
strata_call_order_t strata_call_order_create(strata_compile_t *compile, const strata_calls_t *calls);

// The kernel that |call| calls, an index into calls->kernels; negative: it is a loop, which nothing moves past.
int64_t strata_call_order_kernel(const strata_call_order_t *order, MlirOperation call);

// The call behind |op|; null if there is none.
MlirOperation strata_call_order_next(MlirOperation op);

// True if |call| reads constants only.
bool strata_call_order_is_constant(const strata_call_order_t *order, MlirOperation call);

// True if one of them writes what the other touches. No loops.
STRATA_MUST_CHECK strata_status_t strata_call_order_depend(strata_call_order_t *order, MlirOperation a, MlirOperation b,
                                                           bool *out_depend);

// True if |call| can stand where |first| does, a call before it with at most |most| others from it on.
STRATA_MUST_CHECK strata_status_t strata_call_order_can_move(strata_call_order_t *order, MlirOperation call,
                                                             MlirOperation first, int most, bool *out_can);

// Moves |call| behind |last|, and the buffers and views it touches in front of |first|: calls that follow one another.
void strata_call_order_move(MlirOperation call, MlirOperation first, MlirOperation last);

#endif
