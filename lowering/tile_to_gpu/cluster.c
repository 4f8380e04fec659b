// See cluster.h. Each block stores its part of a result into all blocks' shared memory; after the cluster's barrier
// each has all parts at hand. Every result has memory of its own, so that nobody waits before storing, but for the
// first time: a block's memory is there once the block has begun.
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/groups.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"

void strata_cluster_arrive(strata_gpu_distribution_t *d, bool releases) {
  strata_named_attr_t attr = {"releases", strata_bool_attr(d->e.context, releases)};
  strata_emit_op(&d->e, STRATA_TILE_CLUSTER_ARRIVE, 0, NULL, 0, NULL, 1, &attr);
}

void strata_cluster_wait(strata_gpu_distribution_t *d) {
  strata_emit_op(&d->e, STRATA_TILE_CLUSTER_WAIT, 0, NULL, 0, NULL, 0, NULL);
}

void strata_cluster_barrier(strata_gpu_distribution_t *d, bool releases) {
  strata_cluster_arrive(d, releases);
  strata_cluster_wait(d);
}

void strata_cluster_begin(strata_gpu_distribution_t *d, MlirValue block, MlirValue thread) {
  strata_emitter_t *e = &d->e;
  MlirValue blocks = strata_emit_index(e, strata_cluster_blocks(d)), threads = strata_emit_index(e, d->role.threads);
  d->role.rank = strata_emit_binary(e, "arith.remui", block, blocks);
  d->role.task = strata_emit_binary(e, "arith.divui", block, blocks);
  d->role.thread =
      strata_emit_binary(e, "arith.addi", strata_emit_binary(e, "arith.muli", d->role.rank, threads), thread);
  d->role.group_number = strata_emit_index(e, 0);
  strata_cluster_arrive(d, false);
}

// Thread r of the block stores |values| to where block r keeps the parts of this block.
static void store_parts(strata_gpu_distribution_t *d, MlirValue memory, int64_t count, const MlirValue *values) {
  strata_emitter_t *e = &d->e;
  int64_t n_blocks = strata_cluster_blocks(d);
  MlirValue thread = strata_emit_binary(e, "arith.remui", d->role.thread, strata_emit_index(e, d->role.threads));
  strata_loop_t branch =
      strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_ULT, thread, strata_emit_index(e, n_blocks)));
  for (int64_t i = 0; i < count; i++) {
    MlirValue at = strata_emit_binary(e, "arith.addi", d->role.rank, strata_emit_index(e, i * n_blocks));
    MlirValue operands[] = {values[i], memory, at, thread};
    strata_emit_op(e, STRATA_TILE_CLUSTER_STORE, 4, operands, 0, NULL, 0, NULL);
  }
  strata_emit_if_end(e, branch);
}

// Combines the |n| parts from |first| on.
static MlirValue combine_parts(strata_gpu_distribution_t *d, MlirAttribute kind, MlirType element, MlirValue memory,
                               int64_t first, int64_t n) {
  strata_emitter_t *e = &d->e;
  if (n == 1)
    return strata_emit_value(e, "memref.load", 2, (MlirValue[]){memory, strata_emit_index(e, first)}, element, 0, NULL);
  MlirValue low = combine_parts(d, kind, element, memory, first, n / 2);
  MlirValue high = combine_parts(d, kind, element, memory, first + n / 2, n / 2);
  return strata_emit_combine(e, kind, low, high);
}

strata_status_t strata_cluster_combine(strata_gpu_distribution_t *d, MlirAttribute kind, MlirType element,
                                       int64_t count, MlirValue *values) {
  int64_t n_blocks = strata_cluster_blocks(d);
  MlirValue memory;
  if (d->nest.branches > 0 || d->nest.loops > 0)
    return strata_error(STRATA_UNSUPPORTED, "a reduction over the blocks of a cluster in a loop or branch");
  STRATA_TRY(strata_shared_alloc(d, element, count * n_blocks, &memory));
  if (!d->shared.has_met)
    strata_cluster_wait(d);
  d->shared.has_met = true;
  store_parts(d, memory, count, values);
  strata_cluster_barrier(d, true);
  for (int64_t i = 0; i < count; i++)
    values[i] = combine_parts(d, kind, element, memory, i * n_blocks, n_blocks);
  return NULL;
}
