// Local rewriting of the graph level: a pass gives one function that looks at an op and may build what replaces it.
//
// The driver visits every op in textual order, and again an op whose operands were replaced, whose number of users went
// down, or that a rewrite built, until nothing changes. Ops without users go at once. All functions of the module are
// rewritten; the work is proportional to the ops and the rewrites.
#ifndef STRATA_PASSES_STRATA_REWRITE_H
#define STRATA_PASSES_STRATA_REWRITE_H

#include "passes/strata/graph.h"

typedef struct strata_rewriter {
  strata_compile_t *compile;
  strata_builder_t build; // before the op being looked at, with its location
  struct strata__rewrite_state *state;
} strata_rewriter_t;

// Returns the value that replaces the result of |op|, which has one result and is the primitive |id|; a null value if
// there is nothing to do. What it builds and does not return through that value is forgotten, so it should decide first
// and build then. Errors go to rewriter->build.
typedef MlirValue (*strata_rewrite_t)(strata_rewriter_t *rewriter, MlirOperation op, strata_op_id_t id);

STRATA_MUST_CHECK strata_status_t strata_rewrite(strata_compile_t *compile, strata_rewrite_t rewrite);

// True if |value| depends on constants only: the preparation program computes it once. Values built in the current call
// of the rewrite function are not known yet.
// |number| in the shape of |value|.
MlirValue strata_rewriter_splat(strata_rewriter_t *rewriter, MlirValue value, double number);
bool strata_rewriter_is_constant(const strata_rewriter_t *rewriter, MlirValue value);

#define STRATA_NO_VALUE ((MlirValue){NULL})

#endif
