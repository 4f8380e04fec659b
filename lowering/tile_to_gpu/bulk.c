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
#include "lowering/tile_to_gpu/values.h"

enum { RANK = 2, NO_DIM = STRATA_BULK_NO_DIM, ABSENT = -2, LEAST_EXTENT = 8 };

//===-- Places in a vector ---------------------------------------------------------------------------------------===//

// |expr| where dim v of the vector is offsets[v], plus itself if it is |kept|.
static MlirAffineExpr at(const strata_bulk_t *bulk, MlirAffineExpr expr, const int64_t *offsets, bool kept) {
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

// Which dim of the buffer dim |v| of the vector runs along in the part at |offsets|; NO_DIM if none or not linearly.
static int carrier(const strata_bulk_t *bulk, int v, const int64_t *offsets) {
  int found = NO_DIM;
  for (int i = 0; i < bulk->box.rank; i++) {
    int64_t coefficient;
    if (!strata_affine_coefficient(at(bulk, bulk->box.coordinates[i], offsets, true), v, &coefficient))
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
      int dim = carrier(bulk, v, offsets);
      if (dim == NO_DIM || (found != NO_DIM && dim != found))
        return NO_DIM;
      found = dim;
    }
  return found;
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

// True of the dim along which pages lie anywhere.
static bool is_of_pages(const strata_bulk_t *bulk, int dim) { return dim == 0 && !mlirOperationIsNull(bulk->pages); }

// The map's dims: those of the buffer without what has one element.
static bool find_dims(strata_bulk_t *bulk, const int *carriers) {
  bulk->rank = 0;
  for (int dim = bulk->box.rank; dim-- > 0;) {
    bool is_single =
        strata_size_is_one(bulk->box.sizes[dim]) && dim != carriers[0] && dim != carriers[1] && !is_of_pages(bulk, dim);
    if (is_single)
      continue;
    if (bulk->rank == STRATA_BULK_RANK)
      return false;
    bulk->dims[bulk->rank++] = dim;
  }
  return bulk->rank > 0;
}

static int64_t element_bytes(const strata_bulk_t *bulk) {
  return strata_element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(bulk->buffer)));
}

