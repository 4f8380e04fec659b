// Variants of maps and rows on a GPU: what is contiguous begins at multiples of 16 bytes, so that it is moved by
// vectors; rows whose length varies are so short that registers hold them, and are read once. Either is known where a
// condition on sizes says it (when.h), and the kernel is scheduled for it as one of such sizes. Where rows are few,
// each has more threads.
#include "dialects/affine/row_kernel.h"
#include "dialects/integers.h"
#include "passes/affine/gpu_forms.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"
#include "passes/affine/thresholds.h"
#include "passes/affine/variant_budget.h"
#include "passes/affine/variants.h"

#include <string.h>

enum { MAX_RANGES = 4 }; // of a condition

typedef struct {
  int count;
  bool is_full; // there were more
  strata_size_range_t of[MAX_RANGES];
} condition_t;

static strata_size_range_t *range_of(condition_t *condition, MlirAffineExpr expr) {
  for (int i = 0; i < condition->count; i++)
    if (mlirAffineExprEqual(condition->of[i].expr, expr))
      return &condition->of[i];
  if (condition->count == MAX_RANGES) {
    condition->is_full = true;
    return &condition->of[0];
  }
  strata_size_range_t *range = &condition->of[condition->count++];
  *range = (strata_size_range_t){expr, 0, INT64_MAX, 1};
  return range;
}

//===-- What may be known ----------------------------------------------------------------------------------------===//

// Rows of |buffer| begin at multiples of 16 bytes. False if that is not likely.
static bool align_rows(const strata_scheduling_t *s, MlirValue buffer, condition_t *condition) {
  MlirType type = mlirValueGetType(buffer);
  int64_t width = STRATA_ACCESS_BYTES / strata_max(1, strata_element_bytes(strata_problem_element(buffer)));
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank < 2 || !mlirValueIsABlockArgument(buffer) || width < 2)
    return true;
  strata_size_t size = strata_size_of_expr(&s->symbols, strata_type_dim(type, rank - 1));
  if (!strata_size_varies(size) || strata_size_divides(width, size))
    return true;
  strata_size_range_t *range = range_of(condition, size.expr);
  range->multiple = strata_max(range->multiple, width);
  return strata_size_likely(&s->symbols, size) % width == 0;
}

// The condition that all rows are aligned; false if it is not likely, or they always are.
static bool align_all(const strata_scheduling_t *s, condition_t *out) {
  bool is_likely = true;
  *out = (condition_t){0};
  for (int i = 0; i < s->kernel->n_nests; i++)
    for (int j = 0; j < s->kernel->nests[i].n_accesses; j++)
      is_likely &= align_rows(s, s->kernel->nests[i].accesses[j].buffer, out);
  return is_likely && out->count > 0 && !out->is_full;
}

// What a row's length is, where one size decides; false if several do.
static bool find_length(const strata_scheduling_t *s, const strata_row_kernel_t *rows, strata_size_t *out) {
  *out = strata_size_constant(1);
  for (int i = 0; i < s->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    for (int dim = 0; member->takes_part && dim < strata_nest_n_dims(member->nest); dim++) {
      strata_size_t size = member->nest->space.sizes[dim];
      if (member->row_of[dim] != STRATA_NOT_A_ROW || !strata_size_varies(size))
        continue;
      if (strata_size_varies(*out) && !strata_size_equal(*out, size))
        return false;
      *out = size;
    }
  }
  return strata_size_varies(*out);
}

//===-- Making them ----------------------------------------------------------------------------------------------===//

// Has |s| schedule for the greatest values that |condition| allows symbols.
static void expect_most(strata_scheduling_t *s, const condition_t *condition) {
  int64_t *likely = strata_arena_array(s->compile->arena, int64_t, s->symbols.count);
  for (int i = 0; i < s->symbols.count; i++)
    likely[i] = s->symbols.likely[i];
  for (int i = 0; i < condition->count; i++) {
    const strata_size_range_t *range = &condition->of[i];
    if (range->max < INT64_MAX && mlirAffineExprIsASymbol(range->expr))
      likely[mlirAffineSymbolExprGetPosition(range->expr)] = range->max / range->multiple * range->multiple;
  }
  s->symbols.likely = likely;
}

// A variant where |condition| holds, scheduled by |choose|; *out_is_there: false where that takes none.
static strata_status_t try(const strata_scheduling_t *s, const condition_t *condition,
                           const strata_schedule_t *schedule, strata_choose_t choose, bool *out_is_there) {
  MlirOperation variant;
  strata_kernel_t kernel;
  MlirOperation existing[STRATA_MAX_VARIANTS];
  *out_is_there = false;
  if (strata_variants_of(s->called->func, existing) == STRATA_MAX_VARIANTS)
    return NULL;
  STRATA_TRY(strata_variant_create(s, condition->count, condition->of, schedule, &variant));
  STRATA_TRY(strata_kernel_read(s->compile->arena, variant, &kernel));
  strata_called_kernel_t called = *s->called;
  called.func = variant;
  strata_scheduling_t own = *s;
  own.called = &called;
  own.kernel = &kernel;
  own.symbols = strata_symbols_used_around(s->compile->arena, mlirBlockGetFirstOperation(kernel.body));
  expect_most(&own, condition);
  strata_schedule_t own_schedule;
  STRATA_TRY(choose(&own, &own_schedule, out_is_there));
  if (*out_is_there)
    strata_schedule_write(variant, &own_schedule);
  else
    strata_variants_erase(s->called->func, variant);
  return NULL;
}

