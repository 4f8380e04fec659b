// kernels-to-llvm: the target's own conversion of @kernels.
#include "passes/target.h"
#include "targets/passes.h"

strata_status_t strata_pass_kernels_to_llvm(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile))
    return strata_error(STRATA_UNSUPPORTED, "kernels-to-llvm: GPU kernels");
  return strata_pass_cpu_to_llvm(compile);
}
