// Main loops (mainloops.def): what a kernel with producers (pipelined.c) computes of a task before its epilogue.
#ifndef STRATA_LOWERING_TILE_TO_GPU_MAINLOOPS_H
#define STRATA_LOWERING_TILE_TO_GPU_MAINLOOPS_H

#include "lowering/tile_to_gpu/pipelined.h"

// Registers of a thread of each role; 0: as many as there are.
typedef struct {
  int64_t producer, consumer, widener;
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
  // By producers in front of the wait for earlier kernels, of their first task; NULL: nothing is to be done.
  strata_status_t (*fetch_early)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  // Of the running task: fills slots, by producers; the old loop's results, by consumers.
  strata_status_t (*produce)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  strata_status_t (*multiply)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  // By group ->widener of those that widen; NULL: no kernel has any.
  strata_status_t (*widen)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
  // True if producers fetch what |op|, in the forall's body, loads.
  bool (*fetches)(const strata_pipelined_kernel_t *k, MlirOperation op);
};

// Of a kernel with producers: the whole forall and those behind it.
STRATA_MUST_CHECK strata_status_t strata_products_forall(strata_gpu_distribution_t *d, MlirOperation forall);

// Has a loop over steps stay one, be they few. Producers and products wait for most of their time, and where sizes vary
// a library has several kernels for one product: their code counts.
void strata_pipelined_keep_rolled(strata_gpu_distribution_t *d, MlirOperation loop);

// By producers: what |emit| does for each of the running task's steps from |lower| to |upper| - 1; k->place moves on.
STRATA_MUST_CHECK strata_status_t strata_pipelined_for_steps(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k,
                                                             MlirValue lower, MlirValue upper,
                                                             strata_status_t (*emit)(strata_gpu_distribution_t *d,
                                                                                     strata_pipelined_kernel_t *k));

#define STRATA_MAINLOOP(name)                                                                                          \
  strata_status_t name##_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op);                                  \
  strata_status_t name##_kernels(strata_gpu_distribution_t *d, MlirOperation forall,                                   \
                                 strata_pipelined_kernel_t **out_first);                                               \
  strata_status_t name##_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);                         \
  void name##_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);                                  \
  strata_register_shares_t name##_registers(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);   \
  void name##_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);                                 \
  strata_status_t name##_fetch_early(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);                      \
  strata_status_t name##_produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);                          \
  strata_status_t name##_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);                         \
  bool name##_fetches(const strata_pipelined_kernel_t *k, MlirOperation op)

STRATA_MAINLOOP(strata_pipelined);
STRATA_MAINLOOP(strata_attention);
strata_status_t strata_attention_widen(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

#endif
