// The sizes at which a unit is timed whose sizes vary, and what it is asked about at each: see tuned.h.
//
// Those of the likely sizes at which it is what is launched, or, where it is launched at none of them, of the sizes
// between; it must be no slower at sizes between and beside them. Of one that is launched at none nothing is asked.
#include "passes/affine/tuned.h"

#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

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

//===-- Work -----------------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_tuned_t *t;
  strata_tuned_unit_t *unit;
  const strata_symbols_t *symbols;
  strata_problem_reading_t *product; // of one product
  strata_work_t work;                // at likely sizes
} sizes_t;

static strata_status_t product_at(const sizes_t *s, const int64_t *values, const strata_problem_t **out) {
  if (s->unit->calls.count > 1)
    return strata_tuned_products(s->t, s->unit, values, out);
  strata_problem_t *problem = strata_arena_new(s->t->compile->arena, strata_problem_t);
  *problem = strata_varying_problem(&s->product->question, &s->product->problem, values);
  problem->is_any &= mlirAttributeIsNull(strata_attr(strata_tuned_func(s->unit), STRATA_WHEN));
  *out = problem;
  return NULL;
}

static strata_status_t work_at(const sizes_t *s, const int64_t *values, strata_work_t *out) {
  *out = s->work;
  if (s->work.product)
    return product_at(s, values, &out->product);
  if (s->work.cpu_product) {
    out->cpu_product = strata_cpu_product_at(s->t->compile->arena, s->work.cpu_product, values);
    return NULL;
  }
  strata_attention_problem_t *problem = strata_arena_new(s->t->compile->arena, strata_attention_problem_t);
  *problem = strata_attention_problem_at(s->work.attention, values);
  out->attention = problem;
  return NULL;
}

// Products of a launch are as large beside the first at any sizes.
static bool is_alike(const strata_work_t *a, const strata_work_t *b) {
  if (a->product)
    return a->product->rows == b->product->rows && a->product->columns == b->product->columns &&
           a->product->steps == b->product->steps && a->product->batch == b->product->batch;
  if (a->cpu_product)
    return a->cpu_product->extents[0] == b->cpu_product->extents[0] &&
           a->cpu_product->extents[1] == b->cpu_product->extents[1] &&
           a->cpu_product->tiling.steps == b->cpu_product->tiling.steps &&
           a->cpu_product->times == b->cpu_product->times;
  return a->attention->rows == b->attention->rows && a->attention->columns == b->attention->columns &&
         a->attention->batch == b->attention->batch;
}

//===-- Points ---------------------------------------------------------------------------------------------------===//

// A point at |values|, unless something else is launched there, or the work is that of another point.
static strata_status_t add_point(const sizes_t *s, int64_t *values) {
  strata_tuned_unit_t *unit = s->unit;
  strata_work_t work;
  if (unit->n_points == STRATA_TUNING_POINTS || !strata_symbols_evaluate(s->symbols, values) ||
      !mlirOperationEqual(launched_at(unit->kernels[0], values), strata_tuned_func(unit)))
    return NULL;
  STRATA_TRY(work_at(s, values, &work));
  for (int i = 0; i < unit->n_points; i++)
    if (is_alike(&unit->works[i], &work))
      return NULL;
  unit->points[unit->n_points] = values;
  unit->works[unit->n_points++] = work;
  unit->n_works = unit->n_points;
  return NULL;
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
static strata_status_t add_likely(const sizes_t *s, const int64_t *usual) {
  enum { MOST = STRATA_TUNING_POINTS - 3 };
  strata_arena_t *arena = s->t->compile->arena;
  size_t n = strata_symbols_given(s->symbols);
  int64_t count = 1;
  for (size_t i = 0; i < n && count <= MOST; i++)
    count *= strata_max(1, s->symbols->list.data[i].n_likely);
  for (int i = 0; count > MOST && i < strata_varying_points(s->symbols); i += 2)
    STRATA_TRY(add_point(s, strata_varying_values(arena, s->symbols, usual, i)));
  for (int64_t i = 0; count <= MOST && i < count; i++) {
    int64_t *values = strata_arena_array(arena, int64_t, s->symbols->list.count), rest = i;
    for (size_t j = n; j-- > 0;) {
      const strata_symbol_t *symbol = &s->symbols->list.data[j];
      values[j] = symbol->n_likely ? symbol->likely[rest % symbol->n_likely] : usual[j];
      rest /= strata_max(1, symbol->n_likely);
    }
    STRATA_TRY(add_point(s, values));
  }
  return NULL;
}

// Half as much and twice as much as what is likely, so that what is fast there is not slow beside it.
static strata_status_t add_beside(const sizes_t *s) {
  const strata_tuned_unit_t *unit = s->unit;
  const int64_t *first = unit->points[0], *last = unit->points[unit->n_likely - 1];
  STRATA_TRY(add_point(s, scaled(s, first, 1, 2)));
  STRATA_TRY(add_point(s, scaled(s, last, 2, 1)));
  STRATA_TRY(add_point(s, scaled(s, first, 2, 1)));
  return add_point(s, scaled(s, last, 1, 2));
}

// What is likely first, then what lies between, then what lies beside.
static strata_status_t find_points(const sizes_t *s) {
  strata_arena_t *arena = s->t->compile->arena;
  strata_tuned_unit_t *unit = s->unit;
  const int64_t *usual = strata_symbols_of(arena, unit->kernels[0]).likely;
  STRATA_TRY(add_likely(s, usual));
  unit->n_likely = unit->n_points;
  for (int i = 1; i < strata_varying_points(s->symbols); i += 2)
    STRATA_TRY(add_point(s, strata_varying_values(arena, s->symbols, usual, i)));
  if (unit->n_points == 0) {
    unit->why = "none of its sizes is likely";
    return NULL;
  }
  unit->n_likely = unit->n_likely ? unit->n_likely : unit->n_points;
  return add_beside(s);
}

strata_status_t strata_tuned_points(const strata_tuned_t *t, strata_tuned_unit_t *unit, const strata_symbols_t *symbols,
                                    const strata_work_t *work) {
  sizes_t sizes = {.t = t, .unit = unit, .symbols = symbols, .work = *work};
  if (work->product && unit->calls.count == 1) {
    bool is_one;
    strata_gpu_contraction_t question = {.compile = t->compile, .device = t->device, .called = unit->members[0]};
    sizes.product = strata_arena_new(t->compile->arena, strata_problem_reading_t);
    STRATA_TRY(strata_problem_of_called(&question, unit->members[0], sizes.product, &is_one));
    if (!is_one)
      return strata_error(STRATA_INTERNAL, "expected a contraction still");
  }
  return find_points(&sizes);
}
