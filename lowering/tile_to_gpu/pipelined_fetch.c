// Pipelined products: the producers.
//
//   for each step: wait until the slot is empty; announce the bytes that come in bulk and have them copied;
//                  load and compute the operands that come through registers, and store them; the slot is full
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/mainloops.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

//===-- Addresses ------------------------------------------------------------------------------------------------===//

// Constants and indices that the operands may need.
static bool is_pure(MlirOperation op) { return strata_op_is(op, "arith.constant") || strata_op_is(op, "affine.apply"); }

// A number of a table, which says where the task's operands are.
static bool is_number(MlirOperation op) {
  bool is_known = strata_op_is(op, "tile.load") || strata_op_is(op, "arith.index_cast");
  return is_known && (mlirTypeIsAInteger(mlirValueGetType(mlirOperationGetResult(op, 0))) ||
                      mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetResult(op, 0))));
}

static bool is_address(MlirOperation op) { return is_pure(op) || is_number(op); }

strata_status_t strata_pipelined_distribute(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                                            bool (*wants)(MlirOperation op)) {
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationEqual(op, k->loop);
       op = mlirOperationGetNextInBlock(op))
    if (wants(op))
      STRATA_TRY(strata_gpu_distribute_op(d, op));
  return NULL;
}

strata_status_t strata_pipelined_addresses(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  return strata_pipelined_distribute(d, k, is_address);
}

// The running task is |task|, of the block's cluster: its indices, and what addresses need. Numbers of tables are those
// of the whole cluster.
static strata_status_t begin_task(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue task) {
  d->role.task = task;
  strata_gpu_define_task(d, k->body);
  return strata_pipelined_distribute(d, k, is_pure);
}

static bool is_bulk(const strata_pipelined_kernel_t *k, int side) {
  return strata_operand_is_bulk(&k->product.operands[side].shared);
}

//===-- In bulk --------------------------------------------------------------------------------------------------===//

// The block's part, from |piece| on, of an operand fetched in |pieces|.
static void copy_pieces(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand, const strata_bulk_t *part,
                        const strata_fill_t *to, MlirValue own, int64_t piece, int64_t pieces) {
  strata_emitter_t *e = &d->e;
  int64_t boxes = strata_bulk_copies(part) / pieces;
  bool is_last = piece == pieces - 1;
  strata_loop_t branch = {0};
  if (!is_last)
    branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, own, strata_emit_index(e, piece)));
  strata_boxes_copy(d, operand, part, to, piece * boxes, (piece + 1) * boxes);
  if (is_last)
    return;
  strata_emit_if_else(e, branch);
  copy_pieces(d, operand, part, to, own, piece + 1, pieces);
  strata_emit_if_end(e, branch);
}

// The block's piece of what others need, too, for all of them; else all of it.
static strata_status_t copy_own(strata_gpu_distribution_t *d, const strata_ring_operand_t *operand, int side,
                                strata_fill_t to) {
  const strata_shared_operand_t *shared = &operand->shared;
  strata_bulk_t part;
  int64_t pieces = strata_share_pieces(d, side);
  if (pieces == 1 || !strata_share_divide(shared->bulk, pieces, &part))
    return shared->source->fill(d, shared, &to);
  to.blocks = strata_share_blocks(d, side);
  copy_pieces(d, shared, &part, &to, strata_share_piece(d, side), 0, pieces);
  return NULL;
}

// A tile, from element |tile| of the operand's slot on.
static strata_status_t copy_tile(strata_gpu_distribution_t *d, const strata_ring_operand_t *operand, int side,
                                 strata_fill_t to, int64_t tile) {
  to.at = strata_emit_binary(&d->e, "arith.addi", to.at, strata_emit_index(&d->e, tile));
  return copy_own(d, operand, side, to);
}

// What a slot has besides: each from the slot's place in memory of its own on.
static strata_status_t copy_with(strata_gpu_distribution_t *d, const strata_ring_operand_t *with, strata_fill_t to) {
  for (; with; with = with->with) {
    to.at = strata_emit_times(&d->e, to.slot, with->slot);
    STRATA_TRY(with->shared.source->fill(d, &with->shared, &to));
  }
  return NULL;
}

// That the copy engine brings of a slot, where none is clipped.
static int64_t slot_bytes(const strata_ring_operand_t *operand) {
  int64_t bytes = 0;
  for (; operand; operand = operand->with)
    bytes += operand->shared.source->bytes(&operand->shared) * operand->tiles;
  return bytes;
}

// The running task is number |i| of those whose tiles a cluster's slots have, of |own| and its neighbours.
static strata_status_t begin_tile(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue first,
                                  int64_t i, int64_t stride) {
  int64_t further = i * stride * strata_cluster_stride(d, STRATA_BY_STEPS);
  return begin_task(d, k, strata_emit_binary(&d->e, "arith.addi", first, strata_emit_index(&d->e, further)));
}

