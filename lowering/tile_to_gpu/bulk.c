// See bulk.h.
//
// An access is a set of boxes if every coordinate of its buffer is linear in the vector's dims, with coefficient one in
// one coordinate for each. Where dims of the vector are several of the buffer flattened into one, that holds for parts
// of the vector: the largest parts are found by trying.
#include "lowering/tile_to_gpu/bulk.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/bulk_split.h"

enum { RANK = 2, NO_DIM = STRATA_BULK_NO_DIM, ABSENT = -2, LEAST_EXTENT = 8 };

//===-- Places in a vector ---------------------------------------------------------------------------------------===//

MlirAffineExpr strata_bulk_at(const strata_bulk_t *bulk, MlirAffineExpr expr, const int64_t *offsets, bool kept) {
  const strata_index_space_t *space = &bulk->box.space;
  MlirContext context = space->d->e.context;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  strata_static_space_t known;
  strata_index_known(space, &known);
  for (int i = 0; i < space->n_dims; i++) {
    MlirAffineExpr dim = mlirAffineDimExprGet(context, i);
    if (i < RANK)
      known.sizes[i] = strata_size_constant(bulk->extents[i]);
    dims[i] = i >= RANK ? dim : mlirAffineConstantExprGet(context, offsets[i]);
    if (i < RANK && kept)
      dims[i] = mlirAffineAddExprGet(dim, dims[i]);
  }
  MlirAffineMap map = mlirAffineMapGet(context, space->n_dims, STRATA_INDEX_SYMBOLS, space->n_dims, dims);
  return strata_affine_simplify(mlirAffineExprCompose(expr, map), &known.space);
}

int strata_bulk_carrier(const strata_bulk_t *bulk, int v, const int64_t *offsets) {
  int found = NO_DIM;
  for (int i = 0; i < bulk->box.rank; i++) {
    int64_t coefficient;
    if (!strata_affine_coefficient(strata_bulk_at(bulk, bulk->box.coordinates[i], offsets, true), v, &coefficient))
      return NO_DIM;
    if (coefficient == 0)
      continue;
    if (coefficient != 1 || found != NO_DIM)
      return NO_DIM;
    found = i;
  }
  return found;
}

// The same for all parts; NO_DIM if it differs.
static int common_carrier(const strata_bulk_t *bulk, int v) {
  int found = NO_DIM;
  int64_t offsets[RANK];
  for (offsets[0] = 0; offsets[0] < bulk->box.space.extents[0]; offsets[0] += bulk->extents[0])
    for (offsets[1] = 0; offsets[1] < bulk->box.space.extents[1]; offsets[1] += bulk->extents[1]) {
      int dim = strata_bulk_carrier(bulk, v, offsets);
      if (dim == NO_DIM || (found != NO_DIM && dim != found))
        return NO_DIM;
      found = dim;
    }
  return found;
}

