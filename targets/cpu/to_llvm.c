// cpu-to-llvm: upstream's conversions, on @kernels alone.
#include "dialects/mlir_util.h"
#include "lowering/kernels.h"
#include "targets/cpu/codegen.h"
#include "targets/passes.h"

#include <mlir-c/Pass.h>

// Without upstream's canonicalize: it looks at all of a loop's body again whenever an op in it changes, which is
// quadratic in the size of a kernel, and LLVM folds what it would have folded.
static const char pipeline[] = "builtin.module(func.func(cse),lower-affine,"
                               "convert-scf-to-cf,convert-vector-to-llvm,finalize-memref-to-llvm,convert-math-to-llvm,"
                               "convert-arith-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},"
                               "convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts)";

static void ignore_text(MlirStringRef text, void *user) { (void)text, (void)user; }

strata_status_t strata_pass_cpu_to_llvm(strata_compile_t *compile) {
  MlirModule kernels = strata_kernels_find(compile);
  if (mlirModuleIsNull(kernels))
    return NULL;
  MlirPassManager manager = mlirPassManagerCreate(compile->context);
  mlirPassManagerEnableVerifier(manager, compile->options->verify_each);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  MlirLogicalResult result = mlirParsePassPipeline(passes, strata_str(pipeline), ignore_text, NULL);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(kernels));
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result) ? NULL
                                            : strata_compile_take_diagnostics(compile, "cpu-to-llvm: upstream's "
                                                                                       "conversions failed");
}
