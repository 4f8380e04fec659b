// What is known of an old value; only values.c, assign.c and access.c look inside.
#ifndef STRATA_LOWERING_TILE_TO_GPU_VALUES_H
#define STRATA_LOWERING_TILE_TO_GPU_VALUES_H

#include "lowering/tile_to_gpu/distribute.h"

struct strata_gpu_record {
  strata_record_t record;        // its class: values that share one layout
  const strata_layout_t *layout; // of the root; NULL until chosen
  bool crosses;                  // of the root: some access is contiguous along another dim than the layout's vectors
  strata_registers_t registers;  // values are NULL until defined
  bool is_turned;                // a load's, by eight lanes among themselves: an operand that lies across the reduction
  MlirValue stored;              // an operand's place in shared memory, where a loop's contractions find it; else null
  MlirValue counter;             // of a loop's induction value: how often the loop has run; null if bounds are dynamic
};

strata_gpu_record_t *strata_gpu_record_of(strata_gpu_distribution_t *d, MlirValue old);
strata_gpu_record_t *strata_gpu_record_root(strata_gpu_distribution_t *d, MlirValue old);

#endif
