// Variants of products of which one size varies on a GPU (variants.h): of few rows by blocks that share reductions, of
// many by large tiles. The model is asked for all candidates at many sizes, in geometric steps; variant_plan.h says
// which of them to have, and each then has the ranges of sizes at which it is the fastest of these.
#include "passes/affine/candidate_cache.h"
#include "passes/affine/foresee.h"
#include "passes/affine/pipelined.h"
#include "passes/affine/variant_budget.h"
#include "passes/affine/variant_plan.h"
#include "passes/affine/variants.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>
#include <string.h>

enum {
  MOST_SIZE = 1 << 14, // that costs are asked at, unless larger ones are likely
  MOST_WAYS = STRATA_PLAN_SIZES,
};

#define PRICE 0.004         // of a variant, beside that of its code
#define SINGLE_GAIN 0.1     // of a single row by its variant, as a logarithm ...
#define SINGLE_CODE 2e3     // ... and the bytes of that
#define OF_LIKELY_SIZES 0.5 // what they count for beside all that lies between
#define UNWANTED 1e3        // seconds, of what can be carried out, but is never to be

typedef struct {
  const strata_ways_t *kind;
  size_t number; // of the candidate of that kind
  bool is_all;   // it takes any size
  double code;   // bytes
} way_t;

typedef struct {
  const strata_gpu_device_t *device;
  strata_problem_t product; // at |usual|
  int64_t *number;          // of the product: what varies
  strata_size_t size;
  int64_t usual;
  double bytes; // that go with the size, for each of it
  int n_sizes, n_ways;
  int64_t sizes[STRATA_PLAN_SIZES];
  double weights[STRATA_PLAN_SIZES];
  bool is_likely[STRATA_PLAN_SIZES];
  way_t ways[MOST_WAYS];
  double costs[STRATA_PLAN_SIZES * MOST_WAYS]; // of each size those of all ways
  double code[MOST_WAYS];
  bool takes_all[MOST_WAYS];
  const strata_scheduling_t *kernel;
  double work; // of one result, behind the product
  bool has_single, keeps_single, is_single_likely;
  int64_t least; // size, be it a single one
  strata_variant_plan_t plan;
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

// What the candidate takes where the product is one of known sizes: what is likely is to be as fast as that.
static double alone_seconds(variants_t *v, const way_t *way, int64_t size) {
  strata_problem_t problem = problem_at(v, size);
  strata_work_t work = {.device = v->device, .product = &problem};
  strata_candidate_t c = {.number = way->number - 1};
  problem.varies = false;
  bool is_one = way->kind->next(&work, &c) && c.number == way->number && way->kind->predict(&work, &c);
  return is_one ? c.seconds : UNWANTED;
}

// Candidate |number| of |kind| at |size|, be it one that is never to be chosen there.
static bool candidate_at(variants_t *v, const way_t *way, int64_t size, strata_candidate_t *c) {
  strata_problem_t problem = problem_at(v, size);
  strata_work_t work = {.device = v->device, .product = &problem};
  for (int i = 0; i < 2; i++, work.wants_all = true) {
    *c = (strata_candidate_t){.number = way->number - 1};
    if (way->kind->next(&work, c) && c->number == way->number && way->kind->predict(&work, c))
      return true;
  }
  return false;
}

static double seconds_at(variants_t *v, int i, int64_t size) {
  strata_candidate_t c;
  return candidate_at(v, &v->ways[i], size, &c) ? c.seconds : v->ways[i].is_all ? UNWANTED : INFINITY;
}

static double code_of(const variants_t *v, const strata_work_t *work, const strata_ways_t *kind,
                      const strata_candidate_t *c, bool varies) {
  enum { LANES = 8 };
  strata_schedule_t schedule = kind->write(work, c);
  double loads = 0;
  for (int side = 0; side < 2; side++)
    loads += (double)(schedule.tile[side] * schedule.tile[2]) / (work->product->sides[side].is_wide ? LANES : 1);
  return strata_variant_code(&schedule, v->work, loads / (double)schedule.threads, varies);
}

static void add_way(variants_t *v, const strata_work_t *work, const strata_ways_t *kind, const strata_candidate_t *c) {
  for (int i = 0; i < v->n_ways; i++)
    if (v->ways[i].kind == kind && v->ways[i].number == c->number)
      return;
  if (v->n_ways < MOST_WAYS)
    v->ways[v->n_ways++] = (way_t){kind, c->number, !c->schedule.parts, code_of(v, work, kind, c, true)};
}

static strata_problem_t alone_at(variants_t *v, int64_t size) {
  strata_problem_t problem = problem_at(v, size);
  problem.varies = false;
  return problem;
}

// The kind of the best way; NULL: there is none.
static const strata_ways_t *find_best(const strata_work_t *work, strata_candidate_t *out_best) {
  strata_candidate_t c;
  const strata_ways_t *ways, *of_best = NULL;
  *out_best = (strata_candidate_t){.seconds = INFINITY};
  for (int kind = 0; (ways = strata_ways_of(work, kind)); kind++)
    if (strata_candidates_best(work, ways, 1, &c) && c.seconds < out_best->seconds) {
      *out_best = c;
      of_best = ways;
    }
  return of_best;
}

// The best way for the size alone; such ways have been measured. *out_seconds is what it takes, *out_code its code.
static void note_best(variants_t *v, int64_t size, double *out_seconds, double *out_code) {
  strata_problem_t problem = alone_at(v, size);
  strata_work_t work = {.device = v->device, .product = &problem};
  strata_candidate_t best;
  const strata_ways_t *of_best = find_best(&work, &best);
  *out_seconds = of_best ? best.seconds : 0;
  *out_code = of_best ? code_of(v, &work, of_best, &best, false) : 0;
  if (of_best)
    add_way(v, &work, of_best, &best);
}

typedef struct {
  const strata_gpu_device_t *device;
  strata_problem_t problems[STRATA_PLAN_SIZES];
} sizes_alone_t;

// The question of note_best() at size |i|.
static void ask_best(strata_compile_t *compile, size_t i, void *user) {
  sizes_alone_t *sizes = user;
  strata_work_t work = {.device = sizes->device, .product = &sizes->problems[i]};
  strata_candidate_t best;
  sizes->problems[i].cache = strata_candidate_cache_of(compile);
  find_best(&work, &best);
}

static void foresee_best(strata_compile_t *compile, variants_t *v) {
  sizes_alone_t *sizes = strata_arena_new(compile->arena, sizes_alone_t);
  sizes->device = v->device;
  for (int i = 0; i < v->n_sizes; i++)
    sizes->problems[i] = alone_at(v, v->sizes[i]);
  strata_foresee(compile, (size_t)v->n_sizes, ask_best, sizes);
}

// Seconds; at likely sizes the geometric mean of those of the product as it is and of one of known sizes.
static double cost_at(variants_t *v, int way, int size) {
  double seconds = seconds_at(v, way, v->sizes[size]);
  return v->is_likely[size] && seconds < UNWANTED ? sqrt(seconds * alone_seconds(v, &v->ways[way], v->sizes[size]))
                                                  : seconds;
}

static void ask_at(variants_t *v, int size) {
  for (int i = 0; i < v->n_ways; i++)
    v->costs[size * v->n_ways + i] = cost_at(v, i, size);
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

static void add_size(variants_t *v, int64_t size, double weight, bool is_likely) {
  int at = v->n_sizes;
  while (at > 0 && v->sizes[at - 1] >= size)
    at--;
  bool is_known = at < v->n_sizes && v->sizes[at] == size;
  if (is_known) {
    v->weights[at] += weight;
    v->is_likely[at] |= is_likely;
  }
  if (is_known || v->n_sizes == STRATA_PLAN_SIZES)
    return;
  memmove(&v->sizes[at + 1], &v->sizes[at], sizeof *v->sizes * (size_t)(v->n_sizes - at));
  memmove(&v->weights[at + 1], &v->weights[at], sizeof *v->weights * (size_t)(v->n_sizes - at));
  memmove(&v->is_likely[at + 1], &v->is_likely[at], sizeof *v->is_likely * (size_t)(v->n_sizes - at));
  v->sizes[at] = size;
  v->weights[at] = weight;
  v->is_likely[at] = is_likely;
  v->n_sizes++;
}

// Five in each power of two, the one behind it among them, where tiles are one more.
static void find_sizes(const strata_scheduling_t *s, variants_t *v) {
  enum { OF_LIKELY = 2 };
  static const int64_t quarters[] = {4, 5, 6, 7};
  int64_t likely[STRATA_LIKELY_VALUES], divisor = strata_max(1, v->size.divisor);
  int n_likely = strata_likely_values(s, v->size, likely);
  int64_t first = strata_ceil_div(strata_max(1, v->size.min), divisor);
  int64_t most = strata_max(MOST_SIZE, n_likely ? OF_LIKELY * likely[n_likely - 1] : 0);
  int64_t last = strata_max(first, strata_min(most, v->size.max) / divisor);
  add_size(v, first * divisor, 1, false);
  add_size(v, last * divisor, 1, false);
  for (int64_t power = 1; power <= last; power *= 2) {
    int64_t behind = power + 1;
    for (int i = 0; i < 4; i++) {
      int64_t at = power * quarters[i] / 4;
      if (at >= first && at <= last)
        add_size(v, at * divisor, 1, false);
    }
    if (behind >= first && behind <= last)
      add_size(v, behind * divisor, 1, false);
  }
  double between = (double)v->n_sizes;
  for (int i = 0; i < n_likely; i++)
    if (likely[i] >= v->size.min && likely[i] <= v->size.max && likely[i] > 0)
      add_size(v, likely[i], between * OF_LIKELY_SIZES / n_likely, true);
}

//===-- Ranges ---------------------------------------------------------------------------------------------------===//

enum { MOST_RANGES = STRATA_PLAN_SIZES };

typedef struct {
  int count;
  strata_variant_choice_t of[MOST_RANGES]; // candidates are the plan's, in order of sizes
} ranges_t;

// The first size behind |low|, up to |high|, at which |to| takes no longer than |from|.
static int64_t border(variants_t *v, int from, int to, int64_t low, int64_t high) {
  int64_t divisor = strata_max(1, v->size.divisor);
  int64_t single = divisor > 1 ? v->size.min / divisor + 1 : 0; // a dim of the rows would be known, and no tile's
  low = strata_max(low / divisor, single);
  for (high = strata_max(high / divisor, low + 1); low + 1 < high;) {
    int64_t middle = low + (high - low) / 2;
    if (seconds_at(v, to, middle * divisor) <= seconds_at(v, from, middle * divisor))
      high = middle;
    else
      low = middle;
  }
  return high * divisor;
}

// The greatest size that |way| takes, which takes |least|: of blocks that share reductions all have a tile at a time.
static int64_t most_of(variants_t *v, int way, int64_t least) {
  int64_t low = least, high = strata_size_max(v->size);
  if (v->ways[way].is_all)
    return high;
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (middle <= MOST_SIZE * (int64_t)MOST_SIZE && isfinite(seconds_at(v, way, middle)))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static void find_ranges(variants_t *v, const strata_variant_plan_t *plan, ranges_t *out) {
  int64_t min = v->size.min;
  out->count = 0;
  for (int i = 0; i < v->n_sizes; i++) {
    if (i + 1 < v->n_sizes && plan->at[i + 1] == plan->at[i])
      continue;
    int way = plan->ways[plan->at[i]];
    int64_t next = i + 1 < v->n_sizes ? border(v, way, plan->ways[plan->at[i + 1]], v->sizes[i], v->sizes[i + 1]) : 0;
    int64_t max = next ? next - 1 : most_of(v, way, v->sizes[i]);
    if (min <= max)
      out->of[out->count++] = (strata_variant_choice_t){plan->at[i], min, max};
    min = next;
  }
}

// The size that |at| has the most of: in the middle of those that it has, what is likely first.
static int64_t usual_of(const variants_t *v, const strata_variant_plan_t *plan, int at) {
  int64_t usual = v->sizes[0];
  double heaviest = 0;
  int count = 0, own = 0;
  for (int i = 0; i < v->n_sizes; i++)
    count += plan->at[i] == at;
  for (int i = 0; i < v->n_sizes; i++) {
    if (plan->at[i] != at)
      continue;
    double weight = v->weights[i] + (own++ == count / 2 ? 0.5 : 0);
    if (weight > heaviest) {
      heaviest = weight;
      usual = v->sizes[i];
    }
  }
  return usual;
}

static strata_schedule_t schedule_of(variants_t *v, const strata_variant_plan_t *plan, int at) {
  int64_t usual = usual_of(v, plan, at);
  const way_t *way = &v->ways[plan->ways[at]];
  strata_candidate_t c;
  candidate_at(v, way, usual, &c);
  strata_problem_t problem = problem_at(v, usual);
  strata_work_t work = {.device = v->device, .product = &problem};
  strata_schedule_t schedule = way->kind->write(&work, &c);
  if (schedule.producers)
    schedule.blocks = schedule.parts ? 0 : strata_pipelined_most_blocks(v->device, &c.pipelined);
  return schedule;
}

//===-- Variants -------------------------------------------------------------------------------------------------===//

static int count_ranges(const ranges_t *ranges, int at) {
  int count = 0;
  for (int i = 0; i < ranges->count; i++)
    count += ranges->of[i].candidate == at;
  return count;
}

// From its first range to its last, but for those between that none of the variants in front, |has|, has.
static strata_status_t add_variant(const strata_scheduling_t *s, variants_t *v, const strata_variant_plan_t *plan,
                                   const ranges_t *ranges, int at, const bool *has) {
  strata_variant_choice_t all = {at, 0, -1}, but[MOST_RANGES];
  int n_but = 0;
  for (int i = 0; i < ranges->count; i++) {
    const strata_variant_choice_t *range = &ranges->of[i];
    bool is_own = range->candidate == at;
    if (is_own && all.max < 0)
      all.min = range->min;
    if (is_own)
      all.max = range->max;
    else if (all.max >= 0 && !has[range->candidate])
      but[n_but++] = *range;
  }
  while (n_but > 0 && but[n_but - 1].min > all.max)
    n_but--;
  strata_schedule_t own = schedule_of(v, plan, at);
  return strata_variant_create_but(s, v->size, &all, n_but, but, &own);
}

static strata_status_t add_variants(const strata_scheduling_t *s, variants_t *v, const strata_variant_plan_t *plan) {
  ranges_t ranges;
  bool has[STRATA_PLAN_WAYS] = {false};
  find_ranges(v, plan, &ranges);
  for (int count = 1; count <= ranges.count; count++) // those of the fewest ranges first
    for (int i = 0; i < ranges.count; i++) {
      int at = ranges.of[i].candidate;
      if (at == 0 || has[at] || count_ranges(&ranges, at) != count)
        continue;
      STRATA_TRY(add_variant(s, v, plan, &ranges, at, has));
      has[at] = true;
    }
  return NULL;
}

// A single row, or column, of which each result is summed up like a row where sizes are known, is here, too. One that
// is not likely goes again if its code is too dear.
static strata_status_t add_single(const strata_scheduling_t *s, variants_t *v, const strata_schedule_t *schedule) {
  int64_t likely[STRATA_LIKELY_VALUES];
  if (v->size.min > 1)
    return NULL;
  strata_problem_t problem = problem_at(v, 1);
  problem.varies = false;
  if (strata_problem_has_tiles(v->device, &problem))
    return NULL;
  for (int i = strata_likely_values(s, v->size, likely); i-- > 0;)
    v->is_single_likely |= likely[i] == 1;
  STRATA_TRY(strata_gpu_variant_of_rows(s, v->size, 1, schedule, &v->has_single));
  v->least = v->size.min;
  if (v->has_single)
    v->size.min = 2;
  return NULL;
}

static void drop_single(variants_t *v) {
  MlirOperation variants[STRATA_MAX_VARIANTS], func = v->kernel->called->func;
  if (strata_variants_of(func, variants) > 0)
    strata_variants_erase(func, variants[0]);
  v->has_single = false;
  v->size.min = v->least;
}

static double plan(void *user, double price) {
  variants_t *v = user;
  double code = 0;
  v->plan = strata_variant_plan(v->kernel->compile->arena, &(strata_plan_costs_t){.n_sizes = v->n_sizes,
                                                                                  .n_ways = v->n_ways,
                                                                                  .costs = v->costs,
                                                                                  .weights = v->weights,
                                                                                  .is_likely = v->is_likely,
                                                                                  .takes_all = v->takes_all,
                                                                                  .code = v->code,
                                                                                  .price = PRICE,
                                                                                  .code_price = price});
  for (int i = 0; i < v->plan.count; i++)
    code += v->code[v->plan.ways[i]];
  v->keeps_single = v->has_single && (v->is_single_likely || price * SINGLE_CODE < SINGLE_GAIN);
  return code + (v->keeps_single ? SINGLE_CODE : 0);
}

static strata_status_t take(void *user) {
  variants_t *v = user;
  if (v->plan.count == 0)
    return NULL;
  if (v->has_single && !v->keeps_single)
    drop_single(v);
  strata_schedule_t schedule = schedule_of(v, &v->plan, 0);
  strata_schedule_write(v->kernel->called->func, &schedule);
  return add_variants(v->kernel, v, &v->plan);
}

strata_status_t strata_gpu_product_variants(const strata_scheduling_t *s, const strata_gpu_contraction_t *q,
                                            const strata_problem_t *product, const strata_schedule_t *schedule) {
  variants_t *v = strata_arena_new(q->compile->arena, variants_t);
  v->device = q->device;
  v->product = *product;
  if (!find_size(q, v) || product->is_pair)
    return NULL;
  v->bytes = varying_bytes(q) / (double)v->usual;
  v->kernel = strata_scheduling_keep(s);
  v->work = strata_variant_work(s->kernel);
  STRATA_TRY(add_single(s, v, schedule));
  find_sizes(s, v);
  strata_variant_offer_t offer = {.called = *v->kernel->called, .plan = plan, .take = take, .user = v};
  double seconds, code;
  foresee_best(q->compile, v);
  note_best(v, v->usual, &offer.seconds, &offer.alone);
  for (int i = 0; i < v->n_sizes; i++)
    note_best(v, v->sizes[i], &seconds, &code);
  for (int i = 0; i < v->n_sizes; i++)
    ask_at(v, i);
  for (int i = 0; i < v->n_ways; i++) {
    v->takes_all[i] = v->ways[i].is_all;
    v->code[i] = v->ways[i].code;
  }
  strata_variant_budget_add(q->compile, s->budget, &offer);
  return NULL;
}
