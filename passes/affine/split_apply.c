// The two nests of a reduction that is split; see split_reductions.h.
#include "passes/affine/split_reductions.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/coalesce.h"
#include "passes/affine/nest_edit.h"

//===-- Edits both nests share -----------------------------------------------------------------------------------===//

// True if the parts of reduction dim |dim| stand behind the results' dims.
static bool is_behind(const strata_split_t *split, int dim) { return !split->is_across || split->is_beside[dim]; }

int strata_split_place(const strata_split_t *split, int dim) {
  int place = is_behind(split, dim) ? split->nest->n_parallel : 0;
  for (int i = 0; i < split->nest->n_reduction; i++)
    place +=
        strata_split_cuts(split, i) && (is_behind(split, i) == is_behind(split, dim) ? i < dim : !is_behind(split, i));
  return place;
}

// The dims of the partial results: parts and results, the ones that lie side by side last.
static int partial_dims(const strata_split_t *split, const MlirValue *parts, const MlirValue *results,
                        MlirValue *out_dims) {
  int n_front = 0, n_split = 0;
  for (int i = 0; i < split->nest->n_reduction; i++)
    if (strata_split_cuts(split, i)) {
      out_dims[strata_split_place(split, i)] = parts[n_split++];
      n_front += !is_behind(split, i);
    }
  for (int i = 0; i < split->nest->n_parallel; i++)
    out_dims[n_front + i] = results[i];
  return split->nest->n_parallel + n_split;
}

int strata_split_sizes(const strata_split_t *split, strata_size_t *out_sizes) {
  const strata_nest_t *nest = split->nest;
  int n_front = 0, n_split = 0;
  for (int i = 0; i < nest->n_reduction; i++)
    if (strata_split_cuts(split, i)) {
      out_sizes[strata_split_place(split, i)] = split->parts[i];
      n_front += !is_behind(split, i);
      n_split++;
    }
  for (int i = 0; i < nest->n_parallel; i++)
    out_sizes[n_front + i] = nest->space.sizes[i];
  return nest->n_parallel + n_split;
}

MlirOperation strata_split_access(MlirLocation location, const char *name, const MlirValue *leading, int n_leading,
                                  const MlirValue *dims, int n_dims, int n_results, const MlirType *result) {
  MlirValue operands[2 + STRATA_MAX_DIMS];
  for (int i = 0; i < n_leading; i++)
    operands[i] = leading[i];
  for (int i = 0; i < n_dims; i++)
    operands[n_leading + i] = dims[i];
  MlirContext context = mlirLocationGetContext(location);
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, n_dims))};
  return strata_op_create(location, name, n_leading + n_dims, operands, n_results, result, 1, &map, 0, NULL);
}

//===-- Partial results ------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_nest_t *nest; // the copy
  MlirAffineMap points;      // new dims -> the copy's dims before
  MlirValue dims[STRATA_MAX_DIMS];
} shift_t;

static MlirWalkResult shift_op(MlirOperation op, void *user) {
  const shift_t *shift = user;
  MlirAffineMap map = {0};
  if (strata_op_is(op, "affine.apply") || strata_op_is(op, "affine.load"))
    map = strata_nest_map(shift->nest, op);
  else if (strata_op_is(op, "affine.if"))
    map = strata_coalesce_conditions(shift->nest, op);
  if (!mlirAffineMapIsNull(map))
    strata_nest_set_map(op, strata_affine_compose(map, shift->points, NULL), shift->dims);
  return MlirWalkResultAdvance;
}

// Where the part |part| of reduction dim |dim| begins.
static MlirAffineExpr start_of(const strata_split_t *split, int dim, MlirAffineExpr part) {
  return mlirAffineMulExprGet(part, strata_size_expr(mlirAffineExprGetContext(part), split->sizes[dim]));
}

// Reduction dim r becomes part * (extent / parts) + r; |parts| are the new arguments of the parallel op.
static void shift_dims(const strata_split_t *split, const strata_nest_t *copy, const MlirValue *parts) {
  MlirContext context = mlirOperationGetContext(copy->op);
  MlirAffineExpr points[STRATA_MAX_DIMS];
  shift_t shift = {.nest = copy};
  int n_old = strata_nest_n_dims(copy), n_new = n_old;
  for (int dim = 0; dim < n_old; dim++) {
    points[dim] = mlirAffineDimExprGet(context, dim);
    shift.dims[dim] = copy->dims[dim];
  }
  for (int i = 0; i < copy->n_reduction; i++) {
    if (!strata_split_cuts(split, i))
      continue;
    int dim = copy->n_parallel + i;
    MlirAffineExpr start = start_of(split, i, mlirAffineDimExprGet(context, n_new));
    bool is_one = strata_size_is_one(split->sizes[i]);
    points[dim] = mlirAffineAddExprGet(start, is_one ? mlirAffineConstantExprGet(context, 0) : points[dim]);
    shift.dims[n_new] = parts[n_new - n_old];
    n_new++;
    strata_loop_set_size(copy->loops[i], split->sizes[i]);
  }
  shift.points = mlirAffineMapGet(context, n_new, copy->space.n_symbols, n_old, points);
  mlirOperationWalk(mlirOperationGetParentOperation(mlirBlockGetFirstOperation(copy->body)), shift_op, &shift,
                    MlirWalkPostOrder);
}

