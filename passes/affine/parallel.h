// Products that do not depend on one another: one launch carries out their tiles one product after the other, so that
// together they fill the card. Internal to affine-schedule.
//
//   call @k0(%x, %wq, %q)   call @k0(%x, %wk, %k)   call @k0(%x, %wv, %v)
// becomes
//   call @k0(...) {strata.launch = 0}   call @k0(...) {strata.launch = 0}   call @k0(...) {strata.launch = 0}
//
// Calls of one number follow one another; tile-join-launches makes one call of them.
#ifndef STRATA_PASSES_AFFINE_PARALLEL_H
#define STRATA_PASSES_AFFINE_PARALLEL_H

#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"

// That number; negative: the call is a launch of its own.
static inline int64_t strata_parallel_launch(MlirOperation call) { return strata_attr_i64(call, STRATA_LAUNCH, -1); }

enum { STRATA_MAX_TOGETHER = 16 }; // products of a launch: each is code of its own

// Moves calls of products that can share a launch behind one another and gives them their number: of one product, or of
// several that share an operand; then of small ones, whatever they are. Which of them do share it is chosen with their
// schedules.
STRATA_MUST_CHECK strata_status_t strata_parallel_find(strata_compile_t *compile, const strata_calls_t *calls);

// Of the products that share a launch with |called| the largest, whose schedule is that of all; |called| if there are
// no others. *out_is_main tells if that launch is the one whose products the largest chose.
STRATA_MUST_CHECK strata_status_t strata_parallel_leader(strata_compile_t *compile, const strata_calls_t *calls,
                                                         const strata_called_kernel_t *called,
                                                         const strata_called_kernel_t **out_leader, bool *out_is_main);

typedef struct {
  const strata_called_kernel_t *called;
  int64_t n_calls; // in the launch
} strata_parallel_member_t;

// The products of the launch that |called| leads: itself first, then those that follow it, by their work. Just |called|
// and one call where it leads none. |out_members| has room for STRATA_MAX_TOGETHER.
STRATA_MUST_CHECK strata_status_t strata_parallel_members(strata_compile_t *compile, const strata_calls_t *calls,
                                                          const strata_called_kernel_t *called,
                                                          strata_parallel_member_t *out_members, int *out_n);
// The matrices that the copy engine reads for calls of a launch: what several read in the same way has one map.
typedef struct {
  int n;
  MlirValue values[2 * STRATA_MAX_TOGETHER];
  int sides[2 * STRATA_MAX_TOGETHER];
  double read_before; // bytes of those that are read as a whole, for each call but the first
} strata_parallel_operands_t;
// Adds those of |called|'s calls in its launch, and returns how many are new. One call alone where it has no launch.
STRATA_MUST_CHECK strata_status_t strata_parallel_add_operands(strata_compile_t *compile,
                                                               const strata_called_kernel_t *called,
                                                               strata_parallel_operands_t *operands, int64_t *out_new);

// Takes the number back from all calls of |called|; the others of their launches still follow one another.
void strata_parallel_leave(const strata_called_kernel_t *called);
// Gives them another number instead: those that a launch rejects may share one of their own.
void strata_parallel_reject(strata_compile_t *compile, const strata_called_kernel_t *called);
// Takes the numbers back where schedules are none that a launch can be shared with, or not those of the leader.
STRATA_MUST_CHECK strata_status_t strata_parallel_settle(strata_compile_t *compile, const strata_calls_t *calls);

#endif
