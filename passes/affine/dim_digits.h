// Dims of nests, and of the buffers between them, written as digits. Internal to split_dims.c and dim_digits.c.
#ifndef STRATA_PASSES_AFFINE_DIM_DIGITS_H
#define STRATA_PASSES_AFFINE_DIM_DIGITS_H

#include "dialects/affine/nest.h"

enum { STRATA_MAX_CUTS = 6, STRATA_MAX_DIGITS = 12 };

// Where a dim is cut: d = ... + at[1] * digit 2 + at[0] * digit 1 + digit 0. Each divides the next one and the extent.
typedef struct {
  int count;
  int64_t at[STRATA_MAX_CUTS];
} strata_cuts_t;

// The dims of |space| and where they are cut.
typedef struct {
  strata_space_t space;
  strata_cuts_t *cuts; // by dim
} strata_cut_dims_t;

// The digits of all dims, each dim's highest first.
typedef struct {
  int n_digits;
  strata_size_t sizes[STRATA_MAX_DIMS];
  int dim_of[STRATA_MAX_DIMS];
  MlirAffineMap dims; // digits -> dims
  int n_symbols;
  const strata_size_t *symbols;
} strata_digits_t;

static inline strata_space_t strata_digits_space(const strata_digits_t *digits) {
  return (strata_space_t){digits->n_digits, digits->sizes, digits->n_symbols, digits->symbols};
}

int strata_count_digits(const strata_cut_dims_t *dims);
strata_digits_t strata_digits_of(MlirContext context, const strata_cut_dims_t *dims);

// Cuts the dim if it can be, which one whose size varies never can: true if that is new.
bool strata_cut_dim(const strata_cut_dims_t *dims, int dim, int64_t at);
// Cuts the dims of which |expr| is made so that it has a digit boundary at |at|; true if something is new.
bool strata_cut_expr(const strata_cut_dims_t *dims, MlirAffineExpr expr, int64_t at);
// The same at all boundaries that its divisions ask for.
bool strata_cut_divisions(const strata_cut_dims_t *dims, MlirAffineExpr expr);

// Where a coordinate of a buffer, in [0, whole), is put together from digits: true, and *out_cuts, if |expr| over
// |digits| is nothing but all of them, each in its place.
bool strata_radix_of(const strata_digits_t *digits, MlirAffineExpr expr, strata_size_t whole, strata_cuts_t *out_cuts);

#endif
