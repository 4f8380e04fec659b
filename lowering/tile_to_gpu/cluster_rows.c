// Pipelined products whose results' rows are reduced: the tiles of a cluster's blocks are a row together. Each block
// reduces its own part, and exchanges the results with the others (exchange.h), through where the slots were:
//
//   the cluster's barrier, which was arrived at when the products were done: nobody's slots are in use any more
//   for each block of the cluster: the results of the own part, to its shared memory
//   the cluster's barrier
//
// Every result has memory of its own, so the first barrier is needed once.
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/pipelined.h"

enum { ALIGNMENT = 16 };

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
