// See trees.h. The nest's accesses are known by their order:
//
//   affine.parallel (%row, %group, %column) {
//     affine.for %tree { load roots   load steps
//       scf.for { load nodes (column, child, threshold: one or two)   load x }
//       load nodes   load values }
//     store result }
#include "dialects/affine/trees.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

typedef struct {
  const strata_nest_t *nest;
  MlirContext context;
  bool failed;
} reader_t;

static MlirAffineExpr fail(reader_t *r) {
  r->failed = true;
  return mlirAffineConstantExprGet(r->context, 0);
}

static MlirAffineExpr expr_of(reader_t *r, MlirValue value);

static MlirAffineExpr result_of_map(reader_t *r, MlirOperation op, const char *name, intptr_t first, intptr_t result) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, name));
  MlirAffineExpr inputs[STRATA_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumInputs(map);
  if (n > STRATA_MAX_DIMS)
    return fail(r);
  for (intptr_t i = 0; i < n; i++)
    inputs[i] = expr_of(r, mlirOperationGetOperand(op, first + i));
  return strata_affine_apply(map, result, inputs, STRATA_TREES_DIMS, r->nest->space.n_symbols);
}

static MlirAffineExpr counter_of(reader_t *r, MlirValue value) {
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  for (int dim = 0; dim < r->nest->n_parallel; dim++)
    if (mlirValueEqual(value, r->nest->dims[dim]))
      return mlirAffineDimExprGet(r->context, dim);
  if (mlirBlockArgumentGetArgNumber(value) != 0 || !strata_op_is(loop, "affine.for"))
    return fail(r);
  return mlirAffineDimExprGet(r->context, STRATA_TREES_TREE);
}

static MlirAffineExpr expr_of(reader_t *r, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return counter_of(r, value);
  MlirOperation op = mlirOpResultGetOwner(value);
  if (strata_symbol_of_value(value) >= 0)
    return mlirAffineSymbolExprGet(r->context, strata_symbol_of_value(value));
  if (strata_op_is(op, "arith.constant"))
    return mlirAffineConstantExprGet(r->context, mlirIntegerAttrGetValueInt(strata_attr(op, "value")));
  if (strata_op_is(op, "affine.apply"))
    return result_of_map(r, op, "map", 0, 0);
  if (strata_op_is(op, "arith.index_cast"))
    return mlirAffineDimExprGet(r->context, STRATA_TREES_NUMBER);
  return fail(r);
}

static strata_trees_place_t place_of(reader_t *r, const strata_access_t *access) {
  MlirAffineExpr results[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(access->buffer, sizes), first = access->is_store ? 2 : 1;
  bool is_affine = strata_op_is(access->op, "affine.load") || strata_op_is(access->op, "affine.store");
  for (int i = 0; i < rank; i++)
    results[i] = is_affine ? result_of_map(r, access->op, "map", first, i)
                           : expr_of(r, mlirOperationGetOperand(access->op, first + i));
  return (strata_trees_place_t){
      access->buffer, mlirAffineMapGet(r->context, STRATA_TREES_DIMS, r->nest->space.n_symbols, rank, results)};
}

// How the values of two leaves are combined, and of how many trees: a single one has no loop.
static void read_sum(reader_t *r, const strata_access_t *store, strata_trees_t *out) {
  MlirOperation op = strata_def(store->value);
  out->n_trees = 1;
  if (!mlirOperationIsNull(op) && strata_op_is(op, "affine.for")) {
    MlirAffineExpr end = result_of_map(r, op, "upperBoundMap", 0, 0);
    if (!mlirAffineExprIsAConstant(end) || mlirOperationGetNumResults(op) != 1) {
      fail(r);
      return;
    }
    out->n_trees = mlirAffineConstantExprGetValue(end);
    MlirOperation yield = mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
    op = strata_def(mlirOperationGetOperand(yield, 0));
  }
  r->failed |= mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2;
  if (!r->failed)
    out->combiner = mlirIdentifierStr(mlirOperationGetName(op));
}

static bool has_form(const strata_nest_t *nest) {
  const int n = nest->n_accesses;
  for (int i = 0; i < n; i++)
    if (nest->accesses[i].is_store != (i == n - 1))
      return false;
  return n == 9 || n == 10; // a threshold is one number or two
}

bool strata_trees_read(const strata_kernel_t *kernel, strata_trees_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  if (kernel->n_nests != 1 || !strata_str_equal(nest->name, "trees") || nest->n_parallel != 3 || !has_form(nest))
    return false;
  const strata_access_t *at = nest->accesses, *last = at + nest->n_accesses - 1;
  reader_t r = {.nest = nest, .context = mlirOperationGetContext(nest->op)};
  *out = (strata_trees_t){.nodes = at[2].buffer, .is_double = nest->n_accesses == 10};
  out->roots = place_of(&r, &at[0]);
  out->steps = place_of(&r, &at[1]);
  out->x = place_of(&r, &last[-3]);
  out->values = place_of(&r, &last[-1]);
  out->result = place_of(&r, last);
  out->n_rows = nest->space.sizes[STRATA_TREES_ROW];
  read_sum(&r, last, out);
  if (r.failed || mlirShapedTypeGetRank(mlirValueGetType(out->nodes)) != 1)
    return false;
  return strata_size_is_constant(nest->space.sizes[STRATA_TREES_GROUP], &out->groups) &&
         strata_size_is_constant(nest->space.sizes[STRATA_TREES_COLUMN], &out->columns);
}
