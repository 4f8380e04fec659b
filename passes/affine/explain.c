// affine-explain: tells the listener each kernel's calls, bytes and operations as affine-count has noted them, and the
// sum over a run; see explain.h.
//
//   kernel k3: 12 calls, 3 nests (contract add gelu), 2.36e+06 bytes, 6.04e+08 operations, 256 operations a byte
//   kernel k3: k3_v1 where batch <= 4: contract, tile 4 x 96
//   kernel k3 is /layer.0/dense/MatMul, …/Add, …/Gelu; last of 12: /layer.11/dense/MatMul, …/Add, …/Gelu
#include "passes/affine/explain.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "passes/affine/calls.h"
#include "passes/affine/origins.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <stdio.h>

void strata_explain(const strata_compile_t *compile, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_tell(compile->explain, format, args);
  va_end(args);
}

void strata_explain_apart(const strata_compile_t *compile, const char *what, MlirOperation func, MlirOperation first,
                          const char *reason) {
  MlirStringRef name = strata_attr_str(func, "sym_name"), other = strata_attr_str(first, "sym_name");
  strata_explain(compile, "%s %.*s: no launch with %.*s, of which it is independent: %s", what, (int)name.length,
                 name.data, (int)other.length, other.data, reason);
}

typedef struct {
  int64_t n_launches;
  double bytes, operations;
} totals_t;

static const char *nest_names(strata_arena_t *arena, const strata_kernel_t *kernel) {
  enum { MAX_NAMES = 8 };
  const char *names = "";
  for (int i = 0; i < kernel->n_nests && i < MAX_NAMES; i++)
    names = strata_arena_printf(arena, "%s%s%.*s", names, i ? " " : "", (int)kernel->nests[i].name.length,
                                kernel->nests[i].name.data);
  return kernel->n_nests > MAX_NAMES ? strata_arena_printf(arena, "%s ...", names) : names;
}

// "4 x 96", of a schedule.
static const char *tile_text(strata_arena_t *arena, const strata_schedule_t *schedule) {
  const char *text = "";
  for (int i = 0; i < schedule->n_tile; i++)
    text = strata_arena_printf(arena, "%s%s%lld", text, i ? " x " : ", tile ", (long long)schedule->tile[i]);
  return text;
}

// ", but not where rows >= 401, rows <= 512".
static const char *exceptions_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirOperation variant) {
  const char *text = "";
  for (intptr_t i = 0; i < strata_when_count_exceptions(variant); i++)
    text = strata_arena_printf(arena, "%s%s%s", text, i ? " or " : ", but not where ",
                               strata_when_text(arena, symbols, strata_when_exception(variant, i)));
  return text;
}

static strata_status_t explain_variants(strata_compile_t *compile, MlirOperation func) {
  strata_symbols_t symbols;
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int count = strata_variants_of(func, variants);
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &symbols));
  for (int i = 0; i < count; i++) {
    MlirStringRef name = strata_attr_str(func, "sym_name"), own = strata_attr_str(variants[i], "sym_name");
    strata_schedule_t schedule = strata_schedule_read(variants[i]);
    strata_explain(compile, "kernel %.*s: %.*s where %s%s: %s%s", (int)name.length, name.data, (int)own.length, own.data,
                   strata_when_text(compile->arena, &symbols, strata_when_around(variants[i])),
                   exceptions_text(compile->arena, &symbols, variants[i]),
                   strata_kernel_kind_name(schedule.kind), tile_text(compile->arena, &schedule));
  }
  return NULL;
}

static strata_status_t explain_kernel(strata_compile_t *compile, MlirOperation func, int n_calls, totals_t *run) {
  strata_kernel_t kernel;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  double bytes = (double)strata_attr_i64(func, "strata.bytes", 0);
  double operations = (double)strata_attr_i64(func, "strata.flops", 0);
  MlirStringRef name = strata_attr_str(func, "sym_name");
  strata_explain(compile, "kernel %.*s: %d calls, %d nests (%s), %.3g bytes, %.3g operations, %.3g operations a byte",
                 (int)name.length, name.data, n_calls, kernel.n_nests, nest_names(compile->arena, &kernel), bytes,
                 operations, bytes > 0 ? operations / bytes : 0);
  run->bytes += n_calls * bytes;
  run->operations += n_calls * operations;
  return explain_variants(compile, func);
}

typedef struct {
  strata_compile_t *compile;
  MlirSymbolTable symbols;
  strata_loop_table_t loops;
  strata_pointer_map_t calls; // callee, a uniqued attribute -> how often it is called
  totals_t run;
} counter_t;

