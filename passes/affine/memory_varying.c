// See memory_varying.h. Every order that places the buffers at one of some sizes is tried at all of them. Where no
// single order is good at all sizes, up to six are kept, of which a call takes the one with the smallest pool:
//
//   more = min(1, max(0, pool_a - pool_b));  offset = offset_a + more * (offset_b - offset_a)
#include "passes/affine/memory_varying.h"

#include "dialects/integers.h"
#include "passes/affine/memory_place.h"
#include "passes/affine/memory_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_LIKELY = 4,
  MAX_CORNERS = 60, // and what comes before them
  RANDOM_SAMPLES = 100,
  MAX_SAMPLES = MAX_CORNERS + RANDOM_SAMPLES,
  MAX_SOURCES = 64, // samples of whose places orders are made
  MAX_ORDERS = 6,
  LARGE = 1 << 14
};
static const double GOOD = 1.03; // a pool of so many times what lives needs no other order

typedef STRATA_VECTOR(size_t) indices_t;

// The buffers at some sizes.
typedef struct {
  int64_t *sizes; // of the list's buffers, multiples of the alignment
  int64_t live;
} sample_t;

// Which buffer is below which: of two that live together the one earlier in the order.
typedef struct {
  const size_t *order; // buffers
  double ratios[MAX_SAMPLES];
} order_t;

typedef struct {
  strata_compile_t *compile;
  strata_arena_t *arena;
  strata_symbols_t *symbols;
  const strata_launch_list_t *list;
  indices_t placed;     // buffers
  indices_t *conflicts; // of each buffer of the list: those that live at the same time
  size_t n_conflicts;
  sample_t samples[MAX_SAMPLES];
  size_t n_samples;
  STRATA_VECTOR(order_t) orders;
} plan_t;

//===-- Samples --------------------------------------------------------------------------------------------------===//

static bool size_at(const strata_buffer_t *buffer, const int64_t *values, int64_t *out) {
  *out = buffer->size;
  bool is_known = buffer->size >= 0 || strata_expr_evaluate(buffer->bytes, values, out);
  if (!is_known || *out < 0 || *out > INT64_MAX / 4096)
    return false;
  *out = strata_round_up(*out, STRATA_POOL_ALIGNMENT);
  return true;
}

// Adds the buffers' sizes at these values of the independent symbols, if they have such.
static void add_sample(plan_t *plan, int64_t *values) {
  int64_t *sizes = strata_arena_array(plan->arena, int64_t, plan->list->buffers.count + 1);
  bool is_known = plan->n_samples < MAX_SAMPLES && strata_symbols_evaluate(plan->symbols, values);
  for (size_t i = 0; i < plan->placed.count && is_known; i++) {
    size_t buffer = plan->placed.data[i];
    is_known = size_at(&plan->list->buffers.data[buffer], values, &sizes[buffer]);
  }
  if (is_known)
    plan->samples[plan->n_samples++] = (sample_t){sizes, strata_most_live(plan->arena, plan->list, sizes)};
}

// |size| as the symbol may be.
static int64_t clamp(const strata_symbol_t *symbol, int64_t size) {
  size = strata_min(strata_max(size, symbol->min), symbol->max);
  int64_t whole = size / symbol->multiple * symbol->multiple;
  return whole < symbol->min && whole <= symbol->max - symbol->multiple ? whole + symbol->multiple : whole;
}

static int64_t likely(const strata_symbol_t *symbol, int which) {
  enum { USUAL = 64 };
  int last = symbol->n_likely - 1;
  return clamp(symbol, symbol->n_likely ? symbol->likely[which < last ? which : last] : USUAL);
}

// The same numbers in every compile.
static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

// One declarator a call: the calls of an expression come in any order, another in each build.
static int64_t of_any_magnitude(uint64_t *state) {
  uint64_t value = next_random(state), bits = 1 + next_random(state) % 14;
  return (int64_t)(value % (UINT64_C(1) << bits));
}

