// What is tuned as one: see tuned.h.
//
// Of a kernel whose sizes vary, or of a launch of such, the function for all of them and each variant are units of
// their own (tuned_points.c).
#include "passes/affine/tuned.h"

#include "dialects/affine/variants.h"
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

static const strata_called_kernel_t *kernel_of(const strata_tuned_t *t, MlirOperation func) {
  for (size_t i = 0; i < t->calls->kernels.count; i++)
    if (mlirOperationEqual(t->calls->kernels.data[i].func, func))
      return &t->calls->kernels.data[i];
  return NULL;
}

// The number of the member that a call of |func| is of; -1: of none.
static int member_of(const strata_tuned_unit_t *unit, MlirOperation func) {
  for (int i = 0; i < unit->n_members; i++)
    if (mlirOperationEqual(unit->kernels[i], func))
      return i;
  return -1;
}

static const char *name_of(strata_arena_t *arena, MlirOperation func) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  return strata_arena_printf(arena, "%.*s", (int)name.length, name.data);
}

// Whether sizes of what is called vary, of any variant's too. Kernels of a launch all do, or none.
static strata_status_t varies(const strata_tuned_t *t, MlirOperation kernel, bool *out) {
  strata_kernel_t read;
  STRATA_TRY(strata_kernel_read(t->compile->arena, kernel, &read));
  *out = strata_kernel_varies(&read) || !mlirAttributeIsNull(strata_attr(kernel, STRATA_VARIANTS));
  return NULL;
}

static void add_member(const strata_called_kernel_t *called, strata_tuned_unit_t *unit) {
  unit->kernels[unit->n_members] = called->func;
  unit->members[unit->n_members++] = called;
}

// The calls and what they call. |launch| is one of a launch; null: |called| has launches of its own.
static void read_calls(const strata_tuned_t *t, const strata_called_kernel_t *called, MlirOperation launch,
                       strata_tuned_unit_t *unit) {
  strata_arena_t *arena = t->compile->arena;
  if (mlirOperationIsNull(launch)) {
    *strata_vector_push(arena, &unit->calls) = called->calls.data[0];
    add_member(called, unit);
    return;
  }
  unit->calls = calls_of_launch(arena, launch);
  if (unit->calls.count > STRATA_MAX_TOGETHER) {
    unit->calls.count = 1;
    unit->why = "it shares a launch with too many";
  }
  for (size_t i = 0; i < unit->calls.count; i++) {
    MlirOperation func = strata_callee(t->compile, unit->calls.data[i]);
    const strata_called_kernel_t *own = kernel_of(t, func);
    if (own && member_of(unit, func) < 0)
      add_member(own, unit);
  }
}

