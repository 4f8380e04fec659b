// Pipelined products: the producers.
//
//   for each step: wait until the slot is empty; announce the bytes that come in bulk and have them copied;
//                  load and compute the operands that come through registers, and store them; the slot is full
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

//===-- Addresses ------------------------------------------------------------------------------------------------===//

// Constants and indices that the operands may need.
static bool is_pure(MlirOperation op) { return strata_op_is(op, "arith.constant") || strata_op_is(op, "affine.apply"); }

strata_status_t strata_pipelined_addresses(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationEqual(op, k->loop);
       op = mlirOperationGetNextInBlock(op))
    if (is_pure(op))
      STRATA_TRY(strata_gpu_distribute_op(d, op));
  return NULL;
}

strata_status_t strata_pipelined_place(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue task) {
  d->role.task = task;
  strata_gpu_define_task(d, k->body);
  return strata_pipelined_addresses(d, k);
}

//===-- In bulk --------------------------------------------------------------------------------------------------===//

// Bytes of one box: all of them count, also those outside the buffer.
static int64_t box_bytes(const strata_ring_operand_t *operand) {
  const strata_bulk_t *bulk = &operand->bulk;
  return bulk->extents[1 - bulk->inner] * strata_ring_span(operand);
}

// |blocks|: bits of those of the cluster that the box is for; null: it is the own one.
static void copy_box(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                     const strata_ring_operand_t *operand, MlirValue slot_at, const int64_t *offsets,
                     MlirValue blocks) {
  const strata_shared_operand_t *shared = &operand->shared;
  strata_emitter_t *e = &d->e;
  bool crossed = shared->form == STRATA_SPANS_CROSSED;
  int64_t span = STRATA_SPAN / shared->element_bytes;
  // A crossed operand's boxes are parts of spans of rows one behind the other, others' are rows.
  int64_t at = crossed ? offsets[0] * shared->steps + offsets[1] * span : offsets[0] * shared->steps;
  if (shared->form == STRATA_DENSE) // of whole rows
    at = offsets[1] * shared->rows;
  const strata_bulk_target_t to = {.memory = shared->memory,
                                   .at = strata_emit_plus(e, slot_at, at),
                                   .barriers = k->ring.full,
                                   .slot = k->place.slot,
                                   .blocks = blocks};
  strata_bulk_load(d, &operand->bulk, offsets, strata_ring_span(operand), &to);
}

// Boxes |first| to |end| - 1, in order.
static void copy_boxes(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                       const strata_ring_operand_t *operand, MlirValue at, int64_t first, int64_t end,
                       MlirValue blocks) {
  const strata_bulk_t *bulk = &operand->bulk;
  int64_t offsets[2], number = 0;
  for (offsets[0] = 0; offsets[0] < bulk->box.space.extents[0]; offsets[0] += bulk->extents[0])
    for (offsets[1] = 0; offsets[1] < bulk->box.space.extents[1]; offsets[1] += bulk->extents[1], number++)
      if (first <= number && number < end)
        copy_box(d, k, operand, at, offsets, blocks);
}

static void copy_tile(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                      const strata_ring_operand_t *operand, MlirValue at) {
  copy_boxes(d, k, operand, at, 0, strata_bulk_copies(&operand->bulk), (MlirValue){0});
}

// The block's part, from |piece| on, of an operand fetched in |pieces|.
static void copy_pieces(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                        const strata_ring_operand_t *part, MlirValue at, MlirValue own, MlirValue blocks, int64_t piece,
                        int64_t pieces) {
  strata_emitter_t *e = &d->e;
  int64_t boxes = strata_bulk_copies(&part->bulk) / pieces;
  bool is_last = piece == pieces - 1;
  strata_loop_t branch = {0};
  if (!is_last)
    branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, own, strata_emit_index(e, piece)));
  copy_boxes(d, k, part, at, piece * boxes, (piece + 1) * boxes, blocks);
  if (is_last)
    return;
  strata_emit_if_else(e, branch);
  copy_pieces(d, k, part, at, own, blocks, piece + 1, pieces);
  strata_emit_if_end(e, branch);
}

