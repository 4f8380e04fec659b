// Attention whose sizes vary: a schedule for all of them and variants for some (variants.h). What the model finds best
// at some point of sizes, rows, columns and batches, is a candidate. One of them takes all sizes; variants in front of
// it take up to so many rows (or columns, where rows are a number), or up to so many rows of all batches together:
// those are short rows and few tasks. Likely sizes count several times as much as all others together. What is cut into
// parts, of which another kernel knows how many there are, takes all sizes or none.
#include "passes/affine/candidates.h"
#include "passes/affine/variant_budget.h"
#include "passes/affine/variants.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"

#include <math.h>

enum {
  LEAST_SIZE = 32,     // for which a candidate is looked for: tiles of fewer columns are no better at fewer
  MOST_SIZE = 1 << 13, // and the largest one, unless larger ones are likely
  MOST_SIZES = STRATA_LIKELY_VALUES + 24,
  MOST_POINTS = 512,
};

#define PRICE 0.002 // of a variant's code
#define DOUBTS 1.1
#define LIKELY 4.0     // times as much as all points together do likely ones count: the model is best at them
#define IMPOSSIBLE 1e3 // seconds

typedef struct {
  int count;
  int64_t of[MOST_SIZES];
} values_t;

// What of rows and columns is known to be one tile, so that nobody divides by sizes or counts steps.
enum { ONE_ROW_TILE = 1, ONE_STEP = 2, N_COUNTED = 4 };

// What conditions are about.
typedef enum { SIZE, TOTAL, N_AXES } axis_t;

typedef struct {
  int64_t rows, columns, batch;
  int64_t at[N_AXES];
  bool is_limit[N_AXES]; // no point in front of it is there, too
  double weight;
  double costs[N_COUNTED][STRATA_VARIANT_CANDIDATES]; // logarithms by |weight|, by what is counted
} point_t;

typedef struct {
  const strata_work_t *work;
  const strata_ways_t *ways;
  strata_size_t axes[N_AXES];
  int n_points, count;
  point_t *points;
  strata_candidate_t of[STRATA_VARIANT_CANDIDATES];
  double code[STRATA_VARIANT_CANDIDATES][N_COUNTED]; // bytes, by what is counted
  const strata_scheduling_t *kernel;
  double code_price; // of a byte, in what find_totals adds up
  struct attention_plan *plan;
} varying_t;

// |candidate| where the axis is at most |limit|.
typedef struct {
  int candidate;
  axis_t axis;
  int64_t limit;
} choice_t;

typedef struct attention_plan {
  int base, n;
  choice_t of[STRATA_CHOSEN_VARIANTS]; // the first whose condition holds is taken
  double total;
} plan_t;

//===-- Sizes to ask at ------------------------------------------------------------------------------------------===//

static bool has(const values_t *values, int64_t value) {
  for (int i = 0; i < values->count; i++)
    if (values->of[i] == value)
      return true;
  return false;
}

// A value that |size| can have.
static void add(values_t *values, strata_size_t size, int64_t value) {
  value = strata_max(strata_min(value, strata_size_max(size)), strata_size_min(size));
  if (values->count < MOST_SIZES && !has(values, value))
    values->of[values->count++] = value;
}

// What is likely comes first.
static values_t likely_values(const strata_scheduling_t *s, strata_size_t size, int64_t number) {
  values_t values = {0};
  values.count = strata_size_varies(size) ? strata_likely_values(s, size, values.of) : 0;
  if (values.count == 0)
    add(&values, size, number);
  return values;
}

// Every power of two, and a size between it and the next.
static values_t many_sizes(const values_t *likely, strata_size_t size) {
  values_t values = *likely;
  int64_t most = strata_max(MOST_SIZE, likely->of[likely->count - 1]), last = strata_min(most, strata_size_max(size));
  for (int64_t at = LEAST_SIZE; strata_size_varies(size) && at < last; at *= 2) {
    add(&values, size, at);
    add(&values, size, at + at / 2);
  }
  if (strata_size_varies(size))
    add(&values, size, last);
  return values;
}

