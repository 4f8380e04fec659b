// Variants of products of which one size varies on a GPU (variants.h): of few rows by blocks that share reductions, of
// many by large tiles. The model is asked for all candidates at many sizes, in geometric steps; variant_plan.h says
// which of them to have, and each then has the ranges of sizes at which it is the fastest of these.
#include "passes/affine/product_variants_gpu.h"
#include "passes/affine/candidate_cache.h"
#include "passes/affine/foresee.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/pipelined.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>
#include <string.h>

enum { UNASKED = -1, NO_WAY = STRATA_PLAN_SIZES }; // instead of the number of a way

#define PRICE 0.004         // of a variant, beside that of its code
#define SINGLE_GAIN 0.1     // of a single row by its variant, as a logarithm ...
#define SINGLE_CODE 2e3     // ... and the bytes of that
#define OF_LIKELY_SIZES 0.5 // what they count for beside all that lies between
#define UNWANTED 1e3        // seconds, of what can be carried out, but is never to be

typedef strata_product_variants_t variants_t;
typedef strata_varying_product_t product_t;
typedef strata_varying_way_t way_t;

//===-- What varies ----------------------------------------------------------------------------------------------===//

static int64_t *number_of(strata_problem_t *problem, int axis) {
  int64_t *numbers[] = {&problem->rows, &problem->columns, &problem->batch};
  return numbers[axis];
}

// Of rows, columns and batches the one that varies, if nothing else does.
static bool find_size(const strata_gpu_contraction_t *q, product_t *product) {
  strata_contraction_axis_t axes[STRATA_N_AXES];
  const strata_nest_t *nest = q->contraction->nest;
  strata_contraction_axes(q->contraction, axes);
  strata_size_t batch = strata_size_constant(1);
  uint32_t both = q->contraction->sides[0].dims & q->contraction->sides[1].dims;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (both & 1u << dim)
      batch = strata_size_product(batch, nest->space.sizes[dim]);
  const strata_size_t sizes[] = {axes[STRATA_AXIS_ROW].size, axes[STRATA_AXIS_COLUMN].size, batch};
  int n = strata_size_varies(axes[STRATA_AXIS_STEP].size);
  bool has_one = false;
  for (int axis = 0; axis < 3; axis++)
    if (strata_size_varies(sizes[axis])) {
      n++;
      has_one = true;
      product->axis = axis;
      product->size = sizes[axis];
      product->usual = *number_of(&product->problem, axis);
    }
  return n == 1 && has_one;
}

// Buffers whose sizes vary are as long as it is.
static double varying_bytes(const strata_gpu_contraction_t *q) {
  const strata_size_symbols_t symbols = strata_nest_symbols(q->contraction->nest);
  double bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(q->contraction->kernel->body); i++) {
    MlirValue buffer = mlirBlockGetArgument(q->contraction->kernel->body, i);
    if (strata_type_is_symbolic(mlirValueGetType(buffer)))
      bytes += (double)strata_element_bytes(strata_problem_element(buffer)) *
               strata_memref_likely_elements(&symbols, mlirValueGetType(buffer));
  }
  return bytes;
}

int64_t strata_product_variants_size(const variants_t *v, int i, int64_t size) {
  int64_t first = strata_max(1, v->products[0].size.divisor), own = strata_max(1, v->products[i].size.divisor);
  return i == 0 ? size : size / first * own;
}

// |product| where its size is |size|; calls of a launch are one product.
static strata_problem_t problem_at(const product_t *product, int64_t size, bool varies) {
  strata_problem_t problem = product->problem;
  *number_of(&problem, product->axis) = size;
  problem.traffic += product->bytes * (double)(size - product->usual);
  problem.is_any = false;
  problem.varies = varies;
  if (problem.shares_launch) {
    problem.batch *= product->n_calls;
    problem.traffic *= (double)product->n_calls;
  }
  return problem;
}

const strata_problem_t *strata_product_variants_at(variants_t *v, int64_t size, bool varies) {
  for (int i = 0; i < v->n_products; i++) {
    v->problems[i] = problem_at(&v->products[i], strata_product_variants_size(v, i, size), varies);
    v->problems[i].next = i + 1 < v->n_products ? &v->problems[i + 1] : NULL;
  }
  return v->problems;
}

