// Serial nests that walk rows between numbers from memory, one result a nest's point: loops that carry values, and
// reads that are along the innermost parallel dim as well. They have a vector form along that dim.
#include "dialects/affine/kernel.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

enum { MIN_ROW = 8, MAX_VARYING = 256 };

// What is made of the innermost parallel dim; of indices, whether by sums alone.
typedef struct {
  int count;
  MlirValue values[MAX_VARYING];
} set_t;

typedef struct {
  const strata_nest_t *nest;
  set_t varying;
  bool has_loop;
} reader_t;

static bool is_in(const set_t *set, MlirValue value) {
  for (int i = 0; i < set->count; i++)
    if (mlirValueEqual(set->values[i], value))
      return true;
  return false;
}

static bool add(set_t *set, MlirValue value) {
  if (set->count == MAX_VARYING)
    return false;
  set->values[set->count++] = value;
  return true;
}

// Whether |op| depends on its operand |i|: those of a map need not be in it.
static bool depends_on(MlirOperation op, intptr_t i) {
  MlirAttribute attr = strata_attr(op, "map");
  if (mlirAttributeIsNull(attr))
    return true;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  intptr_t dim = i - (strata_op_is(op, "affine.load") ? 1 : 0);
  return dim < 0 || dim >= mlirAffineMapGetNumDims(map) || strata_affine_map_dims(map) & 1u << dim;
}

static bool any_varies(const reader_t *r, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_in(&r->varying, mlirOperationGetOperand(op, i)) && depends_on(op, i))
      return true;
  return false;
}

static bool is_index_sum(MlirOperation op) {
  return mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         (strata_op_is(op, "arith.addi") || strata_op_is(op, "affine.apply"));
}

// One op with one result, or a read at indices that vary by sums.
static bool takes_op(reader_t *r, MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  bool is_math = name.length > 5 && (!strncmp(name.data, "arith.", 6) || !strncmp(name.data, "math.", 5));
  bool is_load = strata_op_is(op, "affine.load") || strata_op_is(op, "memref.load");
  if (mlirOperationGetNumResults(op) != 1 || !(is_math || is_load || strata_op_is(op, "affine.apply")))
    return false;
  if (!any_varies(r, op))
    return true;
  bool is_index = mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (is_index && !is_index_sum(op))
    return false;
  // An index made of an element that varies is no sum.
  for (intptr_t i = is_load ? 1 : 0; (is_load || is_index) && i < mlirOperationGetNumOperands(op); i++)
    if (is_in(&r->varying, mlirOperationGetOperand(op, i)) &&
        !mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return false;
  return add(&r->varying, mlirOperationGetResult(op, 0));
}

static bool takes_block(reader_t *r, MlirBlock block, bool is_inner);

static bool takes_loop(reader_t *r, MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t n_carried = mlirOperationGetNumResults(op), n_bounds = mlirOperationGetNumOperands(op) - n_carried;
  if (n_carried < 1)
    return false;
  for (intptr_t i = 0; i < n_bounds; i++)
    if (is_in(&r->varying, mlirOperationGetOperand(op, i)))
      return false;
  for (intptr_t i = 0; i < n_carried; i++)
    if (!add(&r->varying, mlirBlockGetArgument(body, 1 + i)) || !add(&r->varying, mlirOperationGetResult(op, i)))
      return false;
  r->has_loop = true;
  return takes_block(r, body, true);
}

static bool takes_block(reader_t *r, MlirBlock block, bool is_inner) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (strata_op_is(op, "affine.yield") || strata_op_is(op, "scf.yield"))
      continue;
    bool is_loop = strata_op_is(op, "scf.for") || strata_op_is(op, "affine.for");
    bool is_store = strata_op_is(op, "affine.store") && !is_inner;
    if (is_loop ? !takes_loop(r, op) : !is_store && !takes_op(r, op))
      return false;
  }
  return true;
}

bool strata_nest_loops_over_rows(const strata_nest_t *nest) {
  int last = nest->n_parallel - 1;
  int64_t stride;
  const strata_access_t *store = strata_nest_only_store(nest);
  if (!nest->is_serial || !store || strata_size_min(nest->space.sizes[last]) < MIN_ROW ||
      !strata_access_stride(nest, store, last, &stride) || stride != 1)
    return false;
  reader_t r = {.nest = nest};
  return add(&r.varying, nest->dims[last]) && takes_block(&r, nest->body, false) && r.has_loop;
}

//===-- Work -----------------------------------------------------------------------------------------------------===//

static int64_t trips_of(MlirOperation loop) {
  MlirAttribute attr = strata_attr(loop, "upperBoundMap");
  if (mlirAttributeIsNull(attr))
    return 1;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  bool is_number = mlirAffineMapGetNumResults(map) == 1 && mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, 0));
  return is_number ? strata_max(1, mlirAffineConstantExprGetValue(mlirAffineMapGetResult(map, 0))) : 1;
}

static int64_t steps_of(MlirBlock block) {
  int64_t steps = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "affine.for") || strata_op_is(op, "scf.for"))
      steps += strata_times(trips_of(op), steps_of(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))));
  return strata_max(1, steps);
}

int64_t strata_nest_loop_steps(const strata_nest_t *nest) { return steps_of(nest->body); }
