// Convolutions' operands in bulk: accesses that follow windows (docs/gpu.md, tensor maps).
//
// Rows of the vector are pixels of the result, numbered n, h, w with w fastest; the reduction is the place in the
// window and the channel, the channel fastest. So the coordinates of the buffer [n][h][w][c] are, over the row's number
// R and the step's,
//
//   n = R / (P Q), h = (R / Q mod P) * stride + r * dilation - padding, w = (R mod Q) * stride + s * dilation - padding
//
// where r and s are the same in all of a tile's steps. This form is looked for in the expressions, whatever they are
// of.
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "lowering/tile_to_gpu/bulk.h"

enum { ROW = 0, STEP = 1 };

//===-- Expressions ----------------------------------------------------------------------------------------------===//

typedef struct {
  strata_bulk_t *bulk;
  int rank;           // of the buffer; its last dim is the channels
  MlirAffineExpr row; // the row's number R
  int64_t below;      // how many values faster dims have taken of it
} finder_t;

static MlirContext context_of(const finder_t *f) { return f->bulk->box.space.d->e.context; }
static MlirAffineExpr constant(const finder_t *f, int64_t value) {
  return mlirAffineConstantExprGet(context_of(f), value);
}

static MlirAffineExpr simplify(const finder_t *f, MlirAffineExpr expr) {
  const strata_index_space_t *space = &f->bulk->box.space;
  return strata_index_simplify(space, expr);
}

static MlirAffineExpr minus(const finder_t *f, MlirAffineExpr a, MlirAffineExpr b) {
  return simplify(f, mlirAffineAddExprGet(a, mlirAffineMulExprGet(b, constant(f, -1))));
}

static bool is_constant(MlirAffineExpr expr, int64_t value) {
  return mlirAffineExprIsAConstant(expr) && mlirAffineConstantExprGetValue(expr) == value;
}

static bool are_equal(const finder_t *f, MlirAffineExpr a, MlirAffineExpr b) { return is_constant(minus(f, a, b), 0); }

//===-- Parts ----------------------------------------------------------------------------------------------------===//

typedef enum { OF_STEPS = 1, OF_TILE = 2, OF_ALL = 4 } part_t; // dims that are zero in a part of an expression

// |expr| with the step and loop counters (OF_STEPS), the row in the tile (OF_TILE), or all but steps (OF_ALL) zero.
static MlirAffineExpr without(const finder_t *f, MlirAffineExpr expr, int parts) {
  const strata_index_space_t *space = &f->bulk->box.space;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  for (int i = 0; i < space->n_dims; i++) {
    bool is_step = i == STEP || space->kinds[i] == STRATA_INDEX_COUNTER;
    bool is_zero = is_step ? parts & OF_STEPS : (parts & OF_ALL) || (i == ROW && parts & OF_TILE);
    dims[i] = is_zero ? constant(f, 0) : mlirAffineDimExprGet(context_of(f), i);
  }
  MlirAffineMap map = mlirAffineMapGet(context_of(f), space->n_dims, STRATA_INDEX_DIMS, space->n_dims, dims);
  return simplify(f, mlirAffineExprCompose(expr, map));
}

// A coordinate as a function of the row, one of the step that is 0 at the first, and nothing else.
static bool split(const finder_t *f, MlirAffineExpr expr, MlirAffineExpr *out_row, MlirAffineExpr *out_step) {
  MlirAffineExpr origin = without(f, expr, OF_STEPS | OF_ALL);
  *out_row = without(f, expr, OF_STEPS);
  *out_step = minus(f, without(f, expr, OF_ALL), origin);
  return are_equal(f, minus(f, expr, *out_row), *out_step);
}

