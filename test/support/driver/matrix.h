// Matrix instructions, as devices/gpu/mma.def lists them.
#ifndef STRATA_TEST_SUPPORT_DRIVER_MATRIX_H
#define STRATA_TEST_SUPPORT_DRIVER_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct {
  const char *type;
  int size; // bytes
  double (*load)(const void *at);
} strata_matrix_element_t;

typedef struct {
  const strata_matrix_element_t *left, *right;
  bool is_integer; // sums are i32, else f32
  int m, n, k;
} strata_matrix_shape_t;

// Row |kind|; NULL: there is none.
const strata_matrix_shape_t *strata_matrix_shape(uint32_t kind);

// One lane's fragments of an instruction of a warp; |sum| and |result| are f32, f64 or i32.
typedef struct {
  const void *left, *right, *sum;
  void *result;
  bool is_scaled;
  uint32_t scales[2]; // then: of the left and the right one, in their lowest bytes
} strata_matrix_fragments_t;

// |fragments|: of the warp's lanes. What is wrong with row |kind|, or its operands; NULL: nothing.
const char *strata_matrix_multiply(uint32_t kind, unsigned lanes, const strata_matrix_fragments_t *fragments);

#pragma GCC visibility pop

#endif
