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

#include "dialects/mlir_text.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/reduce.h"

// The ops of such a pair, and what is between them.
typedef struct strata_gpu_moments {
  MlirOperation sum, scale, difference, square, squares;
  MlirValue mean, factor;             // of rows; a scalar
  STRATA_VECTOR(MlirOperation) apart; // products that products with the difference were taken apart to
  strata_registers_t result;          // of ->squares, when ->sum has been computed; without values before
  struct strata_gpu_moments *next;
} moments_t;

//===-- The pattern ----------------------------------------------------------------------------------------------===//

// The next user of |value| behind |use| that is a |name|; on the first call |use| is null.
static bool next_user(MlirValue value, const char *name, MlirOpOperand *use, MlirOperation *out_op) {
  *use = mlirOpOperandIsNull(*use) ? mlirValueGetFirstUse(value) : mlirOpOperandGetNextUse(*use);
  for (; !mlirOpOperandIsNull(*use); *use = mlirOpOperandGetNextUse(*use)) {
    *out_op = mlirOpOperandGetOwner(*use);
    if (strata_op_is(*out_op, name))
      return true;
  }
  return false;
}

static MlirOperation defining(MlirValue value, const char *name) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, name) ? op : (MlirOperation){0};
}

// What rows have one of each, given to all their elements: |value| or, behind a broadcast and a transposition, its
// source; a null value if it is anything else.
static MlirValue of_rows(MlirValue value) {
  MlirOperation turn = defining(value, "vector.transpose");
  MlirOperation spread =
      mlirOperationIsNull(turn) ? turn : defining(mlirOperationGetOperand(turn, 0), "vector.broadcast");
  if (mlirOperationIsNull(spread))
    return (MlirValue){0};
  MlirValue source = mlirOperationGetOperand(spread, 0);
  MlirType type = mlirValueGetType(source);
  return mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 1 ? source : (MlirValue){0};
}

// The scalar that all elements of |value| are; a null value if it is none.
static MlirValue splat_of(MlirValue value) {
  MlirOperation spread = defining(value, "vector.broadcast");
  MlirValue source = mlirOperationIsNull(spread) ? (MlirValue){0} : mlirOperationGetOperand(spread, 0);
  return !mlirValueIsNull(source) && !mlirTypeIsAVector(mlirValueGetType(source)) ? source : (MlirValue){0};
}

// True for a sum along the rows of f32, begun with zero, whose additions may take in products.
static bool is_sum_of_rows(MlirOperation op) {
  int64_t dims[STRATA_VALUE_RANK];
  if (!strata_op_is(op, "vector.multi_reduction") || !strata_attr_flag(op, "tile.contracts") ||
      !strata_value_is_zero(mlirOperationGetOperand(op, 1)))
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  return mlirShapedTypeGetRank(type) == 2 && mlirTypeIsAF32(mlirShapedTypeGetElementType(type)) &&
         strata_attr_i64s(op, "reduction_dims", STRATA_VALUE_RANK, dims) == 1 && dims[0] == 1;
}

// The sum of the squares of ->difference.
static bool find_squares(moments_t *m) {
  MlirValue difference = mlirOperationGetResult(m->difference, 0);
  MlirOpOperand use = {0};
  while (next_user(difference, "arith.mulf", &use, &m->square)) {
    MlirOpOperand sum = {0};
    bool is_square = mlirValueEqual(mlirOperationGetOperand(m->square, 0), mlirOperationGetOperand(m->square, 1));
    if (is_square && next_user(mlirOperationGetResult(m->square, 0), "vector.multi_reduction", &sum, &m->squares))
      return is_sum_of_rows(m->squares);
  }
  return false;
}

// The difference of what is summed up and ->mean.
static bool find_difference(moments_t *m) {
  MlirValue values = mlirOperationGetOperand(m->sum, 0);
  MlirOpOperand use = {0};
  while (next_user(values, "arith.subf", &use, &m->difference)) {
    MlirValue taken = of_rows(mlirOperationGetOperand(m->difference, 1));
    if (mlirValueEqual(mlirOperationGetOperand(m->difference, 0), values) && !mlirValueIsNull(taken) &&
        mlirValueEqual(taken, m->mean))
      return find_squares(m);
  }
  return false;
}

