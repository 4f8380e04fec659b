// Candidates of a kernel for measuring: see tuned.h. Each becomes a module of its own, @main with the kernel's
// arguments and one call, which the phases behind affine make a library of.
#include "passes/affine/tuned.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/candidates.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/printed.h"
#include "passes/pass.h"
#include "passes/target.h"
#include "passes/tuning/tuning.h"

#include <math.h>

//===-- The choice -----------------------------------------------------------------------------------------------===//

enum {
  MAX_CONSIDERED = 64, // the best by the model
  MAX_OF_TILE = 2,     // of those proposed
  MAX_OF_WAY = 3,
};
#define MOST_TIME 1.5 // the model is never so wrong

typedef struct {
  int count;
  strata_candidate_t of[MAX_CONSIDERED];
} candidates_t;

// In the order of times, of equal ones that of the walk.
static void consider(candidates_t *all, const strata_candidate_t *c) {
  int at = all->count;
  while (at > 0 && all->of[at - 1].seconds > c->seconds)
    at--;
  if (at == MAX_CONSIDERED)
    return;
  all->count += all->count < MAX_CONSIDERED;
  memmove(&all->of[at + 1], &all->of[at], sizeof *all->of * (size_t)(all->count - 1 - at));
  all->of[at] = *c;
}

static void walk(const strata_work_t *work, candidates_t *out) {
  const strata_ways_t *ways;
  strata_work_t sensible = *work;
  sensible.wants_all = false;
  out->count = 0;
  for (int i = 0; (ways = strata_ways_of(work, i)); i++)
    for (strata_candidate_t c = {0}; strata_candidate_next(&sensible, ways, &c);)
      consider(out, &c);
}

static bool has_same_runs(const strata_schedule_t *a, const strata_schedule_t *b) {
  return a->runs[0] == b->runs[0] && a->runs[1] == b->runs[1];
}

static bool is_same(const strata_schedule_t *a, const strata_schedule_t *b) {
  return strata_schedule_is_same_tile(a, b) && a->slots == b->slots && a->blocks == b->blocks && has_same_runs(a, b);
}

// Either operand may be the instruction's rows: a tile and its transpose are alike.
static bool has_same_tile(const strata_schedule_t *a, const strata_schedule_t *b) {
  bool is_equal = a->tile[0] == b->tile[0] && a->tile[1] == b->tile[1];
  bool is_transposed = a->tile[0] == b->tile[1] && a->tile[1] == b->tile[0];
  return a->tile[2] == b->tile[2] && (is_equal || is_transposed);
}

// What blocks do together; on a cpu what is packed, and how tasks are cut.
static bool has_same_way(const strata_schedule_t *a, const strata_schedule_t *b) {
  return a->stream == b->stream && a->parts == b->parts && a->share[0] * a->share[1] == b->share[0] * b->share[1] &&
         a->panels == b->panels && a->packs_rows == b->packs_rows && has_same_runs(a, b);
}

// True if enough of its like are there.
static bool is_one_of_many(const strata_candidate_t *chosen, int n, const strata_candidate_t *c) {
  int n_of_tile = 0, n_of_way = 0;
  for (int i = 0; i < n; i++) {
    n_of_tile += has_same_tile(&chosen[i].schedule, &c->schedule);
    n_of_way += has_same_way(&chosen[i].schedule, &c->schedule);
  }
  return n_of_tile >= MAX_OF_TILE || n_of_way >= MAX_OF_WAY;
}

static bool is_there(const strata_candidate_t *chosen, int n, const strata_candidate_t *c) {
  for (int i = 0; i < n; i++)
    if (is_same(&chosen[i].schedule, &c->schedule))
      return true;
  return false;
}

// What |schedule| was chosen from, for its time; all zero where it is none of the candidates any more.
static strata_candidate_t candidate_of(const strata_work_t *work, const strata_schedule_t *schedule) {
  const strata_ways_t *ways;
  strata_candidate_t c;
  for (int i = 0; (ways = strata_ways_of(work, i)); i++)
    if (strata_candidate_of(work, ways, schedule, &c))
      return c;
  return (strata_candidate_t){{.seconds = 0}};
}

