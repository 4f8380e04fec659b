// @main, and the bodies of loops, after grouping: the kernels they call, and which of their values are constants.
#ifndef STRATA_PASSES_AFFINE_CALLS_H
#define STRATA_PASSES_AFFINE_CALLS_H

#include "dialects/compile.h"
#include "dialects/counted_loop.h"
#include "dialects/pointer_map.h"

#define STRATA_LAUNCH "strata.launch" // of a call: the number of its launch; calls of one number follow one another
#define STRATA_CHAIN                                                                                                   \
  "strata.chain" // of a call beside it: threads of the block that carries out one call after the other

typedef struct {
  MlirOperation func;
  STRATA_VECTOR(MlirOperation) calls; // in order
} strata_called_kernel_t;

// A value is variable if it is an argument, a view of something variable, or a buffer written by a loop, or by a call
// that reads or writes something variable. All others are constant.
typedef struct {
  STRATA_VECTOR(strata_called_kernel_t) kernels; // in the order of their first calls
  strata_pointer_map_t is_variable;              // by buffer; there if it is
} strata_calls_t;

STRATA_MUST_CHECK strata_status_t strata_calls_read(strata_compile_t *compile, strata_calls_t *out_calls);
bool strata_calls_is_constant(const strata_calls_t *calls, MlirValue value);

// The buffer that a value of @main is, or is a view of.
MlirValue strata_calls_buffer(MlirValue value);

// True if the kernel, or the loop, stores into its argument |index|.
bool strata_kernel_writes(MlirOperation func, intptr_t index);
// True if constants decide all that the kernel computes, so that all its calls will move to @prepare.
bool strata_kernel_is_prepared(const strata_calls_t *calls, const strata_called_kernel_t *called);
// True if any call of the kernel has moved there (split-prepare).
bool strata_prepare_calls(strata_compile_t *compile, MlirOperation func);
// The function a call calls.
MlirOperation strata_callee(strata_compile_t *compile, MlirOperation call);

typedef STRATA_VECTOR(MlirOperation) strata_operations_t;
// The calls of a function, in order; those of |func| in |caller|, which may be null: none.
strata_operations_t strata_calls_of(strata_arena_t *arena, MlirOperation func);
// A number that no call of these functions has as that of its launch, nor has any greater one.
int64_t strata_calls_next_launch(strata_arena_t *arena, strata_functions_t functions);
strata_operations_t strata_calls_to(strata_arena_t *arena, MlirOperation caller, MlirOperation func);

// A memref.alloc, and a call of the function |name|, in front of |op|.
MlirValue strata_alloc_before(MlirOperation op, MlirType type);
void strata_call_before(MlirOperation op, const char *name, int n_operands, const MlirValue *operands);
// Memory of its own for each of |types|, in front of the call and as its last operands, of which it then has no more
// than STRATA_MAX_OPERANDS.
enum { STRATA_MAX_OPERANDS = 256 };
void strata_call_extend(MlirOperation call, int n, const MlirType *types, MlirValue *out_buffers);

#endif