// |expr| as core * scale, the largest that divides all its terms.
static MlirAffineExpr strip_scale(const finder_t *f, MlirAffineExpr expr, int64_t *out_scale) {
  *out_scale = 1;
  if (mlirAffineExprIsAMul(expr) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr))) {
    *out_scale = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(expr));
    return mlirAffineBinaryOpExprGetLHS(expr);
  }
  if (!mlirAffineExprIsAAdd(expr))
    return expr;
  int64_t left_scale, right_scale; // of a row and its tile's first, where rows and tiles end at different places
  MlirAffineExpr left = strip_scale(f, mlirAffineBinaryOpExprGetLHS(expr), &left_scale);
  MlirAffineExpr right = strip_scale(f, mlirAffineBinaryOpExprGetRHS(expr), &right_scale);
  *out_scale = strata_gcd(left_scale, right_scale);
  if (*out_scale <= 1) {
    *out_scale = 1;
    return expr;
  }
  return mlirAffineAddExprGet(mlirAffineMulExprGet(left, constant(f, left_scale / *out_scale)),
                              mlirAffineMulExprGet(right, constant(f, right_scale / *out_scale)));
}

// |expr| as core * scale + offset.
static MlirAffineExpr strip(const finder_t *f, MlirAffineExpr expr, int64_t *out_scale, int64_t *out_offset) {
  *out_offset = strata_index_split(&expr);
  return strip_scale(f, expr, out_scale);
}

//===-- Dims -----------------------------------------------------------------------------------------------------===//

// The part of R that dim |expr| has, if it is the next faster one; *out_count is how many values it takes, 0: all that
// are left.
static bool take_digit(finder_t *f, MlirAffineExpr core, int64_t *out_count) {
  *out_count = 0;
  if (mlirAffineExprIsAMod(core) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(core)))
    *out_count = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(core));
  MlirAffineExpr digit = mlirAffineFloorDivExprGet(f->row, constant(f, f->below));
  if (*out_count)
    digit = mlirAffineModExprGet(digit, constant(f, *out_count));
  f->below *= *out_count ? *out_count : 1;
  return are_equal(f, core, simplify(f, digit));
}

// Dim |i| of those that windows move along; the buffer's dim |dim|.
static bool read_moving(finder_t *f, int i, int dim) {
  strata_bulk_window_t *window = &f->bulk->window;
  MlirAffineExpr row, step, core;
  int64_t scale, lower, count, least, most, size;
  if (!strata_size_is_constant(f->bulk->box.sizes[dim], &size) || !split(f, f->bulk->box.coordinates[dim], &row, &step))
    return false;
  core = strip(f, row, &scale, &lower);
  if (scale < 1 || scale > STRATA_MAP_MAX_STEP || mlirAffineExprIsFunctionOfDim(step, STEP) ||
      !take_digit(f, core, &count))
    return false;
  if (!strata_index_range(&f->bulk->box.space, row, &least, &most))
    return false;
  int64_t last = count ? lower + (count - 1) * scale : most;
  window->lower[i] = lower;
  window->upper[i] = last - (size - 1);
  window->steps[i] = scale;
  window->first[i + 1] = without(f, row, OF_TILE);
  window->offsets[i] = step;
  return strata_index_range(&f->bulk->box.space, step, &least, &most) && least >= 0 &&
         most < strata_map_offset_bound(window->n_dims);
}

// The slowest dim counts images. A buffer that has no such dim has one image.
static bool read_images(finder_t *f, int dim) {
  strata_bulk_window_t *window = &f->bulk->window;
  int place = window->n_dims + 1;
  if (dim < 0) {
    window->first[place] = constant(f, 0);
    return true;
  }
  MlirAffineExpr expr = f->bulk->box.coordinates[dim];
  MlirAffineExpr rest = simplify(f, mlirAffineFloorDivExprGet(f->row, constant(f, f->below)));
  bool is_image = are_equal(f, expr, rest) || (strata_size_is_one(f->bulk->box.sizes[dim]) && is_constant(expr, 0));
  window->first[place] = without(f, expr, OF_TILE);
  return is_image;
}

static bool read_channels(finder_t *f) {
  MlirAffineExpr row, step;
  int64_t coefficient;
  if (!split(f, f->bulk->box.coordinates[f->rank - 1], &row, &step) || !is_constant(row, 0) ||
      !strata_affine_coefficient(step, STEP, &coefficient) || coefficient != 1)
    return false;
  f->bulk->window.first[0] = minus(f, step, mlirAffineDimExprGet(context_of(f), STEP));
  return true;
}

