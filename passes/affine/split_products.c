// Products of few tiles and long reductions are split where the model of schedules expects them to take less time so:
// see split_reductions.h. Where no divisor of a length suits, its parts are multiples of a step and the last is
// shorter: what it would read beyond is guarded, and zero.
#include "passes/affine/split_reductions.h"

#include "dialects/affine/contraction.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/decide.h"
#include "passes/affine/explain.h"

#include <math.h>
#include <string.h>

enum {
  MAX_PARTS = 32,       // of a product
  MIN_PART_BYTES = 512, // of a row of an operand in a part
  PART_STEP = 64,       // elements that uneven parts of a product have a multiple of
};

//===-- Reading --------------------------------------------------------------------------------------------------===//

// True if what is multiplied are two loads, wherever they are.
static bool reads_alone(const strata_contraction_kernel_t *c) {
  bool alone = true;
  int n_loads = 0;
  for (int side = 0; side < 2; side++)
    alone &= mlirOperationIsNull(c->sides[side].access->guard) &&
             strata_op_is(c->sides[side].access->op, "affine.load") &&
             mlirValueEqual(strata_contraction_narrow(c, side), c->sides[side].access->value);
  for (int i = 0; i < c->nest->n_accesses; i++)
    n_loads += c->nest->accesses[i].in_reduction;
  return alone && n_loads == 2;
}

bool strata_split_read_product(strata_compile_t *compile, const strata_gpu_device_t *device,
                               const strata_nest_node_t *node, strata_problem_t *out_problem, bool *out_may_be_uneven) {
  if (node->class != STRATA_NEST_ANCHOR)
    return false;
  strata_nest_t nest = *node->nest;
  strata_problem_reading_t product = {.kernel = {.arena = compile->arena, .n_nests = 1, .nests = &nest}};
  if (!strata_problem_of_kernel(&(strata_gpu_contraction_t){.compile = compile, .device = device}, &product))
    return false;
  *out_problem = product.problem;
  *out_may_be_uneven = reads_alone(&product.contraction);
  return strata_problem_has_tiles(device, out_problem);
}

//===-- Choosing -------------------------------------------------------------------------------------------------===//

// Seconds that a product takes whose parts are summed up by a second kernel; infinite where the parts have no tiles, or
// where the second kernel alone takes |most|.
static double seconds_in_parts(const strata_gpu_device_t *device, const strata_problem_t *problem, int64_t parts,
                               double most) {
  strata_problem_t part = strata_problem_part(problem, parts);
  double results = (double)problem->rows * (double)problem->columns * (double)problem->batch;
  double bytes = results * (double)(parts * problem->sum_bytes + problem->stored_bytes);
  double combining = problem->costs->split.combine_seconds + bytes / (double)device->bandwidth;
  if (combining >= most || !strata_problem_has_tiles(device, &part))
    return INFINITY;
  return strata_problem_seconds(device, &part) + combining;
}

// Takes |tried| if it beats |*best| seconds.
static void try_parts(const strata_gpu_device_t *device, const strata_problem_t *problem, const strata_split_t *tried,
                      strata_split_t *split, double *best) {
  strata_problem_t padded = *problem;
  int64_t size = strata_size_static_value(tried->sizes[0]);
  if (tried->n_parts * size > padded.steps) // uneven
    padded.steps = tried->n_parts * size;
  bool is_long = padded.steps / tried->n_parts * problem->operand_bytes >= MIN_PART_BYTES;
  double seconds = tried->n_parts > 1 && is_long ? seconds_in_parts(device, &padded, tried->n_parts, *best) : *best;
  if (seconds >= *best)
    return;
  *best = seconds;
  *split = *tried;
}

// What a split may be into about |wanted| parts; how many.
static int splits_near(const strata_split_t *whole, int64_t wanted, strata_split_t out[2]) {
  out[0] = out[1] = *whole;
  strata_split_cut(&out[0], (double)wanted);
  return strata_split_cut_unevenly(&out[1], (double)wanted, PART_STEP) ? 2 : 1;
}