bool strata_bulk_widen(strata_bulk_t *bulk, int64_t extent, int64_t span) {
  bulk->box.space.extents[0] = extent;
  bulk->extents[0] = span;
  return common_carrier(bulk, 0) != NO_DIM && common_carrier(bulk, 0) != common_carrier(bulk, 1);
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

// The next smaller part along dim |v|; false if there is none worth a copy.
static bool shrink(strata_bulk_t *bulk, int v) {
  if (bulk->extents[v] % 2 != 0 || bulk->extents[v] / 2 < LEAST_EXTENT)
    return false;
  bulk->extents[v] /= 2;
  return true;
}

// True if no coordinate depends on dim |v| of the vector: all its elements are the same.
static bool is_absent(const strata_bulk_t *bulk, int v) {
  for (int i = 0; i < bulk->box.rank; i++)
    if (mlirAffineExprIsFunctionOfDim(bulk->box.coordinates[i], v))
      return false;
  return true;
}

// Of rows that are all the same the first alone comes: a matrix of one row, in a tile of more, which have no results.
static bool takes_one_row(strata_bulk_t *bulk) {
  if (bulk->is_store || !is_absent(bulk, 0))
    return false;
  bulk->box.space.extents[0] = bulk->extents[0] = 1;
  return true;
}

// Finds parts that are boxes; *carriers are the buffer's dims. The last part may hang over the vector's end: shared
// memory has room for it.
static bool find_parts(strata_bulk_t *bulk, const strata_bulk_limits_t *limits, int *carriers) {
  for (int v = 0; v < RANK; v++) {
    int64_t extent = bulk->box.space.extents[v];
    bulk->extents[v] = strata_min(extent, limits->most[v]);
    if (limits->is_store && extent % bulk->extents[v] != 0)
      return false;
  }
  bool is_row = takes_one_row(bulk);
  for (int v = is_row; v < RANK; v++)
    while ((carriers[v] = common_carrier(bulk, v)) == NO_DIM)
      if (!shrink(bulk, v))
        return false;
  if (is_row) {
    carriers[0] = ABSENT;
    return true;
  }
  // Smaller parts of one dim may have split the other's.
  return carriers[0] != carriers[1] && common_carrier(bulk, 0) == carriers[0];
}

static int innermost(const strata_bulk_t *bulk) {
  int dim = bulk->box.rank - 1;
  while (dim > 0 && strata_size_is_one(bulk->box.sizes[dim]))
    dim--;
  return dim;
}

bool strata_bulk_is_of_pages(const strata_bulk_t *bulk, int dim) {
  return dim == 0 && !mlirOperationIsNull(bulk->pages);
}

// The map's dims: those of the buffer without what has one element.
static bool find_dims(strata_bulk_t *bulk, const int *carriers) {
  bulk->rank = 0;
  for (int dim = bulk->box.rank; dim-- > 0;) {
    bool is_single = strata_size_is_one(bulk->box.sizes[dim]) && dim != carriers[0] && dim != carriers[1] &&
                     !strata_bulk_is_of_pages(bulk, dim);
    if (is_single)
      continue;
    if (bulk->rank == STRATA_BULK_RANK)
      return false;
    bulk->dims[bulk->rank++] = dim;
  }
  return bulk->rank > 0;
}

int64_t strata_bulk_element_bytes(const strata_bulk_t *bulk) {
  return strata_element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(bulk->buffer)));
}

// Rows fill the span, or there is just one span of them. Strides are multiples of 16 bytes.
static bool fits_engine(const strata_bulk_t *bulk, const strata_bulk_limits_t *limits) {
  int64_t bytes = strata_bulk_element_bytes(bulk), inner = bulk->extents[bulk->inner];
  strata_size_t stride = strata_size_constant(bytes);
  if (inner * bytes != limits->span && inner != bulk->box.space.extents[bulk->inner])
    return false;
  if (inner * bytes > limits->span || (limits->is_store && inner * bytes % STRATA_BULK_ALIGNMENT))
    return false;
  for (int dim = bulk->box.rank; dim-- > 1;) {
    stride = strata_size_product(stride, bulk->box.sizes[dim]);
    if (dim <= innermost(bulk) && !strata_size_divides(STRATA_BULK_ALIGNMENT, stride))
      return false;
  }
  return true;
}

//===-- Masks ----------------------------------------------------------------------------------------------------===//

static bool is_at_least(const strata_bulk_t *bulk, MlirAffineExpr a, MlirAffineExpr b) {
  const strata_index_space_t *space = &bulk->box.space;
  MlirAffineExpr minus = mlirAffineMulExprGet(b, mlirAffineConstantExprGet(space->d->e.context, -1));
  MlirAffineExpr rest = strata_index_simplify(space, mlirAffineAddExprGet(a, minus));
  return mlirAffineExprIsAConstant(rest) && mlirAffineConstantExprGetValue(rest) >= 0;
}

// True if |expr| is not negative wherever the coordinates are inside the buffer.
static bool is_inside(const strata_bulk_t *bulk, MlirAffineExpr expr) {
  MlirContext context = bulk->box.space.d->e.context;
  int64_t min, max;
  if (strata_index_range(&bulk->box.space, expr, &min, &max) && min >= 0)
    return true;
  for (int i = 0; i < bulk->rank; i++) {
    if (bulk->dims[i] < 0)
      continue;
    MlirAffineExpr low = bulk->box.coordinates[bulk->dims[i]];
    MlirAffineExpr high = mlirAffineAddExprGet(mlirAffineMulExprGet(low, mlirAffineConstantExprGet(context, -1)),
                                               strata_size_expr(context, bulk->box.sizes[bulk->dims[i]]));
    high = mlirAffineAddExprGet(high, mlirAffineConstantExprGet(context, -1));
    if (is_at_least(bulk, expr, low) || is_at_least(bulk, expr, high))
      return true;
  }
  return false;
}

strata_size_t strata_bulk_end(const strata_bulk_t *bulk, int i) {
  return strata_size_max(bulk->ends[i]) > 0 ? bulk->ends[i] : bulk->box.sizes[bulk->dims[i]];
}