static strata_status_t add(const strata_scheduling_t *s, const condition_t *condition,
                           const strata_schedule_t *schedule, strata_choose_t choose) {
  bool is_there;
  return try(s, condition, schedule, choose, &is_there);
}

strata_status_t strata_gpu_variant_of_rows(const strata_scheduling_t *s, strata_size_t size, int64_t value,
                                           const strata_schedule_t *schedule, bool *out_is_there) {
  condition_t condition = {.count = 1, .of = {{size.expr, value, value, 1}}};
  return try(s, &condition, schedule, strata_gpu_rows, out_is_there);
}

// The same of rows whose length is |least| to |most|, too, if there are others.
static strata_status_t add_rows(const strata_scheduling_t *s, const condition_t *condition, strata_size_t length,
                                int64_t least, int64_t most, const strata_schedule_t *schedule) {
  condition_t own = *condition;
  int64_t first = strata_round_up(strata_max(least, 1), strata_max(length.divisor, 1)); // that a row can have
  if (strata_size_max(length) < first || strata_max(strata_size_min(length), first) > most)
    return NULL;
  if (strata_size_min(length) < least)
    range_of(&own, length.expr)->min = least;
  if (strata_size_max(length) > most)
    range_of(&own, length.expr)->max = most;
  if (own.is_full || own.count == 0)
    return NULL;
  return add(s, &own, schedule, strata_gpu_rows);
}

// Lengths up to which a group holds a row, from the one before on: what is longer than the greatest a kernel for all
// lengths goes through. A group of few threads is enough for short rows, and elements that are not there cost as much
// as others, so that a group has few more than it needs.
typedef struct {
  int64_t most;
  bool is_aligned; // rows begin at multiples of 16 bytes; others have the one behind, where they fit
} held_length_t;

enum { HELD_LENGTHS = 11 };

static void held_lengths(const strata_scheduling_t *s, held_length_t *out) {
  int64_t lanes = s->device->lanes, warp = strata_gpu_held_elements(s->device, lanes), some = warp / 3 * 2;
  int64_t access = lanes * strata_gpu_access_width(s); // elements
  const held_length_t lengths[HELD_LENGTHS] = {
      {access / 8, false}, {access / 2, true}, {access / 2, false}, {some / 2, true}, {some / 2, false}, {some, true},
      {some, false},       {warp, true},       {2 * some, true},    {4 * some, true}, {8 * some, true},
  };
  memcpy(out, lengths, sizeof lengths);
}

// Those of likely lengths, *out_n_likely, then those of ranges.
static strata_status_t add_lengths(const strata_scheduling_t *s, const strata_row_kernel_t *rows,
                                   const condition_t *aligned, const strata_schedule_t *schedule, int *out_n_likely) {
  const condition_t any = {0};
  strata_size_t length;
  held_length_t held[HELD_LENGTHS];
  int64_t likely[STRATA_LIKELY_VALUES];
  bool is_there;
  *out_n_likely = 0;
  if (!find_length(s, rows, &length))
    return NULL;
  int n_likely = strata_likely_values(s, length, likely);
  for (int i = 0; i < n_likely && i < strata_thresholds.likely_lengths; i++)
    if (likely[i] > strata_size_min(length) && likely[i] < strata_size_max(length)) {
      STRATA_TRY(strata_gpu_variant_of_rows(s, length, likely[i], schedule, &is_there));
      *out_n_likely += is_there;
    }
  held_lengths(s, held);
  int64_t least = 0;
  for (int i = 0; i < HELD_LENGTHS; i++) {
    bool is_behind = i > 0 && held[i - 1].most >= held[i].most; // of other rows than the one before
    if (i > 0 && !is_behind)
      least = held[i - 1].most + 1;
    bool is_there_already = i > 1 && held[i - 2].most >= held[i].most; // where accesses are of very many elements
    if (is_there_already || (is_behind && aligned->count == 0))
      continue;
    STRATA_TRY(add_rows(s, held[i].is_aligned ? aligned : &any, length, least, held[i].most, schedule));
  }
  return NULL;
}

//===-- Few rows -------------------------------------------------------------------------------------------------===//

static bool is_alike(const strata_schedule_t *a, const strata_schedule_t *b) {
  return a->group == b->group && a->threads == b->threads && a->n_tile == b->n_tile &&
         !memcmp(a->tile, b->tile, sizeof *a->tile * (size_t)a->n_tile);
}

