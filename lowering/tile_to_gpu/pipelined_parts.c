// Pipelined products whose reduction the blocks of a cluster share. Each multiplies a part of it, for the tiles of all
// of them, which lie side by side along the instruction's columns; then every block gets its own tile's sums:
//
//   the cluster's barrier: nobody's slots are in use any more
//   for each block of the cluster: the sums of its tile, to its shared memory where the slots were
//   the cluster's barrier; the sums of all blocks, added up in the order of their ranks
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/exchange.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/schedulers.h"

enum { WIDTH = 4, ALIGNMENT = 16 }; // sums stored and loaded at once, 16 bytes

STRATA_SCHEDULER_STEPS(strata_part_steps) {
  strata_emitter_t *e = &d->e;
  MlirValue end;
  strata_all_steps(d, k, out_lower, &end);
  int64_t part = strata_ceil_div(strata_size_static_value(k->n_steps), strata_cluster_along(d, STRATA_BY_STEPS));
  *out_lower = strata_emit_times(e, strata_cluster_place(d, STRATA_BY_STEPS), part);
  *out_upper = strata_emit_with(e, "arith.addi", *out_lower, part);
  *out_upper = strata_emit_binary(e, "arith.minui", *out_upper, end);
}

MlirValue strata_pipelined_first_task(strata_gpu_distribution_t *d) {
  strata_emitter_t *e = &d->e;
  MlirValue behind = strata_emit_binary(e, "arith.subi", d->role.rank, strata_cluster_first(d, STRATA_BY_STEPS));
  return strata_emit_binary(e, "arith.subi", d->role.task, behind);
}

void strata_part_meet(strata_gpu_distribution_t *d) {
  strata_cluster_barrier(d, false);
  strata_cluster_barrier(d, false);
}

// The rank of the block that has part |number| of the running one's reduction.
static MlirValue part_rank(strata_gpu_distribution_t *d, int64_t number) {
  return strata_emit_plus(&d->e, strata_cluster_first(d, STRATA_BY_STEPS),
                          number * strata_cluster_stride(d, STRATA_BY_STEPS));
}

// Consumers combine; producers meet them at the cluster's barriers meanwhile.
STRATA_SCHEDULER_FIXUP(strata_part_fixup) {
  const strata_pipelined_t *product = &k->product;
  int64_t block = product->n / 2, own = product->m_blocks * block,
          group = d->role.group; // block: an instruction's sums
  MlirValue tile[STRATA_EMIT_CARRIED];
  strata_exchange_t x = {.d = d,
                         .by = &strata_cluster_transport,
                         .element = product->sum,
                         .width = WIDTH,
                         .count = own / WIDTH,
                         .ranks = product->parts,
                         .is_line = true,
                         .rank = strata_cluster_place(d, STRATA_BY_STEPS)};
  x.memory = strata_shared_view(d, k->ring_at, product->sum, own * group * product->parts);
  strata_cluster_offer(d); // the slots have been read
  STRATA_TRY(x.by->ready(&x));
  strata_exchange_by_threads(&x);
  for (int64_t to = 0; to < product->parts; to++) {
    for (int64_t i = 0; i < own; i++)
      tile[i] = sums[(i / block * product->parts + to) * block + i % block];
    strata_exchange_put(&x, part_rank(d, to), x.count, tile);
  }
  STRATA_TRY(strata_exchange_meet(&x));
  strata_exchange_combine(&x, strata_exchange_sums(&x), x.count, out_own);
  return NULL;
}

//===-- Rows of several tiles -------------------------------------------------------------------------------------===//

// Where results' rows are reduced and the tiles of a cluster's blocks are a row together, each block reduces its own
// part and exchanges the results with the others (reduce_blocks.c), through where the slots were: the cluster's
// barrier, which was arrived at when the products were done, and one behind each reduction. Every result has memory of
// its own, so the first barrier is needed once.

void strata_row_meet(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_cluster_barrier(d, false);
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_attr_flag(op, "tile.row"))
      strata_cluster_barrier(d, false);
}

strata_status_t strata_row_memory(strata_gpu_distribution_t *d, MlirType element, int64_t count, MlirValue *out) {
  strata_pipelined_kernel_t *k = d->state.pipelined;
  int64_t bytes = strata_round_up(count * strata_element_bytes(element), ALIGNMENT);
  if (k->row_used + bytes > strata_ring_bytes(&k->product))
    return strata_error(STRATA_UNSUPPORTED, "results of rows that the slots have no room for");
  *out = strata_shared_view(d, k->ring_at + k->row_used, element, count);
  k->row_used += bytes;
  return NULL;
}