// All of them as is likely, small or large.
static void add_whole_samples(plan_t *plan, const strata_symbol_t *symbols, size_t n, int64_t *values) {
  int most_likely = 1;
  for (size_t i = 0; i < n; i++)
    most_likely = symbols[i].n_likely > most_likely ? symbols[i].n_likely : most_likely;
  for (int which = 0; which < most_likely && which < MAX_LIKELY; which++) {
    for (size_t i = 0; i < n; i++)
      values[i] = likely(&symbols[i], which);
    add_sample(plan, values);
  }
  for (int is_large = 0; is_large < 2; is_large++) {
    for (size_t i = 0; i < n; i++)
      values[i] = clamp(&symbols[i], is_large ? LARGE : 0);
    add_sample(plan, values);
  }
}

// One of them small or large, then two of them, the others as is likely: where one size is far from its usual relation
// to another, other buffers are the large ones.
static void add_corners(plan_t *plan, const strata_symbol_t *symbols, size_t n, int64_t *values) {
  for (size_t apart = 0; apart < 2 * n; apart++)
    for (size_t one = 0; one + apart < 2 * n && plan->n_samples < MAX_CORNERS; one++) {
      for (size_t i = 0; i < n; i++)
        values[i] = likely(&symbols[i], 0);
      const size_t ends[] = {one, one + apart}; // of a symbol's range: 2i is the low one of symbol i
      for (size_t i = 0; i < 2; i++)
        values[ends[i] / 2] = clamp(&symbols[ends[i] / 2], ends[i] % 2 ? LARGE : 0);
      add_sample(plan, values);
    }
}

static void choose_samples(plan_t *plan) {
  size_t n = strata_symbols_given(plan->symbols);
  int64_t *values = strata_arena_array(plan->arena, int64_t, plan->symbols->list.count + 1);
  const strata_symbol_t *symbols = plan->symbols->list.data;
  add_whole_samples(plan, symbols, n, values);
  add_corners(plan, symbols, n, values);
  uint64_t state = 1;
  for (int sample = 0; sample < RANDOM_SAMPLES; sample++) {
    for (size_t i = 0; i < n; i++)
      values[i] = clamp(&symbols[i], of_any_magnitude(&state));
    add_sample(plan, values);
  }
}

//===-- Orders ---------------------------------------------------------------------------------------------------===//

static void find_conflicts(plan_t *plan) {
  const strata_buffer_t *buffers = plan->list->buffers.data;
  plan->conflicts = strata_arena_array(plan->arena, indices_t, plan->list->buffers.count + 1);
  for (size_t i = 0; i < plan->placed.count; i++)
    for (size_t j = 0; j < i; j++) {
      size_t a = plan->placed.data[i], b = plan->placed.data[j];
      if (buffers[a].first > buffers[b].last || buffers[b].first > buffers[a].last)
        continue;
      *strata_vector_push(plan->arena, &plan->conflicts[a]) = b;
      *strata_vector_push(plan->arena, &plan->conflicts[b]) = a;
      plan->n_conflicts += 2;
    }
}

typedef struct {
  int64_t begin, end;
  size_t buffer;
} place_t;