// Few and more of what is likely.
static values_t other_sizes(const values_t *likely, strata_size_t size, int64_t least) {
  enum { MORE = 4 };
  values_t values = *likely;
  if (!strata_size_varies(size))
    return values;
  int64_t few = strata_max(least, strata_size_min(size));
  add(&values, size, few);
  add(&values, size, (int64_t)sqrt((double)few * (double)likely->of[0]));
  add(&values, size, strata_times(MORE, likely->of[likely->count - 1]));
  return values;
}

static void add_point(varying_t *v, int64_t rows, int64_t columns, int64_t batch, int64_t size, bool is_likely) {
  if (v->n_points == MOST_POINTS)
    return;
  v->points[v->n_points++] = (point_t){
      .rows = rows, .columns = columns, .batch = batch, .at = {size, strata_times(rows, batch)}, .weight = is_likely};
}

// A condition is about what is of the axis at a point: of several points that have it the first is asked about.
static void find_limits(varying_t *v) {
  for (int i = 0; i < v->n_points; i++)
    for (axis_t axis = 0; axis < N_AXES; axis++) {
      int64_t limit = v->points[i].at[axis];
      bool is_known = !strata_size_varies(v->axes[axis]) || limit >= strata_size_max(v->axes[axis]);
      for (int j = 0; j < i && !is_known; j++)
        is_known = v->points[j].at[axis] == limit;
      v->points[i].is_limit[axis] = !is_known;
    }
}

// Columns and batches that are as many as rows are so at each point.
static void find_points(const strata_scheduling_t *s, varying_t *v) {
  const strata_attention_problem_t *p = v->work->attention;
  const strata_attention_t *a = &p->attention;
  strata_size_t rows = strata_attention_rows(a), columns = a->sizes[a->column], batch = strata_attention_batches(a);
  strata_size_t size = strata_size_varies(rows) ? rows : strata_size_varies(columns) ? columns : batch;
  v->axes[SIZE] = size;
  v->axes[TOTAL] = strata_size_product(rows, batch);
  bool in_rows = strata_size_equal(rows, size), in_columns = strata_size_equal(columns, size),
       in_batch = strata_size_equal(batch, size);
  values_t likely = likely_values(s, size, in_rows ? p->rows : in_columns ? p->columns : p->batch);
  values_t likely_columns = likely_values(s, columns, p->columns), likely_batch = likely_values(s, batch, p->batch);
  values_t all = many_sizes(&likely, size), all_columns = other_sizes(&likely_columns, columns, LEAST_SIZE),
           all_batch = other_sizes(&likely_batch, batch, 1);
  for (int i = 0; i < all.count; i++)
    for (int j = 0; j < (in_columns ? 1 : all_columns.count); j++)
      for (int k = 0; k < (in_batch ? 1 : all_batch.count); k++)
        add_point(v, in_rows ? all.of[i] : p->rows, in_columns ? all.of[i] : all_columns.of[j],
                  in_batch ? all.of[i] : all_batch.of[k], all.of[i],
                  i < likely.count && (in_columns || j < likely_columns.count) && (in_batch || k < likely_batch.count));
}

