// cpu-to-llvm: upstream's conversions, on @kernels alone.
#include "lowering/kernels.h"
#include "targets/cpu/codegen.h"
#include "targets/llvm/convert.h"
#include "targets/passes.h"

// Without upstream's canonicalize: it looks at all of a loop's body again whenever an op in it changes, which is
// quadratic in the size of a kernel, and LLVM folds what it would have folded.
static const char passes[] = "func.func(cse),lower-affine,"
                             "convert-scf-to-cf,convert-vector-to-llvm,finalize-memref-to-llvm,convert-math-to-llvm,"
                             "convert-arith-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},"
                             "convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts";

strata_status_t strata_pass_cpu_to_llvm(strata_compile_t *compile) {
  MlirModule kernels = strata_kernels_find(compile);
  return mlirModuleIsNull(kernels) ? NULL : strata_llvm_convert(compile, kernels, passes);
}