// False if nothing is shared.
static bool copy_shared(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, int side, MlirValue at) {
  strata_ring_operand_t part = k->product.operands[side];
  int64_t pieces = strata_share_pieces(d, side);
  if (pieces == 1 || !strata_share_divide(&k->product.operands[side].bulk, pieces, &part.bulk))
    return false;
  copy_pieces(d, k, &part, at, strata_share_piece(d, side), strata_share_blocks(d, side), 0, pieces);
  return true;
}

// The tiles of all tasks of the cluster where they differ.
static strata_status_t copy_operand(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, int side) {
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *operand = &k->product.operands[side];
  MlirValue at = strata_emit_binary(e, "arith.muli", k->place.slot, strata_emit_index(e, operand->slot));
  if (copy_shared(d, k, side, at))
    return NULL;
  if (k->product.parts == 1 || operand->stride == 0) {
    copy_tile(d, k, operand, at);
    if (operand->other)
      copy_tile(d, k, operand->other,
                strata_emit_binary(e, "arith.addi", at, strata_emit_index(e, operand->slot / k->product.pair)));
    return NULL;
  }
  MlirValue own = d->role.task, first = strata_pipelined_first_task(d);
  for (int64_t i = 0; i < operand->tiles; i++) {
    STRATA_TRY(strata_pipelined_place(
        d, k, strata_emit_binary(e, "arith.addi", first, strata_emit_index(e, i * operand->stride))));
    int64_t tile = i * (operand->slot / operand->tiles);
    copy_tile(d, k, operand, strata_emit_binary(e, "arith.addi", at, strata_emit_index(e, tile)));
  }
  return strata_pipelined_place(d, k, own);
}

// By one thread: the arrival with what is to come, then the copies.
static strata_status_t emit_copies(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  const strata_ring_operand_t *operands = k->product.operands;
  int64_t bytes = 0;
  for (int side = 0; side < 2; side++)
    if (operands[side].is_bulk)
      bytes += strata_bulk_copies(&operands[side].bulk) * box_bytes(&operands[side]) * operands[side].tiles;
  strata_ring_expect(d, &k->ring, k->place.slot, bytes);
  for (int side = 0; side < 2; side++)
    if (operands[side].is_bulk)
      STRATA_TRY(copy_operand(d, k, side));
  return NULL;
}

//===-- Through registers ----------------------------------------------------------------------------------------===//

// Ops of the loop's body that an operand in registers needs, in order: marked by a set of old ops.
typedef STRATA_VECTOR(MlirOperation) ops_t;

static bool contains(const ops_t *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; i++)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

static void mark(strata_gpu_distribution_t *d, MlirBlock body, MlirValue value, ops_t *needed) {
  if (!mlirValueIsAOpResult(value))
    return;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body) || contains(needed, op))
    return;
  *strata_vector_push(d->compile->arena, needed) = op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mark(d, body, mlirOperationGetOperand(op, i), needed);
}

static strata_status_t emit_needed(strata_gpu_distribution_t *d, MlirBlock body, const ops_t *needed) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (contains(needed, op)) {
      if (mlirOperationGetNumRegions(op) > 0)
        return strata_gpu_missing(op, "a region in a pipeline");
      STRATA_TRY(strata_gpu_distribute_op(d, op));
    }
  return NULL;
}

static strata_status_t store_operand(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, int side) {
  strata_registers_t registers;
  const strata_ring_operand_t *operand = &k->product.operands[side];
  STRATA_TRY(strata_registers_as(d, mlirOperationGetOperand(k->contract, side), &operand->shared.load, &registers));
  registers = strata_operand_rounded(d, k->product.mma, &registers);
  return strata_operand_store(d, &operand->shared, k->place.slot, &registers);
}

// What the loads of both operands leave in a thread's registers, beyond which they are fetched one after the other.
enum { MAX_REGISTER_BYTES = 64 * 4 };

static int64_t register_bytes(const strata_ring_operand_t *operand) {
  return operand->is_bulk ? 0 : strata_ring_slot_bytes(operand) / STRATA_GROUP_THREADS;
}

