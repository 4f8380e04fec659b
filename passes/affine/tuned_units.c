// What is tuned as one, and where: see tuned.h.
//
// Of a kernel whose sizes vary the function for all of them and each variant are units of their own: each is timed at
// those of the likely sizes, or, where it is launched at none of them, of the sizes between; it must be no slower at
// sizes between and beside them. Of one that is launched at none nothing is asked.
#include "passes/affine/tuned.h"

#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "runtime/base/hash.h"

#include <inttypes.h>

//===-- Members --------------------------------------------------------------------------------------------------===//

static strata_operations_t calls_of_launch(strata_arena_t *arena, MlirOperation call) {
  strata_operations_t calls = {0};
  MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(call));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.call") && strata_parallel_launch(op) == strata_parallel_launch(call))
      *strata_vector_push(arena, &calls) = op;
  return calls;
}

static const strata_called_kernel_t *kernel_of(const strata_tuned_t *t, MlirOperation call) {
  MlirOperation func = strata_callee(t->compile, call);
  for (size_t i = 0; i < t->calls->kernels.count; i++)
    if (mlirOperationEqual(t->calls->kernels.data[i].func, func))
      return &t->calls->kernels.data[i];
  return NULL;
}

static bool has_member(const strata_tuned_unit_t *unit, const strata_called_kernel_t *called) {
  for (int i = 0; i < unit->n_members; i++)
    if (unit->members[i] == called)
      return true;
  return false;
}

static const char *name_of(strata_arena_t *arena, MlirOperation func) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  return strata_arena_printf(arena, "%.*s", (int)name.length, name.data);
}

