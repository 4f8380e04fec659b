// Attention whose sizes vary: a schedule for all of them and variants for some (variants.h). What the model finds best
// at any of a range of rows, or of columns or batches where rows are a number, is a candidate; what it takes at the
// others decides which of them to have. Of other sizes that vary, some are asked for each time.
#include "passes/affine/candidates.h"
#include "passes/affine/variants.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"

#include <math.h>

enum {
  LEAST_SIZE = 64,     // for which a candidate is looked for: tiles of fewer columns are no better at fewer
  MOST_SIZE = 1 << 13, // and the largest one, unless larger ones are likely
  MOST_SIZES = STRATA_LIKELY_VALUES + 16,
  MOST_COSTS = 128, // sizes that costs are asked at
  OTHERS = 3,
};

#define PRICE 0.02 // of a variant's code
#define DOUBTS 1.1
#define IMPOSSIBLE 1e3 // seconds

typedef struct {
  const strata_work_t *work;
  const strata_ways_t *ways;
  strata_size_t size; // what candidates are for some of
  int n_likely, n_sizes;
  int64_t likely[STRATA_LIKELY_VALUES];
  int64_t sizes[MOST_SIZES];
  int64_t columns[OTHERS], batches[OTHERS]; // where |size| says nothing of them
  int count, base;                          // candidates; the number of the one that takes all sizes
  strata_candidate_t of[STRATA_VARIANT_CANDIDATES];
  int n_costs;
  int64_t cost_sizes[MOST_COSTS];
  double costs[MOST_COSTS][STRATA_VARIANT_CANDIDATES]; // 0: not known yet
} varying_t;

typedef struct {
  int base, n;
  strata_variant_choice_t of[STRATA_MAX_VARIANTS];
  double total; // of the logarithms of what it takes at all sizes
} plan_t;

//===-- What varies ----------------------------------------------------------------------------------------------===//

static strata_size_t find_size(const strata_attention_t *a) {
  strata_size_t rows = strata_attention_rows(a), columns = a->sizes[a->column];
  return strata_size_varies(rows) ? rows : strata_size_varies(columns) ? columns : strata_attention_batches(a);
}

// Few and many of what is likely, and more; |least| at least.
static void find_others(const strata_scheduling_t *s, strata_size_t size, int64_t number, int64_t least, int64_t *out) {
  enum { MORE = 4 };
  int64_t likely[STRATA_LIKELY_VALUES];
  int n = strata_size_varies(size) ? strata_likely_values(s, size, likely) : 0;
  int64_t many = n ? likely[n - 1] : number, few = n ? likely[0] : number,
          more = strata_size_varies(size) ? strata_times(MORE, many) : number;
  const int64_t all[OTHERS] = {few, many, more};
  for (int i = 0; i < OTHERS; i++)
    out[i] = strata_min(strata_max(all[i], least), strata_size_max(size));
}

// Columns that are as many as rows are so at each size.
static strata_attention_problem_t problem_at(const varying_t *v, int64_t size, int other_columns, int other_batches) {
  strata_attention_problem_t p = *v->work->attention;
  const strata_attention_t *a = &p.attention;
  p.rows = strata_size_equal(strata_attention_rows(a), v->size) ? size : p.rows;
  p.columns = strata_size_equal(a->sizes[a->column], v->size) ? size : v->columns[other_columns];
  p.batch = strata_size_equal(strata_attention_batches(a), v->size) ? size : v->batches[other_batches];
  return p;
}

static double cost_of(const strata_candidate_t *c) { return c->cost > 0 ? c->cost : c->seconds; }

// What it takes; somewhat more where the model would not choose it, being no good at it.
static double cost_of_problem(const varying_t *v, int i, const strata_attention_problem_t *problem) {
  strata_work_t work = {.device = v->work->device, .attention = problem};
  strata_candidate_t c = v->of[i];
  if (v->ways->predict(&work, &c))
    return cost_of(&c);
  work.wants_all = true;
  c = v->of[i];
  return v->ways->predict(&work, &c) ? DOUBTS * cost_of(&c) : IMPOSSIBLE;
}

// The geometric mean of that with other sizes.
static double cost_at(const varying_t *v, int i, int64_t size) {
  double sum = 0;
  for (int other = 0; other < OTHERS * OTHERS; other++) {
    strata_attention_problem_t problem = problem_at(v, size, other / OTHERS, other % OTHERS);
    sum += log(cost_of_problem(v, i, &problem));
  }
  return exp(sum / (OTHERS * OTHERS));
}