static bool fits_driver(const strata_bulk_t *bulk) {
  const strata_bulk_window_t *window = &bulk->window;
  for (int i = 0; i < window->n_dims; i++)
    if (!strata_map_takes_corner(window->n_dims, window->lower[i]) ||
        !strata_map_takes_corner(window->n_dims, window->upper[i]))
      return false;
  return true;
}

// True if the coordinates follow windows where the row's number is |row|.
static bool follows_windows(finder_t *f, MlirAffineExpr row) {
  bool has_images = f->rank > 3;
  f->row = row;
  f->below = 1;
  for (int i = 0; i < f->bulk->window.n_dims; i++)
    if (!read_moving(f, i, f->rank - 2 - i))
      return false;
  return read_images(f, has_images ? 0 : -1);
}

// The row's number is that in the tile, and the number of the tile times its rows: one of the access's symbols.
static bool find_row(finder_t *f, MlirOperation op, int buffer) {
  strata_index_space_t *space = &f->bulk->box.space;
  MlirAffineExpr in_tile = mlirAffineDimExprGet(context_of(f), ROW);
  if (follows_windows(f, in_tile))
    return true;
  for (intptr_t i = buffer + 1; i < mlirOperationGetNumOperands(op); i++) {
    MlirAffineExpr tile = strata_index_resolve(space, mlirOperationGetOperand(op, i));
    MlirAffineExpr rows = mlirAffineMulExprGet(tile, constant(f, space->extents[ROW]));
    if (follows_windows(f, mlirAffineAddExprGet(in_tile, rows)))
      return true;
  }
  return false;
}

// How many rows there are in all, if a mask ends them; else 0.
static int64_t count_rows(const finder_t *f, MlirOperation op, int buffer) {
  for (intptr_t i = 0; i < strata_gpu_mask_count(strata_attr(op, "mask")); i++) {
    MlirAffineExpr expr;
    if (strata_gpu_mask_constraint(&f->bulk->box, op, buffer + 1, i, &expr))
      continue;
    MlirAffineExpr last = simplify(f, mlirAffineAddExprGet(expr, f->row));
    if (mlirAffineExprIsAConstant(last))
      return mlirAffineConstantExprGetValue(last) + 1;
  }
  return 0;
}

//===-- All ------------------------------------------------------------------------------------------------------===//

bool strata_bulk_read_window(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type, int64_t span,
                             strata_bulk_t *out_bulk) {
  strata_bulk_t *bulk = out_bulk;
  finder_t f = {.bulk = bulk};
  const strata_bulk_limits_t limits = {.most = {STRATA_MAP_MAX_BOX, span}, .span = span};
  // The channels behind a step's are the next one's.
  *bulk = (strata_bulk_t){.buffer = mlirOperationGetOperand(op, buffer), .inner = STEP, .reads_ahead = true};
  if (!mlirValueIsABlockArgument(bulk->buffer) || !strata_bulk_read_box(d, op, buffer, type, bulk))
    return false;
  f.rank = bulk->box.rank;
  bool has_images = f.rank > 3;
  bulk->window.n_dims = f.rank - 1 - has_images;
  if (f.rank < 3 || f.rank > STRATA_BULK_RANK || bulk->box.space.n_unknown > 0 ||
      bulk->box.space.extents[ROW] > STRATA_MAP_MAX_BOX)
    return false;
  bulk->rank = bulk->window.n_dims + 2;
  for (int i = 0; i < bulk->rank; i++)
    bulk->dims[i] = f.rank - 1 - i;
  for (int v = 0; v < 2; v++)
    bulk->extents[v] = bulk->box.space.extents[v];
  if (!read_channels(&f) || !find_row(&f, op, buffer) || !fits_driver(bulk))
    return false;
  bulk->window.row = without(&f, f.row, OF_TILE);
  bulk->window.n_rows = count_rows(&f, op, buffer);
  return strata_bulk_fits(bulk, op, buffer, &limits);
}