static int by_place(const void *a, const void *b) {
  const place_t *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

// Places of the buffers in their order as each rank.
static size_t *ranks_of(const plan_t *plan, const order_t *order) {
  size_t *ranks = strata_arena_array(plan->arena, size_t, plan->list->buffers.count + 1);
  for (size_t i = 0; i < plan->placed.count; i++)
    ranks[order->order[i]] = i;
  return ranks;
}

// The pool that the order takes at a sample.
static int64_t pool_at(const plan_t *plan, const order_t *order, const size_t *ranks, const sample_t *sample,
                       int64_t *ends) {
  int64_t pool = 0;
  for (size_t i = 0; i < plan->placed.count; i++) {
    size_t buffer = order->order[i];
    const indices_t *conflicts = &plan->conflicts[buffer];
    int64_t offset = 0;
    for (size_t j = 0; j < conflicts->count; j++)
      if (ranks[conflicts->data[j]] < i)
        offset = strata_max(offset, ends[conflicts->data[j]]);
    ends[buffer] = offset + sample->sizes[buffer];
    pool = strata_max(pool, ends[buffer]);
  }
  return pool;
}

static bool is_known(const plan_t *plan, const order_t *order) {
  for (size_t i = 0; i < plan->orders.count; i++)
    if (memcmp(plan->orders.data[i].order, order->order, plan->placed.count * sizeof *order->order) == 0)
      return true;
  return false;
}

// Adds the order of the places that the buffers have at a sample.
static void add_order(plan_t *plan, const sample_t *sample, strata_placement_t placement) {
  size_t n = plan->placed.count;
  place_t *places = strata_arena_array(plan->arena, place_t, n + 1);
  for (size_t i = 0; i < n; i++) {
    size_t buffer = plan->placed.data[i];
    places[i] = (place_t){placement.offsets[buffer], placement.offsets[buffer] + sample->sizes[buffer], buffer};
  }
  qsort(places, n, sizeof *places, by_place);
  size_t *buffers = strata_arena_array(plan->arena, size_t, n + 1);
  for (size_t i = 0; i < n; i++)
    buffers[i] = places[i].buffer;
  order_t order = {.order = buffers};
  if (is_known(plan, &order))
    return;
  const size_t *ranks = ranks_of(plan, &order);
  int64_t *ends = strata_arena_array(plan->arena, int64_t, plan->list->buffers.count + 1);
  for (size_t i = 0; i < plan->n_samples; i++) {
    const sample_t *at = &plan->samples[i];
    order.ratios[i] = at->live ? (double)pool_at(plan, &order, ranks, at, ends) / (double)at->live : 1;
  }
  *strata_vector_push(plan->arena, &plan->orders) = order;
}

typedef struct {
  double most;   // the largest ratio of the pool to what lives
  double excess; // what all ratios are above a good one
  double sum;
} score_t;

// Where each sample takes the better of |best| and |order|.
static score_t score(const plan_t *plan, const double *best, const order_t *order) {
  score_t score = {0};
  for (size_t i = 0; i < plan->n_samples; i++) {
    double ratio = fmin(best[i], order->ratios[i]);
    score.most = fmax(score.most, ratio);
    score.excess += fmax(0, ratio - GOOD);
    score.sum += ratio;
  }
  return score;
}

// The first order is the one whose worst ratio is best. Of the others each is to help as many samples as much as it
// can: the worst of all may need several.
static bool is_better(score_t a, score_t b, bool is_first) {
  if (is_first)
    return a.most < b.most || (a.most == b.most && a.sum < b.sum);
  return a.excess < b.excess;
}

// The orders to keep; their number.
static size_t choose_orders(const plan_t *plan, const order_t **out_chosen) {
  double best[MAX_SAMPLES];
  score_t reached = {.most = 1e30, .excess = 1e30, .sum = 1e30};
  size_t n = 0;
  for (size_t i = 0; i < MAX_SAMPLES; i++)
    best[i] = 1e30;
  while (n < MAX_ORDERS && reached.most > GOOD) {
    score_t least = reached;
    const order_t *chosen = NULL;
    for (size_t i = 0; i < plan->orders.count; i++) {
      score_t with = score(plan, best, &plan->orders.data[i]);
      if (is_better(with, least, n == 0)) {
        chosen = &plan->orders.data[i];
        least = with;
      }
    }
    if (!chosen || (n > 0 && least.excess > reached.excess * 0.95))
      break;
    reached = least;
    out_chosen[n++] = chosen;
    for (size_t i = 0; i < plan->n_samples; i++)
      best[i] = fmin(best[i], chosen->ratios[i]);
  }
  return n;
}

// Tries the orders of as many samples as takes a fraction of a second.
static void add_orders(plan_t *plan) {
  const size_t budget = 200 * 1000 * 1000, least = 4;
  size_t wanted = budget / (plan->n_samples * (plan->n_conflicts + plan->placed.count) * STRATA_N_PLACINGS);
  for (size_t i = 0; i < plan->n_samples && i < MAX_SOURCES && (i < wanted || i < least); i++) {
    const sample_t *sample = &plan->samples[i];
    int64_t good = (int64_t)((double)sample->live * GOOD), smallest = INT64_MAX;
    for (int by = 0; by < STRATA_N_PLACINGS; by++) {
      strata_placement_t placement = strata_place(plan->arena, plan->list, sample->sizes, (strata_placing_t)by);
      smallest = strata_min(smallest, placement.pool_size);
      add_order(plan, sample, placement);
    }
    if (smallest > good)
      add_order(plan, sample, strata_place_repeatedly(plan->arena, plan->list, sample->sizes, good));
  }
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

// What lies below each buffer, itself or through others: a set of ranks.
typedef struct {
  size_t n_words;
  uint64_t *bits;
} below_t;

static bool is_below(const below_t *below, size_t rank, size_t other) {
  return below->bits[rank * below->n_words + other / 64] >> other % 64 & 1;
}

static void put_below(below_t *below, size_t rank, size_t other) {
  for (size_t i = 0; i < below->n_words; i++)
    below->bits[rank * below->n_words + i] |= below->bits[other * below->n_words + i];
  below->bits[rank * below->n_words + other / 64] |= UINT64_C(1) << other % 64;
}

static int by_number_down(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return x > y ? -1 : x < y;
}

// The ranks of the buffers directly below that of |rank|: none of them is below another.
static indices_t directly_below(const plan_t *plan, const order_t *order, const size_t *ranks, below_t *below,
                                size_t rank) {
  const indices_t *conflicts = &plan->conflicts[order->order[rank]];
  indices_t all = {0}, direct = {0};
  for (size_t i = 0; i < conflicts->count; i++)
    if (ranks[conflicts->data[i]] < rank)
      *strata_vector_push(plan->arena, &all) = ranks[conflicts->data[i]];
  if (all.count)
    qsort(all.data, all.count, sizeof *all.data, by_number_down);
  for (size_t i = 0; i < all.count; i++)
    if (!is_below(below, rank, all.data[i])) {
      put_below(below, rank, all.data[i]);
      *strata_vector_push(plan->arena, &direct) = all.data[i];
    }
  return direct;
}

typedef struct {
  strata_plan_sum_t *offsets; // of the list's buffers
  strata_plan_sum_t pool;
} sums_t;

static strata_plan_sum_t size_sum(strata_terms_t *terms, const strata_buffer_t *buffer) {
  MlirAffineExpr bytes = buffer->size >= 0 ? mlirAffineConstantExprGet(terms->context, buffer->size) : buffer->bytes;
  return strata_plan_sum_of_expr(terms, strata_round_up_expr(bytes, STRATA_POOL_ALIGNMENT));
}

static sums_t sums_of(const plan_t *plan, strata_terms_t *terms, const order_t *order) {
  size_t n = plan->placed.count;
  const size_t *ranks = ranks_of(plan, order);
  below_t below = {.n_words = (n + 63) / 64};
  below.bits = strata_arena_array(plan->arena, uint64_t, n * below.n_words + 1);
  sums_t sums = {.offsets = strata_arena_array(plan->arena, strata_plan_sum_t, plan->list->buffers.count + 1)};
  strata_plan_sum_t *ends = strata_arena_array(plan->arena, strata_plan_sum_t, n + 1);
  bool *is_covered = strata_arena_array(plan->arena, bool, n + 1);
  for (size_t rank = 0; rank < n; rank++) {
    size_t buffer = order->order[rank];
    indices_t direct = directly_below(plan, order, ranks, &below, rank);
    strata_plan_sum_list_t under = {0};
    for (size_t i = 0; i < direct.count; i++) {
      *strata_vector_push(plan->arena, &under) = ends[direct.data[i]];
      is_covered[direct.data[i]] = true;
    }
    sums.offsets[buffer] = strata_plan_sum_max(terms, &under);
    ends[rank] =
        strata_plan_sum_add(terms, sums.offsets[buffer], 1, size_sum(terms, &plan->list->buffers.data[buffer]));
  }
  strata_plan_sum_list_t tops = {0};
  for (size_t rank = 0; rank < n; rank++)
    if (!is_covered[rank])
      *strata_vector_push(plan->arena, &tops) = ends[rank];
  sums.pool = strata_plan_sum_max(terms, &tops);
  return sums;
}

static strata_memory_plan_t to_exprs(const plan_t *plan, const strata_terms_t *terms, const sums_t *sums) {
  strata_memory_plan_t exprs = {.pool_size = strata_terms_to_expr(terms, sums->pool)};
  exprs.offsets = strata_arena_array(plan->arena, MlirAffineExpr, plan->list->buffers.count + 1);
  for (size_t i = 0; i < plan->list->buffers.count; i++)
    exprs.offsets[i] = strata_terms_to_expr(terms, sums->offsets[i]);
  return exprs;
}

static MlirAffineExpr choose(MlirAffineExpr a, MlirAffineExpr b, MlirAffineExpr is_b) {
  if (mlirAffineExprEqual(a, b))
    return a;
  MlirAffineExpr minus = mlirAffineConstantExprGet(mlirAffineExprGetContext(a), -1);
  MlirAffineExpr difference = mlirAffineAddExprGet(b, mlirAffineMulExprGet(a, minus));
  return mlirAffineAddExprGet(a, mlirAffineMulExprGet(is_b, difference));
}

// Adds a plan, which is taken where its pool is smaller; |pool| is that of what was taken so far.
static void add_alternative(const plan_t *plan, strata_terms_t *terms, const sums_t *sums, strata_plan_sum_t *pool,
                            strata_memory_plan_t *exprs) {
  strata_plan_sum_t zero = {0}, one = {.constant = 1};
  strata_plan_sum_t saved = strata_plan_sum_add(terms, *pool, -1, sums->pool);
  strata_plan_sum_t is_better = strata_plan_sum_derive(
      terms, STRATA_SYMBOL_MIN, strata_plan_sum_derive(terms, STRATA_SYMBOL_MAX, saved, zero), one);
  MlirAffineExpr chosen = strata_terms_to_expr(terms, is_better);
  strata_memory_plan_t other = to_exprs(plan, terms, sums);
  for (size_t i = 0; i < plan->placed.count; i++) {
    size_t buffer = plan->placed.data[i];
    exprs->offsets[buffer] = choose(exprs->offsets[buffer], other.offsets[buffer], chosen);
  }
  *pool = strata_plan_sum_derive(terms, STRATA_SYMBOL_MIN, *pool, sums->pool);
  exprs->pool_size = strata_terms_to_expr(terms, *pool);
}

strata_memory_plan_t strata_plan_varying(strata_compile_t *compile, strata_symbols_t *symbols,
                                         const strata_launch_list_t *list) {
  plan_t plan = {.compile = compile, .arena = compile->arena, .symbols = symbols, .list = list};
  for (size_t i = 0; i < list->buffers.count; i++)
    if (strata_is_placed(&list->buffers.data[i]))
      *strata_vector_push(plan.arena, &plan.placed) = i;
  choose_samples(&plan);
  if (plan.n_samples == 0) // sizes that nothing is known of: as if all were equal
    plan.samples[plan.n_samples++] =
        (sample_t){strata_arena_array(plan.arena, int64_t, list->buffers.count + 1), .live = 0};
  find_conflicts(&plan);
  add_orders(&plan);
  const order_t *chosen[MAX_ORDERS];
  size_t n = choose_orders(&plan, chosen);
  strata_terms_t terms = {.arena = plan.arena, .context = compile->context, .symbols = symbols};
  sums_t first = sums_of(&plan, &terms, chosen[0]);
  strata_memory_plan_t exprs = to_exprs(&plan, &terms, &first);
  for (size_t i = 1; i < n; i++) {
    sums_t sums = sums_of(&plan, &terms, chosen[i]);
    add_alternative(&plan, &terms, &sums, &first.pool, &exprs);
  }
  exprs.live = plan.samples[0].live;
  for (size_t i = 0; i < plan.placed.count; i++)
    exprs.sum += plan.samples[0].sizes[plan.placed.data[i]];
  return exprs;
}
