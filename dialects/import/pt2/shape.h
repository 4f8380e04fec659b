// Nodes that several readers of operators that move elements make.
#ifndef STRATA_DIALECTS_IMPORT_PT2_SHAPE_H
#define STRATA_DIALECTS_IMPORT_PT2_SHAPE_H

#include "dialects/import/pt2/convert.h"

const char *pt2_known_ints(pt2_node_t *n, int count, const int64_t *values); // i64, of one dimension
// Reshape to a list of sizes, of which one may be -1; a size of 0 is 0.
const char *pt2_reshape(pt2_node_t *n, const char *value, const char *sizes);
// Sizes in place of the dims from |start| up to |end|.
const char *pt2_replace_dims(pt2_node_t *n, const pt2_value_t *self, int start, int end, const char *sizes);
const char *pt2_transpose(pt2_node_t *n, const char *value, int rank, const int64_t *order);
// The order in which |n|, a transpose of some kind, has the dims of what it is given.
void pt2_permutation(pt2_node_t *n, int rank, int64_t *order);
void pt2_first_order(int rank, int64_t *order);                         // 0, 1, 2, ...
void pt2_swapped_order(int rank, int64_t a, int64_t b, int64_t *order); // the same with two dims swapped
const char *pt2_concat(pt2_node_t *n, int count, const char *const *parts, int64_t axis);
const char *pt2_gather(pt2_node_t *n, const char *value, const char *places, int64_t axis);
const char *pt2_slice(pt2_node_t *n, const char *value, int64_t axis, const char *start, const char *end,
                      const char *step);
// |op| of each element but the first along |axis|, and the one in front of it.
const char *pt2_of_neighbours(pt2_node_t *n, const char *op, const char *value, int64_t axis);
// The real signals of |length| whose transforms along |dim| are "self" and "imaginary"; scaled as the inverse of norm
// "backward", or of "ortho".
const char *pt2_inverse_spectrum(pt2_node_t *n, const pt2_value_t *self, int64_t dim, int64_t length,
                                 bool is_orthogonal);

#endif
