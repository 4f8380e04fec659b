// Attention: keys and values that lie in memory as bytes. The producer has the copy engine bring them as they are, into
// rings of their own, as it does whatever it fetches; warp groups behind it, one for the keys and one for the values or
// one for both, widen a tile into the ring where the instructions read it. Consumers do what they always do.
//
//   for each step: wait for the bytes; load; wait until the slot is empty; widen; a barrier; the slot is full, and that
//                  of the bytes empty
//
// Bytes are on their way to all slots of theirs, and to those of the next task while this one's last are widened. What
// they become is soon read: it needs few.
//
// Both tiles are spans of 128 bytes a line, whose units of 16 bytes are exchanged by the line's number, so a unit of
// bytes becomes two neighbours that change places with each other in odd lines. A thread has a line, or a part of one:
// then eight neighbours meet no bank twice, neither loading nor storing.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/roles.h"

enum { ROW = 0, STEP = 1, UNIT = STRATA_VECTOR_BYTES, WIDE = 2, SPAN_UNITS = STRATA_SPAN / UNIT };

//===-- Reading --------------------------------------------------------------------------------------------------===//

static const char *bytes_of(MlirOperation conversion) {
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetOperand(conversion, 0)));
  if (mlirTypeIsAInteger(type))
    return strata_op_is(conversion, "arith.uitofp") ? "ui8" : "i8";
  return mlirTypeIsAFloat8E4M3FN(type) ? "f8E4M3FN" : mlirTypeIsAFloat8E5M2(type) ? "f8E5M2" : "";
}

MlirValue strata_gpu_attention_loaded(MlirValue value, const char **out_from) {
  static const char *const conversions[] = {"arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp"};
  *out_from = "";
  for (MlirOperation op = strata_def(value); !mlirOperationIsNull(op); op = strata_def(value)) {
    bool converts = false;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
      converts |= strata_op_is(op, conversions[i]);
    if (!converts)
      break;
    *out_from = bytes_of(op);
    value = mlirOperationGetOperand(op, 0);
  }
  return value;
}

strata_status_t strata_gpu_attention_read_stored(strata_gpu_attention_t *a, int which) {
  strata_shared_operand_t *wide = &a->operands[which].shared;
  const strata_shared_operand_t *stored = &a->stored[which].shared;
  MlirType type = mlirValueGetType(wide->value);
  int64_t span = STRATA_SPAN / WIDE;
  bool is_crossed = stored->form == STRATA_SPANS_CROSSED;
  wide->element = mlirShapedTypeGetElementType(type);
  wide->element_bytes = WIDE;
  wide->rows = mlirShapedTypeGetDimSize(type, ROW);
  wide->steps = mlirShapedTypeGetDimSize(type, STEP);
  wide->word = 1;
  wide->form = stored->form;
  if (is_crossed)
    wide->rows = strata_round_up(wide->rows, span);
  a->operands[which].slot = wide->rows * (is_crossed ? wide->steps : strata_round_up(wide->steps, span));
  int64_t lines = is_crossed ? wide->steps : wide->rows;
  if (which == STRATA_ATTENTION_ROWS || stored->element_bytes != 1 || STRATA_GROUP_THREADS % lines != 0)
    return strata_gpu_missing(a->scores, "bytes of attention that producers do not widen");
  return NULL;
}

//===-- Widening -------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_gpu_distribution_t *d;
  const strata_shared_operand_t *stored, *wide;
  const char *from;
  int64_t lines, units, parts; // units of bytes of a line, and threads that share one
  MlirValue from_at, to_at;    // where the slots begin
  MlirValue line, part, odd;   // the thread's line, part of it, and units' exchange
} widening_t;

// Where unit |unit| of the thread's line begins in a tile, units being of |elements| elements.
static MlirValue place(const widening_t *w, MlirValue unit, int64_t elements) {
  strata_emitter_t *e = &w->d->e;
  MlirValue span = strata_emit_with(e, "arith.divui", unit, SPAN_UNITS);
  MlirValue within = strata_emit_with(e, "arith.remui", unit, SPAN_UNITS);
  within = strata_emit_binary(e, "arith.xori", within, w->odd);
  MlirValue line = strata_emit_binary(e, "arith.addi", strata_emit_times(e, span, w->lines), w->line);
  return strata_emit_binary(e, "arith.addi", strata_emit_times(e, line, SPAN_UNITS * elements),
                            strata_emit_times(e, within, elements));
}

static MlirValue load_unit(const widening_t *w, MlirValue unit) {
  strata_emitter_t *e = &w->d->e;
  MlirType bytes = strata_lanes_type(mlirIntegerTypeGet(e->context, 8), UNIT);
  MlirValue at = strata_emit_binary(e, "arith.addi", w->from_at, place(w, unit, UNIT));
  return strata_lanes_load(e, bytes, w->stored->memory, at);
}

