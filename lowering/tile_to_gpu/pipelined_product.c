// Pipelined products: what a contraction becomes, and the consumers' loop.
//
//   scf.for %k = 0 to steps iter_args(slot, parity, sums) {
//     wait until the slot is full; products of all its instructions; wait for them; the slot is empty }
#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/mainloops.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/pipelined_unpack.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/values.h"

enum { COLUMN = 1, STEP = 1, WARPS = 4 };

//===-- Reading --------------------------------------------------------------------------------------------------===//

// Tiles that begin within spans: all come as one, from the first block's on.
static strata_status_t join_tiles(strata_ring_operand_t *operand, int64_t tile, int64_t parts) {
  strata_shared_operand_t *shared = &operand->shared;
  int64_t span = STRATA_SPAN / shared->element_bytes;
  if (!strata_operand_is_bulk(shared) || !shared->bulk || !strata_bulk_widen(shared->bulk, tile * parts, span))
    return strata_error(STRATA_INTERNAL, "tiles of a cluster that are no boxes side by side");
  shared->rows = strata_round_up(tile * parts, span);
  operand->slot = shared->rows * shared->steps;
  operand->tiles = 1;
  operand->is_joint = true;
  return NULL;
}

// The operand along the instruction's columns holds the tiles of all blocks of a cluster; where it is crossed, in whole
// spans, each of one tile or of several.
static strata_status_t place_tiles(strata_ring_operand_t *operand, int64_t tile, int64_t parts) {
  if (parts > 1 && operand->shared.rows % tile != 0)
    return join_tiles(operand, tile, parts);
  int64_t span = operand->shared.rows > tile ? operand->shared.rows / tile : 1; // tiles that there is room for
  operand->tiles = strata_ceil_div(parts, span);
  operand->stride = parts > 1 ? span : 0;
  operand->slot *= operand->tiles;
  return NULL;
}

// How producers load an operand of |sizes|: |width| neighbours along dim |first| each, threads along it first. Nothing
// hangs over: a slot has no room for it.
static strata_layout_t load_layout(const int64_t *sizes, int64_t threads, int first, int64_t width) {
  int second = 1 - first;
  int64_t along = strata_power_of_two_in(sizes[first] / width, threads);
  int64_t across = strata_power_of_two_in(sizes[second], threads / along);
  strata_layout_t layout = {0};
  strata_layout_push_reg(&layout, first, width, 1);
  strata_layout_push_thread(&layout, first, along, width);
  strata_layout_push_thread(&layout, second, across, 1);
  strata_layout_push_thread(&layout, STRATA_COPIES, threads / (along * across), 0);
  strata_layout_push_reg(&layout, first, sizes[first] / (along * width), along * width);
  strata_layout_push_reg(&layout, second, sizes[second] / across, across);
  return layout;
}

// Blocks that are at different places of the rows have the next step's come with this one's: of 128 rows a block, which
// wait for them, not of few, where memory has no time for it.
static bool reads_ahead(const strata_gpu_distribution_t *d, const strata_ring_operand_t *operand) {
  enum { MANY_ROWS = 128 };
  return strata_operand_is_bulk(&operand->shared) && d->plan.stagger && operand->shared.rows >= MANY_ROWS;
}

static strata_status_t read_operand(strata_gpu_distribution_t *d, MlirOperation op, int side, int64_t producers,
                                    const strata_pipelined_t *p, strata_ring_operand_t *operand) {
  MlirValue value = mlirOperationGetOperand(op, side);
  MlirType type = mlirValueGetType(value);
  if (strata_unpack_is(value))
    return strata_unpack_read(d, value, operand);
  const strata_operand_terms_t terms = p->instruction->terms(type, side == strata_pipelined_left_side(p));
  int contiguous = STEP;
  int64_t width = 1;
  STRATA_TRY(strata_operand_source(d, value, &contiguous, &width));
  STRATA_TRY(strata_ring_operand_read(d, value, &terms, contiguous, operand));
  if (reads_ahead(d, operand))
    operand->shared.bulk->reads_ahead = true;
  int64_t parts = side == strata_pipelined_left_side(p) ? 1 : p->parts;
  STRATA_TRY(place_tiles(operand, mlirShapedTypeGetDimSize(type, 0), parts));
  if (side == COLUMN && p->pair > 1) {
    operand->tiles *= p->pair;
    operand->slot *= p->pair;
  }
  const int64_t sizes[] = {mlirShapedTypeGetDimSize(type, 0), mlirShapedTypeGetDimSize(type, STEP)};
  operand->shared.load = load_layout(sizes, producers, contiguous, strata_power_of_two_in(sizes[contiguous], width));
  return NULL;
}