static strata_work_t work_at(variants_t *v, int64_t size, bool varies) {
  return (strata_work_t){.device = v->device, .product = strata_product_variants_at(v, size, varies)};
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// What the candidate takes where the product is one of known sizes: what is likely is to be as fast as that.
static double alone_seconds(variants_t *v, const way_t *way, int64_t size) {
  strata_work_t work = work_at(v, size, false);
  strata_candidate_t c = {.number = way->number - 1};
  bool is_one = way->kind->next(&work, &c) && c.number == way->number && way->kind->predict(&work, &c);
  return is_one ? c.seconds : UNWANTED;
}

bool strata_product_variants_candidate(variants_t *v, const way_t *way, int64_t size, strata_candidate_t *out) {
  strata_work_t work = work_at(v, size, true);
  for (int i = 0; i < 2; i++, work.wants_all = true) {
    *out = (strata_candidate_t){.number = way->number - 1};
    if (way->kind->next(&work, out) && out->number == way->number && way->kind->predict(&work, out))
      return true;
  }
  return false;
}

double strata_product_variants_seconds(variants_t *v, int way, int64_t size) {
  strata_candidate_t c;
  return strata_product_variants_candidate(v, &v->ways[way], size, &c) ? c.seconds
         : v->ways[way].is_all                                         ? UNWANTED
                                                                       : INFINITY;
}

// Of all products.
static double code_of(const variants_t *v, const strata_work_t *work, const strata_ways_t *kind,
                      const strata_candidate_t *c, bool varies) {
  enum { LANES = 8 };
  strata_schedule_t schedule = kind->write(work, c);
  double code = 0;
  for (int i = 0; i < v->n_products; i++) {
    double loads = 0;
    for (int side = 0; side < 2; side++)
      loads +=
          (double)(schedule.tile[side] * schedule.tile[2]) / (v->products[i].problem.sides[side].is_wide ? LANES : 1);
    code += strata_variant_code(&v->device->costs->code, &schedule, v->products[i].work,
                                loads / (double)schedule.threads, varies);
  }
  return code;
}

// Its number; NO_WAY: there are too many.
static int add_way(variants_t *v, const strata_work_t *work, const strata_ways_t *kind, const strata_candidate_t *c) {
  for (int i = 0; i < v->n_ways; i++)
    if (v->ways[i].kind == kind && v->ways[i].number == c->number)
      return i;
  if (v->n_ways == STRATA_PLAN_SIZES)
    return NO_WAY;
  v->ways[v->n_ways] = (way_t){kind, c->number, !c->schedule.parts, code_of(v, work, kind, c, true)};
  return v->n_ways++;
}

// The best way for products of known sizes; such ways have been measured. NULL: there is none. Products of a launch are
// pipelined, be they so few rows at some sizes that they would not be by themselves.
static const strata_ways_t *find_best(const variants_t *v, strata_work_t *work, strata_candidate_t *best) {
  const strata_ways_t *ways, *of_best = NULL;
  strata_candidate_t c;
  bool is_launch = v->products[0].problem.shares_launch;
  best->seconds = INFINITY;
  for (int kind = 0; (ways = strata_ways_of(work, kind)) && !(is_launch && kind > 0); kind++) {
    bool is_there = strata_candidates_best(work, ways, 1, &c) > 0;
    work->wants_all = !is_there && is_launch;
    if (is_there || (is_launch && strata_candidates_best(work, ways, 1, &c) > 0))
      if (c.seconds < best->seconds) {
        *best = c;
        of_best = ways;
      }
  }
  return of_best;
}

double strata_product_variants_best(variants_t *v, int64_t size) {
  for (int i = 0; i < v->n_sizes; i++)
    if (v->sizes[i] == size)
      return v->best[i];
  strata_work_t work = work_at(v, size, false);
  strata_candidate_t best;
  find_best(v, &work, &best);
  return best.seconds;
}

// Notes the best way for the size alone; its number or NO_WAY. *out_seconds is what it takes, *out_code its code.
static int note_best(variants_t *v, int64_t size, double *out_seconds, double *out_code) {
  strata_work_t work = work_at(v, size, false);
  strata_candidate_t best;
  const strata_ways_t *of_best = find_best(v, &work, &best);
  *out_seconds = best.seconds;
  *out_code = of_best ? code_of(v, &work, of_best, &best, false) : 0;
  return of_best ? add_way(v, &work, of_best, &best) : NO_WAY;
}

// Seconds; at likely sizes the geometric mean of those of the product as it is and of one of known sizes.
static double cost_at(variants_t *v, int way, int size) {
  double seconds = strata_product_variants_seconds(v, way, v->sizes[size]);
  return v->is_likely[size] && seconds < UNWANTED ? sqrt(seconds * alone_seconds(v, &v->ways[way], v->sizes[size]))
                                                  : seconds;
}

static void ask_at(variants_t *v, int size) {
  for (int i = 0; i < v->n_ways; i++)
    v->costs[size * v->n_ways + i] = cost_at(v, i, size);
}

//===-- Which way is best at which size --------------------------------------------------------------------------===//

// All candidates are asked for at some sizes, and at more between two of which others are the best.
typedef struct {
  variants_t *v;
  int best[STRATA_PLAN_SIZES];  // of sizes, the number of the way; UNASKED, NO_WAY
  int asked[STRATA_PLAN_SIZES]; // the sizes of a round
  int n_asked;
} survey_t;

// The question of note_best() at size |i| of a round.
static void ask_best(strata_compile_t *compile, size_t i, void *user) {
  const survey_t *survey = user;
  variants_t *v = strata_arena_copy(compile->arena, survey->v, sizeof *v);
  v->products[0].problem.cache = strata_candidate_cache_of(compile);
  strata_work_t work = work_at(v, v->sizes[survey->asked[i]], false);
  strata_candidate_t best;
  find_best(v, &work, &best);
}

// Answers about several products are not remembered.
static void ask_round(strata_compile_t *compile, survey_t *survey) {
  variants_t *v = survey->v;
  double code;
  if (v->n_products == 1)
    strata_foresee(compile, (size_t)survey->n_asked, ask_best, survey);
  for (int i = 0; i < survey->n_asked; i++) {
    int at = survey->asked[i];
    survey->best[at] = note_best(v, v->sizes[at], &v->best[at], &code);
  }
}

// What is likely, and one in each power of two.
static void begin_survey(survey_t *survey) {
  const variants_t *v = survey->v;
  int64_t divisor = strata_max(1, v->products[0].size.divisor);
  survey->n_asked = 0;
  for (int i = 0; i < v->n_sizes; i++) {
    int64_t number = v->sizes[i] / divisor;
    survey->best[i] = UNASKED;
    if (i == 0 || i + 1 == v->n_sizes || v->is_likely[i] || (number & (number - 1)) == 0)
      survey->asked[survey->n_asked++] = i;
  }
}

// Of neighbours at which different ways are the best; where one is the best at both it is taken to be so in between.
static void find_middles(survey_t *survey) {
  survey->n_asked = 0;
  for (int i = 1, last = 0; i < survey->v->n_sizes; i++) {
    if (survey->best[i] == UNASKED)
      continue;
    if (i - last > 1 && survey->best[i] != survey->best[last])
      survey->asked[survey->n_asked++] = (last + i) / 2;
    last = i;
  }
}

// Of all ways that are the best somewhere; UNWANTED where none of them is one that the model may choose.
static double least_alone(variants_t *v, int64_t size) {
  double least = UNWANTED;
  for (int i = 0; i < v->n_ways; i++)
    least = fmin(least, alone_seconds(v, &v->ways[i], size));
  return least;
}

static void survey_sizes(strata_compile_t *compile, variants_t *v) {
  survey_t survey = {.v = v};
  double code;
  for (begin_survey(&survey); survey.n_asked > 0; find_middles(&survey))
    ask_round(compile, &survey);
  for (int i = 0; i < v->n_sizes; i++) {
    if (survey.best[i] != UNASKED)
      continue;
    v->best[i] = least_alone(v, v->sizes[i]);
    if (v->best[i] >= UNWANTED)
      note_best(v, v->sizes[i], &v->best[i], &code);
  }
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

// The last one that costs are asked at, of sizes of which |likely| is the largest that is likely, 0: none is. Beyond it
// a call takes its time by its size, whatever the way.
static int64_t last_size(int64_t likely) {
  enum { MOST = 1 << 14, LEAST = 1 << 11, OF_LIKELY = 64, BEYOND_LIKELY = 2 };
  int64_t usual = likely ? strata_max(LEAST, strata_min(MOST, OF_LIKELY * likely)) : MOST;
  return strata_max(usual, BEYOND_LIKELY * likely);
}

// Five in each power of two, the one behind it among them, where tiles are one more.
static void find_sizes(variants_t *v) {
  static const int64_t quarters[] = {4, 5, 6, 7};
  int64_t likely[STRATA_LIKELY_VALUES], divisor = strata_max(1, v->products[0].size.divisor);
  int n_likely = strata_likely_values(v->products[0].kernel, v->products[0].size, likely);
  int64_t first = strata_ceil_div(strata_max(1, v->products[0].size.min), divisor);
  int64_t most = strata_min(last_size(n_likely ? likely[n_likely - 1] : 0), v->products[0].size.max);
  int64_t last = strata_max(first, most / divisor);
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
    if (likely[i] >= v->products[0].size.min && likely[i] <= v->products[0].size.max && likely[i] > 0)
      add_size(v, likely[i], between * OF_LIKELY_SIZES / n_likely, true);
}

//===-- Offers ---------------------------------------------------------------------------------------------------===//

// A single row, or column, of which each result is summed up like a row where sizes are known, is here, too. One that
// is not likely goes again if its code is too dear.
static strata_status_t add_single(const strata_scheduling_t *s, variants_t *v, const strata_schedule_t *schedule) {
  int64_t likely[STRATA_LIKELY_VALUES];
  if (v->products[0].size.min > 1 || v->products[0].size.divisor > 1)
    return NULL;
  strata_problem_t problem = problem_at(&v->products[0], 1, false);
  if (strata_problem_has_tiles(v->device, &problem))
    return NULL;
  for (int i = strata_likely_values(s, v->products[0].size, likely); i-- > 0;)
    v->is_single_likely |= likely[i] == 1;
  STRATA_TRY(strata_gpu_variant_of_rows(s, v->products[0].size, 1, schedule, &v->has_single));
  v->least = v->products[0].size.min;
  if (v->has_single)
    v->products[0].size.min = 2;
  return NULL;
}

static void drop_single(variants_t *v) {
  MlirOperation variants[STRATA_MAX_VARIANTS], func = v->products[0].kernel->called->func;
  if (strata_variants_of(func, variants) > 0)
    strata_variants_erase(func, variants[0]);
  v->has_single = false;
  v->products[0].size.min = v->least;
}

static double plan(void *user, double price, double share) {
  variants_t *v = user;
  double code = 0;
  v->plan = strata_variant_plan(v->products[0].kernel->compile->arena, &(strata_plan_costs_t){.n_sizes = v->n_sizes,
                                                                                              .n_ways = v->n_ways,
                                                                                              .costs = v->costs,
                                                                                              .weights = v->weights,
                                                                                              .is_likely = v->is_likely,
                                                                                              .takes_all = v->takes_all,
                                                                                              .code = v->code,
                                                                                              .share = share,
                                                                                              .price = PRICE,
                                                                                              .code_price = price});
  for (int i = 0; i < v->plan.count; i++)
    code += v->code[v->plan.ways[i]];
  v->keeps_single = v->has_single && (v->is_single_likely || price * SINGLE_CODE < SINGLE_GAIN);
  return code + (v->keeps_single ? SINGLE_CODE : 0);
}

// Those of a launch have none.
static void settle_single(variants_t *v) {
  for (int i = 0; i < v->n_products && v->products[0].problem.shares_launch; i++)
    if (v->alone[i]->has_single)
      drop_single(v->alone[i]);
  if (v->has_single && !v->keeps_single)
    drop_single(v);
}

static strata_status_t take(void *user) {
  variants_t *v = user;
  if (v->plan.count == 0)
    return NULL;
  settle_single(v);
  return strata_product_variants_make(v);
}

bool strata_product_variants_are(const strata_variant_offer_t *offer) { return offer->plan == plan; }

strata_variant_offer_t strata_product_variants_ask(strata_compile_t *compile, variants_t *v) {
  strata_variant_offer_t offer = {.plan = plan, .take = take, .user = v};
  find_sizes(v);
  note_best(v, v->products[0].usual, &offer.seconds, &offer.alone);
  offer.seconds = isfinite(offer.seconds) ? offer.seconds : 0;
  survey_sizes(compile, v);
  for (int i = 0; i < v->n_sizes; i++)
    ask_at(v, i);
  for (int i = 0; i < v->n_ways; i++) {
    v->takes_all[i] = v->ways[i].is_all;
    v->code[i] = v->ways[i].code;
  }
  return offer;
}

strata_status_t strata_gpu_product_variants(const strata_scheduling_t *s, const strata_gpu_contraction_t *q,
                                            const strata_problem_t *product, const strata_schedule_t *schedule) {
  variants_t *v = strata_arena_new(q->compile->arena, variants_t);
  product_t *own = &v->products[0];
  v->device = q->device;
  v->n_products = 1;
  v->alone[0] = v;
  *own = (product_t){.problem = *product, .n_calls = 1};
  if (!find_size(q, own))
    return NULL;
  own->bytes = varying_bytes(q) / (double)own->usual;
  own->kernel = strata_scheduling_keep(s);
  own->work = strata_variant_work(s->kernel);
  for (int i = 0; i < s->kernel->n_nests; i++)
    own->problem.has_long_code |= strata_nest_work(&s->kernel->nests[i]).is_dear;
  STRATA_TRY(add_single(s, v, schedule));
  strata_variant_offer_t offer = strata_product_variants_ask(q->compile, v);
  offer.called = *own->kernel->called;
  strata_variant_budget_add(q->compile, s->budget, &offer);
  return NULL;
}
