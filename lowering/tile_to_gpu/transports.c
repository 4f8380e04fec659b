// How partial results travel; see transports.def.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/exchange.h"
#include "lowering/tile_to_gpu/roles.h"
#include "lowering/tile_to_gpu/shared.h"

//===-- Lanes ----------------------------------------------------------------------------------------------------===//

static MlirValue lanes_get(const strata_exchange_t *x, strata_place_t place) {
  return strata_emit_shuffle_xor(&x->d->e, x->memory, place.offset, x->d->device->lanes);
}

//===-- Warps ----------------------------------------------------------------------------------------------------===//

static void local_put(const strata_exchange_t *x, MlirValue value, strata_place_t place, MlirValue to) {
  (void)to;
  strata_lanes_store(&x->d->e, value, x->memory, strata_place_emit(&x->d->e, place));
}

static MlirValue local_get(const strata_exchange_t *x, strata_place_t place) {
  return strata_lanes_load(&x->d->e, strata_lanes_type(x->element, x->width), x->memory,
                           strata_place_emit(&x->d->e, place));
}

static strata_status_t warps_ready(const strata_exchange_t *x) {
  if (x->d->nest.loops > 0) // else the memory is new
    STRATA_TRY(strata_shared_before_write(x->d));
  x->d->shared.is_dirty = true;
  return NULL;
}

// Takes note of warps that combine what they hold, of |parts| equal parts of the group that each wait for nobody else.
static void note_combined(strata_gpu_distribution_t *d, int64_t parts, int64_t bytes) {
  strata_combines_t *combines = &d->shared.combines;
  if (d->nest.loops > 0 || d->nest.branches > 0)
    return;
  combines->is_mixed |= combines->parts > 1 && parts > 1 && parts != combines->parts;
  combines->parts = strata_max(combines->parts, parts);
  combines->bytes += bytes;
  combines->count++;
}

// Partials of others have places of their own, so that threads wait for those of the same values alone: but where there
// is more that they wait for.
static strata_status_t warps_wait(const strata_exchange_t *x) {
  strata_gpu_distribution_t *d = x->d;
  bool is_apart = x->parts > 1 && !x->was_dirty && d->nest.loops == 0;
  if (is_apart) {
    strata_emit_part_barrier(d, x->parts);
    d->shared.is_dirty = false; // nobody else reads those places
    d->shared.is_read = true;
  } else {
    STRATA_TRY(strata_shared_before_read(d));
  }
  note_combined(d, is_apart ? x->parts : 1, d->shared.size - x->size);
  return NULL;
}

//===-- Blocks of a cluster --------------------------------------------------------------------------------------===//

// A block's memory is there once the block has begun.
static strata_status_t blocks_ready(const strata_exchange_t *x) {
  if (!x->d->shared.has_met)
    strata_cluster_wait(x->d);
  x->d->shared.has_met = true;
  return NULL;
}

static void blocks_put(const strata_exchange_t *x, MlirValue value, strata_place_t place, MlirValue to) {
  MlirValue operands[] = {value, x->memory, strata_place_emit(&x->d->e, place), to};
  strata_emit_op(&x->d->e, STRATA_TILE_CLUSTER_STORE, 4, operands, 0, NULL, 0, NULL);
}

static void blocks_arrive(const strata_exchange_t *x) { strata_cluster_arrive(x->d, true); }

static strata_status_t blocks_wait(const strata_exchange_t *x) {
  strata_cluster_wait(x->d);
  return NULL;
}

//===-- Blocks of the grid ---------------------------------------------------------------------------------------===//

static MlirType words_type(const strata_exchange_t *x) {
  return strata_lanes_type(mlirIntegerTypeGet(x->d->e.context, 32), x->width);
}

// |value| as |type|, of as many bits.
static MlirValue as(strata_emitter_t *e, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : strata_emit_cast(e, "arith.bitcast", value, type);
}

static void words_put(const strata_exchange_t *x, MlirValue value, strata_place_t place, MlirValue to) {
  (void)to;
  strata_emitter_t *e = &x->d->e;
  MlirValue words = as(e, value, words_type(x));
  strata_lanes_store(e, words, x->memory, strata_place_emit(e, place));
}

static MlirValue words_get(const strata_exchange_t *x, strata_place_t place) {
  strata_emitter_t *e = &x->d->e;
  return as(e, strata_lanes_load(e, words_type(x), x->memory, strata_place_emit(e, place)),
            strata_lanes_type(x->element, x->width));
}

static void emit_flag(const strata_exchange_t *x, const char *name) {
  strata_emitter_t *e = &x->d->e;
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_is_first_thread(x->d));
  strata_emit_op(e, name, 2, (MlirValue[]){x->flags, x->rank}, 0, NULL, 0, NULL);
  strata_emit_if_end(e, branch);
}

static void flags_raise(const strata_exchange_t *x) {
  strata_emit_consumers_barrier(x->d);
  emit_flag(x, STRATA_TILE_FLAG_RAISE);
}

static strata_status_t flags_await(const strata_exchange_t *x) {
  emit_flag(x, STRATA_TILE_FLAG_AWAIT);
  strata_emit_consumers_barrier(x->d);
  return NULL;
}

#define TRANSPORT(name, ...) const strata_transport_t strata_##name##_transport = {#name, __VA_ARGS__};
#include "lowering/tile_to_gpu/transports.def"
