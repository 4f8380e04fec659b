// The values of a call of a library whose sizes vary: checked and computed once a call, before anything is launched.
#ifndef STRATA_RUNTIME_LIBRARY_SIZES_H
#define STRATA_RUNTIME_LIBRARY_SIZES_H

#include "runtime/base/checked.h"
#include "runtime/base/real.h"
#include "runtime/library/tables.h"

#include <stdbool.h>
#include <stddef.h>

// Fills |values|, room for sizes->n_values, from the sizes of a call. STRATA_OK, or STRATA_INVALID_SIZE with the size,
// its value and what is taken as message.
int strata_rt_sizes_evaluate(const strata_library_t *library, const strata_rt_sizes_t *sizes, const int64_t *dims,
                             int64_t *values);

// The description's output_shape; |sizes|: NULL where they do not vary.
int strata_rt_sizes_output_shape(const strata_library_t *library, const strata_rt_sizes_t *sizes, size_t index,
                                 const int64_t *dims, int64_t *shape);

// Room on the caller's stack for the values of a call; NULL where there are none.
#define STRATA_RT_VALUES(sizes) ((sizes) ? (int64_t *)__builtin_alloca((sizes)->n_values * sizeof(int64_t)) : NULL)

//===-- The program, which the compiler and callers compute as well ----------------------------------------------===//

_Static_assert(STRATA_VALUE_REAL_RINT - STRATA_VALUE_REAL == STRATA_REAL_RINT, "the operations of real.h, in order");

// One operation; false if it has no result in 64 bits.
static inline bool strata_rt_value(uint64_t op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
  case STRATA_VALUE_ADD:
    return strata_checked_add(a, b, out);
  case STRATA_VALUE_MUL:
    return strata_checked_mul(a, b, out);
  case STRATA_VALUE_FLOORDIV:
    return strata_checked_floordiv(a, b, out);
  case STRATA_VALUE_CEILDIV:
    return strata_checked_ceildiv(a, b, out);
  case STRATA_VALUE_MOD:
    return strata_checked_mod(a, b, out);
  case STRATA_VALUE_MIN:
    *out = a < b ? a : b;
    return true;
  case STRATA_VALUE_MAX:
    *out = a > b ? a : b;
    return true;
  }
  return op >= STRATA_VALUE_REAL && op <= STRATA_VALUE_REAL_RINT &&
         strata_real_compute((strata_real_op_t)(op - STRATA_VALUE_REAL), a, b, out);
}

// Computes values |first| to |last| - 1 by |infos|, of which there is one for each, and returns |last|; or the number
// of the first one that has no value, because it overflows or divides by zero.
static inline size_t strata_rt_values_compute(const strata_value_info_t *infos, size_t first, size_t last,
                                              int64_t *values) {
  for (size_t i = first; i < last; i++) {
    const strata_value_info_t *info = &infos[i - first];
    if (info->op == STRATA_VALUE_CONSTANT)
      values[i] = info->a;
    else if (!strata_rt_value(info->op, values[info->a], values[info->b], &values[i]))
      return i;
  }
  return last;
}

#endif
