// See variants.h. The sizes at which costs are asked are in order; each gets a candidate so that the logarithms of the
// costs, and a price for each change to another candidate than 0, are least together.
#include "passes/affine/variants.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>
#include <stdlib.h>

//===-- Sizes to ask at ------------------------------------------------------------------------------------------===//

enum { MAX_PROBES = 96, DENSE = 16, FARTHEST = 8192, LIKELY_WEIGHT = 4, MAX_SYMBOLS = 256 };

typedef struct {
  int count;
  int64_t sizes[MAX_PROBES];
  double weights[MAX_PROBES];
} probes_t;

typedef struct {
  const strata_symbols_t *table;
  MlirAffineExpr expr;
  const bool *used;
  int64_t *values, *out;
  int count;
} likely_walk_t;

// The expression at each choice of likely sizes of the symbols from |symbol| on.
static void walk_likely(likely_walk_t *walk, int symbol) {
  if (symbol == (int)walk->table->list.count) {
    int64_t value;
    if (walk->count < STRATA_LIKELY_VALUES && strata_symbols_evaluate(walk->table, walk->values) &&
        strata_expr_evaluate(walk->expr, walk->values, &value))
      walk->out[walk->count++] = value;
    return;
  }
  const strata_symbol_t *of = &walk->table->list.data[symbol];
  int choices = walk->used[symbol] && of->n_likely ? of->n_likely : 1;
  for (int i = 0; i < choices && walk->count < STRATA_LIKELY_VALUES; i++) {
    walk->values[symbol] = of->n_likely ? of->likely[i] : of->min;
    walk_likely(walk, symbol + 1);
  }
}