// The same, computed once.
static double known_cost(varying_t *v, int i, int64_t size) {
  int at = 0;
  while (at < v->n_costs && v->cost_sizes[at] != size)
    at++;
  if (at == MOST_COSTS)
    return cost_at(v, i, size);
  if (at == v->n_costs)
    v->cost_sizes[v->n_costs++] = size;
  if (v->costs[at][i] == 0)
    v->costs[at][i] = cost_at(v, i, size);
  return v->costs[at][i];
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

static void add_size(varying_t *v, int64_t size) {
  if (v->n_sizes < MOST_SIZES)
    v->sizes[v->n_sizes++] = size;
}

static void find_sizes(const strata_scheduling_t *s, varying_t *v) {
  v->n_likely = strata_likely_values(s, v->size, v->likely);
  int64_t most = strata_max(MOST_SIZE, v->n_likely ? v->likely[v->n_likely - 1] : 0),
          last = strata_min(most, strata_size_max(v->size));
  for (int i = 0; i < v->n_likely; i++)
    if (v->likely[i] >= LEAST_SIZE)
      add_size(v, v->likely[i]);
  for (int64_t at = strata_max(LEAST_SIZE, strata_size_min(v->size)); at < last; at *= 2)
    add_size(v, at);
  add_size(v, last);
}

static void add_best_at(varying_t *v, int64_t size, int other) {
  strata_attention_problem_t problem = problem_at(v, size, other, other);
  strata_work_t work = {.device = v->work->device, .attention = &problem};
  strata_candidate_t best;
  if (v->count == STRATA_VARIANT_CANDIDATES || !strata_candidates_best(&work, v->ways, 1, &best))
    return;
  for (int i = 0; i < v->count; i++)
    if (v->of[i].number == best.number)
      return;
  v->of[v->count++] = best;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

// As the chooser of variants numbers them: the one that takes all sizes first.
static int numbered(const varying_t *v, int i) { return i == 0 ? v->base : i <= v->base ? i - 1 : i; }

static double numbered_cost(void *user, int candidate, int64_t size) {
  varying_t *v = user;
  return known_cost(v, numbered(v, candidate), size);
}

static int taken_at(const plan_t *plan, int64_t size) {
  for (int i = 0; i < plan->n; i++)
    if (plan->of[i].min <= size && size <= plan->of[i].max)
      return plan->of[i].candidate;
  return plan->base;
}

static plan_t plan_with(const strata_scheduling_t *s, varying_t *v, int base) {
  plan_t plan = {.base = base};
  strata_variant_candidates_t candidates = {.count = v->count, .cost = numbered_cost, .user = v};
  v->base = base;
  for (int i = 0; i < v->count; i++) {
    candidates.of[i].min = strata_size_min(v->size);
    candidates.of[i].max = strata_size_max(v->size);
    candidates.of[i].price = i ? PRICE * v->n_sizes : 0;
  }
  plan.n = strata_variants_choose(s, v->size, &candidates, plan.of);
  plan.total = PRICE * plan.n * v->n_sizes;
  for (int i = 0; i < plan.n; i++)
    plan.of[i].candidate = numbered(v, plan.of[i].candidate);
  for (int i = 0; i < v->n_sizes; i++)
    plan.total += log(known_cost(v, taken_at(&plan, v->sizes[i]), v->sizes[i]));
  return plan;
}

// One variant instead of two of a schedule that few sizes lie between.
static void join(plan_t *plan) {
  enum { SHARE = 8 };
  int n = 0;
  for (int i = 0; i < plan->n; i++) {
    strata_variant_choice_t *last = n ? &plan->of[n - 1] : NULL, *own = &plan->of[i];
    if (last && last->candidate == own->candidate && (own->min - last->max) * SHARE <= own->min)
      last->max = own->max;
    else
      plan->of[n++] = *own;
  }
  plan->n = n;
}

// Where the variants take all sizes, the last one is what takes all.
static void drop_unused(const varying_t *v, plan_t *plan) {
  int64_t next = strata_size_min(v->size);
  for (int i = 0; i < plan->n && plan->of[i].min <= next; i++)
    next = strata_plus(plan->of[i].max, 1);
  if (plan->n && next > strata_size_max(v->size))
    plan->base = plan->of[--plan->n].candidate;
}

static void explain(const strata_scheduling_t *s, const varying_t *v, int i, int64_t min, int64_t max) {
  if (!s->compile->explain)
    return;
  MlirStringRef symbol = strata_attr_str(s->kernel->func, "sym_name");
  strata_explain(s->compile, "attention %.*s:   %s, where %s are %lld to %lld", (int)symbol.length, symbol.data,
                 v->ways->explain(s->compile->arena, v->work, &v->of[i]),
                 strata_size_varies(strata_attention_rows(&v->work->attention->attention)) ? "rows" : "others",
                 (long long)min, (long long)max);
}

strata_status_t strata_attention_choose_varying(const strata_scheduling_t *s, const strata_work_t *work,
                                                const strata_ways_t *ways, strata_schedule_t *out, bool *out_found) {
  varying_t *v = strata_arena_new(s->compile->arena, varying_t);
  plan_t best = {.total = INFINITY};
  *v = (varying_t){.work = work, .ways = ways, .size = find_size(&work->attention->attention)};
  const strata_attention_problem_t *p = work->attention;
  find_sizes(s, v);
  find_others(s, p->attention.sizes[p->attention.column], p->columns, LEAST_SIZE, v->columns);
  find_others(s, strata_attention_batches(&p->attention), p->batch, 1, v->batches);
  for (int i = 0; i < v->n_sizes; i++)
    for (int other = OTHERS; other-- > 0;)
      add_best_at(v, v->sizes[i], other);
  for (int i = 0; i < v->count; i++) {
    plan_t plan = plan_with(s, v, i);
    best = plan.total < best.total ? plan : best;
  }
  *out_found = v->count > 0;
  if (!*out_found)
    return NULL;
  join(&best);
  drop_unused(v, &best);
  *out = v->of[best.base].schedule;
  explain(s, v, best.base, strata_size_min(v->size), strata_size_max(v->size));
  for (int i = 0; i < best.n; i++) {
    explain(s, v, best.of[i].candidate, best.of[i].min, best.of[i].max);
    STRATA_TRY(strata_variant_create_for(s, v->size, &best.of[i], &v->of[best.of[i].candidate].schedule));
  }
  return NULL;
}
