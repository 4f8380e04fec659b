// Pipelined products on a warp group's matrix instruction: operands in spans of a slot, sums in its fragments.
//
// The instruction takes its right operand from shared memory, and the left one as well unless threads hand it on in
// registers (f32 across the reduction). PTX ISA, "wgmma", has the layouts.
#include "lowering/tile_to_gpu/pipelined_instruction.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/pipelined_unpack.h"
#include "lowering/tile_to_gpu/schedulers.h"

enum { ROW = 0, COLUMN = 1, STEP = 1, LEFT_HALF = 4, WORDS = STRATA_MMA_WORDS_A };

//===-- Operands in a slot ---------------------------------------------------------------------------------------===//

// Operands of 16 bits may lie crossed; of others the rows of a slot run along the reduction, but threads read a left
// one of f32.
strata_operand_terms_t strata_wgmma_terms(MlirType type, bool left) {
  int64_t bytes = strata_element_bytes(mlirShapedTypeGetElementType(type));
  return (strata_operand_terms_t){
      .has_boxes = true, .has_windows = true, .may_cross = bytes == 2 || (bytes == 4 && left)};
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
  int left = strata_pipelined_left_side(p);
  const strata_shared_operand_t *right = &p->operands[1 - left].shared;
  if (!p->mma || p->depth != 1 || strcmp(p->mma->family, d->device->mma_async) != 0)
    return strata_gpu_missing(op, "this matrix instruction");
  for (int side = 0; side < 2; side++)
    if (!(p->unpacks && side == left) &&
        p->operands[side].shared.steps * p->operands[side].shared.element_bytes != STRATA_SPAN)
      return strata_gpu_missing(op, "a step of other than 128 bytes");
  if (schedule->producers != STRATA_GROUP_THREADS || schedule->group != p->groups * STRATA_GROUP_THREADS ||
      schedule->threads != schedule->group * p->teams)
    return strata_gpu_missing(op, "a schedule whose threads are not warp groups");
  if (right->steps % p->mma->k != 0 || (!p->unpacks && right->steps != p->operands[left].shared.steps))
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
  p->unpacks = !mlirOperationIsNull(p->operands[left].unpack);
  if (!mlirOperationIsNull(p->operands[1 - left].unpack))
    return strata_gpu_missing(op, "a right operand that threads unpack");
  p->reads_left = !p->unpacks && operand->form == STRATA_SPANS_CROSSED && operand->element_bytes == 4;
  STRATA_TRY(check(d, op, schedule, p));
  p->steps = p->operands[1 - left].shared.steps / p->mma->k;
  p->layout = strata_wgmma_sum_layout(p);
  if (p->reads_left)
    left_fragment(p);
  return NULL;
}

int64_t strata_wgmma_releases(const strata_pipelined_t *p) { return p->groups; }

//===-- Instructions ---------------------------------------------------------------------------------------------===//

static int64_t n_block_sums(const strata_pipelined_t *p) { return strata_pipelined_columns(p) / 2; }