// Whether sizes of what is called vary, of any variant's too.
static strata_status_t varies(const strata_tuned_t *t, MlirOperation kernel, bool *out) {
  strata_kernel_t read;
  STRATA_TRY(strata_kernel_read(t->compile->arena, kernel, &read));
  *out = strata_kernel_varies(&read) || !mlirAttributeIsNull(strata_attr(kernel, STRATA_VARIANTS));
  return NULL;
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

static const char *number_of(strata_arena_t *arena, const char *text) {
  return strata_arena_printf(arena, "%016" PRIx64, strata_hash_text(text));
}

// Of calls that share a launch: what they call, and which operands are the same.
static strata_status_t launch_number(const strata_tuned_t *t, const strata_tuned_unit_t *unit, const char **out) {
  strata_arena_t *arena = t->compile->arena;
  strata_tuned_arguments_t *arguments = strata_arena_new(arena, strata_tuned_arguments_t);
  bool is_one;
  const char *text = "launch";
  STRATA_TRY(strata_tuned_arguments(t, unit, arguments, &is_one));
  for (size_t i = 0; i < unit->calls.count; i++) {
    text = strata_arena_printf(arena, "%s %s", text,
                               strata_kernel_number(arena, strata_callee(t->compile, unit->calls.data[i])));
    for (intptr_t j = 0; is_one && j < mlirOperationGetNumOperands(unit->calls.data[i]); j++)
      text = strata_arena_printf(arena, "%s %d", text, arguments->slots[i][j]);
  }
  *out = number_of(arena, text);
  return NULL;
}

// Of a function whose sizes vary: the function, the symbols with their ranges, and where it is timed.
static const char *varying_number(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                  const strata_symbols_t *symbols) {
  strata_arena_t *arena = t->compile->arena;
  const char *text = strata_arena_printf(arena, "%s %s", strata_kernel_number(arena, strata_tuned_func(unit)),
                                         strata_attr_text(arena, strata_symbols_attr(t->compile->context, symbols)));
  for (int i = 0; i < unit->n_points; i++)
    for (size_t j = 0; j < strata_symbols_given(symbols); j++)
      text = strata_arena_printf(arena, "%s%s%" PRId64, text, j ? "," : " ", unit->points[i][j]);
  return number_of(arena, text);
}

//===-- Launches -------------------------------------------------------------------------------------------------===//

// Functions of a launch have one schedule, wherever they are called: only launches of one kind are measured as one.
static strata_status_t check_launches(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  for (int i = 0; i < unit->n_members; i++) {
    int64_t last = -1;
    for (size_t j = 0; j < unit->members[i]->calls.count; j++) {
      MlirOperation call = unit->members[i]->calls.data[j];
      strata_tuned_unit_t other = {.calls = calls_of_launch(t->compile->arena, call)};
      const char *number = NULL;
      if (strata_parallel_launch(call) >= 0 && strata_parallel_launch(call) == last)
        continue;
      last = strata_parallel_launch(call);
      if (last >= 0)
        STRATA_TRY(launch_number(t, &other, &number));
      if (!number || strcmp(number, unit->number) != 0) {
        unit->why = "its kernels share launches of several kinds";
        return NULL;
      }
    }
  }
  return NULL;
}

// The products of the launch as one piece of work.
static strata_status_t read_launch_work(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  strata_parallel_member_t members[STRATA_MAX_TOGETHER];
  strata_together_t *together = strata_arena_new(t->compile->arena, strata_together_t);
  bool is_one;
  for (int i = 0; i < unit->n_members; i++) {
    members[i] = (strata_parallel_member_t){.called = unit->members[i]};
    for (size_t j = 0; j < unit->calls.count; j++)
      members[i].n_calls += kernel_of(t, unit->calls.data[j]) == unit->members[i];
  }
  strata_gpu_contraction_t question = {
      .compile = t->compile, .device = t->device, .calls = t->calls, .called = unit->members[0]};
  STRATA_TRY(strata_together_read(&question, members, unit->n_members, together, &is_one));
  if (!is_one)
    unit->why = "it shares a launch";
  unit->n_works = unit->n_likely = 1;
  unit->works[0] = (strata_work_t){.device = t->device, .product = strata_together_first(together), .wants_all = true};
  return NULL;
}

static strata_status_t read_launch(const strata_tuned_t *t, MlirOperation call, strata_tuned_unit_t *unit) {
  bool has_sizes;
  unit->calls = calls_of_launch(t->compile->arena, call);
  if (unit->calls.count > STRATA_MAX_TOGETHER) {
    unit->calls.count = 1;
    unit->why = "it shares a launch with too many";
  }
  for (size_t i = 0; i < unit->calls.count; i++) {
    const strata_called_kernel_t *called = kernel_of(t, unit->calls.data[i]);
    if (called && !has_member(unit, called))
      unit->members[unit->n_members++] = called;
  }
  unit->kernel = strata_tuned_func(unit);
  STRATA_TRY(launch_number(t, unit, &unit->number));
  STRATA_TRY(varies(t, unit->kernel, &has_sizes)); // products of a launch all do, or none
  if (has_sizes)
    unit->why = "it shares a launch, and its sizes vary";
  if (!unit->why)
    STRATA_TRY(check_launches(t, unit));
  return unit->why ? NULL : read_launch_work(t, unit);
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

// The function that is launched where the symbols have |values|.
static MlirOperation launched_at(MlirOperation kernel, const int64_t *values) {
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int n = strata_variants_of(kernel, variants);
  for (int i = 0; i < n; i++) {
    bool holds = strata_when_holds(strata_when_around(variants[i]), values);
    for (intptr_t j = 0; holds && j < strata_when_count_exceptions(variants[i]); j++)
      holds = !strata_when_holds(strata_when_exception(variants[i], j), values);
    if (holds)
      return variants[i];
  }
  return kernel;
}

typedef struct {
  const strata_tuned_t *t;
  strata_tuned_unit_t *unit;
  const strata_symbols_t *symbols;
  strata_problem_reading_t *product; // NULL: attention
  strata_work_t work;                // at likely sizes
} sizes_t;

static strata_work_t work_at(const sizes_t *s, const int64_t *values) {
  strata_work_t work = s->work;
  if (s->product) {
    strata_problem_t *problem = strata_arena_new(s->t->compile->arena, strata_problem_t);
    *problem = strata_varying_problem(&s->product->question, &s->product->problem, values);
    problem->is_any &= mlirAttributeIsNull(strata_attr(strata_tuned_func(s->unit), STRATA_WHEN));
    work.product = problem;
  } else {
    strata_attention_problem_t *problem = strata_arena_new(s->t->compile->arena, strata_attention_problem_t);
    *problem = strata_attention_problem_at(s->work.attention, values);
    work.attention = problem;
  }
  return work;
}

static bool is_alike(const strata_work_t *a, const strata_work_t *b) {
  if (a->product)
    return a->product->rows == b->product->rows && a->product->columns == b->product->columns &&
           a->product->steps == b->product->steps && a->product->batch == b->product->batch;
  return a->attention->rows == b->attention->rows && a->attention->columns == b->attention->columns &&
         a->attention->batch == b->attention->batch;
}

// A point at |values|, unless something else is launched there, or the work is that of another point.
static void add_point(const sizes_t *s, int64_t *values) {
  strata_tuned_unit_t *unit = s->unit;
  if (unit->n_points == STRATA_TUNING_POINTS || !strata_symbols_evaluate(s->symbols, values) ||
      !mlirOperationEqual(launched_at(unit->kernel, values), strata_tuned_func(unit)))
    return;
  strata_work_t work = work_at(s, values);
  for (int i = 0; i < unit->n_points; i++)
    if (is_alike(&unit->works[i], &work))
      return;
  unit->points[unit->n_points] = values;
  unit->works[unit->n_points++] = work;
  unit->n_works = unit->n_points;
}

// |values| times |numerator| over |denominator|, as far as the symbols may be so.
static int64_t *scaled(const sizes_t *s, const int64_t *values, int64_t numerator, int64_t denominator) {
  int64_t *result = strata_arena_array(s->t->compile->arena, int64_t, s->symbols->list.count);
  for (size_t i = 0; i < strata_symbols_given(s->symbols); i++) {
    const strata_symbol_t *symbol = &s->symbols->list.data[i];
    int64_t value = strata_times(values[i], numerator) / denominator / symbol->multiple * symbol->multiple;
    result[i] = strata_max(symbol->min, strata_min(symbol->max, value));
  }
  return result;
}

// Every choice of likely sizes, if those are few; else as many as symbols have.
static void add_likely(const sizes_t *s, const int64_t *usual) {
  enum { MOST = STRATA_TUNING_POINTS - 3 };
  strata_arena_t *arena = s->t->compile->arena;
  size_t n = strata_symbols_given(s->symbols);
  int64_t count = 1;
  for (size_t i = 0; i < n && count <= MOST; i++)
    count *= strata_max(1, s->symbols->list.data[i].n_likely);
  for (int i = 0; count > MOST && i < strata_varying_points(s->symbols); i += 2)
    add_point(s, strata_varying_values(arena, s->symbols, usual, i));
  for (int64_t i = 0; count <= MOST && i < count; i++) {
    int64_t *values = strata_arena_array(arena, int64_t, s->symbols->list.count), rest = i;
    for (size_t j = n; j-- > 0;) {
      const strata_symbol_t *symbol = &s->symbols->list.data[j];
      values[j] = symbol->n_likely ? symbol->likely[rest % symbol->n_likely] : usual[j];
      rest /= strata_max(1, symbol->n_likely);
    }
    add_point(s, values);
  }
}

// What is likely first, then what lies between; at last half as much and twice as much, so that what is fast there is
// not slow beside it.
static void find_points(const sizes_t *s) {
  strata_arena_t *arena = s->t->compile->arena;
  strata_tuned_unit_t *unit = s->unit;
  const int64_t *usual = strata_symbols_of(arena, unit->kernel).likely;
  add_likely(s, usual);
  unit->n_likely = unit->n_points;
  for (int i = 1; i < strata_varying_points(s->symbols); i += 2)
    add_point(s, strata_varying_values(arena, s->symbols, usual, i));
  if (unit->n_points == 0) {
    unit->why = "none of its sizes is likely";
    return;
  }
  unit->n_likely = unit->n_likely ? unit->n_likely : unit->n_points;
  const int64_t *first = unit->points[0], *last = unit->points[unit->n_likely - 1];
  add_point(s, scaled(s, first, 1, 2));
  add_point(s, scaled(s, last, 2, 1));
  add_point(s, scaled(s, first, 2, 1));
  add_point(s, scaled(s, last, 1, 2));
}

static strata_status_t read_points(const strata_tuned_t *t, strata_tuned_unit_t *unit, const strata_work_t *work) {
  strata_symbols_t symbols;
  sizes_t sizes = {.t = t, .unit = unit, .symbols = &symbols, .work = *work};
  STRATA_TRY(strata_symbols_read(t->compile->arena, t->compile->module, &symbols));
  if (work->product) {
    bool is_one;
    strata_gpu_contraction_t question = {.compile = t->compile, .device = t->device, .called = unit->members[0]};
    sizes.product = strata_arena_new(t->compile->arena, strata_problem_reading_t);
    STRATA_TRY(strata_problem_of_called(&question, unit->members[0], sizes.product, &is_one));
    if (!is_one)
      return strata_error(STRATA_INTERNAL, "expected a contraction still");
  }
  find_points(&sizes);
  unit->number = varying_number(t, unit, &symbols);
  return NULL;
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static bool is_given(const strata_tuned_t *t, const strata_tuned_unit_t *unit) {
  for (int i = 0; i < unit->n_members; i++) {
    MlirOperation func = unit->members[i]->func;
    if (strata_schedule_file_gives(t->file, func, strata_kernel_number(t->compile->arena, func)))
      return true;
  }
  return false;
}

// Of one function, whose sizes may vary.
static strata_status_t read_kernel(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  strata_arena_t *arena = t->compile->arena;
  const strata_called_kernel_t *called = unit->members[0];
  bool has_candidates, has_sizes;
  unit->number = strata_kernel_number(arena, called->func);
  *strata_vector_push(arena, &unit->calls) = called->calls.data[0];
  STRATA_TRY(varies(t, unit->kernel, &has_sizes));
  if (has_sizes && !t->device)
    unit->why = "its sizes vary";
  else if (strata_kernel_is_prepared(t->calls, called))
    unit->why = "it is computed once";
  if (unit->why)
    return NULL;
  STRATA_TRY(strata_work_read(t->compile, t->device, t->calls, called, strata_schedule_read(called->func).kind,
                              &unit->works[0], &has_candidates));
  unit->n_works = unit->n_likely = has_candidates;
  if (!has_candidates)
    unit->why = "it has one schedule";
  if (!has_sizes || !has_candidates)
    return NULL;
  const strata_work_t all = {
      .device = t->device, .product = unit->works[0].product, .attention = unit->works[0].attention, .wants_all = true};
  return read_points(t, unit, &all);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static bool has_candidates(const strata_tuned_t *t, MlirOperation func) {
  return strata_kind_has_candidates(strata_schedule_read(func).kind, !t->device);
}

static strata_tuned_unit_t *add_unit(const strata_tuned_t *t, MlirOperation func, strata_tuned_units_t *units) {
  strata_tuned_unit_t *unit = strata_arena_new(t->compile->arena, strata_tuned_unit_t);
  unit->name = name_of(t->compile->arena, func);
  *strata_vector_push(t->compile->arena, units) = unit;
  return unit;
}

// |func| is the kernel's, or a variant of it.
static strata_status_t add_function(const strata_tuned_t *t, const strata_called_kernel_t *called, MlirOperation func,
                                    strata_tuned_units_t *units) {
  if (!has_candidates(t, func))
    return NULL;
  strata_tuned_unit_t *unit = add_unit(t, func, units);
  unit->own = *called;
  unit->own.func = func;
  unit->n_members = 1;
  unit->members[0] = &unit->own;
  unit->kernel = called->func;
  STRATA_TRY(read_kernel(t, unit));
  unit->why = is_given(t, unit) ? "its schedule is given" : unit->why;
  return NULL;
}

static strata_status_t add_launch(const strata_tuned_t *t, const strata_called_kernel_t *called, MlirOperation call,
                                  strata_tuned_units_t *units) {
  for (size_t i = 0; i < units->count; i++)
    if (has_member(units->data[i], called))
      return NULL;
  if (!has_candidates(t, called->func))
    return NULL;
  strata_tuned_unit_t *unit = add_unit(t, called->func, units);
  STRATA_TRY(read_launch(t, call, unit));
  unit->why = is_given(t, unit) ? "its schedule is given" : unit->why;
  return NULL;
}

strata_status_t strata_tuned_units(const strata_tuned_t *t, strata_tuned_units_t *out_units) {
  *out_units = (strata_tuned_units_t){0};
  for (size_t i = 0; i < t->calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &t->calls->kernels.data[i];
    MlirOperation variants[STRATA_MAX_VARIANTS], launch = {NULL};
    for (size_t j = 0; j < called->calls.count && mlirOperationIsNull(launch); j++)
      if (strata_parallel_launch(called->calls.data[j]) >= 0)
        launch = called->calls.data[j];
    if (!mlirOperationIsNull(launch)) {
      STRATA_TRY(add_launch(t, called, launch, out_units));
      continue;
    }
    STRATA_TRY(add_function(t, called, called->func, out_units));
    int n = strata_variants_of(called->func, variants);
    for (int j = 0; j < n; j++)
      STRATA_TRY(add_function(t, called, variants[j], out_units));
  }
  return NULL;
}
