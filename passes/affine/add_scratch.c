// affine-add-scratch: memory for the blocks of a product that have equal shares of all tasks' steps (docs/gpu.md,
// `stream`): each may leave one task's sums to the next, and says so by its flag.
//
//   call @k0(%x, %w, %y)
// becomes
//   %sums = memref.alloc : memref<2162688xi32>   %flags = memref.alloc : memref<132xi32>
//   call @k0_flags(%flags)                       // one nest, which sets them to zero
//   call @k0(%x, %w, %y, %sums, %flags)
//
// The kernel's function gets two arguments that its nests do not name; level 4 does (pipelined_stream.c). A kernel that
// @prepare calls has its tasks whole instead: what constants alone decide is computed once. So has one of several
// variants, which all have the same arguments.
#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/pass.h"
#include "passes/target.h"

enum { SUMS, FLAGS, N_BUFFERS, MIN_THREADS = 64 };

typedef struct {
  strata_compile_t *compile;
  MlirOperation func;
  const char *clear; // the function that sets the flags to zero
  MlirType types[N_BUFFERS];
} scratch_t;

static MlirType words_type(MlirContext context, int64_t count) {
  return mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(context, 32), 1, &count, (MlirAttribute){0});
}

static strata_status_t add_clear(scratch_t *s, int64_t n_flags) {
  strata_arena_t *arena = s->compile->arena;
  MlirStringRef symbol = strata_attr_str(s->func, "sym_name");
  s->clear = strata_arena_printf(arena, "%.*s_flags", (int)symbol.length, symbol.data);
  int64_t threads = strata_max(MIN_THREADS, strata_power_of_two_from(n_flags));
  const char *text = strata_arena_printf(
      arena,
      "func.func private @%s(%%flags: %s) attributes {strata.schedule = {kind = \"map\", threads = %lld : i64, "
      "group = 1 : i64, tile = array<i64: 1>}} {\n"
      "%%zero = arith.constant 0 : i32\n"
      "affine.parallel (%%i) = (0) to (%lld) {\naffine.store %%zero, %%flags[%%i] : %s\n} {strata.nest = \"flags\"}\n"
      "return }",
      s->clear, strata_type_text(arena, s->types[FLAGS]), (long long)threads, (long long)n_flags,
      strata_type_text(arena, s->types[FLAGS]));
  MlirOperation func =
      mlirOperationCreateParse(s->compile->context, strata_str(text), strata_str("affine-add-scratch"));
  if (mlirOperationIsNull(func))
    return strata_compile_take_diagnostics(s->compile, "affine-add-scratch: the kernel is malformed");
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(s->compile->module), s->func, func);
  return NULL;
}

static void extend_call(const scratch_t *s, MlirOperation call) {
  MlirValue buffers[N_BUFFERS];
  strata_call_extend(call, N_BUFFERS, s->types, buffers);
  strata_call_before(call, s->clear, 1, &buffers[FLAGS]);
}

static strata_status_t add_scratch(strata_compile_t *compile, MlirOperation func) {
  strata_schedule_t schedule = strata_schedule_read(func);
  scratch_t s = {.compile = compile, .func = func};
  if (!schedule.stream)
    return NULL;
  if (strata_prepare_calls(compile, func) || strata_has_variants(func) ||
      mlirBlockGetNumArguments(strata_func_body(func)) + N_BUFFERS > STRATA_MAX_OPERANDS) {
    schedule.stream = false;
    strata_schedule_write(func, &schedule);
    return NULL;
  }
  s.types[SUMS] = words_type(compile->context, schedule.blocks * schedule.tile[0] * schedule.tile[1]);
  s.types[FLAGS] = words_type(compile->context, schedule.blocks);
  STRATA_TRY(add_clear(&s, schedule.blocks));
  for (int i = 0; i < N_BUFFERS; i++)
    mlirBlockAddArgument(strata_func_body(func), s.types[i], mlirOperationGetLocation(func));
  strata_update_function_type(compile->arena, func);
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++) {
    strata_operations_t calls = strata_calls_to(compile->arena, functions.data[i], func);
    for (size_t j = 0; j < calls.count; j++)
      extend_call(&s, calls.data[j]);
  }
  return NULL;
}

strata_status_t strata_pass_affine_add_scratch(strata_compile_t *compile) {
  if (!strata_target_is_gpu(compile))
    return NULL;
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)); !mlirOperationIsNull(op);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (strata_op_is_kernel(op))
      STRATA_TRY(add_scratch(compile, op));
  }
  return NULL;
}