static void allow_uneven(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_split_t *whole) {
  whole->may_be_uneven &= isfinite(strata_problem_correction(device, problem, NULL, STRATA_CORRECTS_UNEVEN));
}

void strata_split_choose_parts(strata_compile_t *compile, const strata_gpu_device_t *device,
                               const strata_problem_t *problem, strata_split_t *split) {
  const strata_nest_t *nest = split->nest;
  strata_split_t whole = *split, tried[2];
  allow_uneven(device, problem, &whole);
  double seconds = strata_problem_seconds(device, problem), best = seconds * device->costs->margins.parts;
  for (int64_t wanted = 2; wanted <= MAX_PARTS; wanted *= 2) {
    int n = splits_near(&whole, wanted, tried);
    for (int i = 0; i < n; i++)
      try_parts(device, problem, &tried[i], split, &best);
  }
  if (split->n_parts > 1)
    strata_explain(compile, "split  %.*s of %lld x %lld x %lld: %lld parts, %.1f us instead of %.1f",
                   (int)nest->name.length, nest->name.data, (long long)problem->rows, (long long)problem->columns,
                   (long long)problem->steps, (long long)split->n_parts, 1e6 * best, 1e6 * seconds);
}

//===-- What tuning says -----------------------------------------------------------------------------------------===//

static const char *name_of(strata_arena_t *arena, const strata_split_t *split) {
  int64_t steps = 1;
  if (split->n_parts <= 1)
    return "whole";
  for (int i = 0; i < split->nest->n_reduction; i++)
    steps *= strata_size_static_value(split->sizes[i]);
  return strata_arena_printf(arena, "%lld parts of %lld", (long long)split->n_parts, (long long)steps);
}

// Adds |tried| to the answers, unless it is there, or none.
static void add_answer(strata_arena_t *arena, const strata_gpu_device_t *device, const strata_problem_t *problem,
                       const strata_split_t *tried, strata_decision_t *decision, strata_split_t *splits) {
  strata_split_t made = {.n_parts = 1};
  double seconds = INFINITY;
  try_parts(device, problem, tried, &made, &seconds);
  if (isinf(seconds) || decision->n == STRATA_MAX_ANSWERS)
    return;
  const char *name = name_of(arena, tried);
  for (int i = 0; i < decision->n; i++)
    if (strcmp(decision->answers[i].name, name) == 0)
      return;
  splits[decision->n] = *tried;
  strata_decision_add(decision, name, seconds);
}

strata_status_t strata_split_decide_parts(strata_compile_t *compile, const strata_gpu_device_t *device,
                                          const strata_nest_graph_t *graph, int number, const strata_problem_t *problem,
                                          const strata_split_t *whole, strata_split_t *split) {
  const strata_ints_t nests = {.data = &number, .count = 1};
  strata_split_t splits[STRATA_MAX_ANSWERS], usual = *whole, tried[2];
  strata_decision_t decision = {.kind = STRATA_DECIDES_PARTS};
  if (!strata_decides(compile))
    return NULL;
  decision.what = strata_arena_printf(compile->arena, "product %lld x %lld x %lld", (long long)problem->rows,
                                      (long long)problem->columns, (long long)problem->steps);
  splits[0] = *whole;
  strata_decision_add(&decision, "whole", strata_problem_seconds(device, problem));
  if (split->n_parts > 1) // what the model takes is always there
    add_answer(compile->arena, device, problem, split, &decision, splits);
  decision.chosen = decision.n - 1;
  allow_uneven(device, problem, &usual);
  for (int64_t wanted = 2; wanted <= MAX_PARTS; wanted *= 2) {
    int n = splits_near(&usual, wanted, tried);
    for (int i = 0; i < n; i++)
      add_answer(compile->arena, device, problem, &tried[i], &decision, splits);
  }
  STRATA_TRY(strata_decide_nests(compile, graph, &nests, &decision));
  *split = splits[decision.chosen];
  return NULL;
}
