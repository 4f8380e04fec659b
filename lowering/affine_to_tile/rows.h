// Row kernels: what the parts of their builder share. Internal to rows*.c.
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_ROWS_H
#define STRATA_LOWERING_AFFINE_TO_TILE_ROWS_H

#include "dialects/affine/row_kernel.h"
#include "lowering/affine_to_tile/kinds.h"

typedef struct {
  strata_row_kernel_t of;
  MlirAffineExpr rows[STRATA_MAX_DIMS]; // coordinates of the row dims, while emitting
  int64_t block;                        // rows of a task, vector dim 0 of the space; 1: that is no dim
  int n_bounds;                         // of the builder's bounds, those on rows
} strata_rows_t;

// The point of |member|'s dims: its rows where the builder stands, its inner dims as |inner| says.
void strata_rows_point(const strata_rows_t *rows, const strata_row_member_t *member, const MlirAffineExpr *inner,
                       MlirAffineExpr *out_point);

// The start value of carried value |i| of a reduction at |point| as a tile value over |dims|.
strata_tile_value_t strata_rows_start(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point,
                                      int i, uint32_t dims);
// The elements of |vector| combined with |start|, which has its leading dims or is a scalar, as
// vector.multi_reduction's |kind| says.
MlirValue strata_rows_combine(strata_tile_builder_t *b, const char *kind, MlirValue vector, MlirValue start);
// The result of a complete reduction: known to its readers from here on, stored if it is asked for.
void strata_rows_finish(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member,
                        const strata_tile_value_t *results);

// Nests over the inner dims of a row (rows_nest.c): their stores; or, dear ones that are read more than once, into
// scratch memory of the task, where they are read from then on.
void strata_rows_nest(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member);
void strata_rows_keep(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member);

// Where lengths vary (rows_varying.c). The element of |nest|'s reduction, or, where a bound from |first_bound| on does
// not hold, its neutral element.
strata_tile_value_t strata_rows_masked(strata_tile_builder_t *b, const strata_nest_t *nest, strata_tile_value_t element,
                                       int first_bound);
// Whether no row is longer than a task can hold; an i1, or null where none ever is.
MlirValue strata_rows_are_held(strata_tile_builder_t *b, const strata_rows_t *rows);

// All nests at rows that are held as a whole (rows_block.c): each is one block-level value, no loops.
void strata_rows_block(strata_tile_builder_t *b, const strata_rows_t *rows);

#endif
