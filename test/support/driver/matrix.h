// Matrix instructions of a warp, as targets/gpu/mma.def lists them.
#ifndef STRATA_TEST_SUPPORT_DRIVER_MATRIX_H
#define STRATA_TEST_SUPPORT_DRIVER_MATRIX_H

#include <stdint.h>

// One lane's fragments; |sum| and |result| are f32 or i32.
typedef struct {
  const void *left, *right, *sum;
  void *result;
} strata_matrix_fragments_t;

// |fragments|: of the 32 lanes.
__attribute__((visibility("hidden"))) void strata_matrix_multiply(uint32_t kind,
                                                                  const strata_matrix_fragments_t *fragments);

#endif
