// A kernel around one contraction, as the scheduler and the tile builder see it: which operand runs along registers,
// which dims are tiled.
//
// The *vector* side is the operand that has the dim contiguous in the result; that dim runs along SIMD registers (on
// GPUs: along the fragment's contiguous dim). The other is the *broadcast* side; its longest own dim gives the rows of
// the register tile.
#ifndef STRATA_DIALECTS_AFFINE_CONTRACTION_H
#define STRATA_DIALECTS_AFFINE_CONTRACTION_H

#include "dialects/affine/kernel.h"

enum { STRATA_SIDE_U = 0, STRATA_SIDE_V = 1, STRATA_NO_DIM = -1 }; // broadcast side, vector side

typedef struct {
  const strata_access_t *access;
  MlirValue factor;             // the scalar value that is multiplied
  const strata_access_t *scale; // of a factor that is scaled, the byte that is its exponent; else NULL
  uint32_t dims;                // of the nest, that the read depends on
  int tile_dim;                 // the nest dim that is tiled, STRATA_NO_DIM if there is none
} strata_contraction_side_t;

// Where a nest that follows the contraction works (contraction_rows.h): its dims over the contraction's parallel ones.
typedef struct {
  bool is_known;
  MlirAffineExpr dims[STRATA_MAX_DIMS];
} strata_contraction_place_t;

typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *nest;
  const strata_access_t *store;
  strata_contraction_side_t sides[2];
  strata_contraction_place_t *places; // one a nest where rows of the result are reduced; NULL: the rest is elementwise
  int n_outer;
  int outer[STRATA_MAX_DIMS]; // the remaining parallel dims
  int64_t n_reduced;          // points of the reduction dims together; what is likely where they vary
  strata_contraction_t other; // a pair: the second contraction of the same broadcast side; else its nest is NULL
} strata_contraction_kernel_t;

// Dims of the nest as one, the last changing fastest.
typedef struct {
  int n_dims, dims[STRATA_MAX_DIMS];
  strata_size_t size;
  int64_t extent; // what it is likely
} strata_contraction_axis_t;

// What a tile of a block spans: the dims that only the broadcast side has, those that only the vector side has, its
// tiled one last, and the reduction's, one that is contiguous in an operand last. Dims of both sides are in none.
enum { STRATA_AXIS_ROW, STRATA_AXIS_COLUMN, STRATA_AXIS_STEP, STRATA_N_AXES };
void strata_contraction_axes(const strata_contraction_kernel_t *c, strata_contraction_axis_t *out_axes);

// The last dim of the axis that has more than one element; STRATA_NO_DIM if none has.
int strata_contraction_axis_last(const strata_nest_t *nest, const strata_contraction_axis_t *axis);

// Two contractions are a *pair* if they differ in their vector side's buffer, or in which part of it they read, and in
// where they store alone: each point of their dims reads, but for constants added to coordinates, and stores the same
// places.

// UNSUPPORTED where the kernel is not one contraction with an elementwise epilogue or reductions of its rows, or a pair
// with an elementwise epilogue, and a dim of its own for registers.
STRATA_MUST_CHECK strata_status_t strata_contraction_read(const strata_kernel_t *kernel,
                                                          strata_contraction_kernel_t *out);
// The same as a question: false where it is none.
bool strata_is_contraction(const strata_kernel_t *kernel, strata_contraction_kernel_t *out);

// The second contraction of a pair, in the place of the first.
strata_contraction_kernel_t strata_contraction_second(const strata_contraction_kernel_t *c);

// The side's factor before it is scaled, and before it is widened to the accumulator's type; the factor itself if it is
// not.
MlirValue strata_contraction_narrow(const strata_contraction_kernel_t *c, int side);
// Its type: of integers that are widened without a sign ui8, ui16, ...
MlirType strata_contraction_narrow_type(const strata_contraction_kernel_t *c, int side);

// Whether a side is scaled; and whether each |block| steps along the reduction, which are one dim then, have one scale.
bool strata_contraction_is_scaled(const strata_contraction_kernel_t *c);
bool strata_contraction_scales_blocks(const strata_contraction_kernel_t *c, int64_t block);

// The multiplication of the two factors.
MlirOperation strata_contraction_product(const strata_contraction_kernel_t *c);

// The type the products are summed in.
MlirType strata_contraction_sum_type(const strata_contraction_kernel_t *c);

// True if the side is read straight from outside the kernel, unguarded.
bool strata_contraction_is_plain(const strata_contraction_kernel_t *c, int side);
// True if its reads are contiguous along its tiled dim within aligned tiles of |tile|.
bool strata_contraction_is_contiguous(const strata_contraction_kernel_t *c, int side, int64_t tile);

// The point of root |root| at which it reads the contraction's result at |coordinates|, expressions over
// |target_space|.
bool strata_contraction_root_point(const strata_contraction_kernel_t *c, const strata_nest_t *root,
                                   const strata_space_t *target_space, const MlirAffineExpr *coordinates,
                                   MlirAffineExpr *out_point);

#endif
