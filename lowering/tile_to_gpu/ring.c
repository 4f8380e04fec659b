// See ring.h.
#include "lowering/tile_to_gpu/ring.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/roles.h"

//===-- Barriers of phases ---------------------------------------------------------------------------------------===//

void strata_phase_init(strata_gpu_distribution_t *d, MlirValue barriers, int64_t i, int64_t count) {
  strata_named_attr_t attr = {"count", strata_i64_attr(d->e.context, count)};
  MlirValue operands[] = {barriers, strata_emit_index(&d->e, i)};
  strata_emit_op(&d->e, STRATA_TILE_BARRIER_INIT, 2, operands, 0, NULL, 1, &attr);
}

void strata_phase_arrive(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i) {
  strata_emit_op(&d->e, STRATA_TILE_BARRIER_ARRIVE, 2, (MlirValue[]){barriers, i}, 0, NULL, 0, NULL);
}

void strata_phase_arrive_once(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, int64_t threads) {
  strata_emitter_t *e = &d->e;
  MlirValue lane = strata_emit_binary(e, "arith.andi", d->role.thread, strata_emit_index(e, threads - 1));
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, lane, strata_emit_index(e, 0)));
  strata_phase_arrive(d, barriers, i);
  strata_emit_if_end(e, branch);
}

void strata_emit_group_arrive(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i) {
  strata_phase_arrive_once(d, barriers, i, STRATA_GROUP_THREADS);
}

void strata_phase_expect(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, int64_t bytes) {
  strata_named_attr_t attr = {"bytes", strata_i64_attr(d->e.context, bytes)};
  strata_emit_op(&d->e, STRATA_TILE_BARRIER_EXPECT, 2, (MlirValue[]){barriers, i}, 0, NULL, 1, &attr);
}

void strata_phase_wait(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, MlirValue parity) {
  strata_emit_op(&d->e, STRATA_TILE_BARRIER_WAIT, 3, (MlirValue[]){barriers, i, parity}, 0, NULL, 0, NULL);
}

void strata_emit_fence(strata_gpu_distribution_t *d, const char *of) {
  strata_named_attr_t attr = {"of", strata_str_attr(d->e.context, of)};
  strata_emit_op(&d->e, STRATA_TILE_FENCE, 0, NULL, 0, NULL, 1, &attr);
}

//===-- The ring -------------------------------------------------------------------------------------------------===//

strata_status_t strata_ring_allocate(strata_gpu_distribution_t *d, strata_ring_t *ring) {
  MlirType i64 = mlirIntegerTypeGet(d->e.context, 64);
  STRATA_TRY(strata_shared_alloc(d, i64, ring->slots, &ring->full));
  return strata_shared_alloc(d, i64, ring->slots, &ring->empty);
}

void strata_ring_init(strata_gpu_distribution_t *d, const strata_ring_t *ring, int64_t slot, int64_t fills,
                      int64_t releases) {
  strata_phase_init(d, ring->full, slot, fills);
  strata_phase_init(d, ring->empty, slot, releases);
}

static MlirValue other_parity(strata_emitter_t *e, MlirValue parity) {
  return strata_emit_binary(e, "arith.xori", parity, strata_emit_integer(e, mlirValueGetType(parity), 1));
}

void strata_ring_acquire(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place) {
  strata_phase_wait(d, ring->empty, place.slot, other_parity(&d->e, place.parity));
}

void strata_ring_expect(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue slot, int64_t bytes) {
  strata_phase_expect(d, ring->full, slot, bytes);
}

void strata_ring_await(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place) {
  strata_phase_wait(d, ring->full, place.slot, place.parity);
}

void strata_ring_advance(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t *place) {
  strata_emitter_t *e = &d->e;
  MlirType i32 = mlirValueGetType(place->parity);
  MlirValue next = strata_emit_binary(e, "arith.addi", place->slot, strata_emit_index(e, 1));
  MlirValue wraps = strata_emit_cmpi(e, STRATA_EQ, next, strata_emit_index(e, ring->slots));
  place->slot = strata_emit_select(e, wraps, strata_emit_index(e, 0), next);
  place->parity = strata_emit_binary(e, "arith.xori", place->parity, strata_emit_cast(e, "arith.extui", wraps, i32));
}

void strata_ring_skip(strata_gpu_distribution_t *d, const strata_ring_t *ring, int64_t steps,
                      strata_ring_place_t *place) {
  strata_emitter_t *e = &d->e;
  MlirType i32 = mlirValueGetType(place->parity);
  MlirValue sum = strata_emit_binary(e, "arith.addi", place->slot, strata_emit_index(e, steps));
  MlirValue rounds = strata_emit_binary(e, "arith.divui", sum, strata_emit_index(e, ring->slots));
  MlirValue odd = strata_emit_binary(e, "arith.andi", rounds, strata_emit_index(e, 1));
  place->slot = strata_emit_binary(e, "arith.remui", sum, strata_emit_index(e, ring->slots));
  place->parity = strata_emit_binary(e, "arith.xori", place->parity, strata_emit_cast(e, "arith.index_cast", odd, i32));
}
