// The protocol of exchange.h, for any transport.
#include "lowering/tile_to_gpu/exchange.h"

#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"

//===-- Places ---------------------------------------------------------------------------------------------------===//

static strata_place_t shift(strata_emitter_t *e, strata_place_t place, int64_t by) {
  if (mlirValueIsNull(place.at))
    return (strata_place_t){{NULL}, place.offset + by};
  return (strata_place_t){strata_emit_plus(e, place.at, by), 0};
}

MlirValue strata_place_emit(strata_emitter_t *e, strata_place_t place) {
  return mlirValueIsNull(place.at) ? strata_emit_index(e, place.offset) : strata_emit_plus(e, place.at, place.offset);
}

// The larger stride first.
MlirValue strata_exchange_own(const strata_exchange_t *x) {
  strata_emitter_t *e = &x->d->e;
  if (x->rank_stride == 1)
    return mlirValueIsNull(x->holder) ? x->rank : strata_emit_binary(e, "arith.addi", x->holder, x->rank);
  MlirValue rank = strata_emit_times(e, x->rank, x->rank_stride);
  return mlirValueIsNull(x->holder) ? rank : strata_emit_binary(e, "arith.addi", rank, x->holder);
}

void strata_exchange_by_threads(strata_exchange_t *x) {
  strata_emitter_t *e = &x->d->e;
  x->value_stride = x->d->role.group * x->width;
  x->rank_stride = x->count * x->value_stride;
  MlirValue rank = strata_emit_times(e, x->rank, x->rank_stride);
  x->holder = strata_emit_times(e, x->d->role.thread, x->width);
  x->own = strata_emit_binary(e, "arith.addi", rank, x->holder);
}

//===-- The protocol ---------------------------------------------------------------------------------------------===//

void strata_exchange_put(const strata_exchange_t *x, MlirValue to, int64_t n, const MlirValue *values) {
  strata_emitter_t *e = &x->d->e;
  for (int64_t i = 0; i < n; i++, values += x->width) {
    MlirValue value = strata_lanes_of_scalars(e, x->width, values);
    x->by->put(x, value, shift(e, (strata_place_t){x->own, 0}, i * x->value_stride), to);
  }
}

strata_status_t strata_exchange_meet(const strata_exchange_t *x) {
  if (x->by->arrive)
    x->by->arrive(x);
  return x->by->wait(x);
}

MlirValue strata_exchange_across(strata_gpu_distribution_t *d, MlirValue value, int64_t bit) {
  const strata_exchange_t x = {.d = d, .memory = value};
  return strata_lanes_transport.get(&x, (strata_place_t){{NULL}, bit});
}

MlirAttribute strata_exchange_sums(const strata_exchange_t *x) {
  return mlirAttributeParseGet(x->d->e.context, strata_str("#vector.kind<add>"));
}

//===-- Combining ------------------------------------------------------------------------------------------------===//

static strata_place_t place_of(const strata_exchange_t *x, int64_t rank, int64_t i) {
  return shift(&x->d->e, (strata_place_t){x->holder, 0}, i * x->value_stride + rank * x->rank_stride);
}

// Of the |n| ranks from that at |first| on.
static MlirValue combine_tree(const strata_exchange_t *x, MlirAttribute kind, strata_place_t first, int64_t n) {
  if (n == 1)
    return x->by->get(x, first);
  MlirValue low = combine_tree(x, kind, first, n / 2);
  MlirValue high = combine_tree(x, kind, shift(&x->d->e, first, n / 2 * x->rank_stride), n / 2);
  return strata_emit_combine(&x->d->e, kind, low, high);
}

static MlirValue combine_line(const strata_exchange_t *x, MlirAttribute kind, int64_t i) {
  MlirValue all = x->by->get(x, place_of(x, 0, i));
  for (int64_t rank = 1; rank < x->ranks; rank++)
    all = strata_emit_combine(&x->d->e, kind, all, x->by->get(x, place_of(x, rank, i)));
  return all;
}

void strata_exchange_combine(const strata_exchange_t *x, MlirAttribute kind, int64_t n, MlirValue *values) {
  for (int64_t i = 0; i < n; i++, values += x->width) {
    MlirValue all = x->is_line ? combine_line(x, kind, i) : combine_tree(x, kind, place_of(x, 0, i), x->ranks);
    for (int64_t lane = 0; lane < x->width; lane++)
      values[lane] = strata_lanes_extract(&x->d->e, all, lane);
  }
}

void strata_exchange_get(const strata_exchange_t *x, MlirValue *out) {
  for (int64_t rank = 0; rank < x->ranks; rank++)
    out[rank] = x->by->get(x, place_of(x, rank, 0));
}

void strata_exchange_take(const strata_exchange_t *x, MlirAttribute kind, MlirValue *values) {
  strata_emitter_t *e = &x->d->e;
  for (int64_t i = 0; i < x->count; i++, values += x->width) {
    MlirValue vector = x->by->get(x, shift(e, (strata_place_t){x->own, 0}, i * x->value_stride));
    for (int64_t lane = 0; lane < x->width; lane++)
      values[lane] = strata_emit_combine(e, kind, values[lane], strata_lanes_extract(e, vector, lane));
  }
}
