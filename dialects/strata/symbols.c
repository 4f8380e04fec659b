// Conditions, and other symbols or numbers in the place of symbols; see symbols.h.
#include "dialects/strata/symbols.h"
#include "dialects/counted_loop.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

//===-- Conditions -----------------------------------------------------------------------------------------------===//

bool strata_symbols_check(strata_arena_t *arena, strata_symbols_t *symbols, strata_dim_t lhs, strata_dim_t rhs,
                          int64_t min, int64_t max) {
  strata_range_t range = strata_dim_range(strata_dim_sub(lhs, rhs), symbols);
  int64_t number;
  if (range.min >= min && range.max <= max)
    return true;
  if (range.max < min || range.min > max)
    return false;
  if (strata_dim_is_constant(rhs, &number)) { // the range is that of lhs
    min = min == INT64_MIN ? min : strata_plus(min, number);
    max = max == INT64_MAX ? max : strata_plus(max, number);
    rhs = strata_dim_constant(mlirAffineExprGetContext(lhs), 0);
  }
  for (size_t i = 0; i < symbols->list.count; i++) {
    strata_symbol_t *other = &symbols->list.data[i];
    if (other->op != STRATA_SYMBOL_CHECK || !strata_dim_equal(other->lhs, lhs) || !strata_dim_equal(other->rhs, rhs))
      continue;
    other->min = strata_max(other->min, min);
    other->max = strata_min(other->max, max);
    return other->min <= other->max;
  }
  const char *l = strata_symbols_text(arena, symbols, lhs), *r = strata_symbols_text(arena, symbols, rhs);
  *strata_vector_push(arena, &symbols->list) =
      (strata_symbol_t){.name = strata_dim_is(rhs, 0) ? l : strata_arena_printf(arena, "%s less %s", l, r),
                        .op = STRATA_SYMBOL_CHECK,
                        .lhs = lhs,
                        .rhs = rhs,
                        .min = min,
                        .max = max,
                        .multiple = 1};
  return true;
}

//===-- Replacing ------------------------------------------------------------------------------------------------===//

typedef struct {
  int n_symbols;
  const strata_dim_t *values;
  const strata_symbols_t *ranges;
} replacement_t;

static strata_dim_t replaced(const replacement_t *with, strata_dim_t dim) {
  dim = strata_dim_substitute(dim, with->n_symbols, with->values);
  return with->ranges ? strata_dim_fold_quotients(dim, with->ranges) : dim;
}

static void replace_dims(const replacement_t *with, int count, strata_dim_t *dims) {
  for (int i = 0; i < count; i++)
    dims[i] = replaced(with, dims[i]);
}

static MlirType replace_type(const replacement_t *with, MlirType type) {
  strata_shape_t shape = strata_shape_from_type(type);
  if (shape.type == STRATA_TYPE_COUNT || mlirShapedTypeHasStaticShape(type))
    return type;
  replace_dims(with, shape.rank, shape.dims);
  return strata_shape_to_type(mlirTypeGetContext(type), &shape);
}

static void replace_value(const replacement_t *with, MlirValue value) {
  mlirValueSetType(value, replace_type(with, mlirValueGetType(value)));
}

// An attribute of an op of ours that says dims: numbers once they are known, unless it is the op's only form.
static void replace_attr(const replacement_t *with, MlirOperation op, const strata__attr_spec_t *spec) {
  MlirAttribute attr = mlirOperationGetAttributeByName(op, spec->name);
  strata_dim_t dims[STRATA_MAX_RANK];
  int64_t sizes[STRATA_MAX_RANK];
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  int count = (int)mlirAffineMapGetNumResults(map);
  if (mlirAffineMapGetNumSymbols(map) == 0 || count > STRATA_MAX_RANK)
    return;
  for (int i = 0; i < count; i++)
    dims[i] = mlirAffineMapGetResult(map, i);
  replace_dims(with, count, dims);
  bool are_known = spec->kind == STRATA__ATTR_DIMS;
  for (int i = 0; i < count; i++)
    are_known = are_known && strata_dim_is_constant(dims[i], &sizes[i]);
  MlirContext context = mlirOperationGetContext(op);
  mlirOperationSetAttributeByName(op, spec->name,
                                  are_known ? strata_i64s_attr(context, count, sizes)
                                            : mlirAffineMapAttrGet(strata_exprs_map(context, count, dims)));
}

static void replace_function_type(const replacement_t *with, MlirOperation func) {
  MlirAttribute attr = strata_attr(func, "function_type");
  if (mlirAttributeIsNull(attr))
    return;
  MlirType type = mlirTypeAttrGetValue(attr);
  intptr_t n_inputs = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  strata_arena_t *arena = strata_arena_create();
  MlirType *types = strata_arena_array(arena, MlirType, n_inputs + n_results);
  for (intptr_t i = 0; i < n_inputs; i++)
    types[i] = replace_type(with, mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < n_results; i++)
    types[n_inputs + i] = replace_type(with, mlirFunctionTypeGetResult(type, i));
  strata_set_attr(func, "function_type",
                  mlirTypeAttrGet(mlirFunctionTypeGet(mlirOperationGetContext(func), n_inputs, types, n_results,
                                                      types + n_inputs)));
  strata_arena_destroy(arena);
}

static void replace_count(const replacement_t *with, MlirOperation declaration) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  if (!strata_counted_loop_varies(&loop))
    return;
  strata_dim_t count = replaced(with, loop.size);
  loop.size = strata_dim_is_constant(count, &loop.count) ? (MlirAffineExpr){0} : count;
  strata_counted_loop_write(&loop);
}

static void replace_block(const replacement_t *with, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    replace_value(with, mlirBlockGetArgument(block, i));
}

static MlirWalkResult replace_op(MlirOperation op, void *user) {
  const replacement_t *with = user;
  strata_op_id_t id = strata_op_id(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    replace_value(with, mlirOperationGetResult(op, i));
  for (int i = 0; id != STRATA_OP_COUNT && i < strata__op_signature(id)->n_attrs; i++)
    replace_attr(with, op, &strata__op_signature(id)->attrs[i]);
  if (strata_op_is(op, "func.func"))
    replace_function_type(with, op);
  if (strata_op_is_loop(op))
    replace_count(with, op);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      replace_block(with, block);
  return MlirWalkResultAdvance;
}

void strata_symbols_replace(MlirBlock block, int n_symbols, const strata_dim_t *values,
                            const strata_symbols_t *ranges) {
  replacement_t with = {n_symbols, values, ranges};
  replace_block(&with, block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, replace_op, &with, MlirWalkPreOrder);
}