static bool find(MlirOperation sum, moments_t *m) {
  MlirOpOperand use = {0};
  *m = (moments_t){.sum = sum};
  if (!is_sum_of_rows(sum))
    return false;
  while (next_user(mlirOperationGetResult(sum, 0), "arith.mulf", &use, &m->scale)) {
    m->mean = mlirOperationGetResult(m->scale, 0);
    m->factor = splat_of(mlirOperationGetOperand(m->scale, 1));
    if (!mlirValueIsNull(m->factor) && find_difference(m))
      return true;
  }
  return false;
}

// True if |factor| is one over the length of the rows: what the sum is multiplied by to be their mean.
static bool is_mean(const moments_t *m) {
  MlirOperation constant = defining(m->factor, "arith.constant");
  MlirType type = mlirValueGetType(mlirOperationGetOperand(m->sum, 0));
  if (mlirOperationIsNull(constant))
    return false;
  double n = (double)mlirShapedTypeGetDimSize(type, 1),
         factor = mlirFloatAttrGetValueDouble(strata_attr(constant, "value"));
  return factor == (double)(float)(1 / n);
}

static bool is_wanted(strata_gpu_distribution_t *d, MlirOperation sum, moments_t *m) {
  return d->plan.rows > 1 && d->plan.blocks && !d->plan.producers && !d->compile->options->disable_unsafe_math &&
         find(sum, m) && is_mean(m) && strata_is_fast(d->compile->arena, m->difference, "reassoc");
}

//===-- What is made of differences ------------------------------------------------------------------------------===//

static MlirValue insert(MlirOperation before, const char *name, int n, const MlirValue *operands, MlirType type,
                        strata_named_attr_t attr) {
  MlirOperation op = strata_op_create(mlirOperationGetLocation(before), name, n, operands, 1, &type,
                                      !mlirAttributeIsNull(attr.attr), &attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return mlirOperationGetResult(op, 0);
}

// |value|, which rows have one of each, for all their elements, as |like| is.
static MlirValue spread_like(MlirOperation before, MlirValue value, MlirValue like) {
  MlirOperation turn = mlirOpResultGetOwner(like), spread = mlirOpResultGetOwner(mlirOperationGetOperand(turn, 0));
  MlirValue wide = insert(before, "vector.broadcast", 1, &value, mlirValueGetType(mlirOperationGetResult(spread, 0)),
                          (strata_named_attr_t){0});
  return insert(before, "vector.transpose", 1, &wide, mlirValueGetType(like),
                (strata_named_attr_t){"permutation", strata_attr(turn, "permutation")});
}

static void note_apart(strata_gpu_distribution_t *d, moments_t *m, MlirValue product) {
  *strata_vector_push(d->compile->arena, &m->apart) = mlirOpResultGetOwner(product);
}

static bool is_apart(const moments_t *m, MlirOperation op) {
  for (size_t i = 0; i < m->apart.count; i++)
    if (mlirOperationEqual(m->apart.data[i], op))
      return true;
  return false;
}

// |product| is the difference times |factor|, which is of rows.
static void take_apart(strata_gpu_distribution_t *d, moments_t *m, MlirOperation product, MlirValue factor) {
  strata_named_attr_t flags = {"fastmath", strata_attr(product, "fastmath")};
  MlirValue values = mlirOperationGetOperand(m->sum, 0), of_row = of_rows(factor);
  MlirType type = mlirValueGetType(values);
  MlirValue moved = insert(product, "arith.mulf", 2, (MlirValue[]){m->mean, of_row}, mlirValueGetType(of_row), flags);
  MlirValue scaled = insert(product, "arith.mulf", 2, (MlirValue[]){values, factor}, type, flags);
  MlirValue spread = spread_like(product, moved, factor);
  MlirValue both = insert(product, "arith.subf", 2, (MlirValue[]){scaled, spread}, type, flags);
  note_apart(d, m, moved);
  note_apart(d, m, scaled);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(product, 0), both);
  mlirOperationDestroy(product);
}

