// Which values live in scalars instead of native registers, decided for a whole function before it is distributed.
//
// Some ops need single elements: the broadcast side of a product, a row's maximum that is subtracted from the row. Such
// a value, and what it is computed from or into by arithmetic and loops, is best kept one element a register: loads of
// it become scalar loads, and a broadcast from a scalar costs nothing extra.
#include "lowering/tile_to_cpu/distribute.h"

#include "dialects/integers.h"
#include "lowering/distribute/unify.h"

//===-- Native lanes ---------------------------------------------------------------------------------------------===//

typedef struct {
  int64_t float_bits, integer_bits; // of the widest
} widths_t;

static void note_type(widths_t *widths, MlirType type) {
  if (!mlirTypeIsAVector(type))
    return;
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t *widest = mlirTypeIsAFloat(element) ? &widths->float_bits : &widths->integer_bits;
  *widest = strata_max(*widest, strata_element_bits(element));
}

static MlirWalkResult note_results(MlirOperation op, void *user) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    note_type(user, mlirValueGetType(mlirOperationGetResult(op, i)));
  return MlirWalkResultAdvance;
}

int64_t strata_native_lanes(MlirOperation func, const strata_cpu_device_t *device) {
  widths_t widths = {0, 8};
  mlirOperationWalk(func, note_results, &widths, MlirWalkPreOrder);
  int64_t bits = widths.float_bits ? widths.float_bits : widths.integer_bits;
  return device->vector_bytes * 8 / bits;
}

//===-- Scalars --------------------------------------------------------------------------------------------------===//

static void unify(void *distribution, MlirValue a, MlirValue b) { strata_lanes_unify(distribution, a, b); }

static void visit_reduction(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), source = mlirOperationGetOperand(op, 0);
  int64_t dims[STRATA_VECTOR_RANK], last = mlirShapedTypeGetRank(mlirValueGetType(source)) - 1;
  int n_dims = strata_attr_i64s(op, "reduction_dims", STRATA_VECTOR_RANK, dims);
  strata_unify(d, unify, result, mlirOperationGetOperand(op, 1));
  for (int i = 0; i < n_dims; i++)
    if (dims[i] == last)
      strata_lanes_want_scalars(d, result);
}

// The operand without the innermost dim of the result is broadcast.
static void visit_contract(strata_distribution_t *d, MlirOperation op) {
  strata_unify(d, unify, mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 2));
  MlirAttribute maps = strata_attr(op, "indexing_maps");
  MlirAffineMap result_map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 2));
  intptr_t rank = mlirAffineMapGetNumResults(result_map);
  if (rank == 0)
    return;
  intptr_t inner = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result_map, rank - 1));
  for (intptr_t i = 0; i < 2; i++) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    bool uses_inner = false;
    for (intptr_t r = 0; r < mlirAffineMapGetNumResults(map); r++)
      uses_inner |= mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, r)) == inner;
    if (!uses_inner)
      strata_lanes_want_scalars(d, mlirOperationGetOperand(op, i));
  }
}

static void visit_outerproduct(strata_distribution_t *d, MlirOperation op) {
  strata_lanes_want_scalars(d, mlirOperationGetOperand(op, 0));
  if (mlirOperationGetNumOperands(op) > 2)
    strata_unify(d, unify, mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 2));
}

// A movement that repeats one element along every row of its result wants its source in scalars, and so does one whose
// result is wanted so.
static void visit_movement(strata_distribution_t *d, MlirOperation op) {
  strata_movement_t movement;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!mlirTypeIsAVector(mlirValueGetType(result)) || !strata_movement_of(d, op, &movement))
    return;
  bool broadcasts = strata_lanes_of(d, result) != 1;
  int64_t row = strata_pieces_layout(mlirValueGetType(result), 1).row_length;
  for (int64_t i = 0; i < movement.n_elements && broadcasts; i++)
    broadcasts = movement.source[i] == movement.source[i - i % row];
  if (broadcasts || strata_lanes_of(d, result) == 1)
    strata_lanes_want_scalars(d, movement.from);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  strata_distribution_t *d = user;
  if (strata_unify_structure(d, unify, op))
    return MlirWalkResultAdvance;
  if (strata_op_is(op, "vector.multi_reduction"))
    visit_reduction(d, op);
  else if (strata_op_is(op, "vector.contract"))
    visit_contract(d, op);
  else if (strata_op_is(op, "vector.outerproduct"))
    visit_outerproduct(d, op);
  else if (strata_op_is_arithmetic(op) || strata_op_is(op, "vector.fma"))
    strata_unify_elementwise(d, unify, op);
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit_after(MlirOperation op, void *user) {
  if (mlirOperationGetNumResults(op) == 1)
    visit_movement(user, op);
  return MlirWalkResultAdvance;
}

void strata_choose_lanes(strata_distribution_t *d, MlirOperation func) {
  mlirOperationWalk(func, visit, d, MlirWalkPreOrder);
  mlirOperationWalk(func, visit_after, d, MlirWalkPostOrder);
}
