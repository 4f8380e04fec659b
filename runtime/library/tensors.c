// Checks of a call's tensors.
#include "runtime/library/tensors.h"

#include "runtime/base/dtype.h"
#include "runtime/library/error.h"

static const unsigned char element_size[STRATA_DTYPE_COUNT] = {
#define DTYPE(id, value, name, bits, ...) [value] = (bits) < 8 ? 1 : (bits) / 8,
#include "runtime/base/dtypes.def"
};

static int check_tensor(const strata_library_t *library, const strata_tensor_info_t *info, uint64_t size,
                        const void *tensor) {
  if (!tensor && size)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: %s is NULL", library->name, info->c_name);
  uint32_t alignment = library->alignment ? library->alignment : element_size[info->dtype];
  if ((uintptr_t)tensor % alignment)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: %s must be aligned to %u bytes", library->name, info->c_name,
                          alignment);
  return STRATA_OK;
}

uint64_t strata_rt_tensor_size(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *values,
                               size_t index) {
  return sizes ? (uint64_t)strata_rt_number(sizes->tensor_sizes[index], values)
               : strata_rt_tensor_info(library, index)->size;
}

int strata_rt_check_tensors(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *values,
                            void *const *tensors) {
  int status = STRATA_OK;
  for (size_t i = 0; i < library->n_inputs + library->n_outputs && !status; i++)
    status = check_tensor(library, strata_rt_tensor_info(library, i), strata_rt_tensor_size(library, sizes, values, i),
                          tensors[i]);
  return status;
}
