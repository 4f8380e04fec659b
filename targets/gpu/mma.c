// The rows of mma.def, by what they compute and by name.
#include "passes/mma.h"

#include "dialects/mlir_util.h"

static const strata_mma_t rows[] = {
#define MMA(...) {__VA_ARGS__},
#include "targets/gpu/mma.def"
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static bool is_type(MlirType type, const char *name) {
  return mlirTypeEqual(type, mlirTypeParseGet(mlirTypeGetContext(type), strata_str(name)));
}

static const strata_mma_t *find(const char *family, MlirType operand, MlirType sum) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (!strcmp(rows[i].family, family) && is_type(operand, rows[i].operand) && is_type(sum, rows[i].sum))
      return &rows[i];
  return NULL;
}

const strata_mma_t *strata_mma_find(const strata_gpu_device_t *device, MlirType operand, MlirType sum) {
  return find(device->mma, operand, sum);
}

const strata_mma_t *strata_mma_find_async(const strata_gpu_device_t *device, MlirType operand, MlirType sum) {
  return find(device->mma_async, operand, sum);
}

const strata_mma_t *strata_mma_named(MlirStringRef name) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (strata_str_equal(name, rows[i].name))
      return &rows[i];
  return NULL;
}
