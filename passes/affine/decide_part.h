// Parts of the graph that decisions are about, as modules of their own. Internal to decide*.c.
#ifndef STRATA_PASSES_AFFINE_DECIDE_PART_H
#define STRATA_PASSES_AFFINE_DECIDE_PART_H

#include "passes/affine/decide.h"
#include "passes/tuning/tuning.h"

typedef STRATA_VECTOR(int32_t) strata_part_inputs_t;

// A module with a @main of inputs, then outputs, which computes the part from them and from constants @c0, @c1, ...
typedef struct {
  strata_compile_t *compile;
  const char *why;           // it is none; NULL: it is one
  MlirModule module;         // null where there is none
  strata_part_inputs_t warm; // inputs that kernels in front have written
  STRATA_VECTOR(strata_tuning_constant_t) constants;
} strata_part_t;

STRATA_MUST_CHECK strata_status_t strata_part_of_nests(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                                       const strata_ints_t *nests, strata_part_t *out);
STRATA_MUST_CHECK strata_status_t strata_part_of_calls(strata_compile_t *compile, const strata_calls_t *calls,
                                                       const strata_operations_t *part, strata_part_t *out);
void strata_part_destroy(strata_part_t *part);

// A hash of the module, by which the decision is known.
const char *strata_part_number(const strata_part_t *part, const char *decision);
double strata_part_constant_bytes(const strata_part_t *part);

// The module behind all of the phase affine, as text, by |answer| to all decisions of |kind| in it; |data| is the file
// of its constants. *out_text is NULL if nobody asked for such a decision, or it cannot be compiled.
STRATA_MUST_CHECK strata_status_t strata_part_compile(const strata_part_t *part, strata_decision_kind_t kind,
                                                      const char *answer, const char *data, const char **out_text);

#endif
