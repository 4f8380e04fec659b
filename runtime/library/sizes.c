#include "runtime/library/sizes.h"

#include "runtime/library/error.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 160 }; // what of the sizes is told: a message is kept in 256 bytes

// "batch = 3, sequence = 7", cut where it is long.
static const char *print_sizes(const strata_library_t *library, const int64_t *dims, char *text) {
  size_t length = 0;
  for (size_t i = 0; i < library->n_dims && length < TEXT; i++)
    length += (size_t)snprintf(text + length, TEXT - length, "%s%s = %lld", i ? ", " : "", library->dims[i],
                               (long long)dims[i]);
  return text;
}

// "1 to 64", "at least 1", "at least 8, a multiple of 8".
static const char *print_range(int64_t min, int64_t max, int64_t multiple, char *text) {
  int length = max == INT64_MAX   ? snprintf(text, TEXT, "at least %lld", (long long)min)
               : min == max       ? snprintf(text, TEXT, "%lld", (long long)min)
               : min == INT64_MIN ? snprintf(text, TEXT, "at most %lld", (long long)max)
                                  : snprintf(text, TEXT, "%lld to %lld", (long long)min, (long long)max);
  if (multiple > 1)
    snprintf(text + length, TEXT - (size_t)length, ", a multiple of %lld", (long long)multiple);
  return text;
}

static bool is_taken(int64_t value, int64_t min, int64_t max, int64_t multiple) {
  return value >= min && value <= max && value % multiple == 0;
}

static int check_dims(const strata_library_t *library, const int64_t *dims) {
  char range[TEXT];
  for (size_t i = 0; i < library->n_dims; i++) {
    const strata_dim_info_t *info = library->dim_infos[i];
    if (!is_taken(dims[i], info->min, info->max, info->multiple))
      return strata_rt_fail(STRATA_INVALID_SIZE, "%s: %s is %lld, expected %s", library->name, info->name,
                            (long long)dims[i], print_range(info->min, info->max, info->multiple, range));
  }
  return STRATA_OK;
}

static int check_values(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *values) {
  char range[TEXT], text[TEXT];
  for (uint64_t i = 0; i < sizes->n_checks; i++) {
    const strata_rt_check_t *check = &sizes->checks[i];
    int64_t value = values[check->value];
    if (!is_taken(value, check->min, check->max, check->multiple))
      return strata_rt_fail(STRATA_INVALID_SIZE, "%s: %s is %lld, expected %s, where %s", library->name, check->text,
                            (long long)value, print_range(check->min, check->max, check->multiple, range),
                            print_sizes(library, values, text));
  }
  return STRATA_OK;
}

int strata_rt_sizes_evaluate(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *dims,
                             int64_t *values) {
  if (!dims)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: dims is NULL, expected %zu sizes", library->name,
                          library->n_dims);
  int status = check_dims(library, dims);
  if (status)
    return status;
  memcpy(values, dims, library->n_dims * sizeof *dims);
  char text[TEXT];
  size_t end = strata_rt_values_compute(sizes->values, library->n_dims, sizes->n_values, values);
  if (end < sizes->n_values)
    return strata_rt_fail(STRATA_INVALID_SIZE, "%s: sizes that lead beyond 2^63 or divide by 0: %s", library->name,
                          print_sizes(library, dims, text));
  return check_values(library, sizes, values);
}

int strata_rt_sizes_output_shape(const strata_library_t *library, const strata_rt_sizes_t *sizes, size_t index,
                                 const int64_t *dims, int64_t *shape) {
  if (index >= library->n_outputs)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: output %zu of %zu", library->name, index, library->n_outputs);
  int64_t *values = STRATA_RT_VALUES(sizes);
  int status = sizes ? strata_rt_sizes_evaluate(library, sizes, dims, values) : STRATA_OK;
  const strata_tensor_info_t *info = library->outputs[index];
  for (uint32_t i = 0; i < info->rank && !status; i++)
    shape[i] = strata_rt_number(info->shape[i], values);
  return status;
}