static void weigh(varying_t *v) {
  int n_likely = 0;
  for (int i = 0; i < v->n_points; i++)
    n_likely += v->points[i].weight > 0;
  for (int i = 0; i < v->n_points; i++)
    v->points[i].weight = (v->points[i].weight > 0 ? LIKELY / n_likely : 0) + 1.0 / v->n_points;
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

static strata_attention_problem_t problem_at(const varying_t *v, const point_t *point) {
  strata_attention_problem_t p = *v->work->attention;
  p.rows = point->rows;
  p.columns = point->columns;
  p.batch = point->batch;
  return p;
}

static double cost_of(const strata_candidate_t *c) { return c->cost > 0 ? c->cost : c->seconds; }

// What it takes; somewhat more where the model would not choose it, being no good at it. Columns behind the last take
// as long as others.
static double cost_at(const varying_t *v, const point_t *point, strata_candidate_t *c) {
  strata_attention_problem_t problem = problem_at(v, point);
  problem.columns = strata_max(problem.columns, c->attention.columns);
  strata_work_t work = {.device = v->work->device, .attention = &problem};
  strata_candidate_t own = *c;
  if (v->ways->predict(&work, c))
    return cost_of(c);
  work.wants_all = true;
  *c = own;
  return v->ways->predict(&work, c) ? DOUBTS * cost_of(c) : IMPOSSIBLE;
}

static void find_costs(const varying_t *v, int i, point_t *point) {
  const strata_attention_problem_t *p = v->work->attention;
  strata_candidate_t c = v->of[i];
  double cost = cost_at(v, point, &c), cycles = p->is_staged ? 0 : p->costs->attention.counting;
  double rounds = (double)strata_ceil_div(c.attention.tasks, v->work->device->n_processors);
  for (int known = 0; known < N_COUNTED; known++) {
    int counted = !(known & ONE_ROW_TILE) + !(known & ONE_STEP);
    point->costs[known][i] = point->weight * log(cost + rounds * counted * cycles / p->costs->attention.clock);
  }
}

static void add_best_at(varying_t *v, const point_t *point) {
  strata_attention_problem_t problem = problem_at(v, point);
  strata_work_t work = {.device = v->work->device, .attention = &problem};
  strata_candidate_t best;
  if (v->count == STRATA_VARIANT_CANDIDATES || !strata_candidates_best(&work, v->ways, 1, &best))
    return;
  for (int i = 0; i < v->count; i++)
    if (v->of[i].number == best.number)
      return;
  v->of[v->count++] = best;
}

static void find_candidates(varying_t *v) {
  for (int i = 0; i < v->n_points; i++)
    add_best_at(v, &v->points[i]); // likely ones first
  for (int i = 0; i < v->n_points; i++)
    for (int c = 0; c < v->count; c++)
      find_costs(v, c, &v->points[i]);
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

static bool is_in_parts(const varying_t *v, int candidate) { return v->of[candidate].schedule.splits > 0; }

// The number of the variant that is taken there; the plan's |n|: none.
static int taken_at(const plan_t *plan, const point_t *point) {
  int i = 0;
  while (i < plan->n && point->at[plan->of[i].axis] > plan->of[i].limit)
    i++;
  return i;
}

static const choice_t *choice_of(const plan_t *plan, int i) { return i < plan->n ? &plan->of[i] : NULL; }

static int candidate_of(const plan_t *plan, int i) { return i < plan->n ? plan->of[i].candidate : plan->base; }

// What is known of |size| where the choice is taken, NULL being the one for all sizes: that |tile| is all of it.
static bool is_tile(const varying_t *v, const choice_t *choice, strata_size_t size, int64_t tile) {
  bool is_limited = choice && choice->axis == SIZE && strata_size_equal(size, v->axes[SIZE]);
  return (is_limited ? choice->limit : strata_size_max(size)) <= tile;
}

static int known_where(const varying_t *v, const choice_t *choice, int candidate) {
  const strata_attention_t *a = &v->work->attention->attention;
  const strata_attention_choice_t *c = &v->of[candidate].attention;
  bool one_row_tile = is_tile(v, choice, strata_attention_rows(a), c->rows),
       one_step = is_tile(v, choice, a->sizes[a->column], c->columns);
  return (one_row_tile ? ONE_ROW_TILE : 0) | (one_step ? ONE_STEP : 0);
}

// Of each candidate what all points take with it at place |at| of |plan|, |plan->n| being that of what takes all sizes.
// Sums of all candidates are made side by side, each in the order of the points.
static void find_totals(const varying_t *v, const plan_t *plan, int at, double *totals) {
  int known[STRATA_CHOSEN_VARIANTS + 1], own[STRATA_VARIANT_CANDIDATES];
  for (int c = 0; c < v->count; c++) {
    own[c] = known_where(v, choice_of(plan, at), c);
    totals[c] = PRICE * plan->n;
  }
  for (int i = 0; i <= plan->n; i++) {
    known[i] = known_where(v, choice_of(plan, i), candidate_of(plan, i));
    for (int c = 0; c < v->count; c++)
      totals[c] += v->code_price * (i == at ? v->code[c][own[c]] : v->code[candidate_of(plan, i)][known[i]]);
  }
  for (int i = 0; i < v->n_points; i++) {
    const point_t *point = &v->points[i];
    int taken = taken_at(plan, point);
    double other = point->costs[known[taken]][candidate_of(plan, taken)];
    for (int c = 0; c < v->count; c++)
      totals[c] += taken == at ? point->costs[own[c]][c] : other;
  }
}

// Where one more variant stands: behind those for fewer of the same, in front of all others.
static int place_of(const plan_t *plan, axis_t axis, int64_t limit) {
  int place = 0;
  for (int i = 0; i < plan->n; i++)
    if (plan->of[i].axis == axis && plan->of[i].limit < limit)
      place = i + 1;
  return place;
}

// The plan with another variant |at| its place, or, |is_new|, with one more there; which candidate is open.
static plan_t with(const plan_t *plan, int at, bool is_new, axis_t axis, int64_t limit) {
  plan_t result = *plan;
  if (is_new) {
    memcpy(result.of + at + 1, plan->of + at, (size_t)(plan->n - at) * sizeof *plan->of);
    result.n++;
  }
  result.of[at] = (choice_t){.axis = axis, .limit = limit};
  return result;
}

// |best|, or that with the best candidate |at| its place of |plan|, if that is better.
static void improve_at(const varying_t *v, int at, plan_t plan, plan_t *best) {
  double totals[STRATA_VARIANT_CANDIDATES];
  find_totals(v, &plan, at, totals);
  for (int c = 0; c < v->count; c++)
    if (!is_in_parts(v, c) && totals[c] < best->total) {
      *best = plan;
      best->of[at].candidate = c;
      best->total = totals[c];
    }
}

// The plan with the best variant there, or with one more; false if none makes it better.
static bool improve(const varying_t *v, int at, plan_t *plan) {
  plan_t best = *plan;
  for (int i = 0; i < v->n_points; i++)
    for (axis_t axis = 0; axis < N_AXES; axis++)
      if (v->points[i].is_limit[axis]) {
        int64_t limit = v->points[i].at[axis];
        int place = at < 0 ? place_of(plan, axis, limit) : at;
        improve_at(v, place, with(plan, place, at < 0, axis, limit), &best);
      }
  bool is_better = best.total < plan->total;
  *plan = best;
  return is_better;
}

// Each was the best beside those that were there then.
static void refine(const varying_t *v, plan_t *plan) {
  enum { ROUNDS = 3 };
  bool is_better = true;
  for (int round = 0; round < ROUNDS && is_better; round++) {
    is_better = false;
    for (int at = 0; at < plan->n; at++)
      is_better |= improve(v, at, plan);
  }
}

// Without variants that those in front leave nothing to.
static void drop_unused(const varying_t *v, plan_t *plan) {
  bool used[STRATA_CHOSEN_VARIANTS + 1] = {false};
  int n = 0;
  for (int i = 0; i < v->n_points; i++)
    used[taken_at(plan, &v->points[i])] = true;
  for (int i = 0; i < plan->n; i++)
    if (used[i])
      plan->of[n++] = plan->of[i];
  plan->n = n;
}

static plan_t find_plan(const varying_t *v) {
  plan_t best = {.total = INFINITY};
  double totals[STRATA_VARIANT_CANDIDATES];
  find_totals(v, &best, 0, totals);
  for (int base = 0; base < v->count; base++) {
    plan_t plan = {.base = base, .total = totals[base]};
    while (!is_in_parts(v, base) && plan.n < STRATA_CHOSEN_VARIANTS && improve(v, -1, &plan))
      continue;
    best = plan.total < best.total ? plan : best;
  }
  refine(v, &best);
  drop_unused(v, &best);
  return best;
}

static void explain(const strata_scheduling_t *s, const varying_t *v, int i, const char *where) {
  if (!s->compile->explain)
    return;
  MlirStringRef symbol = strata_attr_str(s->kernel->func, "sym_name");
  strata_explain(s->compile, "attention %.*s:   %s, %s", (int)symbol.length, symbol.data,
                 v->ways->explain(s->compile->arena, v->work, &v->of[i]), where);
}

// |expr| is up to |limit|, without a factor that is a number.
static strata_size_range_t up_to(MlirAffineExpr expr, int64_t limit) {
  if (mlirAffineExprIsAMul(expr) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr))) {
    limit /= mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(expr));
    expr = mlirAffineBinaryOpExprGetLHS(expr);
  }
  return (strata_size_range_t){expr, 0, limit, 1};
}