// True if both lie in a slot, and are brought, in the same way.
static bool is_alike(const strata_shared_operand_t *a, const strata_shared_operand_t *b) {
  return strata_operand_is_bulk(a) && strata_operand_is_bulk(b) && a->form == b->form && a->rows == b->rows &&
         a->steps == b->steps && a->bulk->inner == b->bulk->inner && mlirTypeEqual(a->element, b->element) &&
         !memcmp(a->bulk->extents, b->bulk->extents, sizeof a->bulk->extents);
}

static MlirType sum_type(MlirOperation op) { return mlirValueGetType(mlirOperationGetResult(op, 0)); }

// The columns' operand of the second product of a pair, behind the first one's.
static strata_status_t read_second(strata_gpu_distribution_t *d, MlirOperation op, int64_t producers,
                                   strata_pipelined_t *p) {
  strata_ring_operand_t *first = &p->operands[COLUMN],
                        *second = strata_arena_new(d->compile->arena, strata_ring_operand_t);
  MlirOperation other = strata_pair_contract(mlirOperationGetParentOperation(op), 1);
  STRATA_TRY(read_operand(d, other, COLUMN, producers, p, second));
  if (!mlirValueEqual(mlirOperationGetOperand(other, 0), mlirOperationGetOperand(op, 0)) ||
      !is_alike(&first->shared, &second->shared) || !mlirTypeEqual(sum_type(op), sum_type(other)) ||
      !mlirAttributeEqual(strata_attr(op, "tile.mma"), strata_attr(other, "tile.mma")))
    return strata_gpu_missing(other, "a pair of products that are not alike");
  first->next = second;
  return NULL;
}

strata_status_t strata_pipelined_read(strata_gpu_distribution_t *d, MlirOperation op, strata_pipelined_t *out_product) {
  strata_schedule_t schedule = strata_schedule_read(d->func);
  strata_pipelined_t *p = out_product;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const strata_instruction_t *instruction = strata_instruction_of(op);
  bool has_fragments = instruction->has_fragments;
  *p = (strata_pipelined_t){.instruction = instruction,
                            .mma = strata_mma_named(strata_attr_str(op, "tile.mma")),
                            .swap = schedule.swap,
                            .groups = schedule.warps[0] * schedule.warps[1] / WARPS,
                            .across = has_fragments ? schedule.warps[1] : 1,
                            .teams = schedule.group ? schedule.threads / schedule.group : 0,
                            .slots = schedule.slots,
                            .pair = strata_pair_count(mlirOperationGetParentOperation(op)),
                            .sum = mlirShapedTypeGetElementType(type)};
  p->depth = p->groups >= 1 ? schedule.group / (p->groups * STRATA_GROUP_THREADS) : 0;
  bool has_groups = p->groups >= 1 && p->across >= 1 && p->groups % p->across == 0;
  if (!strata_op_is(op, "vector.contract") || !has_groups || mlirShapedTypeGetRank(type) != 2)
    return strata_gpu_missing(op, "a contraction without a schedule");
  p->parts = strata_cluster_along(d, STRATA_BY_STEPS);
  for (int side = 0; side < 2; side++)
    STRATA_TRY(read_operand(d, op, side, schedule.producers, p, &p->operands[side]));
  if (p->pair > 1)
    STRATA_TRY(read_second(d, op, schedule.producers, p));
  STRATA_TRY(instruction->finish(d, op, &schedule, p));
  strata_pipelined_clip(d, op, p);
  return NULL;
}

strata_status_t strata_pipelined_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_pipelined_t product;
  STRATA_TRY(strata_pipelined_read(d, op, &product));
  strata_layout_fix(d, mlirOperationGetResult(op, 0), &product.layout);
  for (int side = 0; side < 2; side++)
    if (mlirOperationIsNull(product.operands[side].unpack))
      strata_layout_fix(d, mlirOperationGetOperand(op, side), &product.operands[side].shared.load);
  return NULL;
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

