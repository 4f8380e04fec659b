// A constant matrix that is multiplied by few vectors, and of which a result's elements lie apart: stored the other way
// round in front of the first call, so that threads go along what they sum up. Internal to split*.c.
#ifndef STRATA_PASSES_AFFINE_TURN_CONSTANTS_H
#define STRATA_PASSES_AFFINE_TURN_CONSTANTS_H

#include "passes/affine/nest_graph.h"

// The operand of the product |node| that can be turned, which nobody else reads; NULL if there is none.
const strata_access_t *strata_turned_constant(const strata_nest_graph_t *graph, const strata_nest_node_t *node);

// Turns it: a nest in front of the product's copies |operand|. The graph's record of |nest| is stale afterwards.
STRATA_MUST_CHECK strata_status_t strata_turn_constant(strata_compile_t *compile, const strata_nest_t *nest,
                                                       const strata_access_t *operand);

#endif
