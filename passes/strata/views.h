// The algebra of views: ops that only say where the elements of their operand are read.
#ifndef STRATA_PASSES_STRATA_VIEWS_H
#define STRATA_PASSES_STRATA_VIEWS_H

#include "passes/strata/rewrite.h"

// A run of an operand's dims that a reshape turns into a run of result dims with the same number of elements. Runs are
// as short as possible; a dim of size 1 that is dropped or added is a run of its own, with none on the other side.
typedef struct {
  int in, n_in, out, n_out; // first dims and how many
} strata_dim_group_t;

// The runs of a reshape, in order; -1 where an empty dim, or sizes that do not multiply to equal expressions, keep them
// from being known.
int strata_reshape_groups(const strata_shape_t *in, const strata_shape_t *out,
                          strata_dim_group_t groups[2 * STRATA_MAX_RANK]);
// The same for a reshape op.
int strata_reshape_op_groups(MlirOperation op, strata_dim_group_t groups[2 * STRATA_MAX_RANK]);

// True of a reshape, be it of |value|, that makes one dim of a gather's numbers and what it finds by each: pages of a
// cache, which are the columns of attention then.
bool strata_joins_pages(MlirOperation reshape, MlirValue value);

int strata_rank_of(MlirValue value);

// A slice that begins at numbers: of dim i the elements starts[i], starts[i] + steps[i], ..., sizes[i] of them.
typedef struct {
  int rank;
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  strata_dim_t sizes[STRATA_MAX_RANK];
} strata_slice_t;

// False if it begins at sizes that vary, or has no elements.
bool strata_slice_read(MlirOperation op, strata_slice_t *out);
// All of |x|, whose shape it is.
strata_slice_t strata_slice_all(const strata_shape_t *x);
// True if it takes all elements of dim |i|, of |size|, in their order.
bool strata_slice_is_whole(const strata_slice_t *slice, int i, strata_dim_t size);
MlirValue strata_slice_build(strata_builder_t *b, MlirValue x, const strata_slice_t *slice);

void strata_permutation_of(MlirOperation transpose, int64_t permutation[STRATA_MAX_RANK]);

// A view (transpose or reshape) and a broadcast change places: the broadcast of the same operand, or of a reshape of
// it,
//   forward:  to what the view makes of the broadcast's result      view(broadcast(x))  ->  broadcast(x)
//   backward: to what the view makes the broadcast's result from    broadcast(x)        ->  view(broadcast(x))
typedef struct {
  int rank; // of the broadcast's operand, reshaped
  strata_dim_t dims[STRATA_MAX_RANK];
  int64_t places[STRATA_MAX_RANK]; // the dim of the result that is read; -1: the dim has size 1 and is read at 0
} strata_broadcast_plan_t;
typedef enum { STRATA_FORWARD, STRATA_BACKWARD } strata_direction_t;

// False if the view merges or splits a dim that the operand has with one that it does not have.
bool strata_plan_broadcast(MlirOperation broadcast, MlirOperation view, strata_direction_t direction,
                           strata_broadcast_plan_t *out_plan);
MlirValue strata_build_planned(strata_builder_t *b, MlirOperation broadcast, const strata_broadcast_plan_t *plan,
                               const strata_shape_t *result);

// A slice of a product, or of what is elementwise behind one, as the same of less; a null value where somebody else
// reads more of it.
MlirValue strata_raise_slice(strata_rewriter_t *rewriter, MlirOperation slice);

// A contract that reads through its maps what a view of one of its operands moves; a null value if there is none.
MlirValue strata_absorb_view(strata_rewriter_t *rewriter, MlirOperation contract);
// transpose(contract) as a contract whose result is in that order, and reshape(contract) as one with more or fewer dims
// of size 1; a null value if the contract has other readers or the reshape does more.
MlirValue strata_transpose_contract(strata_rewriter_t *rewriter, MlirOperation transpose);
MlirValue strata_reshape_contract(strata_rewriter_t *rewriter, MlirOperation reshape);

// An elementwise op on a concat, or a reshape of one, of what contracts compute, as a concat of such ops on the parts;
// a null value if it has no such operand.
MlirValue strata_pass_concat(strata_rewriter_t *rewriter, MlirOperation elementwise, strata_op_id_t id);

// An elementwise op, or a gather, on slices of symbolic sizes of what constants make as the slice of the same on all of
// that; a null value if it reads something else.
MlirValue strata_pass_slice(strata_rewriter_t *rewriter, MlirOperation op, strata_op_id_t id);

#endif