// The model's choice, then the best of others: what it gets wrong, a way of sharing or a tile, it gets wrong for all of
// that kind, so first few of each.
static int choose(const strata_work_t *work, const strata_schedule_t *model, strata_candidate_t *out) {
  candidates_t all;
  int n = 1;
  out[0] = candidate_of(work, model);
  out[0].schedule = *model;
  walk(work, &all);
  for (int any = 0; any < 2; any++)
    for (int i = 0; i < all.count && n < STRATA_MAX_PROPOSED; i++) {
      bool is_slow = all.of[i].seconds > MOST_TIME * all.of[0].seconds;
      if (!is_slow && !is_there(out, n, &all.of[i]) && (any || !is_one_of_many(out, n, &all.of[i])))
        out[n++] = all.of[i];
    }
  return n;
}

//===-- Modules --------------------------------------------------------------------------------------------------===//

enum { MAX_ARGUMENTS = 256, MOST_DATA = 256 << 20 };

typedef struct {
  int n;
  int constant; // that is packed before any call; -1: none
  bool are_read[MAX_ARGUMENTS], are_written[MAX_ARGUMENTS];
} arguments_t;

// False if the kernel reads what it writes, so that a second call computes something else, or has too many.
static bool read_arguments(const strata_kernel_t *kernel, const strata_work_t *work, arguments_t *out) {
  const strata_cpu_product_t *product = work->cpu_product;
  *out = (arguments_t){.n = (int)mlirBlockGetNumArguments(kernel->body), .constant = -1};
  if (product && product->is_constant && product->may_have_panels)
    out->constant = (int)mlirBlockArgumentGetArgNumber(product->contraction.sides[STRATA_SIDE_V].access->buffer);
  if (out->n > MAX_ARGUMENTS)
    return false;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      bool is_ours = mlirValueIsABlockArgument(access->buffer) &&
                     mlirBlockEqual(mlirBlockArgumentGetOwner(access->buffer), kernel->body);
      if (is_ours && access->is_store)
        out->are_written[mlirBlockArgumentGetArgNumber(access->buffer)] = true;
      else if (is_ours)
        out->are_read[mlirBlockArgumentGetArgNumber(access->buffer)] = true;
    }
  for (int i = 0; i < out->n; i++)
    if (out->are_read[i] && out->are_written[i])
      return false;
  return true;
}

static const char *argument_text(strata_arena_t *arena, MlirBlock body, int i, bool is_output) {
  const char *type = strata_type_text(arena, mlirValueGetType(mlirBlockGetArgument(body, i)));
  return strata_arena_printf(arena, "%%a%d: %s {strata.name = \"a%d\"%s}", i, type, i,
                             is_output ? ", strata.output" : "");
}

// What a module begins with: the constant, whose bytes are in the file |data| beside the module's.
typedef struct {
  const char *attributes, *global, *get;
} constant_text_t;

static constant_text_t constant_text(strata_arena_t *arena, MlirBlock body, const arguments_t *arguments,
                                     const char *data) {
  if (arguments->constant < 0)
    return (constant_text_t){"", "", ""};
  MlirType type = mlirValueGetType(mlirBlockGetArgument(body, arguments->constant));
  const char *text = strata_type_text(arena, type);
  return (constant_text_t){
      strata_arena_printf(arena,
                          " attributes {strata.data_file = \"%s\", strata.data = {constant = array<i64: 0, %lld>}}",
                          data, (long long)strata_memref_bytes(type)),
      strata_arena_printf(arena, "memref.global \"private\" @constant : %s\n", text),
      strata_arena_printf(arena, "%%a%d = memref.get_global @constant : %s\n", arguments->constant, text),
  };
}

