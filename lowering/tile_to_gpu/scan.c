// tile.scan: running combinations along a vector of one dim.
//
// Its layout has a few neighbours a thread, threads in their order, and again from the first one on: so the vector is
// *rounds* of all threads. Of each round a thread combines its own; lanes exchange what they have so far and what all
// of theirs have, across one bit of their number after the other; warps their totals, through shared memory, those of
// all rounds with one wait. The order is fixed by the layout alone.
#include "dialects/integers.h"
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/reduce.h"
#include "lowering/tile_to_gpu/roles.h"
#include "lowering/tile_to_gpu/shared.h"

typedef struct {
  strata_reduction_t of; // the same of the whole vector
  bool is_exclusive;
  int64_t width, rounds; // neighbours of a thread
  int64_t threads;       // that hold a round
  MlirValue *own;        // rounds * width: the thread's, combined with those in front of them in the round
  MlirValue *before;     // rounds: what threads in front of this one have
  MlirValue *all;        // rounds: what the warp has, then all threads
} scan_t;

static MlirValue combine(scan_t *s, MlirValue a, MlirValue b) {
  return strata_emit_combine(&s->of.d->e, s->of.kind, a, b);
}

static MlirValue neutral(scan_t *s) { return strata_emit_start(&s->of.d->e, s->of.kind, s->of.source->element); }

// False where the layout is of another form.
static bool read_layout(scan_t *s) {
  const strata_layout_t *layout = &s->of.source->layout;
  s->width = strata_layout_width(layout, 0);
  s->rounds = s->of.source->count / s->width;
  s->threads = 1;
  while (s->threads < s->of.d->role.group && strata_layout_thread_coordinate(layout, s->threads, 0) != 0) {
    if (strata_layout_thread_coordinate(layout, s->threads, 0) != s->threads * s->width)
      return false;
    s->threads *= 2;
  }
  for (int64_t bit = s->threads; bit < s->of.d->role.group; bit *= 2) // threads that hold the same
    if (strata_layout_thread_coordinate(layout, bit, 0) != 0)
      return false;
  for (int64_t reg = 0; reg < s->of.source->count; reg++) {
    int64_t round = reg / s->width * s->threads * s->width;
    if (strata_layout_reg_coordinate(layout, reg, 0) != round + reg % s->width)
      return false;
  }
  return s->of.source->rank == 1 && strata_layout_blocks(layout) == 1;
}

static void scan_registers(scan_t *s) {
  for (int64_t reg = 0; reg < s->of.source->count; reg++) {
    MlirValue value = strata_reduction_counted(&s->of, reg);
    s->own[reg] = reg % s->width ? combine(s, s->own[reg - 1], value) : value;
  }
  for (int64_t round = 0; round < s->rounds; round++) {
    s->before[round] = neutral(s);
    s->all[round] = s->own[(round + 1) * s->width - 1];
  }
}

static void scan_lanes(scan_t *s) {
  strata_emitter_t *e = &s->of.d->e;
  for (int64_t bit = 1; bit < strata_min(s->threads, s->of.d->device->lanes); bit *= 2) {
    MlirValue own_bit = strata_emit_with(e, "arith.andi", s->of.d->role.thread, bit);
    MlirValue is_behind = strata_emit_cmpi(e, STRATA_NE, own_bit, strata_emit_index(e, 0));
    for (int64_t round = 0; round < s->rounds; round++) {
      MlirValue other = strata_exchange_across(s->of.d, s->all[round], bit);
      s->before[round] = strata_emit_select(e, is_behind, combine(s, other, s->before[round]), s->before[round]);
      s->all[round] = combine(s, s->all[round], other);
    }
  }
}

// Warps behind those that hold a round have the same values, and write them to the same places.
static strata_status_t scan_warps(scan_t *s) {
  strata_gpu_distribution_t *d = s->of.d;
  strata_emitter_t *e = &d->e;
  int64_t n_warps = s->threads / d->device->lanes;
  if (n_warps <= 1)
    return NULL;
  strata_exchange_t x = {.d = d,
                         .by = &strata_warps_transport,
                         .element = s->of.source->element,
                         .width = 1,
                         .count = s->rounds,
                         .ranks = n_warps,
                         .value_stride = n_warps,
                         .rank_stride = 1,
                         .parts = 1,
                         .size = d->shared.size,
                         .was_dirty = d->shared.is_dirty};
  STRATA_TRY(strata_shared_alloc(d, x.element, s->rounds * n_warps, &x.memory));
  MlirValue warp = strata_emit_with(e, "arith.divui", d->role.thread, d->device->lanes);
  x.rank = x.own = strata_emit_with(e, "arith.remui", warp, n_warps);
  STRATA_TRY(x.by->ready(&x));
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_is_first_lane(d));
  strata_exchange_put(&x, (MlirValue){NULL}, s->rounds, s->all);
  strata_emit_if_end(e, branch);
  STRATA_TRY(strata_exchange_meet(&x));
  for (int64_t round = 0; round < s->rounds; round++) {
    MlirValue in_front = neutral(s), all = {NULL};
    for (int64_t i = 0; i < n_warps; i++) {
      MlirValue of_warp = x.by->get(&x, (strata_place_t){{NULL}, round * n_warps + i});
      MlirValue is_in_front = strata_emit_cmpi(e, STRATA_SLT, strata_emit_index(e, i), x.rank);
      in_front = strata_emit_select(e, is_in_front, combine(s, in_front, of_warp), in_front);
      all = i ? combine(s, all, of_warp) : of_warp;
    }
    s->before[round] = combine(s, in_front, s->before[round]);
    s->all[round] = all;
  }
  return NULL;
}

// Puts the rounds behind one another, from |so_far| on; returns what all give.
static MlirValue join_rounds(scan_t *s, MlirValue so_far, MlirValue *out) {
  for (int64_t round = 0; round < s->rounds; round++) {
    MlirValue before = combine(s, so_far, s->before[round]);
    for (int64_t i = 0; i < s->width; i++) {
      int64_t reg = round * s->width + i, last = reg - s->is_exclusive;
      out[reg] = i < s->is_exclusive ? before : combine(s, before, s->own[last]);
    }
    so_far = combine(s, so_far, s->all[round]);
  }
  return so_far;
}

strata_status_t strata_gpu_rule_scan(strata_gpu_distribution_t *d, MlirOperation op) {
  const strata_registers_t *source = strata_registers_of(d, mlirOperationGetOperand(op, 0));
  scan_t s = {.of = {.d = d, .kind = strata_attr(op, "kind"), .source = source, .is_reduced = {true}},
              .is_exclusive = strata_attr_flag(op, "exclusive")};
  if (mlirValueIsNull(neutral(&s)))
    return strata_gpu_missing(op, "this kind of scan");
  if (!read_layout(&s))
    return strata_gpu_missing(op, "a scan of values in this layout");
  s.own = strata_arena_array(d->compile->arena, MlirValue, source->count);
  s.before = strata_arena_array(d->compile->arena, MlirValue, s.rounds);
  s.all = strata_arena_array(d->compile->arena, MlirValue, s.rounds);
  scan_registers(&s);
  scan_lanes(&s);
  STRATA_TRY(scan_warps(&s));
  strata_registers_t result = strata_registers_in(d, mlirValueGetType(mlirOperationGetOperand(op, 0)), &source->layout);
  MlirValue all = join_rounds(&s, strata_new_scalar(d, mlirOperationGetOperand(op, 1)), result.values);
  strata_registers_define(d, mlirOperationGetResult(op, 0), &result);
  strata_define_scalar(d, mlirOperationGetResult(op, 1), all);
  return NULL;
}
