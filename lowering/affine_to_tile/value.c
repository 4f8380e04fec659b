// Evaluating nests at tiles: see value.h.
//
//   affine.parallel (%i, %j) ... { %u = affine.load %t[%i, %j]  %v = affine.load %b[%j]  %s = arith.addf %u, %v  ... }
// at i = s0, j = s1 * 64 + v0 becomes
//   %u = "tile.load"(%t, %s0, %s1) {map = affine_map<(v)[i, j] -> (i, j * 64 + v)>} : (...) -> vector<64xf32>  ...
#include "lowering/affine_to_tile/value_parts.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/strata/strata.h"
#include "lowering/affine_to_tile/rounding.h"

static const strata_tile_value_t no_value;

//===-- Scalar code ----------------------------------------------------------------------------------------------===//

void strata_tile_bind(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue scalar,
                      strata_tile_value_t value) {
  *strata_vector_push(b->kernel->arena, &frame->values) = (strata_tile_binding_t){scalar, value};
}

// An op of two index values over |dims|.
static MlirValue index_op(strata_tile_builder_t *b, const char *name, MlirValue lhs, MlirValue rhs, uint32_t dims) {
  MlirValue operands[2] = {lhs, rhs};
  MlirType type = strata_tile_type(b, mlirIndexTypeGet(b->e.context), dims);
  return strata_emit_value(&b->e, name, 2, operands, type, 0, NULL);
}

MlirValue strata_tile_indices(strata_tile_builder_t *b, MlirAffineExpr expr, uint32_t dims) {
  return strata_tile_broadcast(b, strata_tile_index_value(b, expr), dims);
}

// The least multiple of |divisor| that makes |expr| no less than zero.
static int64_t raise_of(const strata_tile_builder_t *b, MlirAffineExpr expr, int64_t divisor) {
  strata_static_space_t storage;
  int64_t min, max;
  if (!strata_affine_range(expr, strata_tile_space(b, &storage), &min, &max) || min >= 0)
    return 0;
  return strata_round_up(-min, divisor);
}

// A quotient or a remainder, towards minus infinity as affine ones are: of what may be negative, as where a slice goes
// backwards, after a multiple of the divisor has been added.
static MlirValue divided(strata_tile_builder_t *b, MlirAffineExpr expr, uint32_t dims) {
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr);
  if (!mlirAffineExprIsAConstant(rhs)) {
    strata_tile_fail(b, "affine-to-tile: numbers of elements divided by a size that varies");
    return strata_tile_indices(b, strata_tile_constant(b, 0), dims);
  }
  int64_t divisor = mlirAffineConstantExprGetValue(rhs), raise = raise_of(b, lhs, divisor);
  MlirValue dividend = strata_tile_indices(b, lhs, dims), by = strata_tile_indices(b, rhs, dims);
  if (raise)
    dividend = index_op(b, "arith.addi", dividend, strata_tile_indices(b, strata_tile_constant(b, raise), dims), dims);
  if (mlirAffineExprIsAMod(expr))
    return index_op(b, "arith.remui", dividend, by, dims);
  MlirValue quotient = index_op(b, "arith.divui", dividend, by, dims);
  MlirAffineExpr lowered = strata_tile_constant(b, -raise / divisor);
  return raise ? index_op(b, "arith.addi", quotient, strata_tile_indices(b, lowered, dims), dims) : quotient;
}

strata_tile_value_t strata_tile_index_value(strata_tile_builder_t *b, MlirAffineExpr expr) {
  uint32_t dims = strata_tile_dims_of(b, 1, &expr);
  MlirType index = mlirIndexTypeGet(b->e.context);
  if (!dims)
    return (strata_tile_value_t){strata_tile_index(b, expr), 0};
  if (mlirAffineExprIsADim(expr))
    return (strata_tile_value_t){
        strata_emit_value(&b->e, "vector.step", 0, NULL, strata_tile_type(b, index, dims), 0, NULL), dims};
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return (strata_tile_value_t){divided(b, expr, dims), dims};
  MlirValue lhs = strata_tile_indices(b, mlirAffineBinaryOpExprGetLHS(expr), dims);
  MlirValue rhs = strata_tile_indices(b, mlirAffineBinaryOpExprGetRHS(expr), dims);
  return (strata_tile_value_t){index_op(b, mlirAffineExprIsAAdd(expr) ? "arith.addi" : "arith.muli", lhs, rhs, dims),
                               dims};
}

// True if the kernel's code rounds |value| to bf16 wherever it uses it, be the rounding dropped later or not.
static bool rounds_to_bf16(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!strata_op_is(user, "arith.truncf") || !mlirTypeIsABF16(mlirValueGetType(mlirOperationGetResult(user, 0))))
      return false;
  }
  return true;
}

