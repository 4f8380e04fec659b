// Attention on a cpu as one kernel (lowering/affine_to_tile/attention_cpu.c): its tiles, for the pass that groups nests
// and the one that schedules kernels.
#ifndef STRATA_PASSES_AFFINE_ATTENTION_CPU_H
#define STRATA_PASSES_AFFINE_ATTENTION_CPU_H

#include "dialects/affine/attention.h"

enum { STRATA_ATTENTION_CPU_TILE = 3 }; // rows, columns, values

// *out_why: why no tile suits; NULL if one does.
STRATA_MUST_CHECK strata_status_t strata_attention_cpu_tile(strata_compile_t *compile,
                                                            const strata_attention_t *attention, int64_t *out_tile,
                                                            const char **out_why);

// Schedules a kernel that is attention; *out_taken is false where it is not.
STRATA_MUST_CHECK strata_status_t strata_schedule_attention_cpu(strata_compile_t *compile,
                                                                const strata_kernel_t *kernel, bool *out_taken);

#endif
