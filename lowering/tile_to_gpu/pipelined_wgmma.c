// Pipelined products on a warp group's matrix instruction: operands in spans of a slot, sums in its fragments.
//
// The instruction takes its right operand from shared memory, and the left one as well unless threads hand it on in
// registers (f32 across the reduction). PTX ISA, "wgmma", has the layouts.
#include "lowering/tile_to_gpu/pipelined_instruction.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/schedulers.h"

enum { ROW = 0, COLUMN = 1, STEP = 1, LEFT_HALF = 4, WORDS = STRATA_MMA_WORDS_A };

//===-- Operands in a slot ---------------------------------------------------------------------------------------===//

// Operands of 16 bits may lie crossed; of others the rows of a slot run along the reduction.
static void place_operand(strata_ring_operand_t *operand, bool crossed) {
  strata_shared_operand_t *shared = &operand->shared;
  shared->form = crossed ? STRATA_SPANS_CROSSED : STRATA_SPANS;
  if (crossed)
    shared->rows = strata_round_up(shared->rows, STRATA_SPAN / shared->element_bytes);
  operand->slot = shared->rows * shared->steps;
}

// Boxes along the reduction, or, where |may_cross|, across it: then each box of rows is a span.
static bool find_boxes(strata_gpu_distribution_t *d, const strata_ring_operand_t *operand, MlirType type,
                       bool may_cross, strata_bulk_t *out) {
  int64_t bytes = operand->shared.element_bytes;
  int64_t rows = operand->shared.rows, n_boxes = strata_ceil_div(rows, STRATA_BULK_EXTENT);
  int64_t most = n_boxes > 1 && rows % n_boxes == 0 ? rows / n_boxes : STRATA_BULK_EXTENT; // equal ones: slots are full
  strata_bulk_limits_t limits = {.most = {most, operand->shared.steps}, .span = STRATA_SPAN};
  if (strata_bulk_read(d, operand->load, 0, type, &limits, out))
    return may_cross || out->inner == STEP;
  limits.most[0] = STRATA_SPAN / bytes;
  return may_cross && strata_bulk_read(d, operand->load, 0, type, &limits, out);
}

// One box, else one copy that follows windows, else several boxes.
static bool find_bulk(strata_gpu_distribution_t *d, strata_ring_operand_t *operand, MlirType type, bool may_cross) {
  strata_bulk_t boxes;
  bool has_boxes = find_boxes(d, operand, type, may_cross, &boxes);
  bool is_one = has_boxes && (boxes.inner != STEP || boxes.extents[0] >= boxes.box.space.extents[0]);
  if (!is_one && strata_bulk_read_window(d, operand->load, 0, type, STRATA_SPAN, &operand->bulk))
    return true;
  operand->bulk = boxes;
  return has_boxes;
}

strata_status_t strata_wgmma_operand(strata_gpu_distribution_t *d, MlirOperation op, int side, MlirType type,
                                     int contiguous, strata_pipelined_t *p) {
  strata_ring_operand_t *operand = &p->operands[side];
  const strata_shared_operand_t *shared = &operand->shared;
  if (shared->steps * shared->element_bytes != STRATA_SPAN)
    return strata_gpu_missing(op, "a step of other than 128 bytes");
  bool has_16_bits = shared->element_bytes == 2;
  bool may_cross = has_16_bits || (shared->element_bytes == 4 && side == strata_pipelined_left_side(p));
  operand->is_bulk = !mlirOperationIsNull(operand->load) && find_bulk(d, operand, type, may_cross);
  place_operand(operand, operand->is_bulk ? operand->bulk.inner != STEP : contiguous != STEP && has_16_bits);
  return NULL;
}

//===-- Layouts --------------------------------------------------------------------------------------------------===//

// Instructions' rows of a group of both products of a pair.
static int64_t n_blocks(const strata_pipelined_t *p) { return p->m_blocks * (p->swap ? p->pair : 1); }

// Threads along the instruction's rows. Where they read the left operand, row r of the instruction, of bits h g2 g1 g0
// in a warp w1 w0, is element w1 g2 w0 h g1 g0 of the operand: the eight 16-byte units of a warp's read lie in
// different banks, as the places of units depend on the step.
static void push_rows(const strata_pipelined_t *p, strata_layout_t *layout, int rows) {
  if (p->reads_left) {
    strata_layout_push_thread(layout, rows, 4, 1);
    strata_layout_push_thread(layout, rows, 2, 16);
    strata_layout_push_thread(layout, rows, 2, 8);
    strata_layout_push_thread(layout, rows, 2, 32);
  } else {
    strata_layout_push_thread(layout, rows, 8, 1);
    strata_layout_push_thread(layout, rows, 4, 16);
  }
  strata_layout_push_thread(layout, rows, p->groups / p->across, STRATA_GROUP_ROWS * p->m_blocks);
}