static int compare_sizes(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int sort_unique(int count, int64_t *values) {
  int unique = 0;
  qsort(values, (size_t)count, sizeof *values, compare_sizes);
  for (int i = 0; i < count; i++)
    if (i == 0 || values[i] != values[i - 1])
      values[unique++] = values[i];
  return unique;
}

int strata_likely_values(const strata_scheduling_t *s, strata_size_t size, int64_t *out) {
  strata_arena_t *arena = s->compile->arena;
  strata_symbols_t table = {{0}};
  bool used[MAX_SYMBOLS] = {false};
  if (mlirAffineExprIsNull(size.expr))
    return 0;
  strata_status_free(strata_symbols_read(arena, s->compile->module, &table)); // an error is the verifier's to report
  if (table.list.count > MAX_SYMBOLS)
    return 0;
  strata_expr_use_symbols(size.expr, MAX_SYMBOLS, used);
  for (size_t i = table.list.count; i-- > strata_symbols_given(&table);) // derived ones ask for those in front
    if (used[i]) {
      strata_expr_use_symbols(table.list.data[i].lhs, MAX_SYMBOLS, used);
      strata_expr_use_symbols(table.list.data[i].rhs, MAX_SYMBOLS, used);
    }
  likely_walk_t walk = {&table, size.expr, used, strata_arena_array(arena, int64_t, table.list.count + 1), out, 0};
  walk_likely(&walk, 0);
  return sort_unique(walk.count, out);
}

// Every small size, then some in each power of two, odd ones among them, and the likely ones.
static probes_t probes_of(const strata_scheduling_t *s, strata_size_t size) {
  probes_t probes = {0};
  int64_t sizes[MAX_PROBES], likely[STRATA_LIKELY_VALUES], divisor = strata_max(size.divisor, 1);
  int count = 0, n_likely = strata_likely_values(s, size, likely);
  int64_t last = strata_min(size.max, n_likely ? strata_max(FARTHEST, 2 * likely[n_likely - 1]) : FARTHEST);
  for (int64_t at = strata_max(size.min, 1); at <= last && count < MAX_PROBES - STRATA_LIKELY_VALUES;
       at = at < DENSE ? at + 1 : at + at / 4 + 1)
    sizes[count++] = strata_round_up(at, divisor);
  for (int i = 0; i < n_likely; i++)
    if (likely[i] >= size.min && likely[i] <= last)
      sizes[count++] = likely[i];
  probes.count = sort_unique(count, sizes);
  for (int i = 0; i < probes.count; i++) {
    bool is_likely = bsearch(&sizes[i], likely, (size_t)n_likely, sizeof *likely, compare_sizes) != NULL;
    probes.sizes[i] = sizes[i];
    probes.weights[i] = is_likely ? LIKELY_WEIGHT : 1;
  }
  return probes;
}

//===-- Choice ---------------------------------------------------------------------------------------------------===//

// The least cost up to a probe that has the candidate, with so many changes; and the candidate of the probe before.
typedef struct {
  double cost;
  int before;
} step_t;

typedef step_t steps_t[MAX_PROBES][STRATA_CHOSEN_VARIANTS + 1][STRATA_VARIANT_CANDIDATES];

static double cost_at(const strata_variant_candidates_t *candidates, const probes_t *probes, int probe, int candidate) {
  int64_t size = probes->sizes[probe];
  if (candidate && (size < candidates->of[candidate].min || size > candidates->of[candidate].max))
    return INFINITY;
  return probes->weights[probe] * log(candidates->cost(candidates->user, candidate, size));
}

// The best way to the probe's candidate |to| with |changes|, but for the probe's own cost.
static step_t best_before(const step_t (*before)[STRATA_VARIANT_CANDIDATES],
                          const strata_variant_candidates_t *candidates, int changes, int to) {
  step_t best = {before[changes][to].cost, to};
  for (int from = 0; from < candidates->count; from++) {
    bool is_change = to != 0 && from != to;
    if (is_change && changes == 0)
      continue;
    double cost = before[is_change ? changes - 1 : changes][from].cost + (is_change ? candidates->of[to].price : 0);
    if (cost < best.cost)
      best = (step_t){cost, from};
  }
  return best;
}

static void fill(const strata_variant_candidates_t *candidates, const probes_t *probes, steps_t steps) {
  for (int probe = 0; probe < probes->count; probe++)
    for (int to = 0; to < candidates->count; to++) {
      double own = cost_at(candidates, probes, probe, to);
      for (int changes = 0; changes <= STRATA_CHOSEN_VARIANTS; changes++) {
        step_t *step = &steps[probe][changes][to];
        bool starts = changes == (to != 0);
        if (probe)
          *step = best_before((const step_t(*)[STRATA_VARIANT_CANDIDATES])steps[probe - 1], candidates, changes, to);
        else
          *step = (step_t){starts ? (to ? candidates->of[to].price : 0) : INFINITY, to};
        step->cost += own;
      }
    }
}

// The candidates of all probes.
static void trace_back(const strata_variant_candidates_t *candidates, const probes_t *probes, steps_t steps,
                       int *out_candidates) {
  int changes = 0, at = 0, last = probes->count - 1;
  for (int i = 0; i <= STRATA_CHOSEN_VARIANTS; i++)
    for (int j = 0; j < candidates->count; j++)
      if (steps[last][i][j].cost < steps[last][changes][at].cost) {
        changes = i;
        at = j;
      }
  for (int probe = last; probe >= 0; probe--) {
    out_candidates[probe] = at;
    int before = steps[probe][changes][at].before;
    changes -= at != 0 && before != at;
    at = before;
  }
}

// Ranges of probes of one candidate; each ends in front of the next one, and begins behind one that ends earlier.
static int ranges_of(const strata_variant_candidates_t *candidates, const probes_t *probes, strata_size_t size,
                     const int *chosen, strata_variant_choice_t *out) {
  int count = 0;
  for (int first = 0, end; first < probes->count; first = end) {
    for (end = first + 1; end < probes->count && chosen[end] == chosen[first];)
      end++;
    if (chosen[first] == 0)
      continue;
    int64_t min = !first ? size.min : chosen[first - 1] ? out[count - 1].max + 1 : probes->sizes[first];
    int64_t max = end < probes->count ? probes->sizes[end] - 1 : size.max;
    out[count++] = (strata_variant_choice_t){chosen[first], strata_max(min, candidates->of[chosen[first]].min),
                                             strata_min(max, candidates->of[chosen[first]].max)};
  }
  return count;
}

int strata_variants_choose(const strata_scheduling_t *s, strata_size_t size,
                           const strata_variant_candidates_t *candidates, strata_variant_choice_t *out) {
  probes_t probes = probes_of(s, size);
  int chosen[MAX_PROBES];
  if (!strata_size_varies(size) || candidates->count < 2 || probes.count == 0)
    return 0;
  step_t(*steps)[STRATA_CHOSEN_VARIANTS + 1][STRATA_VARIANT_CANDIDATES] =
      strata_arena_alloc(s->compile->arena, sizeof(steps_t));
  fill(candidates, &probes, steps);
  trace_back(candidates, &probes, steps, chosen);
  return ranges_of(candidates, &probes, size, chosen, out);
}

//===-- Making one -----------------------------------------------------------------------------------------------===//

strata_status_t strata_variant_create(const strata_scheduling_t *s, int n_ranges, const strata_size_range_t *ranges,
                                      const strata_schedule_t *schedule, MlirOperation *out_variant) {
  MlirOperation func = s->called->func, existing[STRATA_MAX_VARIANTS], before = func;
  MlirIntegerSet when = strata_when_of_ranges(s->compile->context, n_ranges, ranges);
  MlirStringRef name = strata_attr_str(func, "sym_name");
  int count = strata_variants_of(func, existing);
  if (mlirIntegerSetIsNull(when) || count == STRATA_MAX_VARIANTS)
    return strata_error(STRATA_INTERNAL, "%.*s: a variant without a condition, or one too many", (int)name.length,
                        name.data);
  if (count)
    before = existing[count - 1];
  MlirSymbolTable symbols = mlirSymbolTableCreate(mlirModuleGetOperation(s->compile->module));
  MlirOperation variant = mlirOperationClone(func);
  const char *own = strata_arena_printf(s->compile->arena, "%.*s_v%d", (int)name.length, name.data, count + 1);
  strata_set_attr(variant, "sym_name", strata_str_attr(s->compile->context, own));
  mlirOperationRemoveDiscardableAttributeByName(variant, strata_str(STRATA_VARIANTS));
  strata_set_attr(variant, STRATA_WHEN, mlirIntegerSetAttrGet(when));
  strata_schedule_write(variant, schedule);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(func), before, variant);
  mlirSymbolTableInsert(symbols, variant); // renames where the name is taken
  mlirSymbolTableDestroy(symbols);
  strata_variants_add(func, variant);
  *out_variant = variant;
  return NULL;
}

