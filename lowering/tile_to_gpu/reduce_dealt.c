// Reductions with several results that the lanes of a warp all hold parts of: they share these out. At each step a lane
// gives half of what it has left to the lane across and takes the other half. Each has a part of one result in the end,
// which it alone combines with those of other warps.
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/reduce.h"

bool strata_reduction_deals(const strata_reduction_t *r, const strata_slots_t *slots) {
  int64_t n = r->result.count, lanes = r->d->device->lanes;
  return n > 1 && n < lanes && (n & (n - 1)) == 0 && slots->n_warps > 1 && slots->reduced_lanes == lanes - 1;
}

// Lanes beside one another that have one result.
static int64_t lanes_per_result(const strata_reduction_t *r) { return r->d->device->lanes / r->result.count; }

//===-- Within warps ---------------------------------------------------------------------------------------------===//

// True in lanes whose number has |bit|: they have the upper half.
static MlirValue is_upper(const strata_reduction_t *r, int64_t bit) {
  strata_emitter_t *e = &r->d->e;
  MlirValue bits = strata_emit_with(e, "arith.andi", r->d->role.thread, bit);
  return strata_emit_cmpi(e, STRATA_NE, bits, strata_emit_index(e, 0));
}

static void share_out(strata_reduction_t *r, int64_t bit, int64_t half) {
  strata_emitter_t *e = &r->d->e;
  MlirValue upper = is_upper(r, bit), *values = r->result.values;
  for (int64_t i = 0; i < half; i++) {
    MlirValue own = strata_emit_select(e, upper, values[half + i], values[i]);
    MlirValue given = strata_emit_select(e, upper, values[i], values[half + i]);
    MlirValue taken = strata_exchange_across(r->d, given, bit);
    values[i] = strata_emit_combine(e, r->kind, own, taken);
  }
}

// Each lane has the warp's part of one result in the end.
static void share_all_out(strata_reduction_t *r) {
  int64_t bit = r->d->device->lanes / 2;
  for (int64_t half = r->result.count / 2; half > 0; half /= 2, bit /= 2)
    share_out(r, bit, half);
  strata_reduce_bits(r, bit, 1);
}

MlirValue strata_reduction_own(const strata_reduction_t *r, const MlirValue *values) {
  MlirValue *own = strata_arena_array(r->d->compile->arena, MlirValue, r->result.count);
  int64_t bit = r->d->device->lanes / 2;
  for (int64_t i = 0; i < r->result.count; i++)
    own[i] = values[i];
  for (int64_t half = r->result.count / 2; half > 0; half /= 2, bit /= 2)
    for (int64_t i = 0; i < half; i++)
      own[i] = strata_emit_select(&r->d->e, is_upper(r, bit), own[half + i], own[i]);
  return own[0];
}

void strata_reduce_in_warps(strata_reduction_t *r, int n) {
  for (int i = 0; i < n; i++) {
    strata_reduce_registers(&r[i]);
    share_all_out(&r[i]);
  }
}

//===-- Between warps --------------------------------------------------------------------------------------------===//

// The slots of the result that the lane has.
static MlirValue own_slots(const strata_reduction_t *r, const strata_slots_t *slots) {
  MlirAffineExpr lane = strata_expr_mod(mlirAffineDimExprGet(r->d->e.context, 0), r->d->device->lanes);
  MlirAffineExpr number = strata_expr_div(lane, lanes_per_result(r));
  MlirAffineExpr first = strata_expr_times(number, slots->kept_warps * slots->n_warps);
  strata_index_space_t space = strata_index_space(r->d, 0, NULL);
  return strata_index_emit(&space, mlirAffineAddExprGet(strata_slot_base(r, slots), first));
}

// Of |n| reductions; one lane of each result's writes.
static strata_status_t meet(strata_reduction_t *r, int n, const strata_slots_t *slots, strata_exchange_t *x) {
  strata_emitter_t *e = &r->d->e;
  MlirValue rest = strata_emit_with(e, "arith.andi", r->d->role.thread, lanes_per_result(r) - 1);
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, rest, strata_emit_index(e, 0));
  return strata_reduction_meet(r, n, slots, own_slots(r, slots), is_first, 1, x);
}

strata_status_t strata_reduction_exchange(strata_reduction_t *r, int n, MlirValue *out) {
  strata_slots_t slots = strata_reduction_slots(r);
  strata_exchange_t x[STRATA_REDUCTIONS_AT_ONCE];
  STRATA_TRY(meet(r, n, &slots, x));
  for (int i = 0; i < n; i++, out += slots.n_warps)
    strata_exchange_get(&x[i], out);
  return NULL;
}

//===-- Results --------------------------------------------------------------------------------------------------===//

// True if all results have the same start.
static bool has_one_start(const strata_reduction_t *r) {
  for (int64_t i = 1; i < r->start.count; i++)
    if (!mlirValueEqual(r->start.values[i], r->start.values[0]))
      return false;
  return r->start.count > 0;
}

// True if each lane is to keep the result that it has.
static bool is_wanted_dealt(const strata_reduction_t *r) {
  strata_layout_t dealt;
  return r->start.count == 0 && strata_layout_deal(&r->result.layout, r->d->device->lanes, &dealt) &&
         strata_layout_equal(&dealt, r->wanted);
}

bool strata_reduction_is_dealt(const strata_reduction_t *r) {
  strata_slots_t slots = strata_reduction_slots(r);
  return strata_reduction_deals(r, &slots) && is_wanted_dealt(r);
}

// The lane's own result becomes those of the thread: it alone where that is wanted, else it asks for all of them.
static void take_results(strata_reduction_t *r, MlirValue own) {
  strata_emitter_t *e = &r->d->e;
  int64_t per_result = lanes_per_result(r);
  if (has_one_start(r)) {
    own = strata_emit_combine(e, r->kind, r->start.values[0], own);
    r->start.count = 0;
  }
  if (is_wanted_dealt(r)) {
    r->result = strata_registers_in(r->d, r->result.type, r->wanted);
    r->result.values[0] = own;
    return;
  }
  for (int64_t i = 0; i < r->result.count; i++)
    r->result.values[i] = strata_emit_shuffle_from(e, own, i * per_result, r->d->device->lanes);
}

strata_status_t strata_reduce_dealt(strata_reduction_t *r, const strata_slots_t *slots) {
  strata_exchange_t x;
  share_all_out(r);
  STRATA_TRY(meet(r, 1, slots, &x));
  strata_exchange_combine(&x, r->kind, 1, r->result.values);
  take_results(r, r->result.values[0]);
  return NULL;
}
