// Variants of products of which one size varies on a GPU (variants.h): of few rows by blocks that share reductions, of
// many by large tiles. What the model finds best at any of a range of sizes is a candidate; what it takes at the others
// decides which of them to have.
#include "passes/affine/candidates.h"
#include "passes/affine/pipelined.h"
#include "passes/affine/variants.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>
#include <string.h>

enum {
  MOST_SIZE = 1 << 14, // for which a candidate is looked for, unless larger ones are likely
  MOST_SIZES = 128,    // that costs are asked at
};

#define PRICE 0.01     // of a variant's code
#define IMPOSSIBLE 1e3 // seconds

typedef struct {
  const strata_gpu_device_t *device;
  strata_problem_t product; // at |usual|
  int64_t *number;          // of the product: what varies
  strata_size_t size;
  int64_t usual;
  double bytes; // that go with the size, for each of it
  int count;
  const strata_ways_t *ways[STRATA_VARIANT_CANDIDATES];
  strata_candidate_t of[STRATA_VARIANT_CANDIDATES];
  int64_t most[STRATA_VARIANT_CANDIDATES]; // the greatest size that each can be carried out at
  int order[STRATA_VARIANT_CANDIDATES];    // as the chooser numbers them, one that takes all sizes first
  int n_likely, n_sizes;
  int64_t likely[STRATA_LIKELY_VALUES];
  int64_t sizes[MOST_SIZES];
  double seconds[MOST_SIZES][STRATA_VARIANT_CANDIDATES]; // 0: not known yet
} variants_t;

//===-- What varies ----------------------------------------------------------------------------------------------===//

// Of rows, columns and batches the one that varies, if nothing else does.
static bool find_size(const strata_gpu_contraction_t *q, variants_t *v) {
  strata_contraction_axis_t axes[STRATA_N_AXES];
  const strata_nest_t *nest = q->contraction->nest;
  strata_contraction_axes(q->contraction, axes);
  strata_size_t batch = strata_size_constant(1);
  uint32_t both = q->contraction->sides[0].dims & q->contraction->sides[1].dims;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (both & 1u << dim)
      batch = strata_size_product(batch, nest->space.sizes[dim]);
  const strata_size_t sizes[] = {axes[STRATA_AXIS_ROW].size, axes[STRATA_AXIS_COLUMN].size, batch};
  int64_t *numbers[] = {&v->product.rows, &v->product.columns, &v->product.batch};
  int n = strata_size_varies(axes[STRATA_AXIS_STEP].size);
  for (int i = 0; i < 3; i++)
    if (strata_size_varies(sizes[i])) {
      n++;
      v->size = sizes[i];
      v->number = numbers[i];
      v->usual = *numbers[i];
    }
  return n == 1 && v->number;
}

// Buffers whose sizes vary are as long as it is.
static double varying_bytes(const strata_gpu_contraction_t *q) {
  const strata_size_symbols_t symbols = strata_nest_symbols(q->contraction->nest);
  double bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(q->contraction->kernel->body); i++) {
    MlirValue buffer = mlirBlockGetArgument(q->contraction->kernel->body, i);
    if (strata_type_is_symbolic(mlirValueGetType(buffer)))
      bytes += (double)strata_problem_bytes(strata_problem_element(buffer)) *
               strata_memref_likely_elements(&symbols, mlirValueGetType(buffer));
  }
  return bytes;
}

