// What follows a contraction in its kernel where rows of the result are reduced: norms and softmax over its columns.
//
// Every nest that reads the result, or what was made of it, works on one element (row) of it at a time: at which is an
// expression over the contraction's parallel dims for each of its dims. A reduction runs over the columns, all of them.
#ifndef STRATA_DIALECTS_AFFINE_CONTRACTION_ROWS_H
#define STRATA_DIALECTS_AFFINE_CONTRACTION_ROWS_H

#include "dialects/affine/contraction.h"

// Fills in points[i] of the kernel's nest |i|, those before it being known; |column| is the contraction's dim that
// rows are reduced along. A nest that reads nothing of the contraction's has no place. Returns why it cannot follow,
// NULL if it can.
const char *strata_contraction_follow(const strata_kernel_t *kernel, const strata_nest_t *contraction, int column,
                                      int i, strata_contraction_place_t *places);

// True if the columns are one dim of the contraction.
bool strata_contraction_has_rows(const strata_contraction_kernel_t *c);

// The places of all nests of a kernel; UNSUPPORTED where one cannot follow.
STRATA_MUST_CHECK strata_status_t strata_contraction_read_rows(strata_contraction_kernel_t *c);

#endif
