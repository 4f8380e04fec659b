// Instructions of pipelined products (instructions.def). Internal to pipelined*.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_INSTRUCTION_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_INSTRUCTION_H

#include "dialects/affine/schedule.h"
#include "lowering/tile_to_gpu/pipelined.h"

struct strata_instruction {
  const char *name;
  // Sums lie as a warp group's instruction has them: results are staged and exchanged by warp groups, and operands of
  // the epilogue may come through the ring.
  bool has_fragments;
  // How an operand of |type| may come, that of the instruction's rows if it is |left|.
  strata_operand_terms_t (*terms)(MlirType type, bool left);
  // Once both are known: the layout of the sums, and of what threads read of operands. UNSUPPORTED where the schedule
  // asks for what the instruction has not.
  strata_status_t (*finish)(strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,
                            strata_pipelined_t *p);
  // Arrivals after which a slot is empty.
  int64_t (*releases)(const strata_pipelined_t *p);
  // Adds the products of |slot|, which is full, number |step| of the task's, to |sums|; it is released at once or with
  // the next.
  void (*multiply)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue step,
                   MlirValue *sums);
  // Behind the task's last slot; NULL: nothing is to be done.
  void (*end)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue *sums);
};

// The one that |op|, a vector.contract, asks for.
const strata_instruction_t *strata_instruction_of(MlirOperation op);

#define STRATA_INSTRUCTION(name)                                                                                       \
  strata_operand_terms_t name##_terms(MlirType type, bool left);                                                       \
  strata_status_t name##_finish(strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,     \
                                strata_pipelined_t *p);                                                                \
  int64_t name##_releases(const strata_pipelined_t *p);                                                                \
  void name##_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue step,     \
                       MlirValue *sums);                                                                               \
  void name##_end(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue *sums)

STRATA_INSTRUCTION(strata_wgmma);
STRATA_INSTRUCTION(strata_fma);
STRATA_INSTRUCTION(strata_mma);

// True if |op| asks for an instruction whose operands are in registers.
bool strata_mma_is_asked(MlirOperation op);

// The layout of the sums: by ->n, ->m_blocks, ->groups, ->across, ->swap and ->reads_left.
strata_layout_t strata_wgmma_sum_layout(const strata_pipelined_t *p);
// A warp group's instruction: 64 rows of the left operand, in shared memory or, if that is NULL, in registers, times
// |columns| of the right one.
typedef struct {
  const strata_mma_t *mma;
  MlirType sum;
  int64_t columns;
  const strata_shared_operand_t *left, *right;
} strata_wgmma_t;
// |left|: memory and place, or words; columns / 2 sums, which it adds to or is the first of.
void strata_wgmma_emit(strata_gpu_distribution_t *d, const strata_wgmma_t *w, const MlirValue *left, MlirValue right_at,
                       bool adds, MlirValue *sums);
// |words| of left operands, complete before what follows.
void strata_wgmma_emit_left(strata_gpu_distribution_t *d, int64_t count, MlirValue *words);

#endif
