// A product's operands: how the device may fetch each, in bulk, in vectors, or not before a kernel in front has staged
// it. See problem.h.
#include "passes/affine/problem_operand.h"

#include "dialects/affine/packed.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/map_limits.h"
#include "passes/affine/stage.h"

#include <string.h>

enum { NO_PLACE = STRATA_NO_DIM };

// Buffers of @main begin at multiples of 16 bytes; so does a view that changes the shape alone.
static bool is_at_start(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (strata_op_is(op, "memref.alloc") || strata_op_is(op, "memref.get_global"))
      return true;
    if (!strata_op_is(op, "memref.collapse_shape") && !strata_op_is(op, "memref.expand_shape") &&
        !strata_op_is(op, STRATA_VARYING_VIEW))
      return false;
    value = mlirOperationGetOperand(op, 0);
  }
  return true;
}

static bool starts_aligned(const strata_called_kernel_t *called, MlirValue buffer) {
  if (!called)
    return is_at_start(buffer);
  if (!mlirValueIsABlockArgument(buffer))
    return false;
  for (size_t i = 0; i < called->calls.count; i++)
    if (!is_at_start(mlirOperationGetOperand(called->calls.data[i], mlirBlockArgumentGetArgNumber(buffer))))
      return false;
  return true;
}

// The buffer's dim that the nest's dim |dim| walks, alone or with others, by steps of at most |most|; NO_PLACE if there
// is none, or several.
static int strided_place(MlirAffineMap map, int dim, int64_t most) {
  int found = NO_PLACE;
  for (int i = 0; i < (int)mlirAffineMapGetNumResults(map); i++) {
    int64_t coefficient;
    if (!strata_affine_coefficient(mlirAffineMapGetResult(map, i), dim, &coefficient) || coefficient < 0 ||
        coefficient > most)
      return NO_PLACE;
    if (coefficient == 0)
      continue;
    if (found != NO_PLACE)
      return NO_PLACE;
    found = i;
  }
  return found;
}

// The same with steps of one.
static int place_of(const strata_nest_t *nest, const strata_access_t *access, int dim) {
  return strided_place(strata_affine_simplify_map(access->map, &nest->space), dim, 1);
}

// True if dim |place| of the buffer is the nest's dim |dim|.
static bool walks_alone(const strata_nest_t *nest, const strata_access_t *access, int place, int dim) {
  MlirAffineMap map = strata_affine_simplify_map(access->map, &nest->space);
  MlirAffineExpr expr = mlirAffineMapGetResult(map, place);
  return mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == dim;
}

// The same from any place on.
static bool walks_only(const strata_nest_t *nest, const strata_access_t *access, int place, int dim) {
  MlirAffineExpr expr = mlirAffineMapGetResult(strata_affine_simplify_map(access->map, &nest->space), place);
  for (int other = 0; other < strata_nest_n_dims(nest); other++)
    if (other != dim && mlirAffineExprIsFunctionOfDim(expr, other))
      return false;
  return mlirAffineExprIsFunctionOfDim(expr, dim);
}

// The buffer's sizes, with what is known of them; how many there are.
static int buffer_sizes(const strata_nest_t *nest, MlirValue buffer, strata_size_t *out_sizes) {
  const strata_size_symbols_t symbols = strata_nest_symbols(nest);
  MlirType type = mlirValueGetType(buffer);
  int rank = (int)mlirShapedTypeGetRank(type);
  for (int i = 0; i < rank; i++)
    out_sizes[i] = strata_size_of_expr(&symbols, strata_type_dim(type, i));
  return rank;
}

static strata_size_t element_size(MlirValue buffer) {
  return strata_size_constant(strata_element_bytes(strata_problem_element(buffer)));
}

static bool is_tf32(const strata_problem_t *problem) { return problem->async && strata_mma_rounds(problem->async); }

// The innermost dim of the buffer; NO_PLACE if the strides of the others are not multiples of 16 bytes, or too many.
static int innermost_place(const strata_nest_t *nest, MlirValue buffer) {
  strata_size_t sizes[STRATA_MAX_DIMS], stride = element_size(buffer);
  int inner = NO_PLACE, n_dims = 0;
  for (int i = buffer_sizes(nest, buffer, sizes); i-- > 0; stride = strata_size_product(stride, sizes[i])) {
    if (strata_size_is_one(sizes[i]))
      continue;
    if (inner == NO_PLACE)
      inner = i;
    else if (!strata_size_divides(STRATA_MAP_UNIT, stride))
      return NO_PLACE;
    n_dims++;
  }
  return n_dims <= STRATA_MAP_RANK ? inner : NO_PLACE;
}

