// Parts of products: whether products of one operand are better one, cut into parts, or apart.
#ifndef STRATA_PASSES_STRATA_PARTS_H
#define STRATA_PASSES_STRATA_PARTS_H

#include "passes/strata/graph.h"

// The values that one part of a product, a product of its own or a slice of one, begins with.
typedef STRATA_VECTOR(MlirValue) strata_part_t;

// True if elementwise ops join what follows two parts.
bool strata_parts_meet(strata_arena_t *arena, size_t n, const strata_part_t *parts);

enum { STRATA_MAX_PLACED = 8 }; // parts that can share a launch as products of their own

// True if some part, or what follows it elementwise or through views, is stored at a place of its own: a result of the
// function, a piece of a concat where the others are not its neighbours. Cut out of a whole it would be copied there.
// Not of more than so many parts, nor of few results in all. *out_order[i], of |n|: which part is to be the i-th of a whole, as in the concat.
bool strata_parts_are_placed(size_t n, const strata_part_t *parts, int *out_order);

#endif