// The left operand's words, four an instruction: rows, the other half's, then the same of the next four steps.
static void left_fragment(strata_pipelined_t *p) {
  strata_layout_t *fragment = &p->operands[strata_pipelined_left_side(p)].shared.fragment;
  *fragment = (strata_layout_t){0};
  strata_layout_push_reg(fragment, 0, 2, LEFT_HALF);
  strata_layout_push_reg(fragment, STEP, 2, 4);
  strata_layout_push_reg(fragment, 0, p->m_blocks, STRATA_GROUP_ROWS);
  strata_layout_push_reg(fragment, STEP, p->steps, p->mma->k);
  strata_layout_push_thread(fragment, STEP, 4, 1);
  push_rows(p, fragment, 0);
}

strata_layout_t strata_wgmma_sum_layout(const strata_pipelined_t *p) {
  int rows = strata_pipelined_left_side(p), columns = 1 - rows;
  strata_layout_t sum = {0}, *layout = &sum;
  strata_layout_push_reg(layout, columns, 2, 1);
  strata_layout_push_reg(layout, rows, 2, p->reads_left ? LEFT_HALF : 8);
  strata_layout_push_reg(layout, columns, p->n / 8, 8);
  strata_layout_push_reg(layout, rows, p->m_blocks, STRATA_GROUP_ROWS);
  strata_layout_push_thread(layout, columns, 4, 2);
  push_rows(p, layout, rows);
  strata_layout_push_thread(layout, columns, p->across, p->n);
  return sum;
}

// Digit of |lane|, which counts by |from|, in steps of |to|.
static MlirValue lane_digit(strata_emitter_t *e, MlirValue lane, int64_t from, int64_t extent, int64_t to) {
  MlirValue digit = strata_emit_binary(e, "arith.divui", lane, strata_emit_index(e, from));
  digit = strata_emit_binary(e, "arith.andi", digit, strata_emit_index(e, extent - 1));
  return to == 1 ? digit : strata_emit_binary(e, "arith.muli", digit, strata_emit_index(e, to));
}

MlirValue strata_pipelined_lane_row(strata_gpu_distribution_t *d, const strata_pipelined_t *p, MlirValue lane) {
  strata_emitter_t *e = &d->e;
  MlirValue row = {0};
  int64_t from = 1;
  for (int i = 0; i < p->layout.n_thread && from < STRATA_GROUP_THREADS; i++) {
    const strata_digit_t *digit = &p->layout.thread[i];
    if (digit->dim == strata_pipelined_left_side(p)) {
      MlirValue part = lane_digit(e, lane, from, digit->extent, digit->stride);
      row = mlirValueIsNull(row) ? part : strata_emit_binary(e, "arith.addi", row, part);
    }
    from *= digit->extent;
  }
  return row;
}

//===-- What fits ------------------------------------------------------------------------------------------------===//

static strata_status_t check(const strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,
                             const strata_pipelined_t *p) {
  int64_t steps = p->operands[0].shared.steps;
  if (!p->mma || strcmp(p->mma->family, d->device->mma_async) != 0)
    return strata_gpu_missing(op, "this matrix instruction");
  if (schedule->producers != STRATA_GROUP_THREADS || schedule->group != p->groups * STRATA_GROUP_THREADS ||
      schedule->threads != schedule->group * p->teams)
    return strata_gpu_missing(op, "a schedule whose threads are not warp groups");
  if (steps % p->mma->k != 0 || steps != p->operands[1].shared.steps)
    return strata_gpu_missing(op, "a tile that no instruction fits");
  STRATA_TRY(strata_pipelined_check(d, op, p));
  return d->plan.stream ? strata_stream_check(d, op) : NULL;
}

strata_status_t strata_wgmma_finish(strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,
                                    strata_pipelined_t *p) {
  int left = strata_pipelined_left_side(p);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  p->n = mlirShapedTypeGetDimSize(type, 1 - left) / p->across;
  p->m_blocks = mlirShapedTypeGetDimSize(type, left) / (STRATA_GROUP_ROWS * (p->groups / p->across));
  const strata_shared_operand_t *operand = &p->operands[left].shared;
  p->reads_left = operand->form == STRATA_SPANS_CROSSED && operand->element_bytes == 4;
  STRATA_TRY(check(d, op, schedule, p));
  p->steps = p->operands[0].shared.steps / p->mma->k;
  p->layout = strata_wgmma_sum_layout(p);
  if (p->reads_left)
    left_fragment(p);
  return NULL;
}