// True if a stride is no multiple of |unit| bytes, nor do rows lie within one.
static bool straddles(const strata_nest_t *nest, MlirValue buffer, int64_t unit) {
  strata_size_t sizes[STRATA_MAX_DIMS], stride = element_size(buffer);
  int64_t bytes;
  bool result = false;
  for (int i = buffer_sizes(nest, buffer, sizes); i-- > 1;) {
    stride = strata_size_product(stride, sizes[i]);
    bool lies_within = strata_size_is_constant(stride, &bytes) && bytes && unit % bytes == 0;
    result |= !strata_size_is_one(sizes[i - 1]) && !strata_size_divides(unit, stride) && !lies_within;
  }
  return result;
}

static int64_t row_bytes(const strata_nest_t *nest, MlirValue buffer) {
  const strata_size_symbols_t symbols = strata_nest_symbols(nest);
  strata_size_t sizes[STRATA_MAX_DIMS];
  int n = buffer_sizes(nest, buffer, sizes);
  return n ? strata_size_likely(&symbols, sizes[n - 1]) * strata_element_bytes(strata_problem_element(buffer)) : 0;
}

// The place of a side's last dim |dim|. If it is the side's one dim, it may walk every so many-th place of the
// buffer's: the engine sees these as a dim of their own (tile_to_gpu/bulk_split.c).
static int own_place(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *own,
                     const strata_access_t *access, int dim) {
  const strata_nest_t *nest = q->contraction->nest;
  MlirAffineMap map = strata_affine_simplify_map(access->map, &nest->space);
  strata_size_t sizes[STRATA_MAX_DIMS];
  int64_t n;
  int rank = buffer_sizes(nest, access->buffer, sizes), place = strided_place(map, dim, INT64_MAX);
  if (place == NO_PLACE || own->n_dims > 1)
    return place_of(nest, access, dim);
  bool is_outermost = true;
  for (int i = 0; i < place; i++)
    is_outermost &= strata_size_is_one(sizes[i]);
  strata_affine_coefficient(mlirAffineMapGetResult(map, place), dim, &n);
  return n == 1 || (walks_only(nest, access, place, dim) && rank < STRATA_MAP_RANK &&
                    (strata_size_divides(n, sizes[place]) || is_outermost))
             ? place
             : NO_PLACE;
}

// True if neighbours along |dim| are multiples of |unit| elements apart.
static bool has_whole_stride(const strata_nest_t *nest, MlirAffineExpr position, int dim, int64_t unit) {
  const strata_size_symbols_t symbols = strata_nest_symbols(nest);
  MlirAffineExpr stride;
  return strata_affine_size_coefficient(position, dim, &stride) &&
         strata_size_divides(unit, strata_size_of_expr(&symbols, stride));
}

// True if every run of 16 bytes along the reduction's last dim lies so in the buffer: that dim is contiguous, and all
// others' strides are multiples.
static bool has_vectors(const strata_nest_t *nest, const strata_access_t *access, int step, int64_t bytes) {
  enum { VECTOR_BYTES = 16 };
  int64_t unit = VECTOR_BYTES / strata_gcd(VECTOR_BYTES, bytes), stride, least, most;
  if (!mlirOperationIsNull(access->guard) || !strata_size_divides(unit, nest->space.sizes[step]) ||
      !strata_access_stride(nest, access, step, &stride) || stride != 1)
    return false;
  strata_size_t sizes[STRATA_MAX_DIMS];
  buffer_sizes(nest, access->buffer, sizes);
  MlirAffineExpr position = strata_affine_linearize(access->map, sizes, &nest->space);
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    if (dim != step && !strata_size_is_one(nest->space.sizes[dim]) && !has_whole_stride(nest, position, dim, unit))
      return false;
  return strata_affine_range(position, &nest->space, &least, &most) && least * bytes % VECTOR_BYTES == 0;
}