// What the reduction starts from, in another type.
static MlirAttribute start_as(const strata_nest_t *nest, MlirType type) {
  MlirAttribute start = strata_attr(strata_def(strata_nest_start(nest, 0)), "value");
  bool is_zero = strata_attr_is_zero(start);
  if (mlirTypeIsAFloat(type))
    return mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, is_zero ? 0 : mlirFloatAttrGetValueDouble(start));
  return mlirIntegerAttrGet(type, is_zero ? 0 : mlirIntegerAttrGetValueSInt(start));
}

// The load becomes |padding| where a result of |conditions|, over |dims| and symbols, is negative.
static void guard_load(MlirOperation load, MlirAttribute padding, MlirAffineMap conditions, const MlirValue *dims,
                       bool is_tail) {
  MlirLocation location = mlirOperationGetLocation(load);
  MlirContext context = mlirLocationGetContext(location);
  MlirBlock block = mlirOperationGetBlock(load);
  MlirValue value = mlirOperationGetResult(load, 0);
  MlirType type = mlirValueGetType(value);
  strata_named_attr_t start = {"value", padding};
  MlirAffineExpr always[STRATA_MAX_DIMS];
  const bool are_equal[STRATA_MAX_DIMS] = {false};
  intptr_t n_conditions = mlirAffineMapGetNumResults(conditions);
  for (intptr_t i = 0; i < n_conditions; i++)
    always[i] = mlirAffineConstantExprGet(context, 0);
  MlirIntegerSet set = mlirIntegerSetGet(context, 0, 0, n_conditions, always, are_equal);
  strata_named_attr_t condition = {"condition", mlirIntegerSetAttrGet(set)};
  MlirOperation constant = strata_op_create(location, "arith.constant", 0, NULL, 1, &type, 1, &start, 0, NULL);
  MlirValue yields[2] = {value, mlirOperationGetResult(constant, 0)};
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock blocks[2] = {mlirBlockCreate(0, NULL, NULL), mlirBlockCreate(0, NULL, NULL)};
  for (int i = 0; i < 2; i++)
    mlirRegionAppendOwnedBlock(regions[i], blocks[i]);
  MlirOperation guard = strata_op_create(location, "affine.if", 0, NULL, 1, &type, 1, &condition, 2, regions);
  mlirBlockInsertOwnedOperationBefore(block, load, constant);
  mlirBlockInsertOwnedOperationBefore(block, load, guard);
  strata_nest_set_map(guard, conditions, dims);
  if (is_tail)
    strata_set_attr(guard, STRATA_TAIL, mlirUnitAttrGet(context));
  mlirValueReplaceAllUsesOfWith(value, mlirOperationGetResult(guard, 0));
  mlirOperationRemoveFromParent(load);
  mlirBlockAppendOwnedOperation(blocks[0], load);
  for (int i = 0; i < 2; i++)
    mlirBlockAppendOwnedOperation(blocks[i],
                                  strata_op_create(location, "affine.yield", 1, &yields[i], 0, NULL, 0, NULL, 0, NULL));
}

// True if the parts of reduction dim |dim| are longer together than it is, or may be.
static bool is_uneven(const strata_split_t *split, int dim) {
  strata_size_t all = strata_size_product(split->parts[dim], split->sizes[dim]);
  return strata_split_cuts(split, dim) &&
         !strata_size_equal(all, split->nest->space.sizes[split->nest->n_parallel + dim]);
}

// Parts that go beyond the end of a reduction dim read there what it starts from: extent - 1 - part * size - r >= 0.
static void guard_loads(const strata_split_t *split, const strata_nest_t *copy, const MlirValue *parts) {
  MlirContext context = mlirOperationGetContext(copy->op);
  MlirAffineExpr minus_one = mlirAffineConstantExprGet(context, -1), inside[STRATA_MAX_DIMS];
  MlirValue dims[2 * STRATA_MAX_DIMS];
  int n_inside = 0, n_dims = 0, n_split = 0;
  for (int i = 0; i < copy->n_reduction; i++) {
    int part = n_split;
    n_split += strata_split_cuts(split, i);
    if (!is_uneven(split, i))
      continue;
    strata_size_t extent = split->nest->space.sizes[split->nest->n_parallel + i];
    MlirAffineExpr place =
        mlirAffineAddExprGet(mlirAffineMulExprGet(start_of(split, i, mlirAffineDimExprGet(context, n_dims)), minus_one),
                             mlirAffineMulExprGet(mlirAffineDimExprGet(context, n_dims + 1), minus_one));
    inside[n_inside++] =
        mlirAffineAddExprGet(place, mlirAffineAddExprGet(strata_size_expr(context, extent), minus_one));
    dims[n_dims++] = parts[part];
    dims[n_dims++] = copy->dims[copy->n_parallel + i];
  }
  MlirAffineMap conditions = mlirAffineMapGet(context, n_dims, copy->space.n_symbols, n_inside, inside);
  for (int i = 0; n_inside > 0 && i < copy->n_accesses; i++)
    if (copy->accesses[i].in_reduction) {
      MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(copy->accesses[i].buffer));
      guard_load(copy->accesses[i].op, start_as(split->nest, type), conditions, dims,
                 strata_nest_sums_vary(split->nest));
    }
}

