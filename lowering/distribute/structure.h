// Structure is copied: loops, branches, and whatever else stays as it stands but for its values, each of which has
// become as many registers as its layout says. What those are is the distribution's business (tile_to_cpu,
// tile_to_gpu).
#ifndef STRATA_LOWERING_DISTRIBUTE_STRUCTURE_H
#define STRATA_LOWERING_DISTRIBUTE_STRUCTURE_H

#include "lowering/emit/emit.h"
#include "runtime/base/arena.h"

typedef STRATA_VECTOR(MlirValue) strata_values_t;
typedef STRATA_VECTOR(MlirType) strata_types_t;

typedef struct {
  strata_emitter_t *e; // the end of the new code
  strata_arena_t *arena;
  void *distribution; // given to the functions
  // Adds the types of the registers that |old| becomes.
  void (*push_types)(void *distribution, MlirValue old, strata_types_t *out_types);
  // Defines |old| as the first of |registers|; returns those behind them.
  const MlirValue *(*define)(void *distribution, MlirValue old, const MlirValue *registers);
  // Rewrites every op of a block at the end of the new code.
  strata_status_t (*distribute)(void *distribution, MlirBlock block);
} strata_structure_t;

// A block for what becomes of |old|, whose arguments it defines.
MlirBlock strata_structure_block(const strata_structure_t *s, MlirBlock old);
// Adds the types of what becomes of the op's results; defines these as the results of |copy|.
void strata_structure_push_results(const strata_structure_t *s, MlirOperation op, strata_types_t *out_types);
void strata_structure_define_results(const strata_structure_t *s, MlirOperation op, MlirOperation copy);

// True if an op can be copied: it has no successors and at most two regions.
bool strata_structure_is_copied(MlirOperation op);
// Appends such an op with the name and attributes of |op| on |operands|, its regions distributed, and defines the
// results.
STRATA_MUST_CHECK strata_status_t strata_structure_copy(const strata_structure_t *s, MlirOperation op,
                                                        const strata_values_t *operands);

// True if |op| takes or gives vectors.
bool strata_op_handles_vectors(MlirOperation op);

#endif
