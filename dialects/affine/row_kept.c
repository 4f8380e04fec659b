// Members of row kernels that are worth keeping: see row_kernel.h.
#include "dialects/affine/row_kernel.h"

#include "dialects/mlir_util.h"

static bool is_dear(const strata_nest_t *nest) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_op_name(op);
    if (name.length > 5 && !strncmp(name.data, "math.", 5) && !strata_op_is(op, "math.absf"))
      return true;
  }
  return false;
}

static int n_readers(const strata_row_kernel_t *rows, MlirValue buffer) {
  int count = 0;
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_nest_t *nest = &rows->kernel->nests[i];
    bool reads = false;
    for (int j = 0; j < nest->n_accesses; j++)
      reads = reads || (!nest->accesses[j].is_store && mlirValueEqual(nest->accesses[j].buffer, buffer));
    count += reads;
  }
  return count;
}

const strata_access_t *strata_row_kept_store(const strata_row_kernel_t *rows, const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  const strata_access_t *store = NULL;
  int n_stores = 0;
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store) {
      store = &nest->accesses[i];
      n_stores++;
    }
  if (nest->n_reduction || n_stores != 1 || mlirValueIsABlockArgument(store->buffer) || !is_dear(nest) ||
      n_readers(rows, store->buffer) < 2)
    return NULL;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(store->map); i++)
    if (!mlirAffineExprIsADim(mlirAffineMapGetResult(store->map, i)))
      return NULL;
  return store;
}

strata_size_t strata_row_kept_elements(const strata_row_member_t *member) {
  strata_size_t count = strata_size_constant(1);
  for (int dim = 0; dim < member->nest->n_parallel; dim++)
    if (member->row_of[dim] == STRATA_NOT_A_ROW)
      count = strata_size_product(count, member->nest->space.sizes[dim]);
  return count;
}
