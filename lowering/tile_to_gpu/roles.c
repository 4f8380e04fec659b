// See roles.h.
#include "lowering/tile_to_gpu/roles.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"

strata_gpu_role_t strata_producers_begin(strata_gpu_distribution_t *d, MlirValue thread, int64_t number) {
  strata_gpu_role_t outer = d->role;
  d->role.thread = strata_emit_with(&d->e, "arith.subi", thread, d->role.threads + number * STRATA_GROUP_THREADS);
  d->role.group = d->role.threads = STRATA_GROUP_THREADS;
  return outer;
}

void strata_emit_registers(strata_gpu_distribution_t *d, int64_t count, bool more) {
  strata_named_attr_t attrs[] = {{"count", strata_i64_attr(d->e.context, count)},
                                 {"more", strata_bool_attr(d->e.context, more)}};
  strata_emit_op(&d->e, STRATA_TILE_REGISTERS, 0, NULL, 0, NULL, 2, attrs);
}

static void emit_plain(strata_gpu_distribution_t *d, const char *name) {
  strata_emit_op(&d->e, name, 0, NULL, 0, NULL, 0, NULL);
}

void strata_emit_launch_next(strata_gpu_distribution_t *d) { emit_plain(d, STRATA_TILE_LAUNCH_NEXT); }

void strata_emit_launch_wait(strata_gpu_distribution_t *d) { emit_plain(d, STRATA_TILE_LAUNCH_WAIT); }

// The number of the thread's warp group, known to be the same in all lanes of a warp.
MlirValue strata_emit_as_one(strata_gpu_distribution_t *d, MlirValue value) {
  strata_emitter_t *e = &d->e;
  MlirValue word = strata_emit_cast(e, "arith.index_cast", value, mlirIntegerTypeGet(e->context, 32));
  MlirValue first = strata_emit_shuffle_from(e, word, 0, d->device->lanes);
  return strata_emit_cast(e, "arith.index_cast", first, mlirIndexTypeGet(e->context));
}

MlirValue strata_emit_group_number(strata_gpu_distribution_t *d, MlirValue thread) {
  strata_emitter_t *e = &d->e;
  MlirValue number = strata_emit_with(e, "arith.divui", thread, STRATA_GROUP_THREADS);
  return strata_emit_as_one(d, number);
}

MlirValue strata_emit_group_lane(strata_gpu_distribution_t *d) {
  return strata_emit_with(&d->e, "arith.andi", d->role.thread, STRATA_GROUP_THREADS - 1);
}

MlirValue strata_emit_is_first_thread(strata_gpu_distribution_t *d) {
  return strata_emit_cmpi(&d->e, STRATA_EQ, d->role.thread, strata_emit_index(&d->e, 0));
}

MlirValue strata_emit_is_first_lane(strata_gpu_distribution_t *d) {
  MlirValue lane = strata_emit_with(&d->e, "arith.andi", d->role.thread, d->device->lanes - 1);
  return strata_emit_cmpi(&d->e, STRATA_EQ, lane, strata_emit_index(&d->e, 0));
}

void strata_emit_turn(strata_gpu_distribution_t *d, const char *name, MlirValue group) {
  MlirValue number = strata_emit_with(&d->e, "arith.addi", group, STRATA_FIRST_TURN);
  strata_named_attr_t attr = {"threads", strata_i64_attr(d->e.context, 2 * STRATA_GROUP_THREADS)};
  strata_emit_op(&d->e, name, 1, &number, 0, NULL, 1, &attr);
}