// A loop whose number of iterations is a size.
static void explain_varying_loop(const counter_t *counter, MlirOperation call, const strata_counted_loop_t *loop) {
  char node[160];
  strata_location_text(mlirOperationGetLocation(call), node, sizeof node);
  MlirStringRef name = strata_attr_str(loop->declaration, "sym_name");
  strata_explain(counter->compile, "loop %.*s is %s: a size says how many iterations it has; below, a run has one",
                 (int)name.length, name.data, node);
}

// What decides how often an open loop runs, and what that means for a call.
static void explain_open_loop(const counter_t *counter, MlirOperation call, const strata_counted_loop_t *loop) {
  char node[160];
  strata_location_text(mlirOperationGetLocation(call), node, sizeof node);
  MlirStringRef name = strata_attr_str(loop->declaration, "sym_name");
  strata_explain(counter->compile, "loop %.*s is %s: data decide %s; below, a run has one iteration of it",
                 (int)name.length, name.data, *node ? node : "open",
                 loop->has_condition ? "before each iteration whether it goes on" : "how many iterations it has");
  if (strata_target_is_gpu(counter->compile))
    strata_explain(counter->compile,
                   "loop %.*s: the call enqueues iterations until it sees that the loop has ended, those behind the "
                   "end do nothing; after each %d it waits for the device, and more cannot be captured",
                   (int)name.length, name.data, STRATA_LOOP_MAX_FLAGS);
}

static void count_calls(counter_t *counter, MlirOperation func, int64_t times);

static void count_loop(counter_t *counter, MlirOperation call, MlirOperation declaration, int64_t times) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  bool is_open = strata_counted_loop_is_open(&loop);
  if (is_open)
    explain_open_loop(counter, call, &loop);
  else if (strata_counted_loop_varies(&loop))
    explain_varying_loop(counter, call, &loop);
  bool is_known = !is_open && !strata_counted_loop_varies(&loop);
  count_calls(counter, mlirSymbolTableLookup(counter->symbols, loop.body), is_known ? times * loop.count : times);
}

// Counts the calls of a function that runs |times| by callee. Those behind one another of one strata.launch are one
// launch. The body of a loop runs once an iteration.
static void count_calls(counter_t *counter, MlirOperation func, int64_t times) {
  int64_t last = -1;
  strata_operations_t ops = strata_calls_of(counter->compile->arena, func);
  for (size_t i = 0; i < ops.count; i++) {
    MlirOperation declaration = strata_called_loop(&counter->loops, ops.data[i]);
    if (!mlirOperationIsNull(declaration)) {
      count_loop(counter, ops.data[i], declaration, times);
      last = -1;
      continue;
    }
    int64_t launch = strata_attr_i64(ops.data[i], "strata.launch", -1);
    *strata_pointer_map_put(&counter->calls, strata_attr(ops.data[i], "callee").ptr) += times;
    counter->run.n_launches += launch < 0 || launch != last ? times : 0;
    last = launch;
  }
}

static void explain_origins(strata_compile_t *compile) {
  size_t count;
  const strata_kernel_origins_t *kernels = strata_kernel_origins(compile->arena, compile->module, &count);
  for (size_t i = 0; i < count; i++)
    if (*kernels[i].nodes)
      strata_explain(compile, "kernel %s is %s", kernels[i].kernel, kernels[i].nodes);
}

strata_status_t strata_pass_affine_explain(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  if (!compile->explain || mlirOperationIsNull(main))
    return NULL;
  counter_t counter = {.compile = compile,
                       .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module)),
                       .loops = strata_loop_table(compile->arena, compile->module),
                       .calls = strata_pointer_map_create(compile->arena)};
  count_calls(&counter, main, 1);
  mlirSymbolTableDestroy(counter.symbols);
  totals_t *run = &counter.run;
  MlirBlock body = mlirModuleGetBody(compile->module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute symbol = strata_attr(op, "sym_name");
    if (!strata_op_is(op, "func.func") || mlirOperationEqual(op, main))
      continue;
    MlirAttribute callee = mlirFlatSymbolRefAttrGet(compile->context, mlirStringAttrGetValue(symbol));
    const int64_t *count = strata_pointer_map_get(&counter.calls, callee.ptr);
    if (count)
      STRATA_TRY(explain_kernel(compile, op, (int)*count, run));
  }
  explain_origins(compile);
  strata_explain(compile, "a run: %lld launches, %.3g bytes, %.3g operations", (long long)run->n_launches, run->bytes,
                 run->operations);
  return NULL;
}
