// Attention on devices whose products read their operands from shared memory (schedule_attention.c), or that have no
// matrix instructions at all (schedule_attention_fma.c): the model and the choice of tiles, for the pass that groups
// nests (group_attention.c) and the one that schedules kernels.
#ifndef STRATA_PASSES_AFFINE_ATTENTION_H
#define STRATA_PASSES_AFFINE_ATTENTION_H

#include "dialects/affine/attention.h"
#include "passes/affine/problem.h"

// The one switch: whether attention is one kernel.
enum { STRATA_ATTENTION = 1 };

typedef struct {
  strata_attention_t attention;
  int64_t rows, columns, batch;
  int64_t head, value;       // of a tile: in whole steps and columns
  const strata_mma_t *async; // NULL: the device has no instruction for it
  bool on_fma;               // nor any other
  const strata_gpu_costs_t *costs;
} strata_attention_problem_t;

strata_attention_problem_t strata_attention_problem(const strata_gpu_device_t *device,
                                                    const strata_attention_t *attention);

// Why no tile can fit; NULL: one may.
const char *strata_attention_obstacle(const strata_attention_problem_t *problem);

typedef struct {
  int64_t groups;        // of 128 threads, 64 rows each
  int64_t warps[2];      // on multiply-adds: along rows and columns of the tile
  int64_t rows, columns; // of a tile
  int64_t slots, tasks, blocks;
  double seconds;    // as those of other kernels are modelled
  double cost;       // by which candidates are compared: on multiply-adds, idle schedulers count, which those leave out
  const char *bound; // what takes the time
  size_t number;     // among the candidates
} strata_attention_choice_t;

// Of all scores on the whole card, beside a softmax.
double strata_attention_arithmetic_seconds(const strata_gpu_device_t *device,
                                           const strata_attention_problem_t *problem);

// True if the device has a form of it at all.
bool strata_attention_is_available(const strata_gpu_device_t *device);

// Walks the candidates that fit: |choice| is zero at first, and the next one afterwards; false at the end.
bool strata_attention_next(const strata_gpu_device_t *device, const strata_attention_problem_t *problem,
                           strata_attention_choice_t *choice);
// The best |n|, best first; returns how many there are.
int strata_attention_choose(const strata_gpu_device_t *device, const strata_attention_problem_t *problem, int n,
                            strata_attention_choice_t *out);
// The least time of any, beside other kernels'; infinity where none fits.
double strata_attention_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *problem);
strata_schedule_t strata_attention_schedule(const strata_attention_problem_t *problem,
                                            const strata_attention_choice_t *choice);

// The same of multiply-adds, problem->on_fma (schedule_attention_fma.c).
bool strata_attention_fma_next(const strata_gpu_device_t *device, const strata_attention_problem_t *problem,
                               strata_attention_choice_t *choice);
strata_schedule_t strata_attention_fma_schedule(const strata_attention_problem_t *problem,
                                                const strata_attention_choice_t *choice);

// The schedule of a kernel that is attention; *out_taken is false where it is not.
STRATA_MUST_CHECK strata_status_t strata_schedule_attention(strata_compile_t *compile,
                                                            const strata_gpu_device_t *device,
                                                            const strata_kernel_t *kernel, strata_schedule_t *out,
                                                            bool *out_taken);

#endif
