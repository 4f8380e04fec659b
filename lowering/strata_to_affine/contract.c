// Contractions (matrix products, convolutions): parallel over the result, loops over the other dims around a
// multiplication and an addition in the type the result accumulates in.
//
//   %2 = "strata.contract"(%0, %1) {maps = [(i, j, k) -> (i, k), (i, j, k) -> (k, j), (i, j, k) -> (i, j)], ...}
// becomes
//   affine.parallel (%i, %j) = (0, 0) to (8, 64) {
//     %s = affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
//       %x = affine.load %lhs[%i, %k] ...  %y = affine.load %rhs[%k, %j] ...  %p = arith.mulf %x, %y : f32
//       %n = arith.addf %a, %p : f32  affine.yield %n : f32 }
//     affine.store %s, %result[%i, %j] : memref<8x64xf32> }
// With scales of blocks %y is multiplied by the one that it has first.
#include "lowering/strata_to_affine/lower.h"

typedef struct {
  const strata__tensor_t *operands[2], *result;
  const strata__tensor_t *scales; // of the second operand, for blocks along its dim |axis|; NULL: none
  int64_t axis;
  MlirAffineMap maps[2];
  int n_reduced;
  strata_size_t extents[STRATA_MAX_RANK]; // of the dims that are summed over
  bool zero_pad, is_unsigned[2];
} contract_t;

