// Windows whose results have sizes that only the ranges of symbols say; see symbols.h.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"
#include "dialects/strata/symbols.h"

typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(MlirOperation) windows;
} found_t;

static MlirWalkResult add_window(MlirOperation op, void *user) {
  found_t *found = user;
  if (strata_op_id(op) == STRATA_OP_WINDOW)
    *strata_vector_push(found->arena, &found->windows) = op;
  return MlirWalkResultAdvance;
}

static bool same_dims(const strata_shape_t *a, const strata_shape_t *b) {
  for (int i = 0; i < a->rank; i++)
    if (!strata_dim_equal(a->dims[i], b->dims[i]))
      return false;
  return true;
}

static strata_status_t settle_window(strata_compile_t *compile, MlirOperation op) {
  MlirValue windows = mlirOperationGetResult(op, 0);
  strata_shape_t said = strata_shape_of(windows);
  strata__record_t record;
  STRATA_TRY(strata__decode(op, &record));
  STRATA_TRY(strata__infer(&record));
  if (same_dims(&said, &record.results[0]))
    return NULL;
  mlirValueSetType(windows, strata_shape_to_type(compile->context, &record.results[0]));
  strata_builder_t build = {.compile = compile,
                            .block = mlirOperationGetBlock(op),
                            .before = mlirOperationGetNextInBlock(op),
                            .location = mlirOperationGetLocation(op),
                            .no_fold = true};
  strata_dim_t starts[STRATA_MAX_RANK];
  int64_t steps[STRATA_MAX_RANK];
  for (int i = 0; i < said.rank; i++) {
    starts[i] = strata_dim_constant(compile->context, 0);
    steps[i] = 1;
  }
  MlirValue slice = strata_build_slice_dims(&build, windows, starts, steps, said.dims);
  STRATA_TRY(build.status);
  mlirValueReplaceAllUsesOfWith(windows, slice);
  mlirOperationSetOperand(strata_def(slice), 0, windows);
  return NULL;
}

strata_status_t strata_symbols_settle_windows(strata_compile_t *compile) {
  found_t found = {.arena = compile->arena};
  mlirOperationWalk(mlirModuleGetOperation(compile->module), add_window, &found, MlirWalkPreOrder);
  for (size_t i = 0; i < found.windows.count; i++)
    STRATA_TRY(settle_window(compile, found.windows.data[i]));
  return NULL;
}
