// Shared memory and barriers; see shared.h and distribute.h.
#include "lowering/tile_to_gpu/shared.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"

enum { ALIGNMENT = 16 };

strata_status_t strata_shared_before_write(strata_gpu_distribution_t *d) {
  if (d->shared.is_read)
    STRATA_TRY(strata_emit_barrier(d));
  d->shared.is_dirty = true;
  return NULL;
}

strata_status_t strata_shared_before_read(strata_gpu_distribution_t *d) {
  if (d->shared.is_dirty)
    STRATA_TRY(strata_emit_barrier(d));
  d->shared.is_read = true;
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
  if (d->role.group < d->role.threads) {
    MlirValue slice = strata_emit_times(e, d->role.group_number, bytes);
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