// @main, its inputs in front of its outputs.
static const char *main_text(strata_arena_t *arena, MlirOperation func, const arguments_t *arguments,
                             const char *data) {
  MlirBlock body = strata_func_body(func);
  MlirStringRef name = strata_attr_str(func, "sym_name");
  constant_text_t constant = constant_text(arena, body, arguments, data);
  const char *header = "", *operands = "", *types = "";
  for (int output = 0; output < 2; output++)
    for (int i = 0; i < arguments->n; i++)
      if (arguments->are_written[i] == output && i != arguments->constant)
        header =
            strata_arena_printf(arena, "%s%s%s", header, *header ? ", " : "", argument_text(arena, body, i, output));
  for (int i = 0; i < arguments->n; i++) {
    const char *type = strata_type_text(arena, mlirValueGetType(mlirBlockGetArgument(body, i)));
    operands = strata_arena_printf(arena, "%s%s%%a%d", operands, i ? ", " : "", i);
    types = strata_arena_printf(arena, "%s%s%s", types, i ? ", " : "", type);
  }
  return strata_arena_printf(arena,
                             "module%s {\n%sfunc.func @main(%s) {\n%sfunc.call @%.*s(%s) : (%s) -> ()\nreturn\n}\n"
                             "func.func private @%.*s(%s)\n}",
                             constant.attributes, constant.global, header, constant.get, (int)name.length, name.data,
                             operands, types, (int)name.length, name.data, types);
}

static strata_status_t finish_affine(strata_compile_t *compile) {
  const strata_pass_table_t *tables[] = {&strata_passes};
  if (strata_target_is_gpu(compile))
    return strata_pipeline_run(compile, "affine-add-scratch,affine-split-attention,affine-count", 1, tables);
  strata_calls_t calls;
  STRATA_TRY(strata_calls_read(compile, &calls));
  STRATA_TRY(strata_cpu_pack_products(compile, &calls));
  return strata_pipeline_run(compile, "affine-split-prepare,affine-count", 1, tables);
}

// The module of one candidate, behind all of the phase affine.
static strata_status_t finish_module(strata_compile_t *compile, MlirOperation func, const strata_schedule_t *schedule,
                                     const char **out_text) {
  MlirOperation declaration = strata_find_symbol(compile->module, strata_attr_str(func, "sym_name"));
  MlirOperation kernel = mlirOperationClone(func);
  strata_schedule_write(kernel, schedule);
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(compile->module), declaration, kernel);
  mlirOperationDestroy(declaration);
  STRATA_TRY(finish_affine(compile));
  strata_printed_t printed = strata_print_func(compile->arena, mlirModuleGetOperation(compile->module), false);
  *out_text = strata_arena_printf(compile->arena, "%.*s\n", (int)printed.length, printed.text);
  return NULL;
}

static strata_status_t make_module(strata_compile_t *compile, MlirOperation func, const arguments_t *arguments,
                                   const char *data, const strata_schedule_t *schedule, const char **out_text) {
  strata_compile_t part = *compile;
  part.explain = NULL;
  part.module = mlirModuleCreateParse(compile->context, strata_str(main_text(compile->arena, func, arguments, data)));
  if (mlirModuleIsNull(part.module))
    return strata_compile_take_diagnostics(compile, "tuning: cannot call the kernel alone");
  strata_status_t status = finish_module(&part, func, schedule, out_text);
  compile->diagnostics = part.diagnostics;
  mlirModuleDestroy(part.module);
  return status;
}

//===-- Proposals ------------------------------------------------------------------------------------------------===//

static const char *describe_on_cpu(strata_arena_t *arena, const strata_work_t *work) {
  const strata_cpu_attention_t *a = work->cpu_attention;
  if (a)
    return strata_arena_printf(arena, "attention of %lld queries, %lld keys, heads of %lld, %lld times",
                               (long long)a->scores.u, (long long)a->scores.v, (long long)a->scores.steps,
                               (long long)a->times);
  if (work->widths)
    return strata_arena_printf(arena, "%s of %.0f points", strata_kernel_kind_name(work->widths->kind),
                               work->widths->points);
  const strata_tiling_t *t = &work->cpu_product->tiling;
  return strata_arena_printf(arena, "product %lld x %lld x %lld, %lld times%s", (long long)t->u, (long long)t->v,
                             (long long)t->steps, (long long)work->cpu_product->times,
                             work->cpu_product->is_constant ? ", by constants" : "");
}

