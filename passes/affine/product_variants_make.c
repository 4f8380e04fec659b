// Making the variants of products (product_variants_gpu.h): each way of the plan has the ranges of sizes at which it is
// the fastest of all that the plan has.
#include "passes/affine/pipelined.h"
#include "passes/affine/product_variants_gpu.h"

#include "dialects/integers.h"

#include <math.h>

enum { MOST_FINITE = 1 << 28 }; // size at which blocks that share reductions are asked for

typedef strata_product_variants_t variants_t;
typedef strata_varying_way_t way_t;

//===-- Ranges ---------------------------------------------------------------------------------------------------===//

enum { MOST_RANGES = STRATA_PLAN_SIZES };

typedef struct {
  int count;
  strata_variant_choice_t of[MOST_RANGES]; // candidates are the plan's, in order of sizes
} ranges_t;

// The first size behind |low|, up to |high|, at which |to| takes no longer than |from|.
static int64_t border(variants_t *v, int from, int to, int64_t low, int64_t high) {
  int64_t divisor = strata_max(1, v->products[0].size.divisor);
  int64_t single =
      divisor > 1 ? v->products[0].size.min / divisor + 1 : 0; // a dim of the rows would be known, and no tile's
  low = strata_max(low / divisor, single);
  for (high = strata_max(high / divisor, low + 1); low + 1 < high;) {
    int64_t middle = low + (high - low) / 2;
    if (strata_product_variants_seconds(v, to, middle * divisor) <=
        strata_product_variants_seconds(v, from, middle * divisor))
      high = middle;
    else
      low = middle;
  }
  return high * divisor;
}

// The greatest size that |way| takes, which takes |least|: of blocks that share reductions all have a tile at a time.
static int64_t most_of(variants_t *v, int way, int64_t least) {
  int64_t low = least, high = strata_size_max(v->products[0].size);
  if (v->ways[way].is_all)
    return high;
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    if (middle <= MOST_FINITE && isfinite(strata_product_variants_seconds(v, way, middle)))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static void find_ranges(variants_t *v, const strata_variant_plan_t *plan, ranges_t *out) {
  int64_t min = v->products[0].size.min;
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
  strata_product_variants_candidate(v, way, usual, &c);
  strata_work_t work = {.device = v->device, .product = strata_product_variants_at(v, usual, true)};
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

// What |choice| of the first product's size is for product |i|.
static strata_variant_choice_t choice_for(const variants_t *v, int i, const strata_variant_choice_t *choice) {
  int64_t divisor = strata_max(1, v->products[0].size.divisor), most = strata_size_max(v->products[i].size);
  int64_t least = strata_product_variants_size(v, i, strata_round_up(choice->min, divisor));
  bool has_end = choice->max < strata_size_max(v->products[0].size);
  int64_t last = has_end ? strata_product_variants_size(v, i, choice->max) : most;
  return i == 0 ? *choice : (strata_variant_choice_t){choice->candidate, least, last};
}

// The sizes of all products, each once, and what the choice says of them.
static int find_choices(const variants_t *v, const strata_variant_choice_t *choice, strata_size_t *sizes,
                        strata_variant_choice_t *choices) {
  int count = 0;
  for (int i = 0; i < v->n_products; i++) {
    bool is_new = true;
    for (int j = 0; j < count; j++)
      is_new &= !strata_size_equal(sizes[j], v->products[i].size);
    if (!is_new)
      continue;
    sizes[count] = v->products[i].size;
    choices[count++] = choice_for(v, i, choice);
  }
  return count;
}

// From its first range to its last, but for those between that none of the variants in front, |has|, has.
static strata_status_t add_variant(variants_t *v, const ranges_t *ranges, int at, const bool *has) {
  strata_variant_choice_t all = {at, 0, -1}, but[MOST_RANGES], choices[STRATA_MAX_TOGETHER];
  strata_size_t sizes[STRATA_MAX_TOGETHER];
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
  strata_schedule_t own = schedule_of(v, &v->plan, at);
  int n_sizes = find_choices(v, &all, sizes, choices);
  for (int i = 0; i < v->n_products; i++)
    STRATA_TRY(strata_variant_create_but(v->products[i].kernel, n_sizes, sizes, choices, n_but, but, &own));
  return NULL;
}

strata_status_t strata_product_variants_make(variants_t *v) {
  ranges_t ranges;
  bool has[STRATA_PLAN_WAYS] = {false};
  strata_schedule_t schedule = schedule_of(v, &v->plan, 0);
  for (int i = 0; i < v->n_products; i++)
    strata_schedule_write(v->products[i].kernel->called->func, &schedule);
  find_ranges(v, &v->plan, &ranges);
  for (int count = 1; count <= ranges.count; count++) // those of the fewest ranges first
    for (int i = 0; i < ranges.count; i++) {
      int at = ranges.of[i].candidate;
      if (at == 0 || has[at] || count_ranges(&ranges, at) != count)
        continue;
      STRATA_TRY(add_variant(v, &ranges, at, has));
      has[at] = true;
    }
  return NULL;
}
