// Attention on devices whose products read their operands from shared memory (schedule_attention.c), or whose threads
// stage what they multiply (schedule_attention_staged.c): the model and the choice of tiles, for the pass that groups
// nests (group_attention.c) and the one that schedules kernels.
#ifndef STRATA_PASSES_AFFINE_ATTENTION_H
#define STRATA_PASSES_AFFINE_ATTENTION_H

#include "dialects/affine/attention.h"
#include "passes/affine/problem.h"

// Where sizes vary the numbers are those of one point of them, what is likely if nothing else is said.
typedef struct {
  strata_attention_t attention;
  bool varies;
  bool has_variants; // or is one: then it has no parts, which take other arguments
  bool values_end;   // what lies behind the last column is zero
  int64_t rows, columns, batch, offset;
  int64_t long_columns;      // as many parts as suit these are chosen, at whatever point: of fewer they cost little
  int64_t head, value;       // of a tile: in whole steps and columns
  const strata_mma_t *async; // NULL: the device has no instruction for it
  bool is_staged;            // by the threads that multiply,
  const strata_mma_t *mma;   // with this instruction of a warp, or, if NULL, multiply-adds
  const strata_gpu_costs_t *costs;
} strata_attention_problem_t;

strata_attention_problem_t strata_attention_problem(const strata_gpu_device_t *device,
                                                    const strata_attention_t *attention);
// The same where the symbols have |values|.
strata_attention_problem_t strata_attention_problem_at(const strata_attention_problem_t *problem,
                                                       const int64_t *values);

// Of a warp, which rounds nothing; NULL: the device has none for operands of |type|.
const strata_mma_t *strata_attention_mma(const strata_gpu_device_t *device, MlirType type);

// Why no tile can fit; NULL: one may.
const char *strata_attention_obstacle(const strata_attention_problem_t *problem);

// Of all scores on the whole card, beside a softmax.
double strata_attention_arithmetic_seconds(const strata_gpu_device_t *device,
                                           const strata_attention_problem_t *problem);

// Registers of a thread of so many groups that multiply, less what is to spare; 0: no block has as many.
int64_t strata_attention_group_registers(int64_t groups);

// True if the device has a form of it at all.
bool strata_attention_is_available(const strata_gpu_device_t *device);

// The least time of any, beside other kernels'; infinity where none fits.
double strata_attention_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *problem);

//===-- On a cpu (schedule_attention_cpu.c, lowering/affine_to_tile/attention_cpu.c) -----------------------------===//

enum { STRATA_ATTENTION_CPU_TILE = 3 }; // rows, columns, values

// False where sizes vary that the kernel has numbers of, or too few rows are likely for what it packs.
bool strata_attention_cpu_takes(const strata_attention_t *attention);

// *out_why: why no tile suits; NULL if one does.
STRATA_MUST_CHECK strata_status_t strata_attention_cpu_tile(strata_compile_t *compile,
                                                            const strata_attention_t *attention, int64_t *out_tile,
                                                            const char **out_why);

#endif
