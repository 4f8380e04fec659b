// See tune_distance.h.
#include "tools/tune_distance.h"

#include <math.h>

double strata_tune_tolerance(strata_dtype_t dtype) {
  const strata_dtype_info_t *info = &strata_dtype_info[dtype];
  return info->class_ != STRATA_DTYPE_CLASS_FLOAT ? 1e-2 : fmax(5e-3, 4 * ldexp(1, -info->mantissa_bits));
}

double strata_tune_distance(strata_dtype_t dtype, const void *got, const void *wanted, size_t count, size_t step) {
  double difference = 0, all = 0;
  for (size_t i = 0; i < count; i += step) {
    double x = strata_dtype_load(dtype, got, i), y = strata_dtype_load(dtype, wanted, i);
    if (x == y || (isnan(x) && isnan(y)))
      continue;
    if (!isfinite(x) || !isfinite(y))
      return INFINITY;
    difference += (x - y) * (x - y);
  }
  for (size_t i = 0; difference > 0 && i < count; i += step) {
    double y = strata_dtype_load(dtype, wanted, i);
    all += isfinite(y) ? y * y : 0;
  }
  return difference > 0 ? sqrt(difference / all) : 0;
}