static contract_t contract_of(strata__lowering_t *l, MlirOperation op) {
  MlirAttribute maps = strata_attr(op, "maps");
  bool is_scaled = strata_op_id(op) == STRATA_OP_SCALED_CONTRACT;
  contract_t c = {.result = strata__result(l, op, 0),
                  .scales = is_scaled ? strata__operand(l, op, 2) : NULL,
                  .axis = strata_attr_i64(op, "axis", 0),
                  .zero_pad = strata_attr_flag(op, "zero_pad"),
                  .is_unsigned = {strata_attr_flag(op, "unsigned_lhs"), false}};
  for (int i = 0; i < 2; i++) {
    c.operands[i] = strata__operand(l, op, i);
    c.maps[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  }
  strata_dim_t dims[STRATA_MAX_RANK];
  c.n_reduced = strata_contract_dims(op, dims) - c.result->rank;
  for (int i = 0; i < c.n_reduced; i++)
    c.extents[i] = strata_size_of_expr(&l->symbols, dims[c.result->rank + i]);
  return c;
}

// A factor in the type that the result accumulates in; narrower integers wrap, as the sum of wider ones would.
static MlirValue resize(strata__nest_t *nest, MlirValue x, MlirType type, bool is_unsigned) {
  MlirType from = mlirValueGetType(x);
  if (mlirTypeEqual(from, type))
    return x;
  if (mlirTypeIsAFloat(type))
    return strata__cast(nest, mlirFloatTypeGetWidth(from) < mlirFloatTypeGetWidth(type) ? "arith.extf" : "arith.truncf",
                        x, type);
  bool is_wider = mlirIntegerTypeGetWidth(from) < mlirIntegerTypeGetWidth(type);
  return strata__cast(nest, !is_wider ? "arith.trunci" : is_unsigned ? "arith.extui" : "arith.extsi", x, type);
}

// Operand |index| at the point whose coordinates are |dims|; outside, 0.
static MlirValue load_operand(strata__nest_t *nest, const contract_t *c, int index, const MlirAffineExpr *dims,
                              MlirType type) {
  const strata__tensor_t *operand = c->operands[index];
  MlirAffineExpr coordinates[STRATA_MAX_RANK];
  strata__substitute(nest, c->maps[index], dims, coordinates);
  MlirType element = strata_type_to_mlir(nest->lowering->context, operand->type);
  MlirAttribute zero = strata__neutral(STRATA_COMBINER_ADD, element);
  MlirValue raw =
      c->zero_pad ? strata__load_or(nest, operand, coordinates, zero) : strata__load_raw(nest, operand, coordinates);
  return resize(nest, strata__to_math(nest, operand->type, raw), type, c->is_unsigned[index]);
}

// The power of two whose exponent, and 127, a byte is: the byte in the place of an f32's exponent.
static MlirValue power_of_two(strata__nest_t *nest, MlirValue byte) {
  enum { MANTISSA_BITS = 23 };
  MlirContext context = nest->lowering->context;
  MlirType i32 = mlirIntegerTypeGet(context, 32);
  MlirValue bits = strata__cast(nest, "arith.extui", byte, i32);
  bits = strata__binary(nest, "arith.shli", bits, strata__int_constant(nest, i32, MANTISSA_BITS));
  return strata__cast(nest, "arith.bitcast", bits, mlirF32TypeGet(context));
}

// The second operand's |value| times its block's scale.
static MlirValue scale(strata__nest_t *nest, const contract_t *c, const MlirAffineExpr *dims, MlirValue value) {
  MlirAffineExpr coordinates[STRATA_MAX_RANK];
  MlirType type = mlirValueGetType(value);
  strata__substitute(nest, c->maps[1], dims, coordinates);
  coordinates[c->axis] = mlirAffineFloorDivExprGet(coordinates[c->axis], strata__constant(nest, STRATA_SCALED_BLOCK));
  MlirValue factor = power_of_two(nest, strata__load_raw(nest, c->scales, coordinates));
  return strata__binary(nest, "arith.mulf", value, resize(nest, factor, type, false));
}

static MlirValue sum_of_products(strata__nest_t *nest, const contract_t *c, const MlirAffineExpr *point) {
  MlirType type = strata__math_type(nest->lowering->context, c->result->type);
  MlirValue zero = strata__neutral_value(nest, STRATA_COMBINER_ADD, type);
  strata__reduction_t reduction;
  MlirAffineExpr dims[STRATA_MAX_RANK];
  for (int i = 0; i < c->n_reduced; i++)
    if (strata_size_max(c->extents[i]) == 0)
      return zero;
  strata__reduction_begin(nest, &reduction, c->n_reduced, c->extents, zero);
  for (int i = 0; i < c->result->rank; i++)
    dims[i] = point[i];
  for (int i = 0; i < c->n_reduced; i++)
    dims[c->result->rank + i] = reduction.dims[i];
  MlirValue lhs = load_operand(nest, c, 0, dims, type), rhs = load_operand(nest, c, 1, dims, type);
  if (c->scales)
    rhs = scale(nest, c, dims, rhs);
  MlirValue product = strata__binary(nest, mlirTypeIsAFloat(type) ? "arith.mulf" : "arith.muli", lhs, rhs);
  if (reduction.n_loops > 0)
    product = strata__combine(nest, STRATA_COMBINER_ADD, reduction.accumulator, product);
  return strata__reduction_end(nest, &reduction, product);
}

// Without zero_pad every read must be inside: of sizes that vary this is what the op says.
static strata_status_t check_inside(strata__lowering_t *l, const contract_t *c) {
  strata_size_t extents[STRATA_MAX_RANK];
  for (int i = 0; i < c->result->rank; i++)
    extents[i] = c->result->sizes[i];
  for (int i = 0; i < c->n_reduced; i++) {
    extents[c->result->rank + i] = c->extents[i];
    if (strata_size_max(c->extents[i]) == 0)
      return NULL;
  }
  for (int operand = 0; operand < 2 && !c->zero_pad; operand++)
    for (int i = 0; i < c->operands[operand]->rank; i++) {
      int64_t min, max, size;
      MlirAffineExpr expr = mlirAffineMapGetResult(c->maps[operand], i);
      const strata_space_t *space = STRATA__SPACE_OF(l, c->result->rank + c->n_reduced, extents);
      if (strata_sizes_vary(space->n_dims, extents) || !strata_size_is_constant(c->operands[operand]->sizes[i], &size))
        continue;
      if (!strata_affine_range(expr, space, &min, &max) || min < 0 || max >= size)
        return strata_error(STRATA_INVALID_ARGUMENT, "contract: operand %d is read outside its dim %d", operand, i);
    }
  return NULL;
}

strata_status_t strata__lower_contract(strata__lowering_t *l, MlirOperation op) {
  contract_t c = contract_of(l, op);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  if (c.n_reduced < 0)
    return strata_error(STRATA_INVALID_ARGUMENT, "contract: its dims have no sizes");
  STRATA_TRY(check_inside(l, &c));
  strata__nest_begin_for(l, &nest, op, "contract", c.result, point);
  nest.fast_math = l->fast_math_of_products;
  strata__store(&nest, c.result, point, sum_of_products(&nest, &c, point));
  strata__nest_end(&nest);
  return NULL;
}