static strata_status_t make(const strata_scheduling_t *s, const varying_t *v, const choice_t *choice) {
  const strata_size_range_t range = up_to(v->axes[choice->axis].expr, choice->limit);
  MlirOperation variant;
  explain(s, v, choice->candidate,
          strata_arena_printf(s->compile->arena, "where %s are up to %lld",
                              choice->axis == TOTAL ? "rows of all batches" : "rows, or what varies instead,",
                              (long long)choice->limit));
  return strata_variant_create(s, 1, &range, &v->of[choice->candidate].schedule, &variant);
}

static double plan_for(void *user, double price, double share) {
  (void)share;
  varying_t *v = user;
  v->code_price = price * (1 + LIKELY); // the sum of weights
  *v->plan = find_plan(v);
  double code = v->code[v->plan->base][known_where(v, NULL, v->plan->base)];
  for (int i = 0; i < v->plan->n; i++) {
    const choice_t *choice = &v->plan->of[i];
    code += v->code[choice->candidate][known_where(v, choice, choice->candidate)];
  }
  return code;
}

static strata_status_t take_plan(void *user) {
  varying_t *v = user;
  strata_schedule_write(v->kernel->called->func, &v->of[v->plan->base].schedule);
  explain(v->kernel, v, v->plan->base, "at all other sizes");
  for (int i = 0; i < v->plan->n; i++)
    STRATA_TRY(make(v->kernel, v, &v->plan->of[i]));
  return NULL;
}