// Both operands are loaded before the slot is waited for: the loads are under way meanwhile.
static strata_status_t emit_at_once(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirBlock body) {
  const strata_ring_operand_t *operands = k->product.operands;
  ops_t needed = {0};
  for (int side = 0; side < 2; side++)
    if (!operands[side].is_bulk)
      mark(d, body, mlirOperationGetOperand(k->contract, side), &needed);
  STRATA_TRY(emit_needed(d, body, &needed));
  strata_ring_acquire(d, &k->ring, k->place);
  for (int side = 0; side < 2; side++)
    if (!operands[side].is_bulk)
      STRATA_TRY(store_operand(d, k, side));
  return NULL;
}

static strata_status_t emit_in_turn(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirBlock body) {
  strata_ring_acquire(d, &k->ring, k->place);
  for (int side = 0; side < 2; side++) {
    ops_t needed = {0};
    mark(d, body, mlirOperationGetOperand(k->contract, side), &needed);
    STRATA_TRY(emit_needed(d, body, &needed));
    STRATA_TRY(store_operand(d, k, side));
  }
  return NULL;
}

static strata_status_t emit_registers(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0));
  int64_t bytes = register_bytes(&k->product.operands[0]) + register_bytes(&k->product.operands[1]);
  bool has_bulk = k->product.operands[0].is_bulk || k->product.operands[1].is_bulk;
  return bytes <= MAX_REGISTER_BYTES || has_bulk ? emit_at_once(d, k, body) : emit_in_turn(d, k, body);
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

// Every producer arrives; the first announces what comes in bulk.
static strata_status_t emit_arrival(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  bool has_bulk = k->product.operands[0].is_bulk || k->product.operands[1].is_bulk;
  strata_emit_fence(d, "shared");
  if (!has_bulk) {
    strata_phase_arrive(d, k->ring.full, k->place.slot);
    return NULL;
  }
  strata_loop_t branch = strata_emit_if_begin(&d->e, strata_emit_is_first_thread(d));
  STRATA_TRY(emit_copies(d, k));
  strata_emit_if_else(&d->e, branch);
  strata_phase_arrive(d, k->ring.full, k->place.slot);
  strata_emit_if_end(&d->e, branch);
  return NULL;
}

static strata_status_t emit_step(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  if (strata_pipelined_is_bulk(&k->product)) {
    strata_ring_acquire(d, &k->ring, k->place);
    return emit_copies(d, k);
  }
  STRATA_TRY(emit_registers(d, k));
  return emit_arrival(d, k);
}

// Which step of the running task's reduction is the |counter|-th: task t begins at t times the schedule's stagger.
static MlirValue staggered(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue counter) {
  strata_emitter_t *e = &d->e;
  if (!d->plan.stagger)
    return counter;
  MlirValue first = strata_emit_binary(e, "arith.muli", d->role.task, strata_emit_index(e, d->plan.stagger));
  MlirValue step = strata_emit_binary(e, "arith.addi", counter, first);
  return strata_emit_binary(e, "arith.remui", step, strata_emit_index(e, k->n_steps));
}

strata_status_t strata_pipelined_fetch(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirValue state[] = {k->place.slot, k->place.parity}, lower, upper;
  MlirValue induction = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0)), 0);
  k->scheduler->steps(d, k, &lower, &upper);
  strata_loop_t loop = strata_emit_for_begin(e, lower, upper, 1, 2, state, state);
  MlirValue step = staggered(d, k, loop.induction);
  strata_gpu_record_of(d, induction)->counter = step;
  strata_define_scalar(d, induction, step);
  k->place = (strata_ring_place_t){state[0], state[1]};
  STRATA_TRY(emit_step(d, k));
  strata_ring_advance(d, &k->ring, &k->place);
  state[0] = k->place.slot;
  state[1] = k->place.parity;
  strata_emit_for_end(e, loop, 2, state, state);
  k->place = (strata_ring_place_t){state[0], state[1]};
  return NULL;
}
