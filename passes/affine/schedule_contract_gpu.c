// Contractions on GPUs: how the product is carried out. See candidates.h for the ways.
//
// A constant operand that is not contiguous along any of its tiled dims (a convolution's weights as frameworks store
// them) is packed by a kernel of its own, which split-prepare then takes out of @main.
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/decide.h"
#include "passes/affine/explain.h"
#include "passes/affine/kinds.h"
#include "passes/affine/pack.h"
#include "passes/affine/parallel.h"
#include "passes/affine/quantised.h"
#include "passes/affine/stage.h"

#include <math.h>

enum { EXPLAINED = 3 }; // pipelined products that --explain tells about

//===-- Packing --------------------------------------------------------------------------------------------------===//

enum { VECTOR = 8 }; // elements that should lie beside one another

// True if loads along some dim that only the side has, or that is reduced, are of neighbours.
static bool is_contiguous(const strata_contraction_kernel_t *c, int side) {
  uint32_t other = c->sides[1 - side].dims;
  for (int dim = 0; dim < c->nest->n_parallel + c->nest->n_reduction; dim++) {
    bool is_tiled = dim >= c->nest->n_parallel || !(other & 1u << dim);
    int64_t stride;
    if (is_tiled && strata_size_divides(VECTOR, c->nest->space.sizes[dim]) &&
        strata_access_stride(c->nest, c->sides[side].access, dim, &stride) && stride == 1)
      return true;
  }
  return false;
}

