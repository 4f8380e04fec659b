// Combining what threads hold.
#ifndef STRATA_LOWERING_TILE_TO_GPU_COMBINE_H
#define STRATA_LOWERING_TILE_TO_GPU_COMBINE_H

#include "lowering/tile_to_gpu/distribute.h"

// |value| of the thread whose number differs in bit |bit| (below |lanes|, those of a warp). All threads of the warp get
// here. Values of any scalar type go in words of 32 bits.
MlirValue strata_emit_shuffle_xor(strata_emitter_t *e, MlirValue value, int64_t bit, int lanes);
// The same of the warp's thread number |lane|.
MlirValue strata_emit_shuffle_from(strata_emitter_t *e, MlirValue value, int64_t lane, int lanes);

// A reduction whose registers are combined in chains, so that each is done with as soon as it is there. |is_partial|:
// no further, between the lanes of a warp alone: each thread has the part it holds itself; what became of the parts by
// operations that keep sums is combined by the other.
STRATA_MUST_CHECK strata_status_t strata_gpu_reduce_in_chains(strata_gpu_distribution_t *d, MlirOperation op,
                                                              bool is_partial);
void strata_gpu_reduce_lanes(strata_gpu_distribution_t *d, MlirOperation op, strata_registers_t *registers);

#endif