// True if the slot has tiles of several tasks.
static bool has_tiles(const strata_pipelined_kernel_t *k, int side) {
  return k->product.parts > 1 && k->product.operands[side].stride != 0;
}

static bool is_clipped(const strata_ring_operand_t *operand) {
  return operand->shared.bulk && operand->shared.bulk->clipped;
}

// Bytes that clipped boxes of |side| bring: of all tiles of the slot.
static strata_status_t clipped_bytes(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, int side,
                                     MlirValue *out) {
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *operand = &k->product.operands[side];
  const strata_bulk_t *bulk = operand->shared.bulk;
  int64_t n = has_tiles(k, side) ? operand->tiles : 1;
  MlirValue own = d->role.task, first = n > 1 ? strata_pipelined_first_task(d) : own, rows = {NULL};
  for (int64_t i = 0; i < n; i++) {
    if (n > 1)
      STRATA_TRY(begin_tile(d, k, first, i, operand->stride));
    MlirValue tile = strata_bulk_rows(d, bulk);
    rows = i ? strata_emit_binary(e, "arith.addi", rows, tile) : tile;
  }
  *out = strata_emit_times(e, rows, slot_bytes(operand) / (n * bulk->extents[1 - bulk->inner]));
  return n > 1 ? begin_task(d, k, own) : NULL;
}

// The tiles of all tasks of the cluster where they differ.
static strata_status_t copy_operand(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, int side) {
  strata_emitter_t *e = &d->e;
  const strata_ring_operand_t *operand = &k->product.operands[side];
  const strata_fill_t to = {
      .slot = k->place.slot, .at = strata_emit_times(e, k->place.slot, operand->slot), .full = k->ring.full};
  if (operand->is_joint) {
    MlirValue own = d->role.task;
    STRATA_TRY(begin_task(d, k, strata_pipelined_first_task(d)));
    STRATA_TRY(copy_own(d, operand, side, to));
    return begin_task(d, k, own);
  }
  if (!has_tiles(k, side)) {
    STRATA_TRY(copy_own(d, operand, side, to));
    STRATA_TRY(copy_with(d, operand->with, to));
    return operand->next ? copy_tile(d, operand->next, side, to, operand->slot / k->product.pair) : NULL;
  }
  MlirValue own = d->role.task, first = strata_pipelined_first_task(d);
  for (int64_t i = 0; i < operand->tiles; i++) {
    STRATA_TRY(begin_tile(d, k, first, i, operand->stride));
    STRATA_TRY(copy_tile(d, operand, side, to, i * (operand->slot / operand->tiles)));
  }
  return begin_task(d, k, own);
}

// By one thread: the arrival with what is to come.
static strata_status_t announce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirValue clipped[2], fewer = {NULL};
  int64_t most = 0, whole = 0; // bytes; of operands that are not clipped
  int n_clipped = 0;
  for (int side = 0; side < 2; side++) {
    const strata_ring_operand_t *operand = &k->product.operands[side];
    int64_t bytes = is_bulk(k, side) ? slot_bytes(operand) : 0;
    most += bytes;
    if (bytes && is_clipped(operand))
      STRATA_TRY(clipped_bytes(d, k, side, &clipped[n_clipped++]));
    else
      whole += bytes;
  }
  for (int i = 0; i < n_clipped; i++)
    fewer = i ? strata_emit_binary(&d->e, "arith.addi", fewer, clipped[i]) : strata_emit_plus(&d->e, clipped[i], whole);
  strata_ring_expect(d, &k->ring, k->place.slot, most, fewer);
  return NULL;
}

// The same, then the copies.
static strata_status_t emit_copies(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  STRATA_TRY(announce(d, k));
  for (int side = 0; side < 2; side++)
    if (is_bulk(k, side))
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

// Computes the operands in registers of sides |first| to |end| - 1.
static strata_status_t compute_operands(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, int first,
                                        int end) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0));
  ops_t needed = {0};
  for (int side = first; side < end; side++)
    if (!is_bulk(k, side))
      mark(d, body, mlirOperationGetOperand(k->contract, side), &needed);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (contains(&needed, op)) {
      if (mlirOperationGetNumRegions(op) > 0)
        return strata_gpu_missing(op, "a region in a pipeline");
      STRATA_TRY(strata_gpu_distribute_op(d, op));
    }
  return NULL;
}