// Of rows whose number alone varies, held by a group of a block's threads each: few have larger groups.
static strata_status_t add_few(const strata_scheduling_t *s, const strata_row_kernel_t *rows,
                               const strata_schedule_t *schedule) {
  strata_size_t number = strata_size_constant(1);
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int64_t few = strata_gpu_few_rows(s->device, schedule->group);
  bool has_groups = schedule->group > 1 && schedule->group <= schedule->threads && schedule->n_tile == 1 &&
                    schedule->slots == 0 && schedule->blocks == 0;
  for (int row = 0; row < rows->n_rows; row++)
    number = strata_size_product(number, rows->sizes[row]);
  if (!has_groups || !strata_size_varies(number) || strata_size_min(number) > few || strata_size_max(number) <= few)
    return NULL;
  condition_t condition = {.count = 1, .of = {{strata_size_expr(s->compile->context, number), 0, few, 1}}};
  STRATA_TRY(add(s, &condition, schedule, strata_gpu_choose_few_rows));
  int n = strata_variants_of(s->called->func, variants);
  strata_schedule_t own = n ? strata_schedule_read(variants[n - 1]) : *schedule;
  if (n && is_alike(&own, schedule))
    strata_variants_erase(s->called->func, variants[n - 1]);
  return NULL;
}

//===-- Which of them to have ------------------------------------------------------------------------------------===//

// Variants for lengths, which no model compares: all, but for those whose code is dearer than what they give. Of ranges
// one is kept if one of longer rows is, which does not take its lengths.
typedef struct {
  const strata_scheduling_t *kernel;
  int count, n_likely;
  double code[STRATA_MAX_VARIANTS];
  bool is_kept[STRATA_MAX_VARIANTS];
} lengths_t;

static double plan_lengths(void *user, double price, double share) {
  (void)share;
  lengths_t *lengths = user;
  double code = 0;
  bool keeps_longer = false;
  for (int i = lengths->count; i-- > 0;) {
    bool is_cheap = price * lengths->code[i] < strata_thresholds.length_gain;
    keeps_longer |= is_cheap && i >= lengths->n_likely;
    lengths->is_kept[i] = i >= lengths->n_likely ? keeps_longer : is_cheap;
    code += lengths->is_kept[i] ? lengths->code[i] : 0;
  }
  return code;
}

static strata_status_t take_lengths(void *user) {
  const lengths_t *lengths = user;
  MlirOperation variants[STRATA_MAX_VARIANTS], func = lengths->kernel->called->func;
  int count = strata_variants_of(func, variants);
  for (int i = 0; i < count && i < lengths->count; i++)
    if (!lengths->is_kept[i])
      strata_variants_erase(func, variants[i]);
  return NULL;
}

static void offer_lengths(const strata_scheduling_t *s, int n_likely) {
  lengths_t *lengths = strata_arena_new(s->compile->arena, lengths_t);
  MlirOperation variants[STRATA_MAX_VARIANTS];
  const strata_code_costs_t *code = &s->device->costs->code;
  double of_element = code->row_element;
  for (int i = 0; i < s->kernel->n_nests; i++)
    of_element += code->addition * strata_nest_work(&s->kernel->nests[i]).work;
  lengths->kernel = strata_scheduling_keep(s);
  lengths->count = strata_variants_of(s->called->func, variants);
  lengths->n_likely = n_likely;
  for (int i = 0; i < lengths->count; i++) {
    strata_schedule_t schedule = strata_schedule_read(variants[i]);
    lengths->code[i] = code->row_body + of_element * (double)schedule.tile[0] / (double)strata_max(schedule.group, 1);
  }
  const strata_variant_offer_t offer = {.called = *lengths->kernel->called,
                                        .seconds = strata_gpu_seconds_of_bytes(s),
                                        .alone = lengths->count ? lengths->code[0] : 0,
                                        .plan = plan_lengths,
                                        .take = take_lengths,
                                        .user = lengths};
  if (lengths->count > 0)
    strata_variant_budget_add(s->compile, s->budget, &offer);
}

strata_status_t strata_gpu_variants(const strata_scheduling_t *s, const strata_schedule_t *schedule) {
  condition_t aligned;
  strata_row_kernel_t rows;
  if (schedule->kind != STRATA_KERNEL_MAP && schedule->kind != STRATA_KERNEL_ROWS)
    return NULL;
  bool has_aligned = align_all(s, &aligned);
  if (schedule->kind == STRATA_KERNEL_MAP)
    return has_aligned ? add(s, &aligned, schedule, strata_gpu_map) : NULL;
  STRATA_TRY(strata_row_kernel_read(s->kernel, &rows));
  if (!has_aligned)
    aligned = (condition_t){0};
  if (rows.across == STRATA_NOT_A_ROW && strata_row_kernel_lengths_vary(&rows)) {
    int n_likely;
    STRATA_TRY(add_lengths(s, &rows, &aligned, schedule, &n_likely));
    offer_lengths(s, n_likely);
    return NULL;
  }
  if (has_aligned)
    return add(s, &aligned, schedule, strata_gpu_rows);
  return rows.across == STRATA_NOT_A_ROW ? add_few(s, &rows, schedule) : NULL;
}