static bool take_one_apart(strata_gpu_distribution_t *d, moments_t *m) {
  MlirValue difference = mlirOperationGetResult(m->difference, 0);
  MlirOpOperand use = {0};
  MlirOperation product;
  while (next_user(difference, "arith.mulf", &use, &product)) {
    bool is_left = mlirValueEqual(mlirOperationGetOperand(product, 0), difference);
    MlirValue factor = mlirOperationGetOperand(product, is_left);
    if (mlirValueIsNull(of_rows(factor)))
      continue;
    take_apart(d, m, product, factor);
    return true;
  }
  return false;
}

static MlirWalkResult prepare(MlirOperation op, void *user) {
  strata_gpu_distribution_t *d = user;
  moments_t m;
  if (!is_wanted(d, op, &m))
    return MlirWalkResultAdvance;
  while (take_one_apart(d, &m))
    ;
  m.next = d->state.moments;
  d->state.moments = strata_arena_new(d->compile->arena, moments_t);
  *d->state.moments = m;
  return MlirWalkResultAdvance;
}

void strata_moments_prepare(strata_gpu_distribution_t *d, MlirOperation func) {
  mlirOperationWalk(func, prepare, d, MlirWalkPostOrder);
}

// True if nothing but |a|, |b| and what differences were taken apart to read |value|.
static bool is_read_by(const moments_t *m, MlirValue value, MlirOperation a, MlirOperation b) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(op, a) && !mlirOperationEqual(op, b) && !is_apart(m, op))
      return false;
  }
  return true;
}

// True if all that reads the values or their mean is the same if both are less by one number. What is loaded may be
// loaded again (strata_rows_refresh).
static bool may_move(const moments_t *m) {
  MlirValue values = mlirOperationGetOperand(m->sum, 0), spread = mlirOperationGetOperand(m->difference, 1);
  MlirOperation turn = mlirOpResultGetOwner(spread), wide = mlirOpResultGetOwner(mlirOperationGetOperand(turn, 0));
  return mlirOperationIsNull(defining(values, "tile.load")) && is_read_by(m, values, m->sum, m->difference) &&
         is_read_by(m, mlirOperationGetResult(m->sum, 0), m->scale, m->scale) && is_read_by(m, m->mean, wide, wide) &&
         is_read_by(m, mlirOperationGetResult(wide, 0), turn, turn) &&
         is_read_by(m, spread, m->difference, m->difference) &&
         is_read_by(m, mlirOperationGetResult(m->difference, 0), m->square, m->square);
}

//===-- The sums -------------------------------------------------------------------------------------------------===//

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

static strata_status_t reduce_both(strata_gpu_distribution_t *d, moments_t *m, strata_reduction_t r[2]) {
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
  if (may_move(m)) {
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

static strata_status_t reduce_sum(strata_gpu_distribution_t *d, moments_t *m, bool *out_is_done) {
  const strata_registers_t *values = strata_registers_of(d, mlirOperationGetOperand(m->sum, 0));
  strata_reduction_t r[2] = {strata_reduction_of(d, m->sum, values), strata_reduction_of(d, m->squares, values)};
  *out_is_done = d->nest.loops == 0 && d->nest.branches == 0 && strata_reduction_is_dealt(&r[0]) &&
                 strata_reduction_is_dealt(&r[1]) && is_filled(d, values);
  return *out_is_done ? reduce_both(d, m, r) : NULL;
}

strata_status_t strata_moments_reduce(strata_gpu_distribution_t *d, MlirOperation op, bool *out_is_done) {
  *out_is_done = false;
  for (moments_t *m = d->state.moments; m; m = m->next) {
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