static const char *describe(strata_arena_t *arena, const strata_work_t *work) {
  const strata_problem_t *p = work->product;
  const strata_attention_problem_t *a = work->attention;
  if (!work->device)
    return describe_on_cpu(arena, work);
  if (a)
    return strata_arena_printf(arena, "attention of %lld queries, %lld keys, heads of %lld, %lld times",
                               (long long)a->rows, (long long)a->columns, (long long)a->head, (long long)a->batch);
  return strata_arena_printf(arena, "product %lld x %lld x %lld, %lld times%s%s", (long long)p->rows,
                             (long long)p->columns, (long long)p->steps, (long long)p->batch,
                             p->is_pair ? ", a pair" : "", p->row_reductions ? ", rows reduced" : "");
}

// A string of protobuf-c's is nobody's to write to.
static char *text_of(const char *text) { return (char *)(uintptr_t)text; }

static strata_status_t add_candidate(strata_compile_t *compile, MlirOperation func, const arguments_t *arguments,
                                     const strata_candidate_t *c, Strata__TuningKernel *kernel) {
  strata_tuning_t *tuning = compile->options->tuning;
  Strata__TuningCandidate *candidate = strata_arena_new(tuning->arena, Strata__TuningCandidate);
  const char *module = NULL,
             *name = strata_arena_printf(tuning->arena, "k%s_%zu", kernel->kernel, kernel->n_candidates);
  strata_schedule_t before = strata_schedule_read(func);
  const char *data = arguments->constant < 0 ? NULL : strata_arena_printf(tuning->arena, "k%s.data", kernel->kernel);
  STRATA_TRY(make_module(compile, func, arguments, data, &c->schedule, &module));
  strata__tuning_candidate__init(candidate);
  candidate->library = strata_arena_printf(tuning->arena, "lib%s.so", name);
  strata_schedule_write(func, &c->schedule);
  candidate->schedule = text_of(strata_attr_text(tuning->arena, strata_attr(func, "strata.schedule")));
  strata_schedule_write(func, &before);
  candidate->predicted_seconds = isfinite(c->seconds) ? c->seconds : 0;
  kernel->candidates[kernel->n_candidates++] = candidate;
  strata_tuning_module_t *added = strata_vector_push(tuning->arena, &tuning->modules);
  *added = (strata_tuning_module_t){.name = name, .module = module, .data = data};
  if (data) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(strata_func_body(func), arguments->constant));
    added->data_type = strata_type_from_mlir(mlirShapedTypeGetElementType(type));
    added->data_bytes = (int64_t)strata_memref_bytes(type);
  }
  return NULL;
}

// The same kernel may be there twice, under two names.
static bool is_proposed(const strata_tuning_t *tuning, const strata_tuning_result_t *key) {
  for (size_t i = 0; i < tuning->proposed.count; i++)
    if (strcmp(tuning->proposed.data[i]->kernel, key->kernel) == 0 &&
        strcmp(tuning->proposed.data[i]->device, key->device) == 0)
      return true;
  return false;
}

static bool is_output(MlirValue buffer) {
  MlirAttribute attrs = strata_attr(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(buffer)), "arg_attrs");
  intptr_t i = mlirBlockArgumentGetArgNumber(buffer);
  return !mlirAttributeIsNull(attrs) && i < mlirArrayAttrGetNumElements(attrs) &&
         !mlirAttributeIsNull(
             mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(attrs, i), strata_str("strata.output")));
}

// The place of argument |index| among the libraries' inputs.
static int32_t input_of(const arguments_t *arguments, intptr_t index) {
  int32_t input = 0;
  for (intptr_t i = 0; i < index; i++)
    input += !arguments->are_written[i] && i != arguments->constant;
  return input;
}

// The inputs, as they follow one another, that other kernels have written: in the first of its calls.
static void find_warm(const strata_calls_t *calls, const strata_called_kernel_t *called, const arguments_t *arguments,
                      strata_arena_t *arena, Strata__TuningKernel *kernel) {
  kernel->warm = strata_arena_array(arena, int32_t, arguments->n + 1);
  for (int i = 0; i < arguments->n; i++) {
    MlirValue buffer = strata_calls_buffer(mlirOperationGetOperand(called->calls.data[0], i));
    bool is_made = mlirValueIsABlockArgument(buffer) ? is_output(buffer) : !strata_calls_is_constant(calls, buffer);
    bool is_input = !arguments->are_written[i] && i != arguments->constant;
    if (is_input && is_made)
      kernel->warm[kernel->n_warm++] = input_of(arguments, i);
  }
}

