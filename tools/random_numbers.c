// See random_numbers.h.
#include "tools/random_numbers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void strata_random_numbers(strata_dtype_t dtype, size_t seed, void *out, size_t size) {
  enum { PERIOD = 1000003 };
  unsigned char *data = out;
  bool is_float = strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_FLOAT;
  size_t bits = (size_t)strata_dtype_info[dtype].bits, count = size * 8 / bits;
  uint64_t state = seed + 1;
  for (size_t i = 0; i < count && i < PERIOD; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double unit = (double)(state >> 11) * 0x1p-53;
    strata_dtype_store(dtype, data, i, is_float ? 2 * unit - 1 : unit < 0.5 ? 0 : 1);
  }
  size_t period = PERIOD * bits / 8;
  for (size_t at = period; bits >= 8 && at < size; at += period)
    memcpy(data + at, data, size - at < period ? size - at : period);
}
