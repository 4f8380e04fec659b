// The mean and the variance of rows: which ops are such a pair, and what is made of differences from the mean; see
// moments.c.
#include "dialects/mlir_text.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/moments.h"

//===-- The pattern -----------------------------------------------------------------------------------------------===//

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

// What rows have one of each, given to all their elements: |value| or, behind a broadcast and a transposition, its
// source; a null value if it is anything else.
static MlirValue of_rows(MlirValue value) {
  MlirOperation turn = strata_def_named(value, "vector.transpose");
  MlirOperation spread =
      mlirOperationIsNull(turn) ? turn : strata_def_named(mlirOperationGetOperand(turn, 0), "vector.broadcast");
  if (mlirOperationIsNull(spread))
    return (MlirValue){0};
  MlirValue source = mlirOperationGetOperand(spread, 0);
  MlirType type = mlirValueGetType(source);
  return mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 1 ? source : (MlirValue){0};
}

// The scalar that all elements of |value| are; a null value if it is none.
static MlirValue splat_of(MlirValue value) {
  MlirOperation spread = strata_def_named(value, "vector.broadcast");
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
static bool find_squares(strata_gpu_moments_t *m) {
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
static bool find_difference(strata_gpu_moments_t *m) {
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

static bool find(MlirOperation sum, strata_gpu_moments_t *m) {
  MlirOpOperand use = {0};
  *m = (strata_gpu_moments_t){.sum = sum};
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
static bool is_mean(const strata_gpu_moments_t *m) {
  MlirOperation constant = strata_def_named(m->factor, "arith.constant");
  MlirType type = mlirValueGetType(mlirOperationGetOperand(m->sum, 0));
  if (mlirOperationIsNull(constant))
    return false;
  double n = (double)mlirShapedTypeGetDimSize(type, 1),
         factor = mlirFloatAttrGetValueDouble(strata_attr(constant, "value"));
  return factor == (double)(float)(1 / n);
}

static bool is_wanted(strata_gpu_distribution_t *d, MlirOperation sum, strata_gpu_moments_t *m) {
  return d->plan.rows > 1 && d->plan.blocks && !d->plan.producers && !d->compile->options->disable_unsafe_math &&
         find(sum, m) && is_mean(m) && strata_is_fast(d->compile->arena, m->difference, "reassoc");
}

//===-- What is made of differences -------------------------------------------------------------------------------===//

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

static void note_apart(strata_gpu_distribution_t *d, strata_gpu_moments_t *m, MlirValue product) {
  *strata_vector_push(d->compile->arena, &m->apart) = mlirOpResultGetOwner(product);
}

static bool is_apart(const strata_gpu_moments_t *m, MlirOperation op) {
  for (size_t i = 0; i < m->apart.count; i++)
    if (mlirOperationEqual(m->apart.data[i], op))
      return true;
  return false;
}

// |product| is the difference times |factor|, which is of rows.
static void take_apart(strata_gpu_distribution_t *d, strata_gpu_moments_t *m, MlirOperation product, MlirValue factor) {
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

static bool take_one_apart(strata_gpu_distribution_t *d, strata_gpu_moments_t *m) {
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
  strata_gpu_moments_t m;
  if (!is_wanted(d, op, &m))
    return MlirWalkResultAdvance;
  while (take_one_apart(d, &m))
    ;
  m.next = d->state.moments;
  d->state.moments = strata_arena_new(d->compile->arena, strata_gpu_moments_t);
  *d->state.moments = m;
  return MlirWalkResultAdvance;
}

void strata_moments_prepare(strata_gpu_distribution_t *d, MlirOperation func) {
  mlirOperationWalk(func, prepare, d, MlirWalkPostOrder);
}

// True if nothing but |a|, |b| and what differences were taken apart to read |value|.
static bool is_read_by(const strata_gpu_moments_t *m, MlirValue value, MlirOperation a, MlirOperation b) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(op, a) && !mlirOperationEqual(op, b) && !is_apart(m, op))
      return false;
  }
  return true;
}

bool strata_moments_may_move(const strata_gpu_moments_t *m) {
  MlirValue values = mlirOperationGetOperand(m->sum, 0), spread = mlirOperationGetOperand(m->difference, 1);
  MlirOperation turn = mlirOpResultGetOwner(spread), wide = mlirOpResultGetOwner(mlirOperationGetOperand(turn, 0));
  return mlirOperationIsNull(strata_def_named(values, "tile.load")) && is_read_by(m, values, m->sum, m->difference) &&
         is_read_by(m, mlirOperationGetResult(m->sum, 0), m->scale, m->scale) && is_read_by(m, m->mean, wide, wide) &&
         is_read_by(m, mlirOperationGetResult(wide, 0), turn, turn) &&
         is_read_by(m, spread, m->difference, m->difference) &&
         is_read_by(m, mlirOperationGetResult(m->difference, 0), m->square, m->square);
}
