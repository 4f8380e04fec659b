// Shared memory and barriers; see shared.h and distribute.h.
#include "lowering/tile_to_gpu/shared.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/tasks.h"

enum { ALIGNMENT = 16, N_BARRIERS = 16, FIRST_TEAM = 1 }; // number of a barrier; 0 is the block's

void strata_emit_numbered_barrier(strata_gpu_distribution_t *d, MlirValue number, int64_t threads) {
  strata_named_attr_t attr = {"threads", strata_i64_attr(d->e.context, threads)};
  strata_emit_op(&d->e, STRATA_TILE_GROUP_BARRIER, 1, &number, 0, NULL, 1, &attr);
}

static void emit_team_barrier(strata_gpu_distribution_t *d) {
  MlirValue number = strata_emit_binary(&d->e, "arith.addi", d->group_number, strata_emit_index(&d->e, FIRST_TEAM));
  strata_emit_numbered_barrier(d, number, d->group);
}

void strata_emit_block_barrier(strata_gpu_distribution_t *d) {
  strata_emit_op(&d->e, "gpu.barrier", 0, NULL, 0, NULL, 0, NULL);
}

bool strata_has_part_barrier(const strata_gpu_distribution_t *d, int64_t parts) {
  int64_t groups = strata_block_groups(d);
  return !d->producers && d->blocks && FIRST_TEAM + groups + groups * parts <= N_BARRIERS;
}

void strata_emit_part_barrier(strata_gpu_distribution_t *d, int64_t parts) {
  strata_emitter_t *e = &d->e;
  int64_t groups = strata_block_groups(d), first = FIRST_TEAM + groups, threads = d->group / parts;
  MlirValue part = strata_emit_binary(e, "arith.divui", d->thread, strata_emit_index(e, threads));
  if (groups > 1) {
    MlirValue before = strata_emit_binary(e, "arith.muli", d->group_number, strata_emit_index(e, parts));
    part = strata_emit_binary(e, "arith.addi", before, part);
  }
  strata_emit_numbered_barrier(d, strata_emit_plus(e, part, first), threads);
}

strata_status_t strata_emit_barrier(strata_gpu_distribution_t *d) {
  if (d->branch_depth > 0 && d->group < d->threads && !strata_gpu_has_teams(d))
    return strata_error(STRATA_UNSUPPORTED, "a barrier where not all threads of a block pass");
  if (d->pipelined)
    strata_emit_consumers_barrier(d);
  else if (strata_gpu_has_teams(d))
    emit_team_barrier(d);
  else if (d->group > 1)
    strata_emit_block_barrier(d);
  d->is_dirty = d->is_read = false;
  return NULL;
}

strata_status_t strata_shared_before_write(strata_gpu_distribution_t *d) {
  if (d->is_read)
    STRATA_TRY(strata_emit_barrier(d));
  d->is_dirty = true;
  return NULL;
}

strata_status_t strata_shared_before_read(strata_gpu_distribution_t *d) {
  if (d->is_dirty)
    STRATA_TRY(strata_emit_barrier(d));
  d->is_read = true;
  return NULL;
}

static int64_t slice_bytes(MlirType element, int64_t count) {
  return strata_round_up(strata_element_bytes(element) * count, ALIGNMENT);
}

// The running group's slice, of |bytes| each, of what begins at |at|.
static MlirValue view(strata_gpu_distribution_t *d, int64_t at, int64_t bytes, MlirType element, int rank,
                      const int64_t *sizes) {
  strata_emitter_t *e = &d->e;
  MlirValue offset = strata_emit_index(e, at);
  if (d->group < d->threads) {
    MlirValue slice = strata_emit_binary(e, "arith.muli", d->group_number, strata_emit_index(e, bytes));
    offset = strata_emit_binary(e, "arith.addi", offset, slice);
  }
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(mlirValueGetType(d->shared.memory));
  MlirType type = mlirMemRefTypeContiguousGet(element, rank, sizes, space);
  return strata_emit_value(e, "memref.view", 2, (MlirValue[]){d->shared.memory, offset}, type, 0, NULL);
}

void strata_shared_align(strata_gpu_distribution_t *d, int64_t bytes) {
  d->shared.size = strata_round_up(d->shared.size, bytes);
}

strata_status_t strata_shared_reserve(strata_gpu_distribution_t *d, int64_t bytes, int64_t *out_at) {
  *out_at = d->shared.size;
  d->shared.size += bytes * strata_block_groups(d);
  if (d->shared.size > d->device->shared_bytes)
    return strata_error(STRATA_UNSUPPORTED, "%lld bytes of shared memory, where %s has %lld", (long long)d->shared.size,
                        d->device->name, (long long)d->device->shared_bytes);
  return NULL;
}

MlirValue strata_shared_view(strata_gpu_distribution_t *d, int64_t at, MlirType element, int64_t count) {
  return view(d, at, slice_bytes(element, count), element, 1, &count);
}

strata_status_t strata_shared_alloc_box(strata_gpu_distribution_t *d, MlirType element, int rank, const int64_t *sizes,
                                        MlirValue *out_memory) {
  int64_t at, count = 1;
  for (int dim = 0; dim < rank; dim++)
    count *= sizes[dim];
  STRATA_TRY(strata_shared_reserve(d, slice_bytes(element, count), &at));
  *out_memory = view(d, at, slice_bytes(element, count), element, rank, sizes);
  return NULL;
}

strata_status_t strata_shared_alloc(strata_gpu_distribution_t *d, MlirType element, int64_t count,
                                    MlirValue *out_memory) {
  return strata_shared_alloc_box(d, element, 1, &count, out_memory);
}

strata_status_t strata_shared_exchange(strata_gpu_distribution_t *d, MlirType element, int64_t count,
                                       MlirValue *out_memory) {
  int64_t bytes = slice_bytes(element, count);
  if (bytes > d->shared.exchange_size) {
    STRATA_TRY(strata_shared_reserve(d, bytes, &d->shared.exchange_at));
    d->shared.exchange_size = bytes;
  }
  *out_memory = view(d, d->shared.exchange_at, d->shared.exchange_size, element, 1, &count);
  return NULL;
}
