// affine-merge-stages: an operand that several products want staged alike is staged once, on GPUs.
//
//   call @k0_stage(%x, %p)   call @k0(%p, %v, %y)   call @k1_stage(%x, %q)   call @k1(%q, %w, %z)
//     -> call @k0_stage(%x, %p)   call @k0(%p, %v, %y)   call @k1(%p, %w, %z)
//
// Where nothing in between writes what is read. Products of one input have it so that are not one product: gated pairs,
// results that are stored apart.
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/printed.h"
#include "passes/pass.h"

typedef struct {
  MlirOperation call, func;
  strata_printed_t printed;
} staging_t;

typedef struct {
  strata_compile_t *compile;
  strata_calls_t calls;
  strata_pointer_map_t kernels;  // callee, a unique attribute -> 1 + index of the called kernel; loops are none
  STRATA_VECTOR(staging_t) kept; // that hold at the call looked at
} merger_t;

// A null operation for a loop.
static MlirOperation kernel_of(const merger_t *m, MlirOperation call) {
  const int64_t *index = strata_pointer_map_get(&m->kernels, strata_attr(call, "callee").ptr);
  return index ? m->calls.kernels.data[*index - 1].func : (MlirOperation){NULL};
}

static bool is_staging(MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  MlirOperation nest = mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(body);
  return !mlirOperationIsNull(nest) && strata_str_equal(strata_attr_str(nest, "strata.nest"), "stage");
}

// The last operand is the matrix, the others are read.
static bool stages_the_same(const staging_t *a, const staging_t *b) {
  intptr_t n = mlirOperationGetNumOperands(a->call);
  if (n != mlirOperationGetNumOperands(b->call) || !strata_printed_equal(&a->printed, &b->printed))
    return false;
  for (intptr_t i = 0; i + 1 < n; i++)
    if (!mlirValueEqual(strata_calls_buffer(mlirOperationGetOperand(a->call, i)),
                        strata_calls_buffer(mlirOperationGetOperand(b->call, i))))
      return false;
  return true;
}

static MlirValue matrix_of(MlirOperation call) {
  return strata_calls_buffer(mlirOperationGetOperand(call, mlirOperationGetNumOperands(call) - 1));
}

static void merge(merger_t *m, MlirOperation call, MlirOperation func) {
  staging_t staging = {call, func, strata_print_func(m->compile->arena, func, true)};
  for (size_t i = 0; i < m->kept.count; i++) {
    if (!stages_the_same(&m->kept.data[i], &staging))
      continue;
    MlirValue matrix = matrix_of(call);
    mlirOperationDestroy(call);
    mlirValueReplaceAllUsesOfWith(matrix, matrix_of(m->kept.data[i].call));
    mlirOperationDestroy(mlirOpResultGetOwner(matrix));
    return;
  }
  *strata_vector_push(m->compile->arena, &m->kept) = staging;
}

static bool touches(MlirOperation call, MlirValue buffer) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (mlirValueEqual(strata_calls_buffer(mlirOperationGetOperand(call, i)), buffer))
      return true;
  return false;
}

// What was staged of what |call| writes holds no longer. A loop may write anything that it touches.
static void forget(merger_t *m, MlirOperation call, MlirOperation func) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call) && m->kept.count > 0; i++) {
    size_t n = 0;
    if (!mlirOperationIsNull(func) && !strata_kernel_writes(func, i))
      continue;
    for (size_t j = 0; j < m->kept.count; j++)
      if (!touches(m->kept.data[j].call, strata_calls_buffer(mlirOperationGetOperand(call, i))))
        m->kept.data[n++] = m->kept.data[j];
    m->kept.count = n;
  }
}

static void merge_function(merger_t *m, MlirOperation func) {
  strata_operations_t calls = strata_calls_of(m->compile->arena, func);
  m->kept.count = 0;
  for (size_t i = 0; i < calls.count; i++) {
    MlirOperation kernel = kernel_of(m, calls.data[i]);
    if (!mlirOperationIsNull(kernel) && is_staging(kernel))
      merge(m, calls.data[i], kernel);
    else
      forget(m, calls.data[i], kernel);
  }
}

// Notes the kernels; how many of them stage something.
static size_t read_kernels(merger_t *m) {
  size_t n_stagings = 0;
  m->kernels = strata_pointer_map_create(m->compile->arena);
  for (size_t i = 0; i < m->calls.kernels.count; i++) {
    const strata_called_kernel_t *called = &m->calls.kernels.data[i];
    *strata_pointer_map_put(&m->kernels, strata_attr(called->calls.data[0], "callee").ptr) = (int64_t)i + 1;
    n_stagings += is_staging(called->func) ? called->calls.count : 0;
  }
  return n_stagings;
}

// Staging kernels that nobody calls any more.
static void remove_unused(merger_t *m, const strata_functions_t *functions) {
  bool *is_called = strata_arena_array(m->compile->arena, bool, m->calls.kernels.count);
  for (size_t i = 0; i < functions->count; i++) {
    strata_operations_t calls = strata_calls_of(m->compile->arena, functions->data[i]);
    for (size_t j = 0; j < calls.count; j++) {
      const int64_t *index = strata_pointer_map_get(&m->kernels, strata_attr(calls.data[j], "callee").ptr);
      if (index)
        is_called[*index - 1] = true;
    }
  }
  for (size_t i = 0; i < m->calls.kernels.count; i++)
    if (!is_called[i])
      mlirOperationDestroy(m->calls.kernels.data[i].func);
}

strata_status_t strata_pass_affine_merge_stages(strata_compile_t *compile) {
  merger_t m = {.compile = compile};
  STRATA_TRY(strata_calls_read(compile, &m.calls));
  if (read_kernels(&m) < 2)
    return NULL;
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    merge_function(&m, functions.data[i]);
  remove_unused(&m, &functions);
  return NULL;
}