static MlirAttribute describe(MlirContext context, const strata_shared_operand_t *operand) {
  int64_t group = STRATA_SPAN * STRATA_SPAN_ROWS; // bytes of the rows after which the exchange repeats
  bool crossed = operand->form == STRATA_SPANS_CROSSED;
  return strata_i64s_attr(context, 4,
                          (int64_t[]){crossed, STRATA_SPAN, crossed ? STRATA_SPAN * operand->steps : 0, group});
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

void strata_wgmma_emit(strata_gpu_distribution_t *d, const strata_wgmma_t *w, const MlirValue *left, MlirValue right_at,
                       bool adds, MlirValue *sums) {
  MlirContext context = d->e.context;
  MlirValue operands[WORDS + 2 + STRATA_MAX_COLUMNS / 2];
  MlirType types[STRATA_MAX_COLUMNS / 2];
  int count = (int)w->columns / 2, n = 0, n_left = w->left ? 2 : WORDS;
  for (int i = 0; i < n_left; i++)
    operands[n++] = left[i];
  operands[n++] = w->right->memory;
  operands[n++] = right_at;
  for (int i = 0; i < count; i++)
    types[i] = w->sum;
  for (int i = 0; i < count && adds; i++)
    operands[n++] = sums[i];
  strata_named_attr_t attrs[] = {{"kind", strata_str_attr(context, w->mma->name)},
                                 {"n", strata_i64_attr(context, w->columns)},
                                 {"right", describe(context, w->right)},
                                 {"left", w->left ? describe(context, w->left) : (MlirAttribute){0}}};
  const char *name = w->left ? STRATA_TILE_MMA_ASYNC : STRATA_TILE_MMA_REGISTERS;
  MlirOperation op = strata_emit_op(&d->e, name, n, operands, count, types, w->left ? 4 : 3, attrs);
  for (int i = 0; i < count; i++)
    sums[i] = mlirOperationGetResult(op, i);
}

void strata_wgmma_emit_left(strata_gpu_distribution_t *d, int64_t count, MlirValue *words) {
  MlirType *types = strata_arena_array(d->compile->arena, MlirType, count);
  for (int64_t i = 0; i < count; i++)
    types[i] = mlirValueGetType(words[i]);
  MlirOperation op = strata_emit_op(&d->e, STRATA_TILE_MMA_LEFT, (int)count, words, (int)count, types, 0, NULL);
  for (int64_t i = 0; i < count; i++)
    words[i] = mlirOperationGetResult(op, i);
}

// All words of the left operand in |slot|, complete.
static MlirValue *emit_left(strata_gpu_distribution_t *d, const strata_pipelined_t *p, MlirValue slot) {
  strata_emitter_t *e = &d->e;
  const strata_shared_operand_t *left = &p->operands[strata_pipelined_left_side(p)].shared;
  int64_t count = strata_layout_registers(&left->fragment), one = 1;
  MlirValue *words = strata_arena_array(d->compile->arena, MlirValue, count);
  strata_operand_reader_t reader = strata_operand_reader(d, left, slot);
  for (int64_t i = 0; i < count; i++) {
    MlirValue word = strata_operand_read(d, &reader, i);
    words[i] =
        strata_emit_value(e, "vector.from_elements", 1, &word, mlirVectorTypeGet(1, &one, left->element), 0, NULL);
  }
  strata_wgmma_emit_left(d, count, words);
  return words;
}

// Where the operand lies in |slot|; the group's part, where each has |rows| of it.
static MlirValue place_in(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                          const strata_ring_operand_t *operand, MlirValue slot, int64_t rows) {
  MlirValue at = strata_emit_times(&d->e, slot, operand->slot);
  if (!rows)
    return at;
  return strata_emit_binary(&d->e, "arith.addi", at,
                            strata_emit_times(&d->e, k->group, strata_operand_at(&operand->shared, rows, 0)));
}

// All of a slot's instructions.
static void emit_slot(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue *sums) {
  const strata_pipelined_t *p = &k->product;
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *left = &p->operands[strata_pipelined_left_side(p)],
                              *right = &p->operands[1 - strata_pipelined_left_side(p)];
  MlirValue *words = p->reads_left ? emit_left(d, p, slot) : NULL;
  strata_unpacking_t *unpacking = p->unpacks ? strata_unpack_begin(d, k, slot) : NULL;
  int64_t rows_each = p->groups == p->across ? 0 : p->m_blocks * STRATA_GROUP_ROWS;
  MlirValue left_at = words || unpacking ? slot : place_in(d, k, left, slot, rows_each);
  MlirValue right_at = place_in(d, k, right, slot, p->across == 1 ? 0 : p->n);
  strata_emit_mma_order(d, STRATA_TILE_MMA_FENCE, strata_pipelined_sums(p), sums, -1);
  const strata_wgmma_t w = {p->swap ? strata_mma_swapped(p->mma) : p->mma, p->sum, strata_pipelined_columns(p),
                            words || unpacking ? NULL : &left->shared, &right->shared};
  int64_t tile = left->slot / p->pair;
  for (int64_t step = 0; step < p->steps; step++) {
    MlirValue *unpacked = unpacking ? strata_unpack_step(unpacking, step) : NULL;
    if (unpacking) // complete: those of the next are computed while the instruction is carried out
      strata_wgmma_emit_left(d, p->m_blocks * WORDS, unpacked);
    if (unpacking && step > 0) // what has been computed since is to be seen, too
      strata_emit_mma_order(d, STRATA_TILE_MMA_FENCE, 0, NULL, -1);
    for (int64_t block = 0; block < n_blocks(p); block++) {
      MlirValue at = strata_emit_plus(e, right_at, strata_operand_at(&right->shared, 0, step * p->mma->k));
      MlirValue from[2] = {left->shared.memory}, *own = words      ? words + (step * p->m_blocks + block) * WORDS
                                                        : unpacked ? unpacked + block * WORDS
                                                                   : from;
      int64_t rows = block % p->m_blocks * STRATA_GROUP_ROWS;
      if (own == from)
        from[1] = strata_emit_plus(
            e, left_at, block / p->m_blocks * tile + strata_operand_at(&left->shared, rows, step * p->mma->k));
      strata_wgmma_emit(d, &w, own, at, true, sums + block * n_block_sums(p));
    }
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
