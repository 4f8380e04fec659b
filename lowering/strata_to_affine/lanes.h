// Loops over lanes (STRATA_LANES) of nests for GPUs, where a block has a point.
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_LANES_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_LANES_H

#include "lowering/strata_to_affine/lower.h"

enum { STRATA__LANES = 1024, STRATA__SHORT_LINE = 64, STRATA__MOST_PARTS = 1024 };

// A loop over |n| lanes, which carries one value.
strata_loop_t strata__lanes_begin(strata__nest_t *nest, int64_t n, MlirValue *so_far, MlirValue *out_before);

// Lines along the innermost dim of a tensor of known length there: true if lanes can take its elements by their places,
// which have to be sums of lanes and other numbers.
bool strata__has_lines(const strata__tensor_t *tensor);

// The parts, of equal length, that blocks are to have of a line of |length|, and that length, a multiple of all lanes;
// 1: the line is not cut. What is left at its end fills no part. |tensor|: how many such lines there are.
int64_t strata__parts_of_line(const strata__lowering_t *l, const strata__tensor_t *tensor, int64_t *out_length);

// Memory for |n| elements of |type| of each line.
strata__tensor_t strata__for_each_line(strata__lowering_t *l, MlirOperation op, const strata__tensor_t *tensor,
                                       strata_type_t type, int64_t n);

// A nest of the lines, or, unless that is 0, of |parts| of each.
void strata__lines_begin(strata__lowering_t *l, strata__nest_t *nest, MlirOperation op, const char *name,
                         const strata__tensor_t *tensor, int64_t parts);
// What is at |at| of the nest's line in a tensor that has the lines' dims and one more.
MlirValue strata__line_load(strata__nest_t *nest, const strata__tensor_t *tensor, MlirValue at);
void strata__line_store(strata__nest_t *nest, const strata__tensor_t *tensor, MlirValue at, MlirValue value);

#endif