static strata_problem_t problem_at(variants_t *v, int64_t size) {
  *v->number = size;
  strata_problem_t problem = v->product;
  problem.traffic += v->bytes * (double)(size - v->usual);
  problem.is_any = false;
  return problem;
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

static double seconds_at(variants_t *v, int i, int64_t size) {
  strata_problem_t problem = problem_at(v, size);
  strata_work_t work = {.device = v->device, .product = &problem};
  strata_candidate_t c = v->of[i];
  if (v->ways[i]->predict(&work, &c))
    return c.seconds;
  work.wants_all = true;
  c = v->of[i];
  return v->ways[i]->predict(&work, &c) ? c.seconds : IMPOSSIBLE;
}

// The same, computed once.
static double known_seconds(variants_t *v, int i, int64_t size) {
  int at = 0;
  while (at < v->n_sizes && v->sizes[at] != size)
    at++;
  if (at == MOST_SIZES)
    return seconds_at(v, i, size);
  if (at == v->n_sizes) {
    v->sizes[v->n_sizes++] = size;
    for (int j = 0; j < STRATA_VARIANT_CANDIDATES; j++)
      v->seconds[at][j] = 0;
  }
  if (v->seconds[at][i] == 0)
    v->seconds[at][i] = seconds_at(v, i, size);
  return v->seconds[at][i];
}

static double cost(void *user, int candidate, int64_t size) {
  variants_t *v = user;
  return known_seconds(v, v->order[candidate], size);
}

static bool is_same(const strata_schedule_t *a, const strata_schedule_t *b) {
  strata_schedule_t other = *b;
  other.slots = a->slots;
  other.blocks = a->blocks;
  return !memcmp(a, &other, sizeof *a);
}

// The greatest size that candidate |i|, which takes |least|, can be carried out at: of blocks that share reductions all
// have a tile at a time.
static int64_t most_of(variants_t *v, int i, int64_t least) {
  int64_t low = least, high = strata_size_max(v->size);
  if (!v->of[i].schedule.parts)
    return high;
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (middle <= MOST_SIZE * (int64_t)MOST_SIZE && seconds_at(v, i, middle) < IMPOSSIBLE)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static void add_best_at(variants_t *v, int64_t size) {
  strata_problem_t problem = problem_at(v, size);
  strata_work_t work = {.device = v->device, .product = &problem};
  strata_candidate_t best = {.seconds = INFINITY}, c;
  const strata_ways_t *ways, *best_ways = NULL;
  for (int i = 0; (ways = strata_ways_of(&work, i)); i++)
    if (strata_candidates_best(&work, ways, 1, &c) && c.seconds < best.seconds) {
      best = c;
      best_ways = ways;
    }
  for (int i = 0; i < v->count; i++)
    if (best_ways && is_same(&v->of[i].schedule, &best.schedule))
      return;
  if (!best_ways || v->count == STRATA_VARIANT_CANDIDATES)
    return;
  int i = v->count++;
  v->ways[i] = best_ways;
  v->of[i] = best;
  v->most[i] = most_of(v, i, size);
}

static strata_schedule_t schedule_of(const variants_t *v, int i) {
  strata_schedule_t schedule = v->of[i].schedule;
  if (schedule.producers)
    schedule.blocks = schedule.parts ? 0 : strata_pipelined_most_blocks(v->device, &v->of[i].pipelined);
  return schedule;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

typedef struct {
  int base; // what all other sizes have
  int n;
  strata_variant_choice_t of[STRATA_MAX_VARIANTS];
  double total; // means of the logarithms of what it takes at the sizes that costs were asked at
} plan_t;

static double taken_at(variants_t *v, const plan_t *plan, int64_t size) {
  int i = plan->base;
  for (int j = plan->n; j-- > 0;)
    if (plan->of[j].min <= size && size <= plan->of[j].max)
      i = plan->of[j].candidate;
  return log(known_seconds(v, i, size));
}

// What is likely counts as much as all that lies between.
static double total_of(variants_t *v, const plan_t *plan) {
  double likely = 0, all = 0;
  for (int i = 0; i < v->n_likely; i++)
    likely += taken_at(v, plan, v->likely[i]) / v->n_likely;
  int n = v->n_sizes;
  for (int i = 0; i < n; i++)
    all += taken_at(v, plan, v->sizes[i]) / n;
  return likely + all + PRICE * plan->n;
}

// Between sizes that costs were asked at a variant begins where the one in front of it ends.
static void close_gaps(const variants_t *v, plan_t *plan) {
  enum { SHARE = 8 };
  int64_t end = 0;
  for (int i = 0; i < plan->n; end = plan->of[i++].max) {
    strata_variant_choice_t *choice = &plan->of[i];
    int64_t gap = choice->min - end - 1;
    if (gap > 0 && gap * SHARE <= choice->min && v->size.min <= end + 1)
      choice->min = end + 1;
  }
}

// The variants to have beside |base|.
static plan_t plan_with(const strata_scheduling_t *s, variants_t *v, int base) {
  plan_t plan = {.base = base};
  strata_variant_candidates_t candidates = {.count = v->count, .cost = cost, .user = v};
  for (int i = 0; i < v->count; i++) {
    v->order[i] = i == 0 ? base : i <= base ? i - 1 : i;
    candidates.of[i].min = strata_size_min(v->size);
    candidates.of[i].max = v->most[v->order[i]];
    candidates.of[i].price = i ? PRICE : 0;
  }
  plan.n = strata_variants_choose(s, v->size, &candidates, plan.of);
  for (int i = 0; i < plan.n; i++)
    plan.of[i].candidate = v->order[plan.of[i].candidate];
  plan.total = total_of(v, &plan);
  return plan;
}

static plan_t best_plan(const strata_scheduling_t *s, variants_t *v) {
  plan_t best = {.total = INFINITY};
  for (int i = 0; i < v->count; i++)
    for (int again = 0; again < 2 && v->most[i] == strata_size_max(v->size); again++) { // all sizes are known then
      plan_t plan = plan_with(s, v, i);
      if (again && plan.total < best.total)
        best = plan;
    }
  close_gaps(v, &best);
  return best;
}

static void find_candidates(const strata_scheduling_t *s, variants_t *v) {
  v->n_likely = strata_likely_values(s, v->size, v->likely);
  int64_t most = strata_max(MOST_SIZE, v->n_likely ? v->likely[v->n_likely - 1] : 0),
          last = strata_min(most, v->size.max);
  add_best_at(v, last);
  for (int i = 0; i < v->n_likely; i++)
    add_best_at(v, v->likely[i]);
  for (int64_t at = strata_max(1, v->size.min); at < last; at *= 2)
    add_best_at(v, at);
}

strata_status_t strata_gpu_product_variants(const strata_scheduling_t *s, const strata_gpu_contraction_t *q,
                                            const strata_problem_t *product, strata_schedule_t *schedule) {
  variants_t *v = strata_arena_new(q->compile->arena, variants_t);
  *v = (variants_t){.device = q->device, .product = *product};
  if (!find_size(q, v) || product->is_pair)
    return NULL;
  v->bytes = varying_bytes(q) / (double)v->usual;
  find_candidates(s, v);
  plan_t plan = v->count > 1 ? best_plan(s, v) : (plan_t){0};
  bool is_all = plan.n == 1 && plan.of[0].min <= v->size.min && plan.of[0].max >= v->size.max;
  if (plan.n > 0)
    *schedule = schedule_of(v, is_all ? plan.of[0].candidate : plan.base);
  for (int i = 0; i < plan.n && !is_all; i++) {
    strata_schedule_t own = schedule_of(v, plan.of[i].candidate);
    STRATA_TRY(strata_variant_create_for(s, v->size, &plan.of[i], &own));
  }
  return NULL;
}