int64_t strata_wgmma_releases(const strata_pipelined_t *p) { return p->groups; }

//===-- Instructions ---------------------------------------------------------------------------------------------===//

static int64_t n_block_sums(const strata_pipelined_t *p) { return strata_pipelined_columns(p) / 2; }

MlirAttribute strata_wgmma_describe(MlirContext context, bool crossed, int64_t steps) {
  int64_t group = STRATA_SPAN * STRATA_SPAN_ROWS; // bytes of the rows after which the exchange repeats
  return strata_i64s_attr(context, 4, (int64_t[]){crossed, STRATA_SPAN, crossed ? STRATA_SPAN * steps : 0, group});
}

static MlirAttribute describe(MlirContext context, const strata_ring_operand_t *operand) {
  return strata_wgmma_describe(context, operand->shared.form == STRATA_SPANS_CROSSED, operand->shared.steps);
}

// Elements from the operand's place in a slot to instruction |step|'s, |rows| rows further.
static int64_t offset_of(const strata_pipelined_t *p, const strata_ring_operand_t *operand, int64_t rows,
                         int64_t step) {
  bool crossed = operand->shared.form == STRATA_SPANS_CROSSED;
  int64_t span = STRATA_SPAN / operand->shared.element_bytes;
  return rows * operand->shared.steps + step * p->mma->k * (crossed ? span : 1);
}

void strata_emit_mma_order(strata_gpu_distribution_t *d, const char *name, int64_t count, MlirValue *sums,
                           int64_t pending) {
  MlirType types[STRATA_EMIT_CARRIED];
  for (int64_t i = 0; i < count; i++)
    types[i] = mlirValueGetType(sums[i]);
  strata_named_attr_t attr = {"pending", strata_i64_attr(d->e.context, pending)};
  MlirOperation op = strata_emit_op(&d->e, name, (int)count, sums, (int)count, types, pending >= 0 ? 1 : 0, &attr);
  for (int64_t i = 0; i < count; i++)
    sums[i] = mlirOperationGetResult(op, i);
}

// An instruction: the left operand's |n_left| values, then where the right one lies.
static void emit_instruction(strata_gpu_distribution_t *d, const strata_pipelined_t *p, const MlirValue *left_values,
                             int n_left, MlirValue right_at, MlirValue *sums) {
  const strata_ring_operand_t *left = &p->operands[strata_pipelined_left_side(p)],
                              *right = &p->operands[1 - strata_pipelined_left_side(p)];
  MlirValue operands[WORDS + 2 + STRATA_MAX_COLUMNS / 2];
  MlirType types[STRATA_MAX_COLUMNS / 2];
  int count = (int)n_block_sums(p), n_fixed = n_left + 2;
  memcpy(operands, left_values, (size_t)n_left * sizeof *operands);
  operands[n_left] = right->shared.memory;
  operands[n_left + 1] = right_at;
  for (int i = 0; i < count; i++) {
    operands[n_fixed + i] = sums[i];
    types[i] = p->sum;
  }
  MlirContext context = d->e.context;
  strata_named_attr_t attrs[] = {{"kind", strata_str_attr(context, p->mma->name)},
                                 {"n", strata_i64_attr(context, strata_pipelined_columns(p))},
                                 {"right", describe(context, right)},
                                 {"left", describe(context, left)}};
  const char *name = p->reads_left ? STRATA_TILE_MMA_REGISTERS : STRATA_TILE_MMA_ASYNC;
  MlirOperation op = strata_emit_op(&d->e, name, n_fixed + count, operands, count, types, p->reads_left ? 3 : 4, attrs);
  for (int i = 0; i < count; i++)
    sums[i] = mlirOperationGetResult(op, i);
}

// All words of the left operand in |slot|, complete.
static MlirValue *emit_left(strata_gpu_distribution_t *d, const strata_pipelined_t *p, MlirValue slot) {
  strata_emitter_t *e = &d->e;
  const strata_shared_operand_t *left = &p->operands[strata_pipelined_left_side(p)].shared;
  int64_t count = strata_layout_registers(&left->fragment), one = 1;
  MlirValue *words = strata_arena_array(d->compile->arena, MlirValue, count);
  MlirType *types = strata_arena_array(d->compile->arena, MlirType, count);
  strata_operand_reader_t reader = strata_operand_reader(d, left, slot);
  for (int64_t i = 0; i < count; i++) {
    MlirValue word = strata_operand_read(d, &reader, i);
    types[i] = mlirVectorTypeGet(1, &one, left->element);
    words[i] = strata_emit_value(e, "vector.from_elements", 1, &word, types[i], 0, NULL);
  }
  MlirOperation op = strata_emit_op(e, STRATA_TILE_MMA_LEFT, (int)count, words, (int)count, types, 0, NULL);
  for (int64_t i = 0; i < count; i++)
    words[i] = mlirOperationGetResult(op, i);
  return words;
}

