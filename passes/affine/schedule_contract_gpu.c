// Contractions on GPUs: see schedule_gpu.h.
#include "passes/affine/schedule_gpu.h"

strata_status_t strata_schedule_contract_gpu(const strata_gpu_contraction_t *contraction,
                                             strata_schedule_t *out_schedule, bool *out_taken) {
  (void)contraction;
  (void)out_schedule;
  *out_taken = false;
  return NULL;
}