// The same if one dim of the map ends where the constraint says: rows with padding behind them, or a cache with room.
static bool ends_before(strata_bulk_t *bulk, MlirAffineExpr expr) {
  const strata_index_space_t *space = &bulk->box.space;
  const strata_size_symbols_t *sizes = &space->d->sizes;
  MlirContext context = space->d->e.context;
  for (int i = 0; i < bulk->rank; i++) {
    if (bulk->dims[i] < 0)
      continue;
    MlirAffineExpr sum = mlirAffineAddExprGet(expr, bulk->box.coordinates[bulk->dims[i]]);
    MlirAffineExpr last = strata_index_simplify(space, sum);
    if (!mlirAffineExprIsSymbolicOrConstant(last))
      continue;
    MlirAffineExpr less_last = mlirAffineMulExprGet(last, mlirAffineConstantExprGet(context, -1));
    strata_size_t size = strata_bulk_end(bulk, i),
                  end = strata_size_of_expr(sizes, mlirAffineAddExprGet(last, mlirAffineConstantExprGet(context, 1))),
                  left_out =
                      strata_size_of_expr(sizes, mlirAffineAddExprGet(strata_size_expr(context, size), less_last));
    if (strata_size_min(end) <= 0 || strata_size_min(left_out) < 1 || strata_size_max(left_out) == 1)
      continue;
    bulk->ends[i] = end;
    return true;
  }
  return false;
}

// The engine leaves out what is outside the map's sizes, and nothing else.
static bool fits_mask(strata_bulk_t *bulk, MlirOperation op, int buffer, const strata_bulk_limits_t *limits) {
  MlirAttribute pad = strata_attr(op, "pad");
  if (!mlirAttributeIsNull(pad) && !strata_attr_is_zero(pad))
    return false;
  for (intptr_t i = 0; i < strata_gpu_mask_count(strata_attr(op, "mask")); i++) {
    MlirAffineExpr expr;
    bool is_equality = strata_gpu_mask_constraint(&bulk->box, op, buffer + 1, i, &expr);
    bool is_needed = limits->is_store || strata_bulk_concerns_steps(bulk, expr);
    if (is_needed && (is_equality || !(is_inside(bulk, expr) || ends_before(bulk, expr))))
      return false;
  }
  return true;
}

//===-- All ------------------------------------------------------------------------------------------------------===//

// True if no dim of the vector is divided in |expr|; which tile it is may well be a quotient.
static bool is_linear(MlirAffineExpr expr) {
  int64_t coefficient;
  return strata_affine_coefficient(expr, 0, &coefficient) && strata_affine_coefficient(expr, 1, &coefficient);
}

// True if coordinate |i| is never outside its dim: a window's is where there is padding, which only a dim of its own
// leaves out.
static bool is_digit(const strata_gpu_box_t *box, int i) {
  MlirContext context = box->space.d->e.context;
  MlirAffineExpr minus_one = mlirAffineConstantExprGet(context, -1);
  MlirAffineExpr left = mlirAffineAddExprGet(strata_size_expr(context, box->sizes[i]),
                                             mlirAffineMulExprGet(box->coordinates[i], minus_one));
  return strata_index_is_nonnegative(&box->space, box->coordinates[i]) &&
         strata_index_is_nonnegative(&box->space, mlirAffineAddExprGet(left, minus_one));
}

// Dims of the buffer whose coordinates are the digits of one number, rows of a convolution's result, are one dim.
static void join_digits(strata_bulk_t *bulk) {
  strata_gpu_box_t *box = &bulk->box;
  MlirContext context = box->space.d->e.context;
  for (int i = strata_bulk_is_of_pages(bulk, 0); i + 1 < box->rank; i++) {
    MlirAffineExpr joined = box->coordinates[i];
    strata_size_t size = box->sizes[i];
    bool are_linear = is_linear(joined);
    for (int j = i + 1; j < box->rank && strata_affine_has_division(box->coordinates[i]) &&
                        strata_affine_has_division(box->coordinates[j]) && is_digit(box, j);
         j++) {
      MlirAffineExpr scaled = mlirAffineMulExprGet(joined, strata_size_expr(context, box->sizes[j]));
      joined = strata_index_simplify(&box->space, mlirAffineAddExprGet(scaled, box->coordinates[j]));
      size = strata_size_product(size, box->sizes[j]);
      are_linear &= is_linear(box->coordinates[j]);
      if (strata_affine_has_division(joined) && (are_linear || !is_linear(joined)))
        continue;
      box->coordinates[i] = joined;
      box->sizes[i] = size;
      for (int k = j + 1; k < box->rank; k++) {
        box->coordinates[i + k - j] = box->coordinates[k];
        box->sizes[i + k - j] = box->sizes[k];
      }
      box->rank -= j - i;
    }
  }
}

