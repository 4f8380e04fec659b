// Roles: what the warp groups of a block do where they do not all do the same, some fetching and others computing.
//
// A role is a scope: in it the threads are counted from its first, and barriers and rules that ask for the block's
// threads are told of the role's. What is emitted goes to the end of the new code.
#ifndef STRATA_LOWERING_TILE_TO_GPU_ROLES_H
#define STRATA_LOWERING_TILE_TO_GPU_ROLES_H

#include "dialects/tile/product_form.h"
#include "lowering/tile_to_gpu/distribute.h"

// Barriers of threads by number; 0 is the whole block's. A warp group's own, and that of its turn, by its number.
enum { STRATA_ALL_CONSUMERS = 1, STRATA_FIRST_GROUP = 2, STRATA_FIRST_TURN = 8 };

// Opens the role of a warp group behind the consumers, number |number| of those, of which the first fetches; |thread|:
// the thread's number in the block. The outer role is returned: d->role is to be that again at the scope's end.
strata_gpu_role_t strata_producers_begin(strata_gpu_distribution_t *d, MlirValue thread, int64_t number);

// From here on the thread has |count| registers, |more| or fewer than before: what one role gives up another takes.
void strata_emit_registers(strata_gpu_distribution_t *d, int64_t count, bool more);
// The next launch may begin; waits for the launch before.
void strata_emit_launch_next(strata_gpu_distribution_t *d);
void strata_emit_launch_wait(strata_gpu_distribution_t *d);
// A warp group's turn, by tile.group_barrier of its own threads or tile.group_arrive of those of the group before it.
void strata_emit_turn(strata_gpu_distribution_t *d, const char *name, MlirValue group);
// An index below 2^31 that all lanes of a warp have: that of the first, so that the assembler sees it, too, and keeps
// it and what is computed from it in scalar registers. It is computed here, not where it is used.
MlirValue strata_emit_as_one(strata_gpu_distribution_t *d, MlirValue value);
// The number of the thread's warp group, known to be the same in all lanes of a warp.
MlirValue strata_emit_group_number(strata_gpu_distribution_t *d, MlirValue thread);
// The thread's number in its warp group.
MlirValue strata_emit_group_lane(strata_gpu_distribution_t *d);
// True in the first thread of the role.
MlirValue strata_emit_is_first_thread(strata_gpu_distribution_t *d);
// True in the first lane of each of its warps.
MlirValue strata_emit_is_first_lane(strata_gpu_distribution_t *d);

#endif