static strata_status_t pack_constants(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  for (int side = 0; side < 2; side++) {
    int dim = c->sides[side].tile_dim;
    if (dim == STRATA_NO_DIM || !strata_contraction_is_plain(c, side) || is_contiguous(c, side) ||
        !strata_pack_is_constant(q->calls, q->called, c, side))
      continue;
    return strata_pack_side(q->compile, q->called, c, side,
                            strata_round_up(strata_nest_static_extent(c->nest, dim), VECTOR));
  }
  return NULL;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

static void explain(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                    const strata_candidate_t *pipelined, int n_pipelined, const strata_candidate_t *tiled,
                    bool is_pipelined) {
  if (!q->compile->explain)
    return;
  MlirStringRef symbol = strata_attr_str(q->called->func, "sym_name");
  strata_arena_t *arena = q->compile->arena;
  const char *name = strata_arena_printf(arena, "product %.*s:", (int)symbol.length, symbol.data);
  const char *reductions =
      product->row_reductions ? strata_arena_printf(arena, ", %d reductions of rows", product->row_reductions) : "";
  strata_work_t work = {.device = q->device, .product = product};
  strata_explain(q->compile, "%s %lld x %lld x %lld, %lld times%s%s", name, (long long)product->rows,
                 (long long)product->columns, (long long)product->steps, (long long)product->batch,
                 product->is_pair ? ", a pair" : "", reductions);
  strata_candidates_explain(q->compile, &work, strata_ways_of(&work, 0), name, n_pipelined, pipelined, is_pipelined);
  const char *obstacle = strata_problem_obstacle(q->device, product, NULL, STRATA_CORRECTS_PIPELINED);
  if (product->async && !n_pipelined && obstacle)
    strata_explain(q->compile, "%s   not by %s: %s", name, product->async->name, obstacle);
  strata_candidates_explain(q->compile, &work, &strata_ways_tiled, name, tiled ? 1 : 0, tiled, !is_pipelined);
}

//===-- Shared launches ------------------------------------------------------------------------------------------===//

// Of products that share a launch all but the largest take its schedule, or none of the launch. What is saved besides
// the time from one kernel to the next is that their tiles fill the last round of another: that decides where the
// largest was not asked (strata_together_choose), as it leads another launch.
static strata_status_t follow(const strata_gpu_contraction_t *q, const strata_problem_t *product, double alone,
                              strata_schedule_t *out, bool *out_follows) {
  bool is_asked, is_product;
  const strata_called_kernel_t *leader;
  strata_problem_reading_t other;
  *out_follows = false;
  STRATA_TRY(strata_parallel_leader(q->compile, q->calls, q->called, &leader, &is_asked));
  if (leader == q->called)
    return NULL;
  STRATA_TRY(strata_problem_of_called(q, leader, &other, &is_product));
  strata_schedule_t schedule = strata_schedule_read(leader->func);
  strata_work_t work = {.device = q->device, .product = product};
  strata_candidate_t same;
  *out_follows = is_product && schedule.producers > 0 && !schedule.stream &&
                 strata_candidate_of(&work, strata_ways_of(&work, 0), &schedule, &same) &&
                 (is_asked || (strata_problem_fills_alike(product, &other.problem, schedule.tile) &&
                               same.seconds <= alone + q->device->costs->launches.follow_seconds));
  if (*out_follows)
    *out = schedule;
  else
    strata_parallel_leave(q->called);
  return NULL;
}

static strata_status_t choose(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                              strata_schedule_t *out) {
  strata_candidate_t pipelined[EXPLAINED], tiled;
  strata_together_t together;
  bool follows;
  STRATA_TRY(follow(q, product, strata_problem_seconds(q->device, product), out, &follows));
  if (follows)
    return NULL;
  STRATA_TRY(strata_together_choose(q, product, &together));
  if (!strata_tiled_choose(q->device, product, &tiled))
    return strata_error(STRATA_INTERNAL, "no tile suits a contraction");
  int n =
      strata_pipelined_choose(q->device, strata_together_first(&together), STRATA_REACH_TIMED, EXPLAINED, pipelined);
  bool are_several = together.n_calls > 1; // which is faster than tiles that are staged: those share no launch
  bool is_pipelined = n > 0 && (are_several || pipelined[0].seconds < tiled.seconds);
  *out = is_pipelined ? pipelined[0].schedule : tiled.schedule;
  if (is_pipelined && are_several) // as many tasks as all of them have: the model's tiles are about that
    out->blocks = q->device->n_processors * pipelined[0].pipelined.residents;
  explain(q, product, pipelined, n, &tiled, is_pipelined);
  return NULL;
}

//===-- Staging --------------------------------------------------------------------------------------------------===//

// The question anew: packing and staging change what the contraction reads.
static strata_status_t read_again(const strata_gpu_contraction_t *q, strata_problem_reading_t *out) {
  bool is_one;
  STRATA_TRY(strata_problem_of_called(q, q->called, out, &is_one));
  return is_one ? NULL : strata_error(STRATA_INTERNAL, "expected a contraction still");
}

// Whether the product keeps its place in a launch, in which it reads its operands as they lie, though by itself it
// would take |alone| seconds with kernels in front that stage them: the launch's leader finds that faster, or found it.
static strata_status_t keeps_launch(const strata_gpu_contraction_t *q, const strata_problem_t *product, double alone,
                                    bool *out_keeps) {
  const strata_called_kernel_t *leader;
  bool is_asked;
  STRATA_TRY(strata_parallel_leader(q->compile, q->calls, q->called, &leader, &is_asked));
  *out_keeps = is_asked && strata_schedule_read(leader->func).producers > 0;
  return leader == q->called ? strata_together_beats(q, product, alone, out_keeps) : NULL;
}

static uint32_t without_staging_kernels(const strata_problem_t *product, uint32_t sides) {
  for (int side = 0; side < 2; side++)
    if (product->sides[side].staging_seconds > 0)
      sides &= ~(1u << side);
  return sides;
}

// True if fewer sides take as long: constants cost nothing to stage, and what the copy engine takes gains nothing.
static bool gains_nothing(const strata_decision_t *decision, const uint32_t *answers, uint32_t sides, double seconds) {
  for (int i = 0; i < decision->n; i++)
    if ((answers[i] & sides) == answers[i] && decision->answers[i].seconds == seconds)
      return true;
  return false;
}

// What tuning says of a product that shares no launch: that of others is the launch's.
static strata_status_t decide_staging(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                      double unstaged, uint32_t *sides) {
  static const char *const names[] = {"none", "rows", "columns", "both"};
  uint32_t answers[STRATA_MAX_ANSWERS] = {0};
  MlirOperation call = q->called->calls.data[0];
  const strata_operations_t part = {.data = &call, .count = 1};
  strata_decision_t decision = {.kind = STRATA_DECIDES_STAGE};
  bool is_alone = strata_parallel_launch(call) < 0;
  if (!is_alone || product->varies || strata_kernel_is_prepared(q->calls, q->called) || !strata_decides(q->compile))
    return NULL;
  decision.what =
      strata_arena_printf(q->compile->arena, "product %lld x %lld x %lld, %lld times", (long long)product->rows,
                          (long long)product->columns, (long long)product->steps, (long long)product->batch);
  for (uint32_t i = 0; i < 4; i++) {
    double seconds = i ? strata_stage_seconds(q->device, product, i, INFINITY) : unstaged;
    if (i != *sides && (isinf(seconds) || gains_nothing(&decision, answers, i, seconds)))
      continue;
    decision.chosen = i == *sides ? decision.n : decision.chosen;
    answers[decision.n] = i;
    strata_decision_add(&decision, names[i], seconds);
  }
  STRATA_TRY(strata_decide_calls(q->compile, q->calls, &part, &decision));
  *sides = answers[decision.chosen];
  return NULL;
}

// Operands that the copy engine does not take are written as it does by kernels in front, where that is faster.
static strata_status_t stage_operands(const strata_gpu_contraction_t *q) {
  strata_problem_reading_t now;
  STRATA_TRY(read_again(q, &now));
  double before = strata_problem_unstaged_seconds(q->device, &now.problem), after = before;
  uint32_t sides = strata_stage_choose(q->device, &now.problem, &after);
  uint32_t free_sides = without_staging_kernels(&now.problem, sides);
  if (free_sides != sides) {
    bool keeps;
    STRATA_TRY(keeps_launch(q, &now.problem, after, &keeps));
    sides = keeps ? free_sides : sides;
  }
  STRATA_TRY(decide_staging(q, &now.problem, before, &sides));
  for (int side = 0; side < 2; side++)
    if (sides & 1u << side) {
      strata_explain(q->compile, "staged %lld x %lld x %lld: the %s operand, %.1f us instead of %.1f in all",
                     (long long)now.problem.rows, (long long)now.problem.columns, (long long)now.problem.steps,
                     side == STRATA_SIDE_U ? "rows'" : "columns'", 1e6 * after, 1e6 * before);
      if (now.problem.sides[side].staging_seconds > 0) // its launch would lie between those that are one
        strata_parallel_leave(q->called);
      STRATA_TRY(strata_stage_side(&now.question, side, now.problem.bulk_adds));
      STRATA_TRY(read_again(q, &now));
    }
  return NULL;
}

// Pairs, products whose rows are reduced, and those of packed weights are carried out with both operands as they lie,
// or not as such.
static strata_status_t choose_whole(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                    strata_schedule_t *out, bool *out_taken) {
  strata_candidate_t pipelined[EXPLAINED];
  strata_candidate_t tiled;
  int n = strata_pipelined_choose(q->device, product, STRATA_REACH_FITTED, EXPLAINED, pipelined);
  bool is_tiled = !(product->is_pair && strata_problem_is_rows(q->device, product)) &&
                  strata_tiled_choose(q->device, product, &tiled);
  *out_taken = n > 0 || is_tiled;
  if (!*out_taken)
    return NULL;
  *out = n > 0 ? pipelined[0].schedule : tiled.schedule;
  explain(q, product, pipelined, n, is_tiled ? &tiled : NULL, n > 0);
  return NULL;
}

// Constants are laid out as for other products.
static strata_status_t choose_varying(const strata_scheduling_t *s, const strata_gpu_contraction_t *q,
                                      const strata_problem_t *product, strata_schedule_t *out, bool *out_taken) {
  strata_problem_reading_t now;
  bool is_whole = product->is_pair || product->row_reductions;
  *out_taken = is_whole || strata_varying_has_tiles(q, product);
  if (!*out_taken)
    return NULL;
  if (!is_whole) {
    STRATA_TRY(pack_constants(q));
    STRATA_TRY(stage_operands(q));
  }
  STRATA_TRY(read_again(q, &now));
  STRATA_TRY(strata_varying_choose(&now.question, &now.problem, out, out_taken));
  return *out_taken && !product->row_reductions ? strata_gpu_product_variants(s, &now.question, &now.problem, out)
                                                : NULL;
}

// Of others, better computed as rows, a few results a thread are.
strata_status_t strata_gpu_contract(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_problem_reading_t product = {.kernel = *s->kernel};
  strata_candidate_t tiled;
  *out_taken =
      strata_problem_of_kernel(&(strata_gpu_contraction_t){s->compile, s->device, s->calls, s->called, NULL}, &product);
  if (!*out_taken)
    return NULL;
  if (product.problem.varies)
    return choose_varying(s, &product.question, &product.problem, out, out_taken);
  if (product.problem.is_pair || product.problem.row_reductions)
    return choose_whole(&product.question, &product.problem, out, out_taken);
  bool is_packed;
  STRATA_TRY(strata_pack_quantised(&product.question, &is_packed));
  if (is_packed) {
    STRATA_TRY(read_again(&product.question, &product));
    return choose_whole(&product.question, &product.problem, out, out_taken);
  }
  *out_taken =
      strata_problem_has_tiles(s->device, &product.problem) && strata_tiled_choose(s->device, &product.problem, &tiled);
  if (!*out_taken)
    return NULL;
  STRATA_TRY(pack_constants(&product.question));
  STRATA_TRY(stage_operands(&product.question));
  STRATA_TRY(read_again(&product.question, &product));
  return choose(&product.question, &product.problem, out);
}

strata_status_t strata_work_contract(const strata_scheduling_t *s, strata_work_t *out) {
  strata_problem_reading_t *product = strata_arena_new(s->compile->arena, strata_problem_reading_t);
  STRATA_TRY(read_again(&(strata_gpu_contraction_t){s->compile, s->device, NULL, s->called, NULL}, product));
  out->product = &product->problem;
  return NULL;
}