// |op| with vectors in place of its scalars.
static strata_tile_value_t clone_elementwise(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  enum { MAX_OPERANDS = 4, MAX_ATTRS = 8 };
  strata_tile_value_t inputs[MAX_OPERANDS];
  MlirValue operands[MAX_OPERANDS];
  strata_named_attr_t attrs[MAX_ATTRS];
  int n_operands = (int)mlirOperationGetNumOperands(op), n_attrs = (int)mlirOperationGetNumAttributes(op);
  if (n_operands > MAX_OPERANDS || n_attrs > MAX_ATTRS) {
    strata_tile_fail(b, "affine-to-tile: an op with %d operands and %d attributes", n_operands, n_attrs);
    return no_value;
  }
  uint32_t dims = 0;
  for (int i = 0; i < n_operands; i++) {
    inputs[i] = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, i));
    if (b->status)
      return no_value;
    dims |= inputs[i].dims;
  }
  for (int i = 0; i < n_operands; i++)
    operands[i] = strata_tile_broadcast(b, inputs[i], dims);
  for (int i = 0; i < n_attrs; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    attrs[i] = (strata_named_attr_t){mlirIdentifierStr(named.name).data, named.attribute};
  }
  MlirType type = strata_tile_type(b, mlirValueGetType(mlirOperationGetResult(op, 0)), dims);
  if (strata_op_is(op, "math.tanh") && n_attrs < MAX_ATTRS && rounds_to_bf16(mlirOperationGetResult(op, 0)))
    attrs[n_attrs++] = (strata_named_attr_t){"tile.rounds_to_bf16", mlirUnitAttrGet(b->e.context)};
  MlirStringRef name = strata_op_name(op);
  return (strata_tile_value_t){strata_emit_value(&b->e, name.data, n_operands, operands, type, n_attrs, attrs), dims};
}

// A constant is emitted where it is used; it is a scalar and broadcast at each use.
static strata_tile_value_t clone_constant(strata_tile_builder_t *b, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return (strata_tile_value_t){strata_emit_constant(&b->e, type, strata_attr(op, "value")), 0};
}

//===-- Evaluation -----------------------------------------------------------------------------------------------===//

static strata_tile_value_t evaluate_load(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  for (int i = 0; i < frame->nest->n_accesses; i++) {
    const strata_access_t *access = &frame->nest->accesses[i];
    if (access->is_store || !mlirOperationEqual(access->op, op))
      continue;
    if (mlirAffineMapIsNull(access->map))
      return strata_tile_row_load(b, frame, op);
    MlirAffineExpr coordinates[STRATA_MAX_DIMS];
    int rank = strata_tile_access_coordinates(b, frame->nest, access, frame->point, coordinates);
    const strata_tile_reader_t reader = {frame->nest, access, frame->point};
    return strata_attr_flag(op, "strata.padded") ? strata_tile_load_padded(b, access->buffer, rank, coordinates)
                                                 : strata_tile_load_for(b, access->buffer, rank, coordinates, &reader);
  }
  strata_tile_fail(b, "affine-to-tile: a load outside its nest");
  return no_value;
}

static bool is_loop(MlirOperation op) { return strata_op_is(op, "scf.for") || strata_op_is(op, "affine.for"); }

static strata_tile_value_t evaluate_op(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  if (strata_op_is(op, "arith.constant"))
    return clone_constant(b, op);
  if (strata_op_is(op, "affine.load"))
    return evaluate_load(b, frame, op);
  if (strata_op_is(op, "memref.load"))
    return strata_tile_row_load(b, frame, op);
  if (strata_op_is(op, "affine.if"))
    return strata_tile_guard(b, frame, op);
  if (strata_op_is(op, "affine.apply")) {
    MlirAffineMap map = strata_nest_map(frame->nest, op);
    return strata_tile_index_value(
        b, strata_tile_at_point(b, strata_nest_n_dims(frame->nest), mlirAffineMapGetResult(map, 0), frame->point));
  }
  if (strata_op_is(op, "arith.extf")) {
    strata_tile_value_t value, operand = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, 0));
    if (!b->status && strata_tile_unrounded(b, operand, mlirValueGetType(mlirOperationGetResult(op, 0)), &value))
      return value;
  }
  return clone_elementwise(b, frame, op);
}

strata_tile_value_t strata_tile_evaluate(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue scalar) {
  if (b->status)
    return no_value;
  for (size_t i = frame->values.count; i-- > 0;)
    if (mlirValueEqual(frame->values.data[i].scalar, scalar))
      return frame->values.data[i].value;
  strata_tile_value_t value = no_value;
  if (mlirValueIsAOpResult(scalar) && is_loop(mlirOpResultGetOwner(scalar))) {
    strata_tile_loop(b, frame, mlirOpResultGetOwner(scalar));
    return strata_tile_evaluate(b, frame, scalar);
  }
  if (mlirValueIsAOpResult(scalar)) {
    value = evaluate_op(b, frame, mlirOpResultGetOwner(scalar));
  } else {
    int dim = 0;
    while (dim < strata_nest_n_dims(frame->nest) && !mlirValueEqual(frame->nest->dims[dim], scalar))
      dim++;
    if (dim == strata_nest_n_dims(frame->nest))
      strata_tile_fail(b, "affine-to-tile: a value of another nest");
    else
      value = strata_tile_index_value(b, frame->point[dim]);
  }
  if (!b->status)
    strata_tile_bind(b, frame, scalar, value);
  return value;
}

strata_tile_value_t strata_tile_stored_value(strata_tile_builder_t *b, const strata_nest_t *nest,
                                             const strata_access_t *store, const MlirAffineExpr *coordinates) {
  strata_tile_frame_t frame = {.nest = nest, .point = coordinates};
  return strata_tile_evaluate(b, &frame, store->value);
}

void strata_tile_finish(strata_tile_builder_t *b, strata_tile_frame_t *frame) {
  const strata_nest_t *nest = frame->nest;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  for (int i = 0; i < nest->n_accesses && !b->status; i++) {
    const strata_access_t *store = &nest->accesses[i];
    if (!store->is_store)
      continue;
    strata_tile_value_t value = strata_tile_evaluate(b, frame, store->value);
    int rank = strata_tile_access_coordinates(b, nest, store, frame->point, coordinates);
    if (mlirValueIsABlockArgument(store->buffer))
      strata_tile_store(b, value, store->buffer, rank, coordinates);
    strata_tile_know(b, store->buffer, rank, coordinates, value);
  }
}
