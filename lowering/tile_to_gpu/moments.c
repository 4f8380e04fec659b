// The mean and the variance of rows with one wait for other warps instead of two.
//
//   %s = multi_reduction <add> %v, 0
//   %m = %s * c
//   %d = %v - %m
//   %q = multi_reduction <add> %d * %d, 0
//
// of rows of 1 / c elements. Each warp takes an element k of its part of a row, and sums up v - k and its square. Of
// the part's n elements it then knows the mean, k + sum / n, and the sum of squared differences from that, which is
// squares - sum * sum / n. That loses no more than a sum of n numbers may: k being one of them, (mean - k)^2 is at most
// n times their variance. Two parts of n elements each have
//
//   mean = (mean1 + mean2) / 2    squares = squares1 + squares2 + n / 2 (mean2 - mean1)^2
//
// (Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979). What is
// made of the differences, norms, becomes
//
//   %d * %r  ->  %v * %r - %m * %r      for %r of rows: the product of two numbers a row, and one operation an element
//
// where, if nobody else reads %v or %m, both are less k from here on: what computes %v may take that in.
//
// It is fast math, and switched off with what may lose accuracy.
#include "lowering/tile_to_gpu/moments.h"

#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/reduce.h"

static strata_registers_t squares_of(strata_gpu_distribution_t *d, const strata_registers_t *values) {
  strata_registers_t squares = strata_registers_in(d, values->type, &values->layout);
  for (int64_t i = 0; i < values->count; i++)
    squares.values[i] = strata_emit_contracting(&d->e, "arith.mulf", values->values[i], values->values[i]);
  return squares;
}

// The first element that the warp's first thread has of each of its rows: |pivots|, by result of |r|.
static void take_pivots(const strata_reduction_t *r, MlirValue *pivots) {
  const strata_registers_t *values = r->source;
  for (int64_t reg = values->count; reg-- > 0;)
    for (int64_t i = 0; i < r->result.count; i++)
      if (strata_reduction_counts(r, reg, i))
        pivots[i] = values->values[reg];
  for (int64_t i = 0; i < r->result.count; i++)
    pivots[i] = strata_emit_shuffle_from(&r->d->e, pivots[i], 0, r->d->device->lanes);
}

// The source less the pivot of each element's row.
static strata_registers_t less_pivots(const strata_reduction_t *r, const MlirValue *pivots) {
  const strata_registers_t *values = r->source;
  strata_registers_t differences = strata_registers_in(r->d, values->type, &values->layout);
  for (int64_t reg = 0; reg < values->count; reg++)
    for (int64_t i = 0; i < r->result.count; i++)
      if (strata_reduction_counts(r, reg, i))
        differences.values[reg] = strata_emit_contracting(&r->d->e, "arith.subf", values->values[reg], pivots[i]);
  return differences;
}

typedef struct {
  MlirValue mean, squares; // of a part of a row; squared differences from the former
} part_t;

// The part that the warp has of the lane's own row, of |length| elements; |r| is of differences from |pivot| and their
// squares.
static part_t part_of_warp(strata_reduction_t r[2], MlirValue pivot, double length) {
  strata_emitter_t *e = &r->d->e;
  strata_reduce_in_warps(r, 2);
  MlirValue sum = r[0].result.values[0];
  MlirValue shift = strata_emit_binary(e, "arith.mulf", sum, strata_emit_real(e, mlirValueGetType(sum), 1 / length));
  return (part_t){strata_emit_binary(e, "arith.addf", pivot, shift),
                  strata_emit_contracting(e, "arith.subf", r[1].result.values[0],
                                          strata_emit_contracting(e, "arith.mulf", sum, shift))};
}

