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

// By one of |threads| threads beside one another, a power of two.
static void arrive_once(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, int64_t threads) {
  strata_emitter_t *e = &d->e;
  MlirValue lane = strata_emit_with(e, "arith.andi", d->role.thread, threads - 1);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, lane, strata_emit_index(e, 0)));
  strata_phase_arrive(d, barriers, i);
  strata_emit_if_end(e, branch);
}

void strata_emit_group_arrive(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i) {
  arrive_once(d, barriers, i, STRATA_GROUP_THREADS);
}

void strata_phase_expect(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, int64_t bytes,
                         MlirValue fewer) {
  strata_named_attr_t attr = {"bytes", strata_i64_attr(d->e.context, bytes)};
  int n = mlirValueIsNull(fewer) ? 2 : 3;
  strata_emit_op(&d->e, STRATA_TILE_BARRIER_EXPECT, n, (MlirValue[]){barriers, i, fewer}, 0, NULL, 1, &attr);
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
  if (releases)
    strata_phase_init(d, ring->empty, ring->empty_at + slot, releases);
}

static MlirValue number(strata_emitter_t *e, MlirValue slot, int64_t first) {
  return mlirValueIsNull(slot) ? strata_emit_index(e, first) : strata_emit_plus(e, slot, first);
}

static MlirValue other_parity(strata_emitter_t *e, MlirValue parity) {
  return strata_emit_binary(e, "arith.xori", parity, strata_emit_integer(e, mlirValueGetType(parity), 1));
}

void strata_ring_acquire(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place) {
  place.parity = other_parity(&d->e, place.parity);
  strata_ring_reacquire(d, ring, place);
}

void strata_ring_reacquire(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place) {
  strata_phase_wait(d, ring->empty, number(&d->e, place.slot, ring->empty_at), place.parity);
}

void strata_ring_expect(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue slot, int64_t bytes,
                        MlirValue fewer) {
  strata_phase_expect(d, ring->full, number(&d->e, slot, 0), bytes, fewer);
}

void strata_ring_await(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place) {
  strata_phase_wait(d, ring->full, number(&d->e, place.slot, 0), place.parity);
}

void strata_ring_release(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue slot, int64_t threads) {
  arrive_once(d, ring->empty, number(&d->e, slot, ring->empty_at), threads);
}

void strata_ring_advance(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t *place) {
  strata_ring_advance_by(d, ring, 1, place);
}

// Places that are apart by |count| slots meet the end together.
void strata_ring_advance_by(strata_gpu_distribution_t *d, const strata_ring_t *ring, int64_t count,
                            strata_ring_place_t *place) {
  strata_emitter_t *e = &d->e;
  MlirType i32 = mlirValueGetType(place->parity);
  if (mlirValueIsNull(place->slot)) {
    place->parity = other_parity(e, place->parity);
    return;
  }
  MlirValue next = strata_emit_with(e, "arith.addi", place->slot, count), slots = strata_emit_index(e, ring->slots);
  MlirValue wraps =
      strata_emit_cmpi(e, count == 1 ? STRATA_EQ : STRATA_SLE, count == 1 ? next : slots, count == 1 ? slots : next);
  MlirValue first = count == 1 ? strata_emit_index(e, 0) : strata_emit_binary(e, "arith.subi", next, slots);
  place->slot = strata_emit_select(e, wraps, first, next);
  place->parity = strata_emit_binary(e, "arith.xori", place->parity, strata_emit_cast(e, "arith.extui", wraps, i32));
}

void strata_ring_skip(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue steps,
                      strata_ring_place_t *place) {
  strata_emitter_t *e = &d->e;
  MlirType i32 = mlirValueGetType(place->parity);
  MlirValue sum = strata_emit_binary(e, "arith.addi", place->slot, steps);
  MlirValue rounds = strata_emit_with(e, "arith.divui", sum, ring->slots);
  MlirValue odd = strata_emit_with(e, "arith.andi", rounds, 1);
  place->slot = strata_emit_with(e, "arith.remui", sum, ring->slots);
  place->parity = strata_emit_binary(e, "arith.xori", place->parity, strata_emit_cast(e, "arith.index_cast", odd, i32));
}