// The inputs whose rows are longer than what the product reads of them (stage.c): behind that are zeros.
static void find_padded(const strata_kernel_t *nests, const arguments_t *arguments, strata_arena_t *arena,
                        Strata__TuningKernel *kernel) {
  kernel->padded = strata_arena_array(arena, Strata__TuningPadded *, arguments->n + 1);
  for (int i = 0; i < nests->n_nests; i++)
    for (int j = 0; j < nests->nests[i].n_accesses; j++) {
      const strata_access_t *access = &nests->nests[i].accesses[j];
      int64_t min, max;
      bool is_padded = strata_attr_flag(access->op, "strata.padded") && mlirValueIsABlockArgument(access->buffer) &&
                       (int)kernel->n_padded < arguments->n;
      if (!is_padded ||
          !strata_affine_range(mlirAffineMapGetResult(access->map, mlirAffineMapGetNumResults(access->map) - 1),
                               &nests->nests[i].space, &min, &max))
        continue;
      Strata__TuningPadded *padded = strata_arena_new(arena, Strata__TuningPadded);
      strata__tuning_padded__init(padded);
      padded->input = input_of(arguments, mlirBlockArgumentGetArgNumber(access->buffer));
      padded->columns = (int32_t)(max + 1);
      kernel->padded[kernel->n_padded++] = padded;
    }
}

// Each candidate's library has it, as its panels.
static double constant_bytes(const strata_called_kernel_t *called, const arguments_t *arguments) {
  return arguments->constant < 0 ? 0
                                 : strata_memref_bytes(mlirValueGetType(
                                       mlirBlockGetArgument(strata_func_body(called->func), arguments->constant)));
}

strata_status_t strata_tuned_propose(strata_compile_t *compile, const strata_gpu_device_t *device,
                                     const strata_calls_t *calls, const strata_called_kernel_t *called,
                                     const strata_tuning_result_t *key) {
  strata_tuning_t *tuning = compile->options->tuning;
  strata_schedule_t model = strata_schedule_read(called->func);
  strata_kernel_t nests;
  strata_work_t work;
  arguments_t arguments;
  bool has_candidates;
  if (is_proposed(tuning, key))
    return NULL;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &nests));
  STRATA_TRY(strata_work_read(compile, device, calls, called, model.kind, &work, &has_candidates));
  const char *obstacle = !has_candidates                                  ? "it has one schedule"
                         : !read_arguments(&nests, &work, &arguments)     ? "it reads what it writes"
                         : constant_bytes(called, &arguments) > MOST_DATA ? "its constant is larger than 256 MiB"
                                                                          : NULL;
  if (obstacle) {
    strata_explain(compile, "tuned: kernel %s: not proposed: %s", key->kernel, obstacle);
    return NULL;
  }
  strata_candidate_t candidates[STRATA_MAX_PROPOSED];
  int n = choose(&work, &model, candidates);
  Strata__TuningKernel *kernel = strata_arena_new(tuning->arena, Strata__TuningKernel);
  strata__tuning_kernel__init(kernel);
  kernel->kernel = key->kernel;
  kernel->device = key->device;
  kernel->compiler = key->compiler;
  kernel->threads = device ? 0 : compile->options->threads;
  kernel->what = text_of(describe(tuning->arena, &work));
  find_warm(calls, called, &arguments, tuning->arena, kernel);
  find_padded(&nests, &arguments, tuning->arena, kernel);
  kernel->candidates = strata_arena_array(tuning->arena, Strata__TuningCandidate *, n);
  *strata_vector_push(tuning->arena, &tuning->proposed) = kernel;
  for (int i = 0; i < n; i++)
    STRATA_TRY(add_candidate(compile, called->func, &arguments, &candidates[i], kernel));
  strata_explain(compile, "tuned: kernel %s: %d candidates proposed", key->kernel, n);
  return NULL;
}
