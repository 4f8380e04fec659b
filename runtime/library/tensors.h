// The tensors that a caller hands over.
#ifndef STRATA_RUNTIME_TENSORS_H
#define STRATA_RUNTIME_TENSORS_H

#include "runtime/library/tables.h"

// The bytes of tensor |index| of a call. |sizes| and |values|: NULL where they do not vary.
uint64_t strata_rt_tensor_size(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *values,
                               size_t index);

// STRATA_OK, or an error naming a tensor that is NULL, though it has elements, or not aligned. |tensors|: inputs, then
// outputs.
int strata_rt_check_tensors(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *values,
                            void *const *tensors);

// The description of tensor |index| of a call.
static inline const strata_tensor_info_t *strata_rt_tensor_info(const strata_library_t *library, size_t index) {
  return index < library->n_inputs ? library->inputs[index] : library->outputs[index - library->n_inputs];
}

#endif
