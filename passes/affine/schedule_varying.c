// Products whose sizes vary: one schedule for all of them. Every candidate is timed at several points of the sizes,
// what is likely and what lies between; the one that is never much slower than the best there is chosen. See
// candidates.h.
#include "passes/affine/candidates.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/symbols.h"
#include "passes/affine/explain.h"
#include "passes/affine/pipelined.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = STRATA_VARYING_POINTS };

//===-- Points of the sizes --------------------------------------------------------------------------------------===//

// A multiple of the symbol's, in its range.
static int64_t inside(const strata_symbol_t *symbol, double value) {
  int64_t whole = (int64_t)fmin(value, (double)INT32_MAX) / symbol->multiple * symbol->multiple;
  return strata_max(symbol->min, strata_min(symbol->max, strata_max(whole, symbol->multiple)));
}

// The symbol's likely size number |i|; the last one behind them.
static double likely_size(const strata_symbol_t *symbol, int64_t usual, int i) {
  return symbol->n_likely ? (double)symbol->likely[strata_min(i, symbol->n_likely - 1)] : (double)usual;
}

int strata_varying_points(const strata_symbols_t *symbols) {
  int most = 1;
  for (size_t i = 0; i < symbols->list.count; i++)
    most = (int)strata_max(most, 2 * symbols->list.data[i].n_likely - 1);
  return (int)strata_min(most, MOST_POINTS);
}

int64_t *strata_varying_values(strata_arena_t *arena, const strata_symbols_t *symbols, const int64_t *usual, int i) {
  int64_t *values = strata_arena_array(arena, int64_t, symbols->list.count);
  for (size_t j = 0; j < strata_symbols_given(symbols); j++) {
    const strata_symbol_t *symbol = &symbols->list.data[j];
    double below = likely_size(symbol, usual[j], i / 2), above = likely_size(symbol, usual[j], (i + 1) / 2);
    values[j] = inside(symbol, i % 2 ? sqrt(below * above) : below);
  }
  return values;
}

// Its facts are the same everywhere.
strata_problem_t strata_varying_problem(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                        const int64_t *values) {
  strata_contraction_kernel_t c = *q->contraction;
  strata_nest_t nest = *c.nest, other;
  nest.likely = values;
  c.nest = &nest;
  if (c.other.nest) {
    other = *c.other.nest;
    other.likely = values;
    c.other.nest = &other;
  }
  c.n_reduced = 1;
  for (int i = 0; i < nest.n_reduction; i++)
    c.n_reduced *= strata_max(1, strata_nest_likely_extent(&nest, nest.n_parallel + i));
  strata_gpu_contraction_t question = *q;
  question.contraction = &c;
  strata_problem_t result = strata_problem_read(&question);
  memcpy(result.sides, product->sides, sizeof result.sides);
  memcpy(result.axes, product->axes, sizeof result.axes);
  return result;
}

typedef struct {
  int n;
  strata_problem_t problems[MOST_POINTS];
} points_t;

static bool is_new(const points_t *points, const strata_problem_t *p) {
  for (int i = 0; i < points->n; i++) {
    const strata_problem_t *have = &points->problems[i];
    if (have->rows == p->rows && have->columns == p->columns && have->steps == p->steps && have->batch == p->batch)
      return false;
  }
  return true;
}