// One of all sizes says the greatest: the function for all, which it is instead of, may not be bound by that.
static strata_size_range_t range_of_choice(strata_size_t size, const strata_variant_choice_t *choice) {
  bool is_all = choice->min <= size.min && choice->max >= size.max;
  strata_size_range_t range = {size.expr, choice->min > size.min ? choice->min : 0,
                               choice->max < size.max || is_all ? choice->max : INT64_MAX, 1};
  if (choice->min == choice->max)
    range.min = range.max = choice->min;
  return range;
}

strata_status_t strata_variant_create_but(const strata_scheduling_t *s, int n, const strata_size_t *sizes,
                                          const strata_variant_choice_t *choices, int n_but,
                                          const strata_variant_choice_t *but, const strata_schedule_t *schedule) {
  MlirOperation variant;
  strata_size_range_t *ranges = strata_arena_array(s->compile->arena, strata_size_range_t, n);
  for (int i = 0; i < n; i++)
    ranges[i] = range_of_choice(sizes[i], &choices[i]);
  STRATA_TRY(strata_variant_create(s, n, ranges, schedule, &variant));
  MlirAttribute *sets = strata_arena_array(s->compile->arena, MlirAttribute, n_but + 1);
  for (int i = 0; i < n_but; i++) {
    strata_size_range_t other = range_of_choice(sizes[0], &but[i]);
    sets[i] = mlirIntegerSetAttrGet(strata_when_of_ranges(s->compile->context, 1, &other));
  }
  if (n_but > 0)
    strata_set_attr(variant, STRATA_UNLESS, mlirArrayAttrGet(s->compile->context, n_but, sets));
  return NULL;
}

strata_status_t strata_variant_create_for(const strata_scheduling_t *s, strata_size_t size,
                                          const strata_variant_choice_t *choice, const strata_schedule_t *schedule) {
  return strata_variant_create_but(s, 1, &size, choice, 0, NULL, schedule);
}
