// The rules of strata-simplify, for passes that must keep what they change simple.
#ifndef STRATA_PASSES_STRATA_SIMPLIFY_H
#define STRATA_PASSES_STRATA_SIMPLIFY_H

#include "passes/strata/rewrite.h"

// What an op simplifies to; a null value if to nothing. The second is the part that knows views (transpose, reshape,
// slice, pad, concat, broadcast, gather).
MlirValue strata_simplify_op(strata_rewriter_t *rewriter, MlirOperation op, strata_op_id_t id);
MlirValue strata_simplify_view(strata_rewriter_t *rewriter, MlirOperation op, strata_op_id_t id);

// A scatter that replaces few rows, or known ones.
MlirValue strata_simplify_scatter(strata_rewriter_t *rewriter, MlirOperation scatter);

// The part of strata-fold that computes with splats, of any size: the splat that an op on splats gives.
MlirValue strata_fold_splats(strata_rewriter_t *rewriter, MlirOperation op, strata_op_id_t id);

#endif
