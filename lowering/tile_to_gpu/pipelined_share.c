// Pipelined products whose operands the blocks of a cluster share. m blocks along the rows of the result times n along
// its columns have neighbouring tiles; block (row, column) is that of rank row + m * column. The n blocks of a row need
// the same tile of the left operand: each fetches a part of it, for all of them. The m blocks of a column do so with
// the right operand. What has no equal parts (windows, a few rows) each block fetches for itself.
//
//   full[s]   each block's own producer announces all bytes of both tiles, whoever fetches them
//   empty[s]  consumers arrive at that of every block that fetches for theirs: those of its row and of its column
//
// Blocks that share the reduction of their tiles have different parts of it: only those that have the same one, which
// are as many more along the instruction's rows, share the other operand.
//
// A block that has ended must not be arrived at: producers wait until their slots are empty for good.
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

enum { ROW = 0, COLUMN = 1 };

static int dim_of(int side) { return side == ROW ? STRATA_BY_ROWS : STRATA_BY_COLUMNS; }

static int64_t along(const strata_gpu_distribution_t *d, int side) { return strata_cluster_along(d, dim_of(side)); }

static MlirValue place_along(strata_gpu_distribution_t *d, int side) { return strata_cluster_place(d, dim_of(side)); }

static int64_t stride_along(const strata_gpu_distribution_t *d, int side) {
  return strata_cluster_stride(d, dim_of(side));
}

// |rank| is that of a block with the first part of the reduction: that of the one with the running block's.
static MlirValue in_part(strata_gpu_distribution_t *d, MlirValue rank) {
  strata_emitter_t *e = &d->e;
  if (strata_cluster_along(d, STRATA_BY_STEPS) == 1)
    return rank;
  MlirValue part = strata_cluster_place(d, STRATA_BY_STEPS);
  return strata_emit_binary(e, "arith.addi", rank,
                            strata_emit_times(e, part, strata_cluster_stride(d, STRATA_BY_STEPS)));
}

bool strata_pipelined_shares(const strata_gpu_distribution_t *d) { return along(d, ROW) * along(d, COLUMN) > 1; }

int64_t strata_share_senders(const strata_gpu_distribution_t *d) { return along(d, ROW) + along(d, COLUMN) - 1; }

// The row's blocks need the operand of the rows, and so on.
int64_t strata_share_pieces(const strata_gpu_distribution_t *d, int side) { return along(d, 1 - side); }

MlirValue strata_share_piece(strata_gpu_distribution_t *d, int side) { return place_along(d, 1 - side); }

MlirValue strata_share_blocks(strata_gpu_distribution_t *d, int side) {
  strata_emitter_t *e = &d->e;
  int64_t first = 0, step = stride_along(d, 1 - side); // ranks of the blocks of row (column) 0
  for (int64_t i = 0; i < along(d, 1 - side); i++)
    first |= INT64_C(1) << i * step;
  MlirValue shift = place_along(d, side);
  if (side == COLUMN)
    shift = strata_emit_times(e, shift, stride_along(d, COLUMN));
  return strata_emit_binary(e, "arith.shli", strata_emit_index(e, first), in_part(d, shift));
}

// Sender |number| of the block: those of its column in order, then the others of its row.
static MlirValue sender_rank(strata_gpu_distribution_t *d, MlirValue number) {
  strata_emitter_t *e = &d->e;
  MlirValue rows = strata_emit_index(e, along(d, ROW)), row = place_along(d, ROW), column = place_along(d, COLUMN);
  MlirValue other = strata_emit_binary(e, "arith.subi", number, rows);
  MlirValue is_before = strata_emit_cmpi(e, STRATA_SLT, other, column);
  MlirValue next = strata_emit_binary(e, "arith.addi", other, strata_emit_index(e, 1));
  MlirValue beside = strata_emit_select(e, is_before, other, next);
  MlirValue is_own = strata_emit_cmpi(e, STRATA_ULT, number, rows);
  MlirValue at = strata_emit_times(e, strata_emit_select(e, is_own, column, beside), stride_along(d, COLUMN));
  return in_part(d, strata_emit_binary(e, "arith.addi", at, strata_emit_select(e, is_own, number, row)));
}

void strata_pipelined_release(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue slot) {
  strata_emitter_t *e = &d->e;
  if (!strata_pipelined_shares(d)) {
    strata_ring_release(d, &k->ring, slot, STRATA_GROUP_THREADS);
    return;
  }
  MlirValue lane = strata_emit_group_lane(d);
  MlirValue arrives = strata_emit_cmpi(e, STRATA_ULT, lane, strata_emit_index(e, strata_share_senders(d)));
  MlirValue rank = sender_rank(d, lane);
  strata_loop_t branch = strata_emit_if_begin(e, arrives);
  strata_emit_op(e, STRATA_TILE_BARRIER_SIGNAL, 3, (MlirValue[]){k->ring.empty, slot, rank}, 0, NULL, 0, NULL);
  strata_emit_if_end(e, branch);
}

void strata_share_drain(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirValue state[] = {k->place.slot, k->place.parity};
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_emit_index(e, 0), strata_emit_index(e, k->product.slots), 1, 2, state, state);
  k->place = (strata_ring_place_t){state[0], state[1]};
  strata_ring_acquire(d, &k->ring, k->place);
  strata_ring_advance(d, &k->ring, &k->place);
  state[0] = k->place.slot;
  state[1] = k->place.parity;
  strata_emit_for_end(e, loop, 2, state, state);
}

//===-- Pieces ---------------------------------------------------------------------------------------------------===//

bool strata_share_divide(const strata_bulk_t *bulk, int64_t pieces, strata_bulk_t *out) {
  int along = 1 - bulk->inner;
  int64_t copies = strata_bulk_copies(bulk);
  *out = *bulk;
  if (!strata_product_divides(copies, bulk->extents[along], bulk->window.n_dims > 0, pieces))
    return false;
  if (copies % pieces != 0)
    out->extents[along] /= pieces;
  return true;
}