// True if tiles, of dims |own| and |step|, begin where boxes may along the buffer's innermost dim.
static bool begins_at_units(const strata_nest_t *nest, const strata_access_t *access, int inner, int own, int step,
                            int64_t bytes) {
  MlirContext context = mlirAffineMapGetContext(access->map);
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  int n_dims = strata_nest_n_dims(nest);
  for (int dim = 0; dim < n_dims; dim++)
    dims[dim] = dim == own || dim == step || strata_size_is_one(nest->space.sizes[dim])
                    ? mlirAffineConstantExprGet(context, 0)
                    : mlirAffineDimExprGet(context, dim);
  MlirAffineMap at = mlirAffineMapGet(context, n_dims, nest->space.n_symbols, n_dims, dims);
  MlirAffineMap first = strata_affine_compose(access->map, at, &nest->space);
  return mlirAffineExprIsMultipleOf(mlirAffineMapGetResult(first, inner), strata_map_unit_elements(bytes));
}

// Only operands of 16 bits and tf32's left one may be crossed, and those of multiply-adds must be. A side without dims
// of its own is one row (column), which comes as such.
static bool has_strides(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes, int side,
                        const strata_problem_t *problem, strata_problem_side_t *out) {
  const strata_nest_t *nest = q->contraction->nest;
  const strata_access_t *access = q->contraction->sides[side].access;
  int own = strata_contraction_axis_last(nest, &axes[strata_problem_axis(side)]),
      step = strata_contraction_axis_last(nest, &axes[STRATA_AXIS_STEP]);
  if (step == NO_PLACE || mlirAffineMapIsNull(access->map))
    return false;
  int inner = innermost_place(nest, access->buffer), along = place_of(nest, access, step);
  out->has_own_steps = along != NO_PLACE && walks_only(nest, access, along, step);
  out->begins_rows = out->has_own_steps && walks_alone(nest, access, along, step);
  bool has_units = inner != NO_PLACE && begins_at_units(nest, access, inner, own, step, out->loaded_bytes);
  if (own == NO_PLACE)
    return (out->is_wide = !problem->bulk_adds && inner != NO_PLACE && along == inner) && has_units;
  int places[2] = {own_place(q, &axes[strata_problem_axis(side)], access, own), along};
  out->is_crossed = places[0] == inner && place_of(nest, access, own) == inner;
  bool may_cross = out->loaded_bytes == 2 || problem->bulk_adds || is_tf32(problem);
  bool is_along = places[1] == inner && !problem->bulk_adds;
  bool has_places = places[0] != NO_PLACE && places[1] != NO_PLACE && places[0] != places[1];
  out->is_wide = has_places && (out->is_crossed ? out->loaded_bytes <= 2 : is_along);
  out->is_wide |= !problem->bulk_adds && has_vectors(nest, access, step, out->loaded_bytes);
  return has_places && has_units && (out->is_crossed ? may_cross : is_along);
}

// True if the read alone is multiplied; where it is guarded, zero outside.
static bool is_read_alone(const strata_contraction_kernel_t *c, int side) {
  const strata_access_t *access = c->sides[side].access, *store;
  MlirValue factor = strata_contraction_narrow(c, side);
  if (strata_kernel_producer(c->kernel, access->buffer, &store))
    return false;
  if (mlirOperationIsNull(access->guard))
    return mlirValueEqual(factor, access->value);
  MlirBlock outside = mlirRegionGetFirstBlock(mlirOperationGetRegion(access->guard, 1));
  return mlirValueEqual(factor, mlirOperationGetResult(access->guard, 0)) &&
         strata_value_is_zero(mlirOperationGetOperand(mlirBlockGetTerminator(outside), 0));
}

// A convolution's pixels: the side's dims walk one dim of the buffer each, in order, the reduction's last the channels.
static bool moves_windows(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes, int side) {
  enum { MIN_RANK = 3 };
  const strata_nest_t *nest = q->contraction->nest;
  const strata_access_t *access = q->contraction->sides[side].access;
  const strata_contraction_axis_t *own = &axes[strata_problem_axis(side)];
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(access->buffer)), last = NO_PLACE;
  int channels = strata_contraction_axis_last(nest, &axes[STRATA_AXIS_STEP]),
      inner = innermost_place(nest, access->buffer);
  if (channels == NO_PLACE || mlirAffineMapIsNull(access->map) || rank < MIN_RANK || rank > STRATA_MAP_RANK ||
      inner != rank - 1 || own->n_dims < 2)
    return false;
  MlirAffineMap map = strata_affine_simplify_map(access->map, &nest->space);
  for (int i = 0; i < own->n_dims; i++) {
    if (strata_size_is_one(nest->space.sizes[own->dims[i]]))
      continue;
    int place = strided_place(map, own->dims[i], STRATA_MAP_MAX_STEP);
    if (place <= last || place == inner)
      return false;
    last = place;
  }
  return place_of(nest, access, channels) == inner;
}

