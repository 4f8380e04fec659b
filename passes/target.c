// See target.h.
#include "passes/target.h"

#include "devices/gpu/mma.h"

#include <mlir-c/BuiltinTypes.h>

static strata_byte_products_t bytes_of(const strata_gpu_device_t *device, MlirContext context) {
  MlirType byte = mlirIntegerTypeGet(context, 8), left = mlirIntegerTypeUnsignedGet(context, 8);
  MlirType sum = mlirIntegerTypeGet(context, 32);
  if (strata_mma_find(device, left, byte, sum, false))
    return STRATA_BYTE_PRODUCTS_UNSIGNED;
  return strata_mma_find(device, byte, byte, sum, false) ? STRATA_BYTE_PRODUCTS_SIGNED : STRATA_BYTE_PRODUCTS_NONE;
}

strata_status_t strata_byte_products(strata_compile_t *compile, strata_byte_products_t *out_bytes) {
  *out_bytes = STRATA_BYTE_PRODUCTS_NONE;
  if (strata_target_is_gpu(compile)) {
    const strata_gpu_device_t *device;
    STRATA_TRY(strata_gpu_device(compile, &device));
    *out_bytes = compile->options->disable_tensor_core ? STRATA_BYTE_PRODUCTS_NONE : bytes_of(device, compile->context);
    return NULL;
  }
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  *out_bytes = device->quad_products ? STRATA_BYTE_PRODUCTS_UNSIGNED : STRATA_BYTE_PRODUCTS_NONE;
  return NULL;
}
