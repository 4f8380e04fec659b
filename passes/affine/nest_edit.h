// Changing nests in place: their dims and the maps of their ops. Records of a changed nest are stale.
#ifndef STRATA_PASSES_AFFINE_NEST_EDIT_H
#define STRATA_PASSES_AFFINE_NEST_EDIT_H

#include "dialects/affine/kernel.h"

// Makes |map|, over |dims|, the map of an affine.load, affine.store or affine.apply, or, for an affine.if, what must be
// at least 0 (or equal to 0, as before). Only the dims it uses become operands.
void strata_nest_set_map(MlirOperation op, MlirAffineMap map, const MlirValue *dims);

// Gives a buffer another type; what it is allocated by follows.
void strata_buffer_set_type(MlirValue buffer, MlirType type);

// Sets the sizes of an affine.parallel; its block must have as many arguments.
void strata_nest_set_sizes(MlirOperation parallel, int count, const strata_size_t *sizes);

void strata_loop_set_size(MlirOperation loop, strata_size_t size);

// Puts an affine.for of |extent| iterations around |loop|, which goes on with what it carries; it is returned.
MlirOperation strata_loop_wrap(MlirOperation loop, strata_size_t size);

// True if |loop| holds |inner| alone, and hands on what the two carry.
bool strata_loop_is_perfect(MlirOperation loop, MlirOperation inner);

// Puts the body of an affine.for in its place, as if it ran once; nothing may use its counter.
void strata_loop_inline(MlirOperation loop);

// Erases the ops of |block| whose results nobody uses, the last first.
void strata_nest_erase_unused(MlirBlock block);

// Puts dims first .. first + count of the nest in the order of falling strides of an access; dims of one stride, and
// those the access does not depend on, keep their places. *out_order[i] is the old dim at place i. False if some stride
// is not known.
bool strata_nest_order_by_stride(const strata_nest_t *nest, const strata_access_t *access, int first, int count,
                                 int *out_order);

// Reorders all dims of a nest; *order[i] is the old dim at place i.
void strata_nest_reorder_dims(const strata_nest_t *nest, const int *order);

#endif
