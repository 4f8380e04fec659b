// See target.h.
#include "passes/target.h"

#include "passes/mma.h"

#include <mlir-c/BuiltinTypes.h>

static bool has_instruction(const strata_gpu_device_t *device, MlirContext context) {
  MlirType left = mlirIntegerTypeUnsignedGet(context, 8), right = mlirIntegerTypeGet(context, 8);
  return strata_mma_find(device, left, right, mlirIntegerTypeGet(context, 32), false) != NULL;
}

strata_status_t strata_multiplies_bytes(strata_compile_t *compile, bool *out_multiplies) {
  *out_multiplies = false;
  if (strata_target_is_gpu(compile)) {
    const strata_gpu_device_t *device;
    STRATA_TRY(strata_gpu_device(compile, &device));
    *out_multiplies = !compile->options->disable_tensor_core && has_instruction(device, compile->context);
    return NULL;
  }
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  *out_multiplies = device->quad_products;
  return NULL;
}
