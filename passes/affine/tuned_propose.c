// What a compile proposes for measuring: see tuned.h. Each candidate becomes a module (tuned_module.c).
#include "passes/affine/tuned.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/explain.h"
#include "passes/affine/gpu_forms.h"
#include "passes/affine/nest_graph.h"

#include <math.h>

enum { MOST_DATA = 256 << 20 };

//===-- In words -------------------------------------------------------------------------------------------------===//

static const char *describe_on_cpu(strata_arena_t *arena, const strata_work_t *work) {
  const strata_cpu_attention_t *a = work->cpu_attention;
  if (a)
    return strata_arena_printf(arena, "attention of %lld queries, %lld keys, heads of %lld, %lld times",
                               (long long)a->scores.u, (long long)a->scores.v, (long long)a->scores.steps,
                               (long long)a->times);
  if (work->widths)
    return strata_arena_printf(arena, "%s of %.0f points", strata_kernel_kind_name(work->widths->kind),
                               work->widths->points);
  const strata_cpu_product_t *p = work->cpu_product;
  return strata_arena_printf(arena, "product %lld x %lld x %lld, %lld times%s", (long long)p->extents[STRATA_SIDE_U],
                             (long long)p->extents[STRATA_SIDE_V], (long long)p->tiling.steps, (long long)p->times,
                             p->is_constant ? ", by constants" : "");
}

static const char *describe_work(strata_arena_t *arena, const strata_work_t *work) {
  const strata_problem_t *p = work->product;
  const strata_attention_problem_t *a = work->attention;
  if (!work->device)
    return describe_on_cpu(arena, work);
  if (work->forms)
    return strata_arena_printf(arena, "%s of %.0f points", strata_kernel_kind_name(work->forms->kind),
                               work->forms->points);
  if (a)
    return strata_arena_printf(arena, "attention of %lld queries, %lld keys, heads of %lld, %lld times",
                               (long long)a->rows, (long long)a->columns, (long long)a->head, (long long)a->batch);
  return strata_arena_printf(arena, "product %lld x %lld x %lld, %lld times%s%s", (long long)p->rows,
                             (long long)p->columns, (long long)p->steps, (long long)p->batch,
                             p->is_pair ? ", a pair" : "", p->row_reductions ? ", rows reduced" : "");
}

static const char *describe(strata_arena_t *arena, const strata_tuned_unit_t *unit) {
  const char *text = describe_work(arena, &unit->works[0]);
  if (unit->calls.count > 1)
    return strata_arena_printf(arena, "%zu calls of one launch, of the first %s", unit->calls.count, text);
  return unit->n_points > 1 ? strata_arena_printf(arena, "%s, and %d other sizes", text, unit->n_points - 1) : text;
}

//===-- Surroundings ---------------------------------------------------------------------------------------------===//

static bool is_output(MlirValue buffer) {
  MlirAttribute attrs = strata_attr(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(buffer)), "arg_attrs");
  intptr_t i = mlirBlockArgumentGetArgNumber(buffer);
  return !mlirAttributeIsNull(attrs) && i < mlirArrayAttrGetNumElements(attrs) &&
         !mlirAttributeIsNull(
             mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(attrs, i), strata_str("strata.output")));
}

// The inputs, as they follow one another, that other kernels have written: in front of the calls.
static void find_warm(const strata_tuned_t *t, const strata_tuned_arguments_t *arguments,
                      Strata__TuningKernel *kernel) {
  kernel->warm = strata_arena_array(t->compile->options->tuning->arena, int32_t, arguments->n + 1);
  for (int i = 0; i < arguments->n; i++) {
    MlirValue buffer = strata_calls_buffer(arguments->values[i]);
    bool is_made = mlirValueIsABlockArgument(buffer) ? is_output(buffer) : !strata_calls_is_constant(t->calls, buffer);
    bool is_input = !arguments->are_written[i] && i != arguments->constant;
    if (is_input && is_made)
      kernel->warm[kernel->n_warm++] = strata_tuned_input(arguments, i);
  }
}

// Of one call the inputs whose rows are longer than what the product reads of them (stage.c): behind that are zeros.
static strata_status_t find_padded_of(const strata_tuned_t *t, MlirOperation func, const int *slots,
                                      const strata_tuned_arguments_t *arguments, Strata__TuningKernel *kernel) {
  strata_kernel_t nests;
  STRATA_TRY(strata_kernel_read(t->compile->arena, func, &nests));
  for (int i = 0; i < nests.n_nests; i++)
    for (int j = 0; j < nests.nests[i].n_accesses; j++) {
      const strata_access_t *access = &nests.nests[i].accesses[j];
      int64_t min, max;
      bool is_padded = strata_attr_flag(access->op, "strata.padded") && mlirValueIsABlockArgument(access->buffer) &&
                       kernel->n_padded < STRATA_TUNED_ARGUMENTS;
      if (!is_padded ||
          !strata_affine_range(mlirAffineMapGetResult(access->map, mlirAffineMapGetNumResults(access->map) - 1),
                               &nests.nests[i].space, &min, &max))
        continue;
      Strata__TuningPadded *padded = strata_arena_new(t->compile->options->tuning->arena, Strata__TuningPadded);
      strata__tuning_padded__init(padded);
      padded->input = strata_tuned_input(arguments, slots[mlirBlockArgumentGetArgNumber(access->buffer)]);
      padded->columns = (int32_t)(max + 1);
      kernel->padded[kernel->n_padded++] = padded;
    }
  return NULL;
}