int strata_split_insert(const strata_split_t *split, MlirBlock body, MlirValue *out_parts) {
  MlirOperation op = mlirBlockGetParentOperation(body);
  MlirType index = mlirIndexTypeGet(mlirOperationGetContext(op));
  int places[STRATA_MAX_DIMS], n = 0;
  for (int i = 0; i < split->nest->n_reduction; i++)
    if (strata_split_cuts(split, i))
      places[n++] = strata_split_place(split, i);
  for (int place = 0, n_dims = n + split->nest->n_parallel; place < n_dims; place++) // those in front first
    for (int i = 0; i < n; i++)
      if (places[i] == place)
        out_parts[i] = mlirBlockInsertArgument(body, place, index, mlirOperationGetLocation(op));
  return n;
}

static strata_status_t add_partial_nest(strata_arena_t *arena, const strata_split_t *split, MlirValue partial,
                                        MlirOperation *out_op) {
  MlirOperation op = *out_op = mlirOperationClone(split->nest->op);
  MlirLocation location = mlirOperationGetLocation(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(split->nest->op), split->nest->op, op);
  strata_nest_t copy;
  STRATA_TRY(strata_nest_read(arena, op, &copy));
  for (int i = 0; i < copy.n_accesses; i++)
    if (copy.accesses[i].is_store)
      mlirOperationDestroy(copy.accesses[i].op);
  MlirValue parts[STRATA_MAX_DIMS], dims[STRATA_MAX_DIMS];
  strata_split_insert(split, copy.body, parts);
  shift_dims(split, &copy, parts);
  guard_loads(split, &copy, parts);
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_nest_set_sizes(op, strata_split_sizes(split, sizes), sizes);
  int n = partial_dims(split, parts, copy.dims, dims);
  MlirValue leading[2] = {mlirOperationGetResult(copy.loops[0], 0), partial};
  mlirBlockInsertOwnedOperationBefore(copy.body, mlirBlockGetTerminator(copy.body),
                                      strata_split_access(location, "affine.store", leading, 2, dims, n, 0, NULL));
  strata_nest_erase_unused(copy.body);
  return NULL;
}

//===-- Their combination ----------------------------------------------------------------------------------------===//

static void combine_partials(const strata_split_t *split, MlirValue partial) {
  const strata_nest_t *nest = split->nest;
  MlirOperation op = strata_nest_combining_op(nest);
  MlirValue parts[STRATA_MAX_DIMS], dims[STRATA_MAX_DIMS];
  int n_split = 0;
  for (int i = 0; i < nest->n_reduction; i++)
    if (strata_split_cuts(split, i))
      parts[n_split++] = nest->dims[nest->n_parallel + i];
  int n = partial_dims(split, parts, nest->dims, dims);
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(partial));
  MlirOperation load = strata_split_access(mlirOperationGetLocation(op), "affine.load", &partial, 1, dims, n, 1, &type);
  mlirBlockInsertOwnedOperationBefore(nest->inner, op, load);
  bool is_first = mlirValueEqual(mlirOperationGetOperand(op, 0), mlirBlockGetArgument(nest->inner, 1));
  mlirOperationSetOperand(op, is_first, mlirOperationGetResult(load, 0));
  strata_nest_erase_unused(nest->inner);
  for (int i = nest->n_reduction; i-- > 0;)
    if (strata_split_cuts(split, i))
      strata_loop_set_size(nest->loops[i], split->parts[i]);
    else
      strata_loop_inline(nest->loops[i]);
}

strata_status_t strata_split_apply(strata_arena_t *arena, const strata_split_t *split, strata_partial_t *out_partial) {
  const strata_nest_t *nest = split->nest;
  strata_size_t sizes[STRATA_MAX_DIMS];
  MlirType element = mlirValueGetType(mlirOperationGetResult(nest->loops[0], 0));
  MlirType type = strata_memref_type_of(element, strata_split_sizes(split, sizes), sizes);
  MlirValue partials = strata_alloc_before(nest->op, type);
  STRATA_TRY(add_partial_nest(arena, split, partials, &out_partial->op));
  out_partial->buffer = partials;
  combine_partials(split, partials);
  return NULL;
}