static strata_status_t read_points(const strata_gpu_contraction_t *q, const strata_problem_t *product, points_t *out) {
  strata_symbols_t symbols;
  strata_arena_t *arena = q->compile->arena;
  const int64_t *usual = q->contraction->nest->likely;
  STRATA_TRY(strata_symbols_read(arena, q->compile->module, &symbols));
  *out = (points_t){0};
  for (int i = 0; i < strata_varying_points(&symbols); i++) {
    int64_t *values = strata_varying_values(arena, &symbols, usual, i);
    if (!strata_symbols_evaluate(&symbols, values))
      continue;
    strata_problem_t at = strata_varying_problem(q, product, values);
    if (is_new(out, &at))
      out->problems[out->n++] = at;
  }
  if (out->n == 0)
    out->problems[out->n++] = *product;
  return NULL;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

// Makes |c| the same candidate at a point; what the model is never to choose there can be carried out all the same.
static bool predict_at(const strata_gpu_device_t *device, const strata_problem_t *problem, const strata_ways_t *ways,
                       strata_candidate_t *c) {
  strata_work_t work = {.device = device, .product = problem};
  strata_candidate_t copy = *c;
  if (ways->predict(&work, c))
    return true;
  work.wants_all = true;
  *c = copy;
  return ways->predict(&work, c);
}

// Goes on to the next candidate that can be carried out at all points; |at| has it at each.
static bool next_everywhere(const strata_gpu_device_t *device, const points_t *points, const strata_ways_t *ways,
                            int lead, strata_candidate_t *c, strata_candidate_t *at) {
  strata_work_t work = {.device = device, .product = &points->problems[lead]};
  while (ways->next(&work, c)) {
    bool is_possible = true;
    for (int i = 0; i < points->n && is_possible; i++) {
      at[i] = *c;
      is_possible = predict_at(device, &points->problems[i], ways, &at[i]);
    }
    if (is_possible)
      return true;
  }
  return false;
}

// A point at which candidates of the kind are tried at all.
static int lead_of(const strata_gpu_device_t *device, const points_t *points, const strata_ways_t *ways) {
  for (int i = points->n; i-- > 0;) {
    strata_work_t work = {.device = device, .product = &points->problems[i]};
    strata_candidate_t c = {0};
    if (ways->next(&work, &c))
      return i;
  }
  return 0;
}

// What can be carried out at all points, and the seconds that it takes at each.
typedef struct {
  const strata_ways_t *ways;
  double seconds[MOST_POINTS];
  strata_candidate_t last; // at the last point, the largest sizes
  double worst;            // of what it takes beside the best, at all points
} choice_t;
typedef STRATA_VECTOR(choice_t) choices_t;

static choices_t choices_of(const strata_gpu_contraction_t *q, const points_t *points) {
  strata_work_t work = {.device = q->device, .product = points->problems};
  strata_candidate_t at[MOST_POINTS];
  choices_t result = {0};
  const strata_ways_t *ways;
  for (int kind = 0; (ways = strata_ways_of(&work, kind)); kind++) {
    int lead = lead_of(q->device, points, ways);
    for (strata_candidate_t c = {0}; next_everywhere(q->device, points, ways, lead, &c, at);) {
      choice_t *choice = strata_vector_push(q->compile->arena, &result);
      *choice = (choice_t){.ways = ways, .last = at[points->n - 1]};
      for (int i = 0; i < points->n; i++)
        choice->seconds[i] = at[i].seconds;
    }
  }
  return result;
}

// The one whose worst ratio to the best is the least, of those alike in that the one whose ratios' sum is.
static choice_t *best_of(const points_t *points, choices_t choices) {
  double best[MOST_POINTS], least_sum = INFINITY;
  choice_t *result = NULL;
  for (int i = 0; i < points->n; i++) {
    best[i] = INFINITY;
    for (size_t c = 0; c < choices.count; c++)
      best[i] = fmin(best[i], choices.data[c].seconds[i]);
  }
  for (size_t c = 0; c < choices.count; c++) {
    choice_t *own = &choices.data[c];
    double sum = 0;
    for (int i = 0; i < points->n; i++) {
      double ratio = own->seconds[i] / best[i];
      own->worst = fmax(own->worst, ratio);
      sum += ratio;
    }
    if (!result || own->worst < result->worst || (own->worst == result->worst && sum < least_sum)) {
      result = own;
      least_sum = sum;
    }
  }
  return result;
}

static void explain(const strata_gpu_contraction_t *q, const points_t *points, const choice_t *choice) {
  if (!q->compile->explain)
    return;
  MlirStringRef symbol = strata_attr_str(q->called->func, "sym_name");
  const strata_problem_t *last = &points->problems[points->n - 1];
  strata_work_t work = {.device = q->device, .product = last};
  strata_explain(
      q->compile, "product %.*s: sizes vary, %lld x %lld x %lld, %lld times to %lld x %lld x %lld, %lld times",
      (int)symbol.length, symbol.data, (long long)points->problems[0].rows, (long long)points->problems[0].columns,
      (long long)points->problems[0].steps, (long long)points->problems[0].batch, (long long)last->rows,
      (long long)last->columns, (long long)last->steps, (long long)last->batch);
  strata_explain(q->compile, "product %.*s:   %s: at most %.2f times as long as the best, of %d points",
                 (int)symbol.length, symbol.data, choice->ways->explain(q->compile->arena, &work, &choice->last),
                 choice->worst, points->n);
}

bool strata_varying_has_tiles(const strata_gpu_contraction_t *q, const strata_problem_t *product) {
  points_t points;
  strata_status_t status = read_points(q, product, &points);
  bool has_tiles = false;
  strata_candidate_t tiled;
  for (int i = 0; !status && i < points.n; i++)
    has_tiles |= strata_problem_has_tiles(q->device, &points.problems[i]) &&
                 strata_tiled_choose(q->device, &points.problems[i], &tiled);
  strata_status_free(status);
  return has_tiles;
}

strata_status_t strata_varying_choose(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                      strata_schedule_t *out, bool *out_taken) {
  points_t points;
  STRATA_TRY(read_points(q, product, &points));
  choice_t *choice = best_of(&points, choices_of(q, &points));
  *out_taken = choice != NULL;
  if (!*out_taken)
    return NULL;
  strata_work_t work = {.device = q->device, .product = &points.problems[points.n - 1]};
  *out = choice->ways->write(&work, &choice->last);
  choice->last.schedule = *out;
  if (out->producers)
    out->blocks = out->row > 1 ? 0 : strata_pipelined_most_blocks(q->device, &choice->last.pipelined);
  explain(q, &points, choice);
  return NULL;
}
