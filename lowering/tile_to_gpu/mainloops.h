// Main loops (mainloops.def): what a kernel with producers (pipelined.c) computes of a task before its epilogue.
#ifndef STRATA_LOWERING_TILE_TO_GPU_MAINLOOPS_H
#define STRATA_LOWERING_TILE_TO_GPU_MAINLOOPS_H

#include "lowering/tile_to_gpu/pipelined.h"

// Registers of a thread of either role; 0: as many as there are.
typedef struct {
  int64_t producer, consumer;
} strata_register_shares_t;

struct strata_mainloop {
  const char *name;
  bool is_alone; // a block is its processor's only one, which the next kernel's cannot join
  bool has_once; // something is fetched once a task: k->parity
  // Fixes the layouts of contraction |op|'s sum and operands.
  strata_status_t (*fix_layouts)(strata_gpu_distribution_t *d, MlirOperation op);
  // The kernels of a launch whose first forall is |forall|.
  strata_status_t (*read)(strata_gpu_distribution_t *d, MlirOperation forall, strata_pipelined_kernel_t **out_first);
  // Slots, staging memory and barriers; by one thread, what the barriers count.
  strata_status_t (*allocate)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  void (*init)(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
  strata_register_shares_t (*registers)(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
  // By consumers in front of their first task; NULL: nothing is to be done.
  void (*begin)(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
  // Of the running task: fills slots, by producers; the old loop's results, by consumers.
  strata_status_t (*produce)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  strata_status_t (*multiply)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  // True if producers fetch what |op|, in the forall's body, loads.
  bool (*fetches)(const strata_pipelined_kernel_t *k, MlirOperation op);
};

strata_status_t strata_pipelined_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op);
strata_status_t strata_pipelined_kernels(strata_gpu_distribution_t *d, MlirOperation forall,
                                         strata_pipelined_kernel_t **out_first);
strata_status_t strata_pipelined_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
void strata_pipelined_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
strata_register_shares_t strata_pipelined_registers(const strata_gpu_distribution_t *d,
                                                    const strata_pipelined_kernel_t *k);
strata_status_t strata_pipelined_produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
strata_status_t strata_pipelined_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

strata_status_t strata_attention_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op);
strata_status_t strata_attention_kernels(strata_gpu_distribution_t *d, MlirOperation forall,
                                         strata_pipelined_kernel_t **out_first);
strata_status_t strata_attention_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
void strata_attention_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
strata_register_shares_t strata_attention_registers(const strata_gpu_distribution_t *d,
                                                    const strata_pipelined_kernel_t *k);
void strata_attention_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
strata_status_t strata_attention_produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
strata_status_t strata_attention_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
bool strata_attention_fetches(const strata_pipelined_kernel_t *k, MlirOperation op);

#endif