// Makes the members those variants of the kernels; all have as many. Negative: what is called.
static void take_variant(const strata_tuned_t *t, int number, strata_tuned_unit_t *unit) {
  for (int i = 0; number >= 0 && i < unit->n_members; i++) {
    MlirOperation variants[STRATA_MAX_VARIANTS];
    strata_called_kernel_t *own = strata_arena_copy(t->compile->arena, unit->members[i], sizeof *own);
    strata_variants_of(unit->kernels[i], variants);
    own->func = variants[number];
    unit->members[i] = own;
  }
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

static const char *number_of(strata_arena_t *arena, const char *text) {
  return strata_arena_printf(arena, "%016" PRIx64, strata_hash_text(text));
}

// Of calls that share a launch: what they are of, functions or the unit's members, and which operands are the same.
static strata_status_t launch_number(const strata_tuned_t *t, const strata_tuned_unit_t *unit, const char **out) {
  strata_arena_t *arena = t->compile->arena;
  strata_tuned_arguments_t *arguments = strata_arena_new(arena, strata_tuned_arguments_t);
  bool is_one;
  const char *text = "launch";
  STRATA_TRY(strata_tuned_arguments(t, unit, arguments, &is_one));
  for (size_t i = 0; i < unit->calls.count; i++) {
    MlirOperation func = strata_callee(t->compile, unit->calls.data[i]);
    int member = member_of(unit, func);
    text = strata_arena_printf(arena, "%s %s", text,
                               strata_kernel_number(arena, member < 0 ? func : unit->members[member]->func));
    for (intptr_t j = 0; is_one && j < mlirOperationGetNumOperands(unit->calls.data[i]); j++)
      text = strata_arena_printf(arena, "%s %d", text, arguments->slots[i][j]);
  }
  *out = number_of(arena, text);
  return NULL;
}

static strata_status_t own_number(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  if (unit->calls.count > 1)
    return launch_number(t, unit, &unit->number);
  unit->number = strata_kernel_number(t->compile->arena, strata_tuned_func(unit));
  return NULL;
}

// Where sizes vary: what there is besides, the symbols with their ranges, and where it is timed.
static void add_points_to_number(const strata_tuned_t *t, const strata_symbols_t *symbols, strata_tuned_unit_t *unit) {
  strata_arena_t *arena = t->compile->arena;
  const char *text = strata_arena_printf(arena, "%s %s", unit->number,
                                         strata_attr_text(arena, strata_symbols_attr(t->compile->context, symbols)));
  for (int i = 0; i < unit->n_points; i++)
    for (size_t j = 0; j < strata_symbols_given(symbols); j++)
      text = strata_arena_printf(arena, "%s%s%" PRId64, text, j ? "," : " ", unit->points[i][j]);
  unit->number = number_of(arena, text);
}

//===-- Launches -------------------------------------------------------------------------------------------------===//

// Functions of a launch have one schedule, wherever they are called: only launches of one kind are measured as one.
// |unit| is of what is called.
static strata_status_t check_launches(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  const char *own, *number;
  STRATA_TRY(launch_number(t, unit, &own));
  for (int i = 0; i < unit->n_members; i++) {
    int64_t last = -1;
    for (size_t j = 0; j < unit->members[i]->calls.count; j++) {
      MlirOperation call = unit->members[i]->calls.data[j];
      strata_tuned_unit_t other = {.calls = calls_of_launch(t->compile->arena, call)};
      if (strata_parallel_launch(call) >= 0 && strata_parallel_launch(call) == last)
        continue;
      last = strata_parallel_launch(call);
      number = "";
      if (last >= 0)
        STRATA_TRY(launch_number(t, &other, &number));
      if (strcmp(number, own) != 0) {
        unit->why = "its kernels share launches of several kinds";
        return NULL;
      }
    }
  }
  return NULL;
}

strata_status_t strata_tuned_products(const strata_tuned_t *t, const strata_tuned_unit_t *unit, const int64_t *values,
                                      const strata_problem_t **out) {
  strata_parallel_member_t members[STRATA_MAX_TOGETHER];
  strata_together_t *together = strata_arena_new(t->compile->arena, strata_together_t);
  bool is_one;
  for (int i = 0; i < unit->n_members; i++) {
    members[i] = (strata_parallel_member_t){.called = unit->members[i]};
    for (size_t j = 0; j < unit->calls.count; j++)
      members[i].n_calls += member_of(unit, strata_callee(t->compile, unit->calls.data[j])) == i;
  }
  strata_gpu_contraction_t question = {
      .compile = t->compile, .device = t->device, .calls = t->calls, .called = unit->members[0]};
  STRATA_TRY(strata_together_read(&question, members, unit->n_members, values, together, &is_one));
  *out = is_one ? strata_together_first(together) : NULL;
  return NULL;
}

// The products of the launch as one piece of work.
static strata_status_t read_launch_work(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  unit->works[0] = (strata_work_t){.device = t->device, .wants_all = true, .reach = STRATA_REACH_ALL};
  STRATA_TRY(strata_tuned_products(t, unit, NULL, &unit->works[0].product));
  unit->why = unit->works[0].product ? NULL : "it shares a launch";
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

// Whether there is work of the kind at any sizes.
static bool may_vary(const strata_work_t *work) { return work->product || work->attention || work->cpu_product; }

// The work of one function, at likely sizes where they vary.
static strata_status_t read_kernel_work(const strata_tuned_t *t, bool has_sizes, strata_tuned_unit_t *unit) {
  const strata_called_kernel_t *called = unit->members[0];
  bool has_candidates;
  unit->why = strata_kernel_is_prepared(t->calls, called) ? "it is computed once" : NULL;
  if (unit->why)
    return NULL;
  STRATA_TRY(strata_work_read(t->compile, t->device, t->calls, called, strata_schedule_read(called->func).kind,
                              &unit->works[0], &has_candidates));
  if (has_sizes && !may_vary(&unit->works[0]))
    unit->why = "its sizes vary";
  else if (!has_candidates)
    unit->why = "it has one schedule";
  return NULL;
}

// Whether calls can be repeated, so that they can be measured.
static strata_status_t check_arguments(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  strata_tuned_arguments_t *arguments = strata_arena_new(t->compile->arena, strata_tuned_arguments_t);
  bool is_one;
  STRATA_TRY(strata_tuned_arguments(t, unit, arguments, &is_one));
  if (!is_one && !unit->why)
    unit->why = "it reads what it writes, or too much";
  return NULL;
}

static strata_status_t read_unit(const strata_tuned_t *t, strata_tuned_unit_t *unit) {
  bool has_sizes;
  strata_symbols_t symbols;
  STRATA_TRY(own_number(t, unit));
  STRATA_TRY(varies(t, unit->kernels[0], &has_sizes));
  STRATA_TRY(unit->calls.count > 1 ? read_launch_work(t, unit) : read_kernel_work(t, has_sizes, unit));
  STRATA_TRY(check_arguments(t, unit));
  unit->n_works = unit->n_likely = !unit->why;
  if (unit->why || !has_sizes)
    return NULL;
  const strata_work_t all = {.device = t->device,
                             .product = unit->works[0].product,
                             .attention = unit->works[0].attention,
                             .cpu_product = unit->works[0].cpu_product,
                             .wants_all = true,
                             .reach = STRATA_REACH_ALL};
  STRATA_TRY(strata_symbols_read(t->compile->arena, t->compile->module, &symbols));
  STRATA_TRY(strata_tuned_points(t, unit, &symbols, &all));
  add_points_to_number(t, &symbols, unit);
  return NULL;
}

//===-- All ------------------------------------------------------------------------------------------------------===//

// |calls|, of what is called or of a variant.
static strata_status_t add_unit(const strata_tuned_t *t, const strata_tuned_unit_t *calls, int variant,
                                strata_tuned_units_t *units) {
  strata_tuned_unit_t *unit = strata_arena_copy(t->compile->arena, calls, sizeof *calls);
  take_variant(t, variant, unit);
  MlirOperation func = strata_tuned_func(unit);
  if (!strata_kind_has_candidates(strata_schedule_read(func).kind, !t->device))
    return NULL;
  unit->name = name_of(t->compile->arena, func);
  if (!unit->why)
    STRATA_TRY(read_unit(t, unit));
  unit->why = is_given(t, unit) ? "its schedule is given" : unit->why;
  *strata_vector_push(t->compile->arena, units) = unit;
  return NULL;
}

static bool is_in_one(const strata_tuned_units_t *units, MlirOperation func) {
  for (size_t i = 0; i < units->count; i++)
    if (member_of(units->data[i], func) >= 0)
      return true;
  return false;
}

strata_status_t strata_tuned_units(const strata_tuned_t *t, strata_tuned_units_t *out_units) {
  *out_units = (strata_tuned_units_t){0};
  for (size_t i = 0; i < t->calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &t->calls->kernels.data[i];
    strata_tuned_unit_t *calls = strata_arena_new(t->compile->arena, strata_tuned_unit_t);
    MlirOperation variants[STRATA_MAX_VARIANTS], launch = {NULL};
    for (size_t j = 0; j < called->calls.count && mlirOperationIsNull(launch); j++)
      if (strata_parallel_launch(called->calls.data[j]) >= 0)
        launch = called->calls.data[j];
    if (is_in_one(out_units, called->func))
      continue;
    read_calls(t, called, launch, calls);
    if (calls->calls.count > 1)
      STRATA_TRY(check_launches(t, calls));
    int n = strata_variants_of(called->func, variants);
    for (int j = -1; j < n; j++)
      STRATA_TRY(add_unit(t, calls, j, out_units));
  }
  return NULL;
}
