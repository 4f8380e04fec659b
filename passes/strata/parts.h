// Parts of products: whether products of one operand are better one, cut into parts, or apart.
#ifndef STRATA_PASSES_STRATA_PARTS_H
#define STRATA_PASSES_STRATA_PARTS_H

#include "passes/strata/graph.h"

// The values that one part of a product, a product of its own or a slice of one, begins with.
typedef STRATA_VECTOR(MlirValue) strata_part_t;

// True if elementwise ops join what follows two parts.
bool strata_parts_meet(strata_arena_t *arena, size_t n, const strata_part_t *parts);

enum { STRATA_MAX_PLACED = 32 }; // parts that are looked at as products of their own

// Of parts of |contract|, or of it and others of its kind. *out_placed: some part, or what follows it elementwise or
// through views, is stored at a place of its own, a result of the function, a piece of a concat where the others are
// not its neighbours, and it is worth while not to copy it there out of a whole. Never of more parts than share a
// launch. *out_order[i], of |n|: which part is to be the i-th of a whole, as in the concat.
STRATA_MUST_CHECK strata_status_t strata_parts_are_placed(strata_compile_t *compile, MlirOperation contract, size_t n,
                                                          const strata_part_t *parts, int *out_order, bool *out_placed);

#endif
