// See segment_contract.h. The nest's accesses are known by their order:
//
//   affine.parallel (%row, %column) {
//     load tiles   load the few's tiles, if any   load map   affine.for %step { load rows, matrices }   store result }
#include "dialects/affine/segment_contract.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

// The counter of the loop over steps, or the number of the sequence.
static MlirAffineExpr other(strata_place_reader_t *r, MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return strata_op_is(mlirOpResultGetOwner(value), "arith.maxsi")
               ? mlirAffineDimExprGet(r->context, STRATA_PRODUCT_SEQUENCE)
               : strata_place_fail(r);
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  if (mlirBlockArgumentGetArgNumber(value) != 0 || !strata_op_is(loop, "affine.for"))
    return strata_place_fail(r);
  return mlirAffineDimExprGet(r->context, STRATA_PRODUCT_STEP);
}

enum { ACCESSES = 5 }; // where there is one table

static bool has_form(const strata_nest_t *nest) {
  int n = nest->n_accesses;
  for (int i = 0; i < n; i++)
    if (nest->accesses[i].is_store != (i == n - 1))
      return false;
  return n == ACCESSES || n == ACCESSES + 1;
}

static int64_t trips_around(strata_place_reader_t *r, MlirOperation op) {
  MlirOperation loop = mlirOperationGetParentOperation(op);
  if (!strata_op_is(loop, "affine.for")) {
    r->failed = true;
    return 1;
  }
  MlirAffineExpr end = strata_place_map_result(r, loop, "upperBoundMap", 0, 0);
  if (!mlirAffineExprIsAConstant(end)) {
    r->failed = true;
    return 1;
  }
  return mlirAffineConstantExprGetValue(end);
}

bool strata_segment_contract_read(const strata_kernel_t *kernel, strata_segment_contract_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  if (kernel->n_nests != 1 || !strata_str_equal(nest->name, "segment_contract") || nest->n_parallel != 2 ||
      !has_form(nest))
    return false;
  strata_place_reader_t r = {
      .nest = nest, .context = mlirOperationGetContext(nest->op), .n_dims = STRATA_PRODUCT_DIMS, .other = other};
  const strata_access_t *at = nest->accesses + (nest->n_accesses - ACCESSES); // of the last table
  out->tiles = nest->accesses[0].buffer;
  out->few = at == nest->accesses ? (MlirValue){NULL} : at[0].buffer;
  out->rows = strata_place_read(&r, &at[2]);
  out->matrices = strata_place_read(&r, &at[3]);
  out->result = strata_place_read(&r, &at[4]);
  out->n_rows = nest->space.sizes[STRATA_PRODUCT_ROW];
  out->steps = trips_around(&r, at[2].op);
  out->tile_rows = strata_attr_i64(nest->op, STRATA_SEGMENT_TILE_ATTR, 0);
  return !r.failed && out->tile_rows > 0 &&
         strata_size_is_constant(nest->space.sizes[STRATA_PRODUCT_COLUMN], &out->columns);
}

int64_t strata_segment_contract_sequences(const strata_segment_contract_t *a) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(a->matrices.buffer, sizes);
  return strata_size_min(sizes[0]);
}

strata_segment_contract_t strata_segment_contract_of_few(const strata_segment_contract_t *a) {
  strata_segment_contract_t few = *a;
  few.tiles = a->few;
  few.few = (MlirValue){NULL};
  few.tile_rows = STRATA_SEGMENT_FEW_ROWS;
  return few;
}
