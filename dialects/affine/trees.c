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

// The counter of the loop over trees, or a number of memory.
static MlirAffineExpr other(strata_place_reader_t *r, MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return strata_op_is(mlirOpResultGetOwner(value), "arith.index_cast")
               ? mlirAffineDimExprGet(r->context, STRATA_TREES_NUMBER)
               : strata_place_fail(r);
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  if (mlirBlockArgumentGetArgNumber(value) != 0 || !strata_op_is(loop, "affine.for"))
    return strata_place_fail(r);
  return mlirAffineDimExprGet(r->context, STRATA_TREES_TREE);
}

// How the values of two leaves are combined, and of how many trees: a single one has no loop.
static void read_sum(strata_place_reader_t *r, const strata_access_t *store, strata_trees_t *out) {
  MlirOperation op = strata_def(store->value);
  out->n_trees = 1;
  if (!mlirOperationIsNull(op) && strata_op_is(op, "affine.for")) {
    MlirAffineExpr end = strata_place_map_result(r, op, "upperBoundMap", 0, 0);
    if (!mlirAffineExprIsAConstant(end) || mlirOperationGetNumResults(op) != 1) {
      strata_place_fail(r);
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
  strata_place_reader_t r = {
      .nest = nest, .context = mlirOperationGetContext(nest->op), .n_dims = STRATA_TREES_DIMS, .other = other};
  *out = (strata_trees_t){.nodes = at[2].buffer, .is_double = nest->n_accesses == 10};
  out->roots = strata_place_read(&r, &at[0]);
  out->steps = strata_place_read(&r, &at[1]);
  out->x = strata_place_read(&r, &last[-3]);
  out->values = strata_place_read(&r, &last[-1]);
  out->result = strata_place_read(&r, last);
  out->n_rows = nest->space.sizes[STRATA_TREES_ROW];
  read_sum(&r, last, out);
  if (r.failed || mlirShapedTypeGetRank(mlirValueGetType(out->nodes)) != 1)
    return false;
  return strata_size_is_constant(nest->space.sizes[STRATA_TREES_GROUP], &out->groups) &&
         strata_size_is_constant(nest->space.sizes[STRATA_TREES_COLUMN], &out->columns);
}
