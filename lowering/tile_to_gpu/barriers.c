// See barriers.h; which barrier the running threads wait at follows from their role.
#include "lowering/tile_to_gpu/barriers.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/pipelined.h"

enum { N_BARRIERS = 16, FIRST_TEAM = 1 }; // number of a barrier; 0 is the block's

// Waits for |threads| threads of the block, those that come to the barrier of that number.
static void wait_at(strata_gpu_distribution_t *d, MlirValue number, int64_t threads) {
  strata_named_attr_t attr = {"threads", strata_i64_attr(d->e.context, threads)};
  strata_emit_op(&d->e, STRATA_TILE_GROUP_BARRIER, 1, &number, 0, NULL, 1, &attr);
}

void strata_emit_block_barrier(strata_gpu_distribution_t *d) {
  strata_emit_op(&d->e, "gpu.barrier", 0, NULL, 0, NULL, 0, NULL);
}

static void emit_team_barrier(strata_gpu_distribution_t *d) {
  MlirValue number =
      strata_emit_binary(&d->e, "arith.addi", d->role.group_number, strata_emit_index(&d->e, FIRST_TEAM));
  wait_at(d, number, d->role.group);
}

bool strata_has_part_barrier(const strata_gpu_distribution_t *d, int64_t parts) {
  int64_t groups = strata_block_groups(d);
  return !d->plan.producers && d->plan.blocks && FIRST_TEAM + groups + groups * parts <= N_BARRIERS;
}

void strata_emit_part_barrier(strata_gpu_distribution_t *d, int64_t parts) {
  strata_emitter_t *e = &d->e;
  int64_t groups = strata_block_groups(d), first = FIRST_TEAM + groups, threads = d->role.group / parts;
  MlirValue part = strata_emit_binary(e, "arith.divui", d->role.thread, strata_emit_index(e, threads));
  if (groups > 1) {
    MlirValue before = strata_emit_binary(e, "arith.muli", d->role.group_number, strata_emit_index(e, parts));
    part = strata_emit_binary(e, "arith.addi", before, part);
  }
  wait_at(d, strata_emit_plus(e, part, first), threads);
}

void strata_emit_group_barrier(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  MlirValue number = strata_emit_binary(&d->e, "arith.addi", k->group, strata_emit_index(&d->e, STRATA_FIRST_GROUP));
  wait_at(d, number, STRATA_GROUP_THREADS);
}

void strata_emit_consumers_barrier(strata_gpu_distribution_t *d) {
  if (d->role.group < d->role.threads) // teams wait for nobody but themselves
    strata_emit_group_barrier(d, d->state.pipelined);
  else
    wait_at(d, strata_emit_index(&d->e, STRATA_ALL_CONSUMERS), d->role.group);
}

// The block's, behind which threads read no other memory than shared memory of what others have written.
static void emit_shared_barrier(strata_gpu_distribution_t *d) {
  strata_named_attr_t attr = {"tile.shared", mlirUnitAttrGet(d->e.context)};
  strata_emit_op(&d->e, "gpu.barrier", 0, NULL, 0, NULL, 1, &attr);
}

// Groups of a block have barriers of their own where each passes by itself.
static bool can_wait_apart(const strata_gpu_distribution_t *d) {
  return strata_gpu_has_numbered_barriers(d->device) && d->role.group % d->device->lanes == 0 &&
         FIRST_TEAM + strata_block_groups(d) <= N_BARRIERS;
}

static strata_status_t emit_barrier(strata_gpu_distribution_t *d, void (*emit_of_block)(strata_gpu_distribution_t *d)) {
  bool is_apart = d->nest.branches > 0 && d->role.group < d->role.threads && !strata_gpu_has_teams(d);
  if (is_apart && !can_wait_apart(d))
    return strata_error(STRATA_UNSUPPORTED, "a barrier where not all threads of a block pass");
  if (d->shared.owes_fence)
    strata_emit_fence(d, "shared");
  if (d->state.pipelined)
    strata_emit_consumers_barrier(d);
  else if (is_apart || strata_gpu_has_teams(d))
    emit_team_barrier(d);
  else if (d->role.group > 1)
    emit_of_block(d);
  d->shared.is_dirty = d->shared.is_read = d->shared.owes_fence = false;
  return NULL;
}

strata_status_t strata_emit_barrier(strata_gpu_distribution_t *d) { return emit_barrier(d, strata_emit_block_barrier); }

strata_status_t strata_emit_shared_barrier(strata_gpu_distribution_t *d) {
  return emit_barrier(d, emit_shared_barrier);
}
