// Reductions: lanes of a warp, by shuffles, so that all of them have the result; then warps, through shared memory.
#include "dialects/integers.h"
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/reduce.h"
#include "lowering/tile_to_gpu/shared.h"

//===-- Lanes ----------------------------------------------------------------------------------------------------===//

bool strata_reduction_is_over(const strata_reduction_t *r, int64_t bit) {
  for (int dim = 0; dim < r->source->rank; dim++)
    if (r->is_reduced[dim] && strata_layout_thread_coordinate(&r->source->layout, bit, dim) != 0)
      return true;
  return false;
}

void strata_reduce_bits(strata_reduction_t *r, int64_t bit, int64_t n) {
  for (; bit > 0; bit /= 2)
    for (int64_t i = 0; i < n && strata_reduction_is_over(r, bit); i++) {
      MlirValue own = r->result.values[i], other = strata_exchange_across(r->d, own, bit);
      r->result.values[i] = strata_emit_combine(&r->d->e, r->kind, own, other);
    }
}

void strata_reduce_lanes(strata_reduction_t *r) {
  strata_reduce_bits(r, strata_min(r->d->role.group, r->d->device->lanes) / 2, r->result.count);
}

//===-- Slots ----------------------------------------------------------------------------------------------------===//

static void sort_bit(const strata_reduction_t *r, strata_slots_t *slots, int64_t bit) {
  bool is_lane = bit < r->d->device->lanes, is_reduced = strata_reduction_is_over(r, bit);
  bool is_warp = !is_lane && bit < r->d->role.threads, is_kept = !is_reduced; // beyond are the blocks of a cluster
  strata_layout_push_thread(&slots->lane, is_lane && is_kept ? 0 : STRATA_COPIES, 2, slots->kept_lanes);
  strata_layout_push_thread(&slots->kept_warp, is_warp && is_kept ? 0 : STRATA_COPIES, 2, slots->kept_warps);
  strata_layout_push_thread(&slots->warp, is_warp && is_reduced ? 0 : STRATA_COPIES, 2, slots->n_warps);
  slots->kept_lanes *= is_lane && is_kept ? 2 : 1;
  slots->kept_warps *= is_warp && is_kept ? 2 : 1;
  slots->n_warps *= is_warp && is_reduced ? 2 : 1;
  slots->reduced_lanes |= is_lane && is_reduced ? bit : 0;
}

strata_slots_t strata_reduction_slots(const strata_reduction_t *r) {
  strata_slots_t slots = {.kept_lanes = 1, .kept_warps = 1, .n_warps = 1};
  for (int64_t bit = 1; bit < r->d->role.group; bit *= 2)
    sort_bit(r, &slots, bit);
  return slots;
}

int64_t strata_reduction_warps(const strata_reduction_t *r) { return strata_reduction_slots(r).n_warps; }

MlirAffineExpr strata_slot_base(const strata_reduction_t *r, const strata_slots_t *slots) {
  MlirContext context = r->d->e.context;
  MlirAffineExpr lane = strata_thread_coordinate(context, &slots->lane, 0, 0);
  MlirAffineExpr kept = strata_thread_coordinate(context, &slots->kept_warp, 0, 0);
  MlirAffineExpr place = mlirAffineAddExprGet(strata_expr_times(kept, slots->kept_lanes), lane);
  return strata_expr_times(place, slots->n_warps);
}

// Equal parts of the group that can wait for nobody else, each of all warps of one result; 1: it does as a whole.
static int64_t parts_apart(const strata_gpu_distribution_t *d, const strata_slots_t *slots) {
  int64_t part = d->role.group / slots->kept_warps;
  bool is_apart = strata_layout_thread_coordinate(&slots->kept_warp, part, 0) == 1; // they are neighbours
  return is_apart && strata_has_part_barrier(d, slots->kept_warps) ? slots->kept_warps : 1;
}

//===-- Warps ----------------------------------------------------------------------------------------------------===//

static strata_status_t begin(strata_reduction_t *r, const strata_slots_t *slots, MlirValue base,
                             strata_exchange_t *out) {
  *out = (strata_exchange_t){.d = r->d,
                             .by = &strata_warps_transport,
                             .element = r->source->element,
                             .width = 1,
                             .count = r->result.count,
                             .ranks = slots->n_warps,
                             .value_stride = slots->kept_lanes * slots->kept_warps * slots->n_warps,
                             .rank_stride = 1,
                             .holder = base,
                             .parts = parts_apart(r->d, slots),
                             .size = r->d->shared.size,
                             .was_dirty = r->d->shared.is_dirty};
  return strata_shared_alloc(r->d, out->element, out->value_stride * out->count, &out->memory);
}

strata_status_t strata_reduction_meet(strata_reduction_t *r, int n_reductions, const strata_slots_t *slots,
                                      MlirValue base, MlirValue writes, int64_t n, strata_exchange_t *x) {
  strata_emitter_t *e = &r->d->e;
  strata_index_space_t space = strata_index_space(r->d, 0, NULL);
  for (int i = 0; i < n_reductions; i++)
    STRATA_TRY(begin(&r[i], slots, base, &x[i]));
  x->rank = strata_index_emit(&space, strata_thread_coordinate(e->context, &slots->warp, 0, 0));
  MlirValue own = strata_exchange_own(x);
  for (int i = 0; i < n_reductions; i++) {
    x[i].own = own;
    STRATA_TRY(x[i].by->ready(&x[i]));
    strata_loop_t branch = strata_emit_if_begin(e, writes);
    strata_exchange_put(&x[i], (MlirValue){0}, n, r[i].result.values);
    strata_emit_if_end(e, branch);
  }
  return strata_exchange_meet(x);
}

// Lanes of one result have the same of it, but where it is no number: one of them writes.
static MlirValue is_first_lane(const strata_reduction_t *r, const strata_slots_t *slots) {
  strata_emitter_t *e = &r->d->e;
  MlirValue bits = strata_emit_with(e, "arith.andi", r->d->role.thread, slots->reduced_lanes);
  return strata_emit_cmpi(e, STRATA_EQ, bits, strata_emit_index(e, 0));
}

strata_status_t strata_reduce_warps(strata_reduction_t *r, const strata_slots_t *slots) {
  strata_exchange_t x;
  strata_index_space_t space = strata_index_space(r->d, 0, NULL);
  MlirValue base = strata_index_emit(&space, strata_slot_base(r, slots));
  MlirValue writes = slots->reduced_lanes ? is_first_lane(r, slots) : (MlirValue){0};
  STRATA_TRY(strata_reduction_meet(r, 1, slots, base, writes, r->result.count, &x));
  strata_exchange_combine(&x, r->kind, r->result.count, r->result.values);
  return NULL;
}
