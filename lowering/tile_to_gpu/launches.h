// Launches that begin before the kernel in front of them has ended (docs/gpu.md, `strata.programmatic`).
#ifndef STRATA_LOWERING_TILE_TO_GPU_LAUNCHES_H
#define STRATA_LOWERING_TILE_TO_GPU_LAUNCHES_H

#include "lowering/tile_to_gpu/distribute.h"

// True if the kernel may fetch constants before it waits for what is in front of it, and had better: it is memory that
// decides when it is over, and that idles meanwhile.
bool strata_gpu_may_fetch_early(const strata_gpu_distribution_t *d);
// True if launches of the kernel may begin early; it waits for what is in front of it itself.
bool strata_gpu_begins_early(const strata_gpu_distribution_t *d);
// Makes loads of what nothing writes while the new kernel |func| runs ordinary ones: the assembler would move the
// others in front of the wait.
void strata_gpu_keep_loads(MlirOperation func);
// Bytes of shared memory that a launch of the kernel asks for at most: what it needs, or more.
int64_t strata_gpu_launch_shared(const strata_gpu_distribution_t *d);
// strata.apart of one whose number of blocks varies: what the runtime finds out how much a launch asks for by; null:
// all ask for the same.
MlirAttribute strata_gpu_launch_apart(const strata_gpu_distribution_t *d);

#endif