// Rows fill the span, or there is just one span of them. Strides are multiples of 16 bytes.
static bool fits_engine(const strata_bulk_t *bulk, const strata_bulk_limits_t *limits) {
  int64_t bytes = element_bytes(bulk), inner = bulk->extents[bulk->inner];
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

// The same if one dim of the map ends where the constraint says: rows with padding behind them.
static bool ends_before(strata_bulk_t *bulk, MlirAffineExpr expr) {
  const strata_index_space_t *space = &bulk->box.space;
  for (int i = 0; i < bulk->rank; i++) {
    if (bulk->dims[i] < 0)
      continue;
    MlirAffineExpr sum = mlirAffineAddExprGet(expr, bulk->box.coordinates[bulk->dims[i]]);
    MlirAffineExpr last = strata_index_simplify(space, sum);
    int64_t number, end = 0;
    if (!strata_size_is_constant(bulk->box.sizes[bulk->dims[i]], &number))
      continue;
    int64_t size = number - bulk->left_out[i];
    if (mlirAffineExprIsAConstant(last))
      end = mlirAffineConstantExprGetValue(last) + 1;
    if (end <= 0 || end >= size)
      continue;
    bulk->left_out[i] += size - end;
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
  for (int i = is_of_pages(bulk, 0); i + 1 < box->rank; i++) {
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
  int64_t elements = strata_map_unit_elements(element_bytes(bulk));
  MlirAffineExpr first = at(bulk, bulk->box.coordinates[bulk->dims[0]], offsets, false);
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

//===-- Maps -----------------------------------------------------------------------------------------------------===//

// Extents of a copy and its steps: channels and pixels of a window, else those of a box.
static void find_box(const strata_bulk_t *bulk, int64_t span, int64_t *box, int64_t *steps) {
  int64_t offsets[RANK] = {0}, bytes = element_bytes(bulk);
  const strata_bulk_window_t *window = &bulk->window;
  for (int i = 0; i < bulk->rank; i++) {
    steps[i] = i > 0 && i <= window->n_dims ? window->steps[i - 1] : 1;
    box[i] = i == 1 && window->n_dims ? bulk->extents[0] : 1;
    for (int v = 0; v < RANK && !window->n_dims; v++)
      if (carrier(bulk, v, offsets) == bulk->dims[i])
        box[i] = v == bulk->inner ? span / bytes : bulk->extents[v];
  }
  if (window->n_dims)
    box[0] = span / bytes;
}

// Numbers, or a map of the module's symbols.
static MlirAttribute sizes_attr(MlirContext context, int count, const strata_size_t *sizes) {
  int64_t numbers[STRATA_BULK_RANK];
  MlirAffineExpr exprs[STRATA_BULK_RANK];
  for (int i = 0; i < count; i++) {
    strata_size_is_constant(sizes[i], &numbers[i]);
    exprs[i] = strata_size_expr(context, sizes[i]);
  }
  return strata_sizes_vary(count, sizes) ? mlirAffineMapAttrGet(strata_exprs_map(context, count, exprs))
                                         : strata_i64s_attr(context, count, numbers);
}

// Of the buffer along dim |i| of the map.
static strata_size_t map_size(const strata_bulk_t *bulk, int i) {
  if (is_of_pages(bulk, bulk->dims[i]))
    return strata_size_of_expr(&bulk->box.space.d->sizes, strata_type_dim(mlirValueGetType(bulk->buffer), 0));
  return bulk->dims[i] < 0 ? strata_size_constant(1)
                           : strata_size_sum(bulk->box.sizes[bulk->dims[i]], strata_size_constant(-bulk->left_out[i]));
}

enum { ROWS = 0 }; // the vector's dim that clipped boxes have all of

// The map's dim that rows run along: of windows pixels; 0: none.
static int rows_dim(const strata_bulk_t *bulk) {
  const int64_t none[RANK] = {0};
  if (bulk->inner == ROWS || bulk->extents[ROWS] != bulk->box.space.extents[ROWS])
    return 0;
  if (bulk->window.n_dims)
    return bulk->window.n_rows ? 1 : 0;
  int dim = carrier(bulk, ROWS, none);
  for (int i = 1; i < bulk->rank; i++)
    if (dim != NO_DIM && bulk->dims[i] == dim)
      return i;
  return 0;
}

// Of a load, along dim |i| of its map.
static strata_size_t rows_along(const strata_bulk_t *bulk, int i) {
  return bulk->window.n_dims ? strata_size_constant(bulk->window.n_rows) : map_size(bulk, i);
}

// The number of the first row of the box at |offsets|.
static MlirAffineExpr first_row(const strata_bulk_t *bulk, int i, const int64_t *offsets) {
  return bulk->window.n_dims ? bulk->window.row : at(bulk, bulk->box.coordinates[bulk->dims[i]], offsets, false);
}

bool strata_bulk_count_rows(const strata_bulk_t *bulk, strata_size_t *out_rows) {
  const int64_t none[RANK] = {0};
  int dim = rows_dim(bulk);
  if (!dim)
    return false;
  MlirAffineExpr first = first_row(bulk, dim, none);
  *out_rows = rows_along(bulk, dim);
  return strata_index_is_nonnegative(&bulk->box.space, first) &&
         strata_index_is_multiple(&bulk->box.space, first, bulk->extents[ROWS]);
}

void strata_bulk_clip(strata_bulk_t *bulk, bool may_miss) {
  int64_t rows, dim = rows_dim(bulk);
  bool is_one = strata_size_is_constant(rows_along(bulk, (int)dim), &rows) && rows < bulk->extents[ROWS];
  if (is_one && !may_miss) {
    bulk->box.space.extents[ROWS] = bulk->extents[ROWS] = rows;
    return;
  }
  bulk->clipped = (int)dim;
  bulk->may_miss = may_miss;
}

// How many rows there are from the beginning of the box at |offsets| on: none, or less, behind the buffer's end.
static MlirValue rows_left(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets) {
  strata_index_space_t space = bulk->box.space;
  MlirValue first = strata_index_emit(&space, first_row(bulk, bulk->clipped, offsets));
  return strata_emit_binary(&d->e, "arith.subi", strata_gpu_emit_size(d, rows_along(bulk, bulk->clipped)), first);
}

MlirValue strata_bulk_rows(strata_gpu_distribution_t *d, const strata_bulk_t *bulk) {
  const int64_t none[RANK] = {0};
  MlirValue rows = strata_emit_with(&d->e, "arith.minsi", rows_left(d, bulk, none), bulk->extents[ROWS]);
  return bulk->may_miss ? strata_emit_with(&d->e, "arith.maxsi", rows, 0) : rows;
}

// Instead of the number of the map of whole boxes whose last one a map is of.
enum { WHOLE_BOXES = -1, ONLY_BOX = -2 };

// |whole|: such a number. Of a known number of rows the last box is one like others.
static MlirAttribute map_of(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, int64_t span, int64_t whole) {
  MlirContext context = d->e.context;
  int64_t box[STRATA_BULK_RANK], steps[STRATA_BULK_RANK];
  strata_size_t sizes[STRATA_BULK_RANK], strides[STRATA_BULK_RANK];
  const strata_bulk_window_t *window = &bulk->window;
  int64_t rows;
  bool is_last = whole != WHOLE_BOXES,
       is_known = is_last && strata_size_is_constant(rows_along(bulk, bulk->clipped), &rows);
  find_box(bulk, span, box, steps);
  if (is_known)
    box[bulk->clipped] = (rows - 1) % box[bulk->clipped] + 1;
  for (int i = 0; i < bulk->rank; i++) {
    sizes[i] = map_size(bulk, i);
    strides[i] = strata_size_constant(element_bytes(bulk));
    for (int dim = bulk->dims[i] + 1; dim < bulk->box.rank; dim++)
      strides[i] = strata_size_product(strides[i], bulk->box.sizes[dim]);
  }
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(bulk->buffer));
  bool is_tf32 = mlirTypeIsAF32(element) && !bulk->is_store && !bulk->is_dense &&
                 !bulk->is_exact; // a matrix instruction's operand
  MlirAttribute type = mlirTypeAttrGet(is_tf32 ? mlirTF32TypeGet(context) : element);
  MlirNamedAttribute entries[12];
  intptr_t n = 0;
#define ENTRY(key, attr) entries[n++] = (MlirNamedAttribute){mlirIdentifierGet(context, strata_str(key)), attr}
  ENTRY("buffer", strata_i64_attr(context, mlirBlockArgumentGetArgNumber(bulk->buffer)));
  ENTRY("type", type);
  ENTRY("sizes", sizes_attr(context, bulk->rank, sizes));
  ENTRY("strides", sizes_attr(context, bulk->rank - 1, strides + 1));
  ENTRY("box", strata_i64s_attr(context, bulk->rank, box));
  ENTRY("steps", strata_i64s_attr(context, bulk->rank, steps));
  ENTRY("swizzle", strata_i64_attr(context, bulk->is_dense ? 0 : span));
  if (window->n_dims) {
    ENTRY("lower", strata_i64s_attr(context, window->n_dims, window->lower));
    ENTRY("upper", strata_i64s_attr(context, window->n_dims, window->upper));
  }
  if (is_last && !is_known)
    ENTRY("clipped", strata_i64_attr(context, bulk->clipped));
  if (whole >= 0 && !is_known)
    ENTRY("whole", strata_i64_attr(context, whole));
  if (bulk->reads_ahead)
    ENTRY("ahead", mlirUnitAttrGet(context));
#undef ENTRY
  return mlirDictionaryAttrGet(context, n, entries);
}

static int64_t number_of_map(strata_gpu_distribution_t *d, MlirAttribute map) {
  for (size_t i = 0; i < d->maps.count; i++)
    if (mlirAttributeEqual(d->maps.data[i], map))
      return (int64_t)i;
  *strata_vector_push(d->compile->arena, &d->maps) = map;
  return (int64_t)d->maps.count - 1;
}

int64_t strata_bulk_map(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, int64_t span) {
  return number_of_map(d, map_of(d, bulk, span, WHOLE_BOXES));
}

// Where the page of the box at |offsets| lies.
static MlirValue page_at(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets) {
  intptr_t n = strata_attr_i64(bulk->pages, "pages", 0), first = mlirOperationGetNumOperands(bulk->pages) - n;
  MlirAffineExpr which = at(bulk, bulk->box.coordinates[0], offsets, false);
  return strata_new_scalar(d, mlirOperationGetOperand(bulk->pages, first + mlirAffineConstantExprGetValue(which)));
}

int strata_bulk_coordinates(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets,
                            MlirValue *out) {
  strata_index_space_t space = bulk->box.space;
  const strata_bulk_window_t *window = &bulk->window;
  for (int i = 0; i < bulk->rank; i++)
    out[i] = is_of_pages(bulk, bulk->dims[i])
                 ? page_at(d, bulk, offsets)
                 : strata_index_emit(&space, window->n_dims
                                                 ? window->first[i]
                                                 : at(bulk, bulk->box.coordinates[bulk->dims[i]], offsets, false));
  for (int i = 0; i < window->n_dims; i++)
    out[bulk->rank + i] = strata_index_emit(&space, window->offsets[i]);
  return bulk->rank + window->n_dims;
}

int strata_bulk_coordinates_from(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const MlirValue *base,
                                 const int64_t *offsets, MlirValue *out) {
  const int64_t none[RANK] = {0};
  strata_index_space_t space = bulk->box.space;
  if (mlirValueIsNull(base[0]) || bulk->window.n_dims)
    return strata_bulk_coordinates(d, bulk, offsets, out);
  for (int i = 0; i < bulk->rank; i++) {
    MlirAffineExpr place = bulk->box.coordinates[bulk->dims[i]], first = at(bulk, place, none, false),
                   own = at(bulk, place, offsets, false),
                   further = strata_index_simplify(&space, mlirAffineAddExprGet(own, strata_expr_times(first, -1)));
    out[i] = mlirAffineExprIsAConstant(further)
                 ? strata_emit_plus(&d->e, base[i], mlirAffineConstantExprGetValue(further))
                 : strata_index_emit(&space, own);
  }
  return bulk->rank;
}

int64_t strata_bulk_copies(const strata_bulk_t *bulk) {
  int64_t count = 1;
  for (int v = 0; v < 2; v++)
    count *= strata_ceil_div(bulk->box.space.extents[v], bulk->extents[v]);
  return count;
}

// A copy's operands: where it goes, and its coordinates.
typedef struct {
  const char *name;
  MlirValue operands[5 + STRATA_BULK_COORDINATES];
  int n_operands;
} copy_t;

static void emit_copy(strata_gpu_distribution_t *d, const copy_t *copy, int64_t map) {
  strata_named_attr_t attr = {"map", strata_i64_attr(d->e.context, map)};
  strata_emit_op(&d->e, copy->name, copy->n_operands, copy->operands, 0, NULL, 1, &attr);
}

// What is left of a box that begins in front of the buffer's end.
static void emit_last(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const copy_t *copy, MlirValue left,
                      int64_t map) {
  strata_emitter_t *e = &d->e;
  strata_loop_t missing = {0};
  if (bulk->may_miss)
    missing = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_SGT, left, strata_emit_index(e, 0)));
  emit_copy(d, copy, map);
  if (bulk->may_miss)
    strata_emit_if_end(e, missing);
}

// The whole box, what is left of it, or nothing; where all rows are one box there are no whole ones.
static void emit_clipped(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const copy_t *copy,
                         const int64_t *offsets, int64_t span) {
  strata_emitter_t *e = &d->e;
  MlirValue left = rows_left(d, bulk, offsets);
  if (rows_along(bulk, bulk->clipped).max <= bulk->extents[ROWS]) {
    emit_last(d, bulk, copy, left, number_of_map(d, map_of(d, bulk, span, ONLY_BOX)));
    return;
  }
  int64_t whole = strata_bulk_map(d, bulk, span), last = number_of_map(d, map_of(d, bulk, span, whole));
  strata_loop_t branch =
      strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_SLT, left, strata_emit_index(e, bulk->extents[ROWS])));
  emit_last(d, bulk, copy, left, last);
  strata_emit_if_else(e, branch);
  emit_copy(d, copy, whole);
  strata_emit_if_end(e, branch);
}

void strata_bulk_load(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets, int64_t span,
                      const strata_bulk_target_t *to) {
  bool is_alone = mlirValueIsNull(to->blocks);
  int fixed = is_alone ? 4 : 5;
  copy_t copy = {.name = is_alone ? STRATA_TILE_BULK_LOAD : STRATA_TILE_BULK_MULTICAST,
                 .operands = {to->memory, to->at, to->barriers, to->slot, to->blocks}};
  copy.n_operands = fixed + strata_bulk_coordinates(d, bulk, offsets, copy.operands + fixed);
  if (bulk->clipped)
    emit_clipped(d, bulk, &copy, offsets, span);
  else
    emit_copy(d, &copy, strata_bulk_map(d, bulk, span));
}