// What the sums start from, zero where several blocks sum up and of pairs.
static strata_status_t start_sums(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue *sums) {
  const strata_pipelined_t *p = &k->product;
  MlirValue old = mlirOperationGetOperand(k->loop, 3);
  strata_registers_t start;
  bool is_zero = strata_value_is_zero(old);
  if (p->pair > 1)
    is_zero = is_zero && strata_value_is_zero(mlirOperationGetOperand(k->loop, 4));
  if ((p->parts > 1 || p->pair > 1 || d->plan.stream) && !is_zero)
    return strata_gpu_missing(k->loop, "a shared reduction, or a pair, that does not start from zero");
  STRATA_TRY(strata_registers_as(d, old, &p->layout, &start));
  for (int64_t i = 0; i < strata_pipelined_sums(p); i++)
    sums[i] = start.values[i % strata_layout_registers(&p->layout)];
  return NULL;
}

// What |state| of the loop over the slots is.
enum { SLOT, PARITY, SUMS };

// The products of the next slot.
static void multiply_next(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue step,
                          MlirValue *state) {
  strata_ring_place_t place = {state[SLOT], state[PARITY]};
  strata_ring_await(d, &k->ring, place);
  k->product.instruction->multiply(d, k, place.slot, step, state + SUMS);
  strata_ring_advance_by(d, &k->ring, k->product.depth, &place);
  state[SLOT] = place.slot;
  state[PARITY] = place.parity;
}

// Instructions of the last slot where they are fewer than the others', else 0: what lies behind the reduction's end is
// zero.
static int64_t last_instructions(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  const strata_pipelined_t *p = &k->product;
  int64_t last = strata_attr_i64(k->loop, "tile.last", 0);
  if (!last || !p->instruction->has_fragments || p->reads_left || p->parts > 1 || d->plan.stream ||
      strata_size_min(k->n_steps) < 2)
    return 0;
  int64_t count = strata_ceil_div(last, p->mma->k);
  return count < p->steps ? count : 0;
}

static void multiply_last(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, int64_t count, MlirValue *state) {
  int64_t steps = k->product.steps;
  k->product.steps = count;
  multiply_next(d, k, strata_gpu_emit_size_plus(d, k->n_steps, -1), state);
  k->product.steps = steps;
}

// Products of one launch branch on the task's number, and the zeros all sums start from would be one register in front
// of the branch, which the assembler takes for a part of each product's sums: it then waits for every instruction.
static void part_sums(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue *sums) {
  if (!strata_size_equal(k->n_tasks, d->plan.n_tasks) && k->product.instruction->has_fragments)
    strata_emit_mma_order(d, STRATA_TILE_MMA_FENCE, strata_pipelined_sums(&k->product), sums, -1);
}

strata_status_t strata_pipelined_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirValue state[STRATA_EMIT_CARRIED], result = mlirOperationGetResult(k->loop, 0), lower, upper;
  strata_registers_t sums = strata_registers_in(d, mlirValueGetType(result), &k->product.layout);
  int count = (int)strata_pipelined_sums(&k->product);
  STRATA_TRY(start_sums(d, k, state + SUMS));
  part_sums(d, k, state + SUMS);
  state[SLOT] = k->place.slot;
  state[PARITY] = k->place.parity;
  if (k->product.teams > 1)
    strata_team_wait(d, k);
  k->scheduler->steps(d, k, &lower, &upper);
  strata_depth_begin(d, k, k->group, &lower, &state[SLOT]);
  int64_t last = last_instructions(d, k);
  if (last)
    upper = strata_gpu_emit_size_plus(d, k->n_steps, -1);
  strata_loop_t loop = strata_emit_for_begin(e, lower, upper, k->product.depth, SUMS + count, state, state);
  if (d->sizes.count > 0)
    strata_pipelined_keep_rolled(d, loop.op);
  multiply_next(d, k, loop.induction, state);
  strata_emit_for_end(e, loop, SUMS + count, state, state);
  if (last)
    multiply_last(d, k, last, state);
  k->place = (strata_ring_place_t){strata_depth_end(d, k, k->group, state[SLOT]), state[PARITY]};
  if (k->product.instruction->end)
    k->product.instruction->end(d, k, state + SUMS);
  strata_epilogue_receive(d, k);
  STRATA_TRY(k->scheduler->fixup(d, k, state + SUMS, sums.values));
  if (strata_cluster_along(d, STRATA_BY_PARTS_OF_ROWS) > 1)
    strata_cluster_offer(d);
  strata_registers_define(d, result, &sums);
  if (k->product.pair > 1)
    strata_pair_define_second(d, k, state + SUMS);
  return NULL;
}