// Each score may have an operand of its own, as a mask that is added.
static double code_of(const varying_t *v, int i, bool is_single, bool varies) {
  bool has_operand = v->work->attention->attention.score_bytes > 0;
  return strata_variant_attention_code(&v->kernel->device->costs->code, &v->of[i].schedule, has_operand, is_single,
                                       varies);
}

static void find_code(varying_t *v) {
  for (int i = 0; i < v->count; i++)
    for (int known = 0; known < N_COUNTED; known++)
      v->code[i][known] = code_of(v, i, known & ONE_STEP, true);
}

// The first point is likely, and its best candidate the first.
static strata_variant_offer_t offer_of(varying_t *v) {
  strata_candidate_t c = v->of[0];
  return (strata_variant_offer_t){.called = *v->kernel->called,
                                  .seconds = cost_at(v, &v->points[0], &c),
                                  .alone = code_of(v, 0, v->points[0].columns <= c.attention.columns, false),
                                  .plan = plan_for,
                                  .take = take_plan,
                                  .user = v};
}

strata_status_t strata_attention_choose_varying(const strata_scheduling_t *s, const strata_work_t *work,
                                                const strata_ways_t *ways, strata_schedule_t *out, bool *out_found) {
  strata_arena_t *arena = s->compile->arena;
  varying_t *v = strata_arena_new(arena, varying_t);
  strata_work_t *kept = strata_arena_new(arena, strata_work_t);
  *kept = *work;
  *v = (varying_t){.work = kept,
                   .ways = ways,
                   .points = strata_arena_array(arena, point_t, MOST_POINTS),
                   .kernel = strata_scheduling_keep(s),
                   .plan = strata_arena_new(arena, plan_t)};
  find_points(s, v);
  find_limits(v);
  weigh(v);
  find_candidates(v);
  *out_found = v->count > 0;
  if (!*out_found)
    return NULL;
  *out = v->of[0].schedule;
  find_code(v);
  strata_variant_offer_t offer = offer_of(v);
  strata_variant_budget_add(s->compile, s->budget, &offer);
  return NULL;
}
