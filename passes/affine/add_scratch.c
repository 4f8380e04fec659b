// affine-add-scratch: memory for the blocks of a product that have equal shares of all tasks' steps (docs/gpu.md,
// `stream`): each may leave one task's sums to the next, and says so by its flag. And a counter for blocks that take
// the next task that none has begun (`dynamic`).
//
//   call @k0(%x, %w, %y)
// becomes
//   %sums = memref.alloc : memref<2162688xi32>   %flags = memref.alloc : memref<132xi32>
//   call @k0_flags(%flags)                       // one nest, which sets them to zero
//   call @k0(%x, %w, %y, %sums, %flags)
//
// and of a counter, which is a flag, the same without sums.
//
// The kernel's function gets arguments that its nests do not name; level 4 does (pipelined_stream.c,
// pipelined_dynamic.c). A kernel that @prepare calls has its tasks whole, and in turn, instead: what constants alone
// decide is computed once. So has one of several variants, which all have the same arguments.
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

enum { MOST_BUFFERS = 2, MIN_THREADS = 64 };

typedef struct {
  strata_compile_t *compile;
  MlirOperation func;
  const char *clear; // the function that sets the flags to zero
  int n_buffers;
  MlirType types[MOST_BUFFERS]; // the last: of the flags
} scratch_t;

static MlirType flags_type(const scratch_t *s) { return s->types[s->n_buffers - 1]; }

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
      s->clear, strata_type_text(arena, flags_type(s)), (long long)threads, (long long)n_flags,
      strata_type_text(arena, flags_type(s)));
  MlirOperation func =
      mlirOperationCreateParse(s->compile->context, strata_str(text), strata_str("affine-add-scratch"));
  if (mlirOperationIsNull(func))
    return strata_compile_take_diagnostics(s->compile, "affine-add-scratch: the kernel is malformed");
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(s->compile->module), s->func, func);
  return NULL;
}

static void extend_call(const scratch_t *s, MlirOperation call) {
  MlirValue buffers[MOST_BUFFERS];
  strata_call_extend(call, s->n_buffers, s->types, buffers);
  strata_call_before(call, s->clear, 1, &buffers[s->n_buffers - 1]);
}

static strata_status_t add_scratch(strata_compile_t *compile, MlirOperation func) {
  strata_schedule_t schedule = strata_schedule_read(func);
  scratch_t s = {.compile = compile, .func = func};
  if (!schedule.stream && !schedule.dynamic)
    return NULL;
  if (strata_prepare_calls(compile, func) || strata_has_variants(func) ||
      mlirBlockGetNumArguments(strata_func_body(func)) + MOST_BUFFERS > STRATA_MAX_OPERANDS) {
    schedule.stream = schedule.dynamic = false;
    schedule.row_slots = 0;
    strata_schedule_write(func, &schedule);
    return NULL;
  }
  int64_t n_flags = schedule.stream ? schedule.blocks : 1;
  if (schedule.stream)
    s.types[s.n_buffers++] = words_type(compile->context, schedule.blocks * schedule.tile[0] * schedule.tile[1]);
  s.types[s.n_buffers++] = words_type(compile->context, n_flags);
  STRATA_TRY(add_clear(&s, n_flags));
  for (int i = 0; i < s.n_buffers; i++)
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