static void store_unit(const widening_t *w, MlirValue unit, MlirValue bytes) {
  strata_emitter_t *e = &w->d->e;
  int64_t half = UNIT / WIDE, extents[1] = {half};
  MlirType type = mlirVectorTypeGet(1, extents, w->wide->element);
  for (int64_t i = 0; i < WIDE; i++) {
    MlirValue scalars[UNIT / WIDE];
    strata_named_attr_t from = {"from", strata_str_attr(e->context, w->from)};
    for (int64_t lane = 0; lane < half; lane++)
      scalars[lane] = strata_lanes_extract(e, bytes, i * half + lane);
    MlirValue part = strata_lanes_of_scalars(e, half, scalars);
    MlirValue value = strata_emit_value(e, STRATA_TILE_WIDEN, 1, &part, type, 1, &from);
    MlirValue wide = strata_emit_plus(e, strata_emit_times(e, unit, WIDE), i);
    MlirValue at = strata_emit_binary(e, "arith.addi", w->to_at, place(w, wide, half));
    strata_lanes_store(e, value, w->wide->memory, at);
  }
}

// Unit number |i| of the thread's; the last ones may be another thread's, too.
static MlirValue unit_of(const widening_t *w, int64_t i) {
  strata_emitter_t *e = &w->d->e;
  if (w->parts == 1)
    return strata_emit_index(e, i);
  MlirValue unit = strata_emit_plus(e, w->part, i * w->parts);
  return w->units % w->parts == 0 ? unit
                                  : strata_emit_binary(e, "arith.minui", unit, strata_emit_index(e, w->units - 1));
}

// Some at a time: all of their loads are under way together. The first begin while the slot is still read that they go
// to, |to| in |ring|.
static void widen_units(const widening_t *w, const strata_ring_t *ring, strata_ring_place_t to) {
  enum { TOGETHER = 8 };
  int64_t count = strata_ceil_div(w->units, w->parts);
  for (int64_t first = 0; first < count; first += TOGETHER) {
    MlirValue units[TOGETHER], bytes[TOGETHER];
    int64_t n = strata_min(TOGETHER, count - first);
    for (int64_t i = 0; i < n; i++) {
      units[i] = unit_of(w, first + i);
      bytes[i] = load_unit(w, units[i]);
    }
    if (first == 0)
      strata_ring_acquire(w->d, ring, to);
    for (int64_t i = 0; i < n; i++)
      store_unit(w, units[i], bytes[i]);
  }
}

static void widen_tile(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, int which,
                       strata_ring_place_t from, strata_ring_place_t to) {
  strata_emitter_t *e = &d->e;
  const strata_shared_operand_t *wide = &a->operands[which].shared;
  bool is_crossed = wide->form == STRATA_SPANS_CROSSED;
  int64_t extent = mlirShapedTypeGetDimSize(mlirValueGetType(wide->value), is_crossed ? ROW : STEP);
  widening_t w = {.d = d,
                  .stored = &a->stored[which].shared,
                  .wide = wide,
                  .lines = is_crossed ? wide->steps : wide->rows,
                  .units = strata_ceil_div(extent, UNIT),
                  .from_at = strata_emit_times(e, from.slot, a->stored[which].slot),
                  .to_at = strata_emit_times(e, to.slot, a->operands[which].slot)};
  MlirValue lane = strata_emit_group_lane(d);
  strata_gpu_attention_loaded(wide->value, &w.from);
  w.parts = STRATA_GROUP_THREADS / w.lines;
  w.line = strata_emit_with(e, "arith.remui", lane, w.lines);
  w.part = strata_emit_with(e, "arith.divui", lane, w.lines);
  w.odd = strata_emit_with(e, "arith.remui", w.line, SPAN_UNITS);
  widen_units(&w, &a->rings[which], to);
}

//===-- Steps ----------------------------------------------------------------------------------------------------===//

// Where the step at |place| of a ring of bytes is in that of what they become, whose slots are a part of as many.
static strata_ring_place_t widened_place(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a,
                                         strata_ring_place_t place) {
  strata_emitter_t *e = &d->e;
  int64_t rounds = a->kernel.product.slots / a->widened;
  if (rounds == 1)
    return place;
  MlirValue round = strata_emit_with(e, "arith.divui", place.slot, a->widened);
  MlirValue parity = strata_emit_cast(e, "arith.index_cast", strata_emit_with(e, "arith.andi", round, 1),
                                      mlirValueGetType(place.parity));
  if (rounds % 2 == 1)
    parity = strata_emit_binary(e, "arith.xori", parity, place.parity);
  return (strata_ring_place_t){strata_emit_with(e, "arith.remui", place.slot, a->widened), parity};
}

// The barrier says that all have read the slot's bytes and have written what they are.
void strata_gpu_attention_widen_step(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, int which,
                                     strata_ring_place_t place) {
  strata_ring_place_t to = widened_place(d, a, place);
  strata_ring_await(d, &a->stored_rings[which], place);
  widen_tile(d, a, which, place, to);
  strata_emit_fence(d, "shared");
  strata_emit_group_barrier(d, &a->kernel);
  strata_emit_group_arrive(d, a->rings[which].full, to.slot);
  strata_ring_release(d, &a->stored_rings[which], place.slot, STRATA_GROUP_THREADS);
}