// Of rows that begin within sectors every second one does not, if the buffer has whole pairs of them, and whatever else
// it has dims of keeps them so.
static bool may_alternate(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes,
                          const strata_problem_side_t *side) {
  const strata_contraction_axis_t *rows = &axes[STRATA_AXIS_ROW];
  const strata_nest_t *nest = q->contraction->nest;
  const strata_access_t *access = q->contraction->sides[STRATA_SIDE_U].access;
  bool has_rows = side->straddles && side->is_along && side->begins_rows && !side->has_window && rows->n_dims == 1 &&
                  rows->extent % 2 == 0 && axes[STRATA_AXIS_STEP].n_dims == 1;
  int place = has_rows ? place_of(nest, access, rows->dims[0]) : NO_PLACE;
  if (place == NO_PLACE || !walks_alone(nest, access, place, rows->dims[0]))
    return false;
  if (strata_nest_varies(nest)) // as many rows of each kind are not
    return false;
  int64_t sizes[STRATA_MAX_DIMS], stride = side->loaded_bytes;
  int rank = strata_memref_static_sizes(access->buffer, sizes);
  for (int i = rank - 1; i > place; stride *= sizes[i--])
    if (i < rank - 1 && sizes[i] > 1 && stride % STRATA_SECTOR)
      return false;
  return rank < STRATA_MAP_RANK && sizes[place] % 2 == 0;
}

// Tiles in one piece, which come in bulk.
static strata_problem_side_t packed_side(const strata_packed_form_t *form) {
  enum { LOADED_BYTES = 2 }; // of what the buffer has, which is in no memory
  return (strata_problem_side_t){.is_read = true,
                                 .is_along = true,
                                 .has_own_steps = true,
                                 .begins_rows = true,
                                 .is_wide = true,
                                 .is_staged = true,
                                 .row_bytes = STRATA_PACKED_ROWS * strata_packed_row_bytes(form),
                                 .loaded_bytes = LOADED_BYTES,
                                 .packed_row_bytes = strata_packed_row_bytes(form)};
}

strata_problem_side_t strata_problem_read_side(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes,
                                               int side, const strata_problem_t *problem) {
  MlirValue buffer = q->contraction->sides[side].access->buffer;
  strata_packed_t packed;
  if (strata_packed_read(q->contraction->kernel, buffer, &packed))
    return packed_side(&packed.form);
  MlirType type = strata_problem_element(buffer),
           factor = mlirValueGetType(strata_contraction_narrow(q->contraction, side));
  strata_problem_side_t result = {.loaded_bytes = strata_element_bytes(type),
                                  .is_scaled = q->contraction->sides[side].scale != NULL};
  int step = strata_contraction_axis_last(q->contraction->nest, &axes[STRATA_AXIS_STEP]);
  int64_t stride;
  result.is_along = step != NO_PLACE &&
                    strata_access_stride(q->contraction->nest, q->contraction->sides[side].access, step, &stride) &&
                    stride == 1;
  bool is_plain =
      is_read_alone(q->contraction, side) && mlirTypeEqual(type, factor) && starts_aligned(q->called, buffer);
  bool has_place = has_strides(q, axes, side, problem, &result) && starts_aligned(q->called, buffer);
  result.is_wide &= starts_aligned(q->called, buffer);
  result.is_read = is_plain && has_place;
  const strata_nest_t *nest = q->contraction->nest;
  result.straddles = result.is_read && straddles(nest, buffer, STRATA_SECTOR);
  result.splits_lines = result.is_read && straddles(nest, buffer, STRATA_LINE);
  result.row_bytes = row_bytes(nest, buffer);
  result.is_shifted = is_read_alone(q->contraction, side) && axes[strata_problem_axis(side)].n_dims <= 1 &&
                      axes[STRATA_AXIS_STEP].n_dims <= 1 && straddles(nest, buffer, STRATA_MAP_UNIT);
  result.has_window = !problem->bulk_adds && is_plain && !result.is_crossed && moves_windows(q, axes, side);
  result.may_alternate = side == STRATA_SIDE_U && may_alternate(q, axes, &result);
  result.is_staged = strata_attr_flag(q->contraction->sides[side].access->op, "strata.padded");
  if (!result.is_staged)
    strata_stage_read(q, side, problem->bulk_adds, &result);
  return result;
}
