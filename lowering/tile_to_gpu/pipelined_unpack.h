// Left operands of few bits (pipelined_unpack.c). Internal to pipelined*.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_UNPACK_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_UNPACK_H

#include "lowering/tile_to_gpu/pipelined_instruction.h"

// True if |value| is a tile.unpack; how its words come, and with them scales and zero points.
bool strata_unpack_is(MlirValue value);
STRATA_MUST_CHECK strata_status_t strata_unpack_read(strata_gpu_distribution_t *d, MlirValue value,
                                                     strata_ring_operand_t *operand);
// What threads need of |slot| is loaded; then the words of the left operands of instruction |step| are computed: of
// each of the group's blocks of 64 rows those of a fragment.
typedef struct strata_unpacking strata_unpacking_t;
strata_unpacking_t *strata_unpack_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                                        MlirValue slot);
MlirValue *strata_unpack_step(strata_unpacking_t *unpacking, int64_t step);

#endif