// Of |n| parts of |length| elements each.
static part_t join(strata_emitter_t *e, const MlirValue *means, const MlirValue *squares, int64_t n, double length) {
  if (n == 1)
    return (part_t){means[0], squares[0]};
  part_t a = join(e, means, squares, n / 2, length), b = join(e, means + n / 2, squares + n / 2, n / 2, length);
  MlirType type = mlirValueGetType(a.mean);
  MlirValue half = strata_emit_real(e, type, 0.5), weight = strata_emit_real(e, type, length * (double)n / 4);
  MlirValue apart = strata_emit_binary(e, "arith.subf", b.mean, a.mean);
  MlirValue between =
      strata_emit_contracting(e, "arith.mulf", strata_emit_binary(e, "arith.mulf", apart, apart), weight);
  return (part_t){
      strata_emit_contracting(e, "arith.addf", strata_emit_contracting(e, "arith.mulf", apart, half), a.mean),
      strata_emit_contracting(e, "arith.addf", between, strata_emit_binary(e, "arith.addf", a.squares, b.squares))};
}

static strata_registers_t own_result(const strata_reduction_t *r, MlirValue own) {
  strata_registers_t registers = strata_registers_in(r->d, r->result.type, r->wanted);
  registers.values[0] = own;
  return registers;
}

static strata_status_t reduce_both(strata_gpu_distribution_t *d, strata_gpu_moments_t *m, strata_reduction_t r[2]) {
  strata_emitter_t *e = &d->e;
  int64_t n = strata_reduction_warps(r), row = r->source->sizes[1];
  MlirValue *parts = strata_arena_array(d->compile->arena, MlirValue, 2 * n);
  MlirValue *pivots = strata_arena_array(d->compile->arena, MlirValue, r->result.count);
  double length = (double)row / (double)n;
  take_pivots(r, pivots);
  strata_registers_t differences = less_pivots(r, pivots), squares = squares_of(d, &differences);
  MlirValue pivot = strata_reduction_own(r, pivots);
  r[0].source = &differences;
  r[1].source = &squares;
  part_t own = part_of_warp(r, pivot, length);
  r[0].result.values[0] = own.mean;
  r[1].result.values[0] = own.squares;
  STRATA_TRY(strata_reduction_exchange(r, 2, parts));
  part_t all = join(e, parts, parts + n, n, length);
  if (strata_moments_may_move(m)) {
    all.mean = strata_emit_binary(e, "arith.subf", all.mean, pivot);
    strata_registers_define(d, mlirOperationGetOperand(m->sum, 0), &differences);
  }
  MlirValue elements = strata_emit_real(e, mlirValueGetType(all.mean), (double)row);
  strata_registers_t sum = own_result(&r[0], strata_emit_binary(e, "arith.mulf", all.mean, elements));
  strata_registers_define(d, mlirOperationGetResult(m->sum, 0), &sum);
  m->result = own_result(&r[1], all.squares);
  return NULL;
}

// True if all registers of all threads hold elements, each another one: warps have as much of each row as the others.
static bool is_filled(const strata_gpu_distribution_t *d, const strata_registers_t *values) {
  return values->count * d->role.group == values->sizes[0] * values->sizes[1];
}

static strata_status_t reduce_sum(strata_gpu_distribution_t *d, strata_gpu_moments_t *m, bool *out_is_done) {
  const strata_registers_t *values = strata_registers_of(d, mlirOperationGetOperand(m->sum, 0));
  strata_reduction_t r[2] = {strata_reduction_of(d, m->sum, values), strata_reduction_of(d, m->squares, values)};
  *out_is_done = d->nest.loops == 0 && d->nest.branches == 0 && strata_reduction_is_dealt(&r[0]) &&
                 strata_reduction_is_dealt(&r[1]) && is_filled(d, values);
  return *out_is_done ? reduce_both(d, m, r) : NULL;
}

strata_status_t strata_moments_reduce(strata_gpu_distribution_t *d, MlirOperation op, bool *out_is_done) {
  *out_is_done = false;
  for (strata_gpu_moments_t *m = d->state.moments; m; m = m->next) {
    if (mlirOperationEqual(m->sum, op))
      return reduce_sum(d, m, out_is_done);
    *out_is_done = mlirOperationEqual(m->squares, op) && m->result.count > 0;
    if (*out_is_done) {
      strata_registers_define(d, mlirOperationGetResult(op, 0), &m->result);
      return NULL;
    }
  }
  return NULL;
}