// Where the group's rows of the left operand begin in |slot|.
static MlirValue left_place(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue slot) {
  const strata_pipelined_t *p = &k->product;
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *left = &p->operands[strata_pipelined_left_side(p)];
  MlirValue at = strata_emit_binary(e, "arith.muli", slot, strata_emit_index(e, left->slot));
  if (p->groups == p->across)
    return at;
  int64_t rows = offset_of(p, left, p->m_blocks * STRATA_GROUP_ROWS, 0);
  MlirValue own = strata_emit_binary(e, "arith.muli", k->group, strata_emit_index(e, rows));
  return strata_emit_binary(e, "arith.addi", at, own);
}

// Where the group's columns of the right operand do.
static MlirValue right_place(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue slot) {
  const strata_pipelined_t *p = &k->product;
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *right = &p->operands[1 - strata_pipelined_left_side(p)];
  MlirValue at = strata_emit_binary(e, "arith.muli", slot, strata_emit_index(e, right->slot));
  if (p->across == 1)
    return at;
  MlirValue own = strata_emit_binary(e, "arith.muli", k->group, strata_emit_index(e, offset_of(p, right, p->n, 0)));
  return strata_emit_binary(e, "arith.addi", at, own);
}

// All of a slot's instructions.
static void emit_slot(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue *sums) {
  const strata_pipelined_t *p = &k->product;
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *left = &p->operands[strata_pipelined_left_side(p)],
                              *right = &p->operands[1 - strata_pipelined_left_side(p)];
  MlirValue *words = p->reads_left ? emit_left(d, p, slot) : NULL;
  MlirValue left_at = p->reads_left ? slot : left_place(d, k, slot);
  MlirValue right_at = right_place(d, k, slot);
  strata_emit_mma_order(d, STRATA_TILE_MMA_FENCE, strata_pipelined_sums(p), sums, -1);
  int64_t tile = left->slot / p->pair;
  for (int64_t step = 0; step < p->steps; step++)
    for (int64_t block = 0; block < n_blocks(p); block++) {
      MlirValue at = strata_emit_plus(e, right_at, offset_of(p, right, 0, step)),
                *block_sums = sums + block * n_block_sums(p);
      if (words) {
        emit_instruction(d, p, words + (step * p->m_blocks + block) * WORDS, WORDS, at, block_sums);
        continue;
      }
      int64_t rows = block % p->m_blocks * STRATA_GROUP_ROWS;
      MlirValue at_left = strata_emit_plus(e, left_at, block / p->m_blocks * tile + offset_of(p, left, rows, step));
      MlirValue from[2] = {left->shared.memory, at_left};
      emit_instruction(d, p, from, 2, at, block_sums);
    }
  strata_emit_op(e, STRATA_TILE_MMA_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

//===-- A slot ---------------------------------------------------------------------------------------------------===//

static MlirValue slot_before(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue slot) {
  strata_emitter_t *e = &d->e;
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, slot, strata_emit_index(e, 0));
  MlirValue before = strata_emit_binary(e, "arith.subi", slot, strata_emit_index(e, 1));
  return strata_emit_select(e, is_first, strata_emit_index(e, k->product.slots - 1), before);
}

// The products of a slot, which is empty then. Where a single group multiplies at a time, the instructions of the next
// slot are issued before those of this one have ended: it is empty a step later.
void strata_wgmma_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue step,
                           MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  bool overlaps = k->product.teams > 1 && !k->product.reads_left;
  emit_slot(d, k, slot, sums);
  strata_emit_mma_order(d, STRATA_TILE_MMA_WAIT, strata_pipelined_sums(&k->product), sums, overlaps);
  if (!overlaps) {
    strata_pipelined_release(d, k, slot);
    return;
  }
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_SLT, strata_emit_index(e, 0), step));
  strata_pipelined_release(d, k, slot_before(d, k, slot));
  strata_emit_if_end(e, branch);
}

// The next task's products may begin; the last slot is empty.
void strata_wgmma_end(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue *sums) {
  if (k->product.teams == 1)
    return;
  strata_epilogue_await(d, k); // of a barrier more than one phase behind parity says nothing
  strata_team_pass(d, k);
  if (k->product.reads_left)
    return;
  strata_emit_mma_order(d, STRATA_TILE_MMA_WAIT, strata_pipelined_sums(&k->product), sums, 0);
  strata_pipelined_release(d, k, slot_before(d, k, k->place.slot));
}
