// Matrix instructions: rows of targets/gpu/mma.def.
//
// An instruction multiplies m x k by k x n elements; the threads of a warp hold fragments of the operands and of the
// sum. Fragments are said in words of 32 bits, each w elements along k: see mma.def.
#ifndef STRATA_PASSES_MMA_H
#define STRATA_PASSES_MMA_H

#include "passes/target.h"

#include <mlir-c/IR.h>

typedef struct {
  const char *name;          // as the schedule's mma and tile.mma's kind spell it
  const char *family;        // the devices that have it: strata_gpu_device_t's mma or mma_async
  const char *operand, *sum; // element types, as MLIR spells them
  int m, n, k;               // n: 0 where it is chosen
} strata_mma_t;

// The device's instruction on operands of |operand| summed in |sum|; NULL if it has none. Static.
const strata_mma_t *strata_mma_find(const strata_gpu_device_t *device, MlirType operand, MlirType sum);
// The same of those that read operands from shared memory.
const strata_mma_t *strata_mma_find_async(const strata_gpu_device_t *device, MlirType operand, MlirType sum);
// The row of that name; NULL if there is none.
const strata_mma_t *strata_mma_named(MlirStringRef name);

// 32-bit words of a fragment of the left operand, the right one and the sum that a thread holds.
enum { STRATA_MMA_WORDS_A = 4, STRATA_MMA_WORDS_B = 2, STRATA_MMA_WORDS_C = 4 };

#endif
