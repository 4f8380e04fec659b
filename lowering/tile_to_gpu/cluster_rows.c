// Pipelined products whose results' rows are reduced: the tiles of a cluster's blocks are a row together. Each block
// has reduced its own part:
//
//   the cluster's barrier, which was arrived at when the products were done: nobody's slots are in use any more
//   for each block of the cluster: the results of the own part, to its shared memory where the slots were
//   the cluster's barrier; the results of all parts, combined in the order of their ranks
//
// Every result has memory of its own, so the first barrier is needed once.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/pipelined.h"

enum { ALIGNMENT = 16 };

void strata_row_arrive(strata_gpu_distribution_t *d) {
  d->shared.has_met = false;
  strata_cluster_arrive(d, false);
}

void strata_row_meet(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_cluster_barrier(d, false);
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_attr_flag(op, "tile.row"))
      continue;
    strata_cluster_barrier(d, false);
  }
}

// Memory by value, by block, by thread: at a multiple of 16 bytes where the slots were.
static strata_status_t take_memory(strata_gpu_distribution_t *d, MlirType element, int64_t count, MlirValue *out) {
  strata_pipelined_kernel_t *k = d->state.pipelined;
  int64_t bytes = strata_round_up(count * strata_element_bytes(element), ALIGNMENT);
  if (k->row_used + bytes > strata_ring_bytes(&k->product))
    return strata_error(STRATA_UNSUPPORTED, "results of rows that the slots have no room for");
  *out = strata_shared_view(d, k->ring_at + k->row_used, element, count);
  k->row_used += bytes;
  return NULL;
}

// Copies of a result share the blocks it goes to.
static void send(strata_gpu_distribution_t *d, MlirValue memory, const strata_row_place_t *place, int64_t count,
                 const MlirValue *values) {
  strata_emitter_t *e = &d->e;
  MlirValue own = strata_emit_binary(e, "arith.muli", d->role.rank, strata_emit_index(e, place->n_kept));
  own = strata_emit_binary(e, "arith.addi", own, place->kept);
  for (int64_t first = 0; first < d->plan.row_blocks; first += place->n_copies) {
    MlirValue to = strata_emit_plus(e, place->copy, first);
    bool is_one = place->n_copies > d->plan.row_blocks - first;
    strata_loop_t branch = {0};
    if (is_one)
      branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_ULT, to, strata_emit_index(e, d->plan.row_blocks)));
    for (int64_t i = 0; i < count; i++) {
      MlirValue operands[] = {values[i], memory, strata_emit_plus(e, own, i * d->plan.row_blocks * place->n_kept), to};
      strata_emit_op(e, STRATA_TILE_CLUSTER_STORE, 4, operands, 0, NULL, 0, NULL);
    }
    if (is_one)
      strata_emit_if_end(e, branch);
  }
}

strata_status_t strata_row_combine(strata_gpu_distribution_t *d, MlirAttribute kind, MlirType element,
                                   const strata_row_place_t *place, int64_t count, MlirValue *values) {
  strata_emitter_t *e = &d->e;
  MlirValue memory;
  if (!d->state.pipelined || d->plan.row_blocks == 1 || d->nest.branches > 0 || d->nest.loops > 0)
    return strata_error(STRATA_UNSUPPORTED, "a row of several tiles in a loop or branch, or without a cluster");
  STRATA_TRY(take_memory(d, element, count * d->plan.row_blocks * place->n_kept, &memory));
  if (!d->shared.has_met)
    strata_cluster_wait(d);
  d->shared.has_met = true;
  send(d, memory, place, count, values);
  strata_cluster_barrier(d, true);
  for (int64_t i = 0; i < count; i++)
    for (int64_t rank = 0; rank < d->plan.row_blocks; rank++) {
      MlirValue at = strata_emit_plus(e, place->kept, (i * d->plan.row_blocks + rank) * place->n_kept);
      MlirValue part = strata_emit_value(e, "memref.load", 2, (MlirValue[]){memory, at}, element, 0, NULL);
      values[i] = rank ? strata_emit_combine(e, kind, values[i], part) : part;
    }
  return NULL;
}