// Both operands are loaded before the slot is waited for, so that loads are under way meanwhile; but one after the
// other where they are more than a thread has registers for.
static strata_status_t emit_registers(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  enum { MAX_BYTES = 64 * 4 };
  int64_t bytes = 0;
  bool has_bulk = is_bulk(k, 0) || is_bulk(k, 1);
  for (int side = 0; side < 2; side++)
    bytes += strata_ring_slot_bytes(&k->product.operands[side]) / STRATA_GROUP_THREADS;
  bool at_once = has_bulk || bytes <= MAX_BYTES;
  if (at_once)
    STRATA_TRY(compute_operands(d, k, 0, 2));
  strata_ring_acquire(d, &k->ring, k->place);
  for (int side = 0; side < 2; side++) {
    const strata_shared_operand_t *operand = &k->product.operands[side].shared;
    if (is_bulk(k, side))
      continue;
    if (!at_once)
      STRATA_TRY(compute_operands(d, k, side, side + 1));
    STRATA_TRY(operand->source->fill(d, operand, &(strata_fill_t){.slot = k->place.slot, .mma = k->product.mma}));
  }
  return NULL;
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

// Every producer arrives; the first announces what comes in bulk, and has it copied unless it |has_come|.
static strata_status_t emit_arrival(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, bool has_come) {
  bool has_bulk = is_bulk(k, 0) || is_bulk(k, 1);
  strata_emit_fence(d, "shared");
  if (!has_bulk) {
    strata_phase_arrive(d, k->ring.full, k->place.slot);
    return NULL;
  }
  strata_loop_t branch = strata_emit_if_begin(&d->e, strata_emit_is_first_thread(d));
  STRATA_TRY(has_come ? announce(d, k) : emit_copies(d, k));
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
  return emit_arrival(d, k, false);
}

// The constant operand of a slot that nobody has used yet; the other one. Where that comes through registers the bytes
// are announced with it: they may have come by then, but the phase awaits the arrivals.
static strata_status_t emit_early(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  if (strata_pipelined_is_bulk(&k->product))
    STRATA_TRY(announce(d, k));
  return copy_operand(d, k, k->early);
}

static strata_status_t emit_late(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  if (strata_pipelined_is_bulk(&k->product))
    return copy_operand(d, k, 1 - k->early);
  STRATA_TRY(emit_registers(d, k));
  return emit_arrival(d, k, true);
}

// Which step of the running task's reduction is the |counter|-th: task t begins at t times the schedule's stagger.
static MlirValue staggered(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue counter) {
  strata_emitter_t *e = &d->e;
  if (!d->plan.stagger)
    return counter;
  MlirValue first = strata_emit_binary(e, "arith.muli", d->role.task, strata_emit_index(e, d->plan.stagger));
  MlirValue step = strata_emit_binary(e, "arith.addi", counter, first);
  return strata_emit_binary(e, "arith.remui", step, strata_gpu_emit_size(d, k->n_steps));
}

void strata_pipelined_keep_rolled(strata_gpu_distribution_t *d, MlirOperation loop) {
  static const char annotation[] = "#llvm.loop_annotation<unroll = <disable = true>>";
  strata_set_attr(loop, "llvm.loop_annotation", mlirAttributeParseGet(d->e.context, strata_str(annotation)));
}

strata_status_t
strata_pipelined_for_steps(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue lower, MlirValue upper,
                           strata_status_t (*emit)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k)) {
  strata_emitter_t *e = &d->e;
  MlirValue state[] = {k->place.slot, k->place.parity};
  MlirValue induction = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0)), 0);
  strata_depth_begin(d, k, k->fetcher, &lower, &state[0]);
  strata_loop_t loop = strata_emit_for_begin(e, lower, upper, k->product.depth, 2, state, state);
  if (d->sizes.count > 0 || k->has_early) // each step is in several loops then
    strata_pipelined_keep_rolled(d, loop.op);
  MlirValue step = staggered(d, k, loop.induction);
  strata_gpu_record_of(d, induction)->counter = step;
  strata_define_scalar(d, induction, step);
  k->place = (strata_ring_place_t){state[0], state[1]};
  STRATA_TRY(emit(d, k));
  strata_ring_advance_by(d, &k->ring, k->product.depth, &k->place);
  state[0] = k->place.slot;
  state[1] = k->place.parity;
  strata_emit_for_end(e, loop, 2, state, state);
  k->place = (strata_ring_place_t){strata_depth_end(d, k, k->fetcher, state[0]), state[1]};
  return NULL;
}

strata_status_t strata_pipelined_fetch_early(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirValue lower, upper;
  if (!k->has_early)
    return NULL;
  const strata_ring_place_t first = k->place;
  strata_loop_t branch = strata_emit_if_begin(&d->e, strata_depth_fetches(d, k));
  STRATA_TRY(strata_pipelined_addresses(d, k));
  k->scheduler->steps(d, k, &lower, &upper);
  STRATA_TRY(strata_pipelined_for_steps(d, k, lower, strata_early_end(d, k, lower, upper), emit_early));
  strata_emit_if_end(&d->e, branch);
  k->place = first;
  return NULL;
}

strata_status_t strata_pipelined_produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirValue lower, upper;
  STRATA_TRY(strata_pipelined_addresses(d, k));
  k->scheduler->steps(d, k, &lower, &upper);
  if (k->has_early) {
    MlirValue end = strata_early_end(d, k, lower, upper);
    STRATA_TRY(strata_pipelined_for_steps(d, k, lower, end, emit_late));
    lower = end;
  }
  STRATA_TRY(strata_pipelined_for_steps(d, k, lower, upper, emit_step));
  strata_epilogue_fetch(d, k);
  return NULL;
}