// Moves a dim that a box has rows along in front of those that it has one element of.
static void bring_near(strata_bulk_t *bulk, int dim) {
  int at = 1;
  while (at < bulk->rank && bulk->dims[at] != dim)
    at++;
  if (at == bulk->rank)
    return;
  for (; at > 1; at--)
    bulk->dims[at] = bulk->dims[at - 1];
  bulk->dims[1] = dim;
}

bool strata_bulk_read_box(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type,
                          strata_bulk_t *bulk) {
  if (!mlirTypeIsAVector(type) || mlirShapedTypeGetRank(type) != RANK || !mlirValueIsABlockArgument(bulk->buffer))
    return false;
  strata_status_t status = strata_gpu_box_read(d, op, buffer, type, &bulk->box);
  strata_status_free(status);
  return !status;
}

bool strata_bulk_fits(strata_bulk_t *bulk, MlirOperation op, int buffer, const strata_bulk_limits_t *limits) {
  return fits_engine(bulk, limits) && fits_mask(bulk, op, buffer, limits);
}

// Leaves the elements |first|, |first| + |n|, ... along the vector's dim 1.
static bool thin_out(strata_bulk_t *bulk, MlirOperation op, int64_t n, int64_t first) {
  strata_gpu_box_t *box = &bulk->box;
  strata_index_space_t *space = &box->space;
  MlirContext context = space->d->e.context;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  if (space->extents[1] % n || strata_gpu_mask_count(strata_attr(op, "mask")) > 0)
    return false;
  for (int i = 0; i < space->n_dims; i++)
    dims[i] = mlirAffineDimExprGet(context, i);
  dims[1] = mlirAffineAddExprGet(mlirAffineMulExprGet(dims[1], mlirAffineConstantExprGet(context, n)),
                                 mlirAffineConstantExprGet(context, first));
  space->extents[1] /= n;
  MlirAffineMap map = mlirAffineMapGet(context, space->n_dims, STRATA_INDEX_DIMS, space->n_dims, dims);
  for (int i = 0; i < box->rank; i++)
    box->coordinates[i] = strata_index_simplify(space, mlirAffineExprCompose(box->coordinates[i], map));
  return true;
}

// True if boxes begin where they may along the innermost dim.
static bool begins_at_units(const strata_bulk_t *bulk) {
  const int64_t offsets[RANK] = {0};
  int64_t elements = strata_map_unit_elements(strata_bulk_element_bytes(bulk));
  MlirAffineExpr first = strata_bulk_at(bulk, bulk->box.coordinates[bulk->dims[0]], offsets, false);
  bool is_one = bulk->extents[bulk->inner] == bulk->box.space.extents[bulk->inner];
  return strata_index_is_multiple(&bulk->box.space, first, elements) &&
         (is_one || bulk->extents[bulk->inner] % elements == 0);
}

bool strata_bulk_read(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type,
                      const strata_bulk_limits_t *limits, strata_bulk_t *out_bulk) {
  strata_bulk_t *bulk = out_bulk;
  int carriers[RANK];
  *bulk = (strata_bulk_t){.buffer = mlirOperationGetOperand(op, buffer), .is_store = limits->is_store};
  if (strata_op_is(op, STRATA_TILE_LOAD_PAGES))
    bulk->pages = op;
  if (!strata_bulk_read_box(d, op, buffer, type, bulk) ||
      (limits->every > 1 && !thin_out(bulk, op, limits->every, limits->phase)))
    return false;
  join_digits(bulk);
  int split = strata_bulk_split_strides(bulk, limits->splits_rows);
  if (limits->splits_rows)
    strata_bulk_split_rows(bulk, op, buffer);
  if (!find_parts(bulk, limits, carriers) || !find_dims(bulk, carriers))
    return false;
  if (split != NO_DIM)
    bring_near(bulk, split);
  bulk->inner = carriers[0] == innermost(bulk) ? 0 : 1;
  return carriers[bulk->inner] == innermost(bulk) && bulk->dims[0] == innermost(bulk) && begins_at_units(bulk) &&
         strata_bulk_fits(bulk, op, buffer, limits);
}