static strata_status_t find_padded(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                   const strata_tuned_arguments_t *arguments, Strata__TuningKernel *kernel) {
  kernel->padded =
      strata_arena_array(t->compile->options->tuning->arena, Strata__TuningPadded *, STRATA_TUNED_ARGUMENTS);
  for (size_t i = 0; i < unit->calls.count; i++)
    STRATA_TRY(
        find_padded_of(t, strata_callee(t->compile, unit->calls.data[i]), arguments->slots[i], arguments, kernel));
  return NULL;
}

// Those that a call is given; the library computes the others.
static strata_status_t find_points(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                   Strata__TuningKernel *kernel) {
  strata_arena_t *arena = t->compile->options->tuning->arena;
  strata_symbols_t symbols;
  STRATA_TRY(strata_symbols_read(t->compile->arena, t->compile->module, &symbols));
  kernel->n_likely = unit->n_points ? unit->n_likely : 0;
  kernel->points = strata_arena_array(arena, Strata__TuningPoint *, unit->n_points + 1);
  for (int i = 0; i < unit->n_points; i++) {
    Strata__TuningPoint *point = strata_arena_new(arena, Strata__TuningPoint);
    strata__tuning_point__init(point);
    point->n_sizes = strata_symbols_given(&symbols);
    point->sizes = strata_arena_array(arena, int32_t, point->n_sizes + 1);
    for (size_t j = 0; j < point->n_sizes; j++)
      point->sizes[j] = (int32_t)unit->points[i][j];
    kernel->points[kernel->n_points++] = point;
  }
  return NULL;
}

//===-- Proposals ------------------------------------------------------------------------------------------------===//

// Each candidate's library has it, as its panels.
static double constant_bytes(const strata_tuned_arguments_t *arguments) {
  return arguments->constant < 0 ? 0 : strata_memref_bytes(mlirValueGetType(arguments->inside[arguments->constant]));
}

static const char *schedule_text(strata_arena_t *arena, MlirOperation func, const strata_schedule_t *schedule) {
  strata_schedule_t before = strata_schedule_read(func);
  strata_schedule_write(func, schedule);
  const char *text = strata_attr_text(arena, strata_attr(func, "strata.schedule"));
  strata_schedule_write(func, &before);
  return text;
}

static strata_status_t add_candidate(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                     const strata_tuned_arguments_t *arguments, const char *data,
                                     const strata_candidate_t *c, Strata__TuningKernel *kernel) {
  strata_tuning_t *tuning = t->compile->options->tuning;
  strata_tuning_constant_t constant = {0};
  strata_tuning_module_t module = {.data = data, .constants = &constant, .n_constants = data ? 1 : 0};
  STRATA_TRY(strata_tuned_module(t, unit, arguments, data, &c->schedule, &module.module));
  if (data) {
    MlirType type = mlirValueGetType(arguments->inside[arguments->constant]);
    constant = (strata_tuning_constant_t){(int)strata_type_from_mlir(mlirShapedTypeGetElementType(type)),
                                          (int64_t)strata_memref_bytes(type)};
  }
  strata_tuning_add_candidate(tuning, kernel, schedule_text(tuning->arena, strata_tuned_func(unit), &c->schedule),
                              c->seconds, &module);
  return NULL;
}

strata_status_t strata_tuned_propose(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                     const strata_tuning_result_t *key) {
  strata_tuning_t *tuning = t->compile->options->tuning;
  strata_tuned_arguments_t *arguments = strata_arena_new(t->compile->arena, strata_tuned_arguments_t);
  bool is_one;
  if (strata_tuning_is_proposed(tuning, key))
    return NULL;
  STRATA_TRY(strata_tuned_arguments(t, unit, arguments, &is_one));
  if (!is_one)
    return strata_error(STRATA_INTERNAL, "expected a unit that can be measured");
  if (constant_bytes(arguments) > MOST_DATA) {
    strata_explain(t->compile, "tuned: kernel %s: not proposed: its constant is larger than 256 MiB", key->kernel);
    return NULL;
  }
  strata_candidate_t candidates[STRATA_MAX_PROPOSED];
  int n = strata_tuned_choose(unit, candidates);
  const char *data = arguments->constant < 0 ? NULL : strata_tuning_data_file(tuning, key);
  Strata__TuningKernel *kernel = strata_tuning_propose(tuning, key, describe(tuning->arena, unit), n);
  kernel->threads = t->device ? 0 : t->compile->options->threads;
  find_warm(t, arguments, kernel);
  STRATA_TRY(find_padded(t, unit, arguments, kernel));
  STRATA_TRY(find_points(t, unit, kernel));
  for (int i = 0; i < n; i++)
    STRATA_TRY(add_candidate(t, unit, arguments, data, &candidates[i], kernel));
  strata_explain(t->compile, "tuned: kernel %s: %d candidates proposed", key->kernel, n);
  return NULL;
}
