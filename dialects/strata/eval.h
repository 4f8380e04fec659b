// What the parts of eval.c share: short names, for them alone.
#ifndef STRATA_DIALECTS_STRATA_EVAL_H
#define STRATA_DIALECTS_STRATA_EVAL_H

#include "dialects/strata/number.h"
#include "dialects/strata/record.h"
#include "dialects/strata/scalar.h"

#include <math.h>
#include <string.h>

typedef struct {
  strata_arena_t *arena;
  const strata__record_t *record;
  const void *const *operands;
  void *const *results;
} eval_t;

//===-- Numbers --------------------------------------------------------------------------------------------------===//

typedef union {
  double f;  // of float types
  int64_t i; // of the others
} number_t;

static inline number_t load(strata_type_t type, const void *data, int64_t index) {
  if (strata_type_is_float(type))
    return (number_t){.f = strata__load_f64(type, data, index)};
  return (number_t){.i = strata__load_i64(type, data, index)};
}

static inline void store(strata_type_t type, void *data, int64_t index, number_t number) {
  if (!strata_type_is_float(type))
    strata__store_i64(type, data, index, number.i);
  else if (strata_type_info[type].math_type == STRATA_TYPE_F32)
    strata__store_f64(type, data, index, (float)number.f);
  else
    strata__store_f64(type, data, index, number.f);
}

static inline void copy_element(strata_type_t type, void *to, int64_t to_index, const void *from, int64_t from_index) {
  switch (strata_type_info[type].bits) {
  case 64:
    ((uint64_t *)to)[to_index] = ((const uint64_t *)from)[from_index];
    break;
  case 32:
    ((uint32_t *)to)[to_index] = ((const uint32_t *)from)[from_index];
    break;
  case 16:
    ((uint16_t *)to)[to_index] = ((const uint16_t *)from)[from_index];
    break;
  case 8:
    ((uint8_t *)to)[to_index] = ((const uint8_t *)from)[from_index];
    break;
  default: // i4
    strata__store_i64(type, to, to_index, strata__load_i64(type, from, from_index));
  }
}

static inline number_t combine(const strata__scalar_t *scalar, strata_type_t type, number_t a, number_t b) {
  if (strata_type_is_float(type))
    return (number_t){.f = scalar->float2(a.f, b.f)};
  return (number_t){.i = scalar->int2(a.i, b.i, strata__integer_bits(type))};
}

static inline number_t neutral(strata_combiner_t combiner, strata_type_t type) {
  int64_t highest = INT64_MAX >> (64 - strata_type_info[type].bits);
  switch (strata_combiner_info[combiner].neutral) {
  case STRATA_NEUTRAL_ZERO:
    return strata_type_is_float(type) ? (number_t){.f = 0} : (number_t){.i = 0};
  case STRATA_NEUTRAL_ONE:
    return strata_type_is_float(type) ? (number_t){.f = 1} : (number_t){.i = 1};
  case STRATA_NEUTRAL_LOWEST:
    return strata_type_is_float(type) ? (number_t){.f = -HUGE_VAL} : (number_t){.i = -highest - 1};
  case STRATA_NEUTRAL_HIGHEST:
    return strata_type_is_float(type) ? (number_t){.f = HUGE_VAL} : (number_t){.i = highest};
  case STRATA_NEUTRAL_ALL_ONES:
    break;
  }
  return (number_t){.i = -1};
}

//===-- Walks ----------------------------------------------------------------------------------------------------===//

// Row-major strides, in elements.
static inline void strides_of(int rank, const int64_t *sizes, int64_t *out) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    out[i] = stride;
    stride *= sizes[i];
  }
}

// Steps |coords| to the next point of |sizes|, the last dim fastest; false after the last point.
static inline bool next_point(int rank, const int64_t *sizes, int64_t *coords) {
  for (int i = rank - 1; i >= 0; i--) {
    if (++coords[i] < sizes[i])
      return true;
    coords[i] = 0;
  }
  return false;
}

static inline int64_t count_of(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++)
    count *= sizes[i];
  return count;
}

static inline int64_t dot(int rank, const int64_t *coords, const int64_t *strides) {
  int64_t sum = 0;
  for (int i = 0; i < rank; i++)
    sum += coords[i] * strides[i];
  return sum;
}

// A buffer walked along dims: the element at |base| + coords . strides.
typedef struct {
  int64_t base;
  int64_t strides[STRATA_MAX_RANK];
} walk_t;

static inline void strided_copy(strata_type_t type, int rank, const int64_t *sizes, void *to, const walk_t *to_walk,
                                const void *from, const walk_t *from_walk) {
  int64_t coords[STRATA_MAX_RANK] = {0};
  if (count_of(rank, sizes) == 0)
    return;
  do
    copy_element(type, to, to_walk->base + dot(rank, coords, to_walk->strides), from,
                 from_walk->base + dot(rank, coords, from_walk->strides));
  while (next_point(rank, sizes, coords));
}

// The lines of a tensor along an axis: line (i, j) starts at i * length * inner + j, its elements lie |inner| apart.
typedef struct {
  int64_t outer, length, inner;
} lines_t;

static inline lines_t lines_along(const strata_shape_t *shape, int64_t axis) {
  int64_t sizes[STRATA_MAX_RANK];
  strata_shape_sizes(shape, sizes);
  return (lines_t){count_of((int)axis, sizes), sizes[axis], count_of(shape->rank - (int)axis - 1, sizes + axis + 1)};
}

//===-- By the kind of op ----------------------------------------------------------------------------------------===//

static inline strata_combiner_t combiner_of(const strata__record_t *r) {
  return strata_combiner_from_name(strata__get(r, "kind")->string);
}

// Sums and orders along axes (eval_sums.c); false where an operand's map is not linear.
void strata__eval_reduce(const eval_t *e);
void strata__eval_arg_reduce(const eval_t *e);
void strata__eval_scan(const eval_t *e);
void strata__eval_sort(const eval_t *e);
void strata__eval_window(const eval_t *e);
bool strata__eval_contract(const eval_t *e);

// Elements that only move (eval_movement.c), and those that count.
void strata__eval_movement(const eval_t *e);
void strata__eval_gather(const eval_t *e);
void strata__eval_scatter(const eval_t *e);
void strata__eval_iota(const eval_t *e);
void strata__eval_dims(const eval_t *e);

#endif
