// See problem.h.
#include "passes/affine/problem.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/map_limits.h"
#include "passes/affine/stage.h"

#include <math.h>
#include <string.h>

enum { MIN_BOX = 8, NO_PLACE = STRATA_NO_DIM }; // rows after which a swizzle repeats

static int64_t bytes_of(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type) / 8;
  return mlirTypeIsAInteger(type) ? (mlirIntegerTypeGetWidth(type) + 7) / 8 : 8;
}

static int axis_of_side(int side) { return side == STRATA_SIDE_U ? STRATA_AXIS_ROW : STRATA_AXIS_COLUMN; }

static MlirType element_type(MlirValue buffer) { return mlirShapedTypeGetElementType(mlirValueGetType(buffer)); }

//===-- Instructions ---------------------------------------------------------------------------------------------===//

typedef const strata_mma_t *(*find_mma_t)(const strata_gpu_device_t *device, MlirType operand, MlirType sum);

// The instruction for the operands' type. Operands of f32 are multiplied as they are unless tf32 was asked for, or
// chosen (affine-tf32).
static const strata_mma_t *choose_mma(const strata_gpu_contraction_t *q, find_mma_t find) {
  const strata_contraction_kernel_t *c = q->contraction;
  MlirType types[2], sum = strata_contraction_sum_type(c);
  for (int side = 0; side < 2; side++)
    types[side] = mlirValueGetType(strata_contraction_narrow(c, side));
  bool is_f32 = mlirTypeIsAF32(types[0]);
  bool may_round =
      q->compile->options->precision == STRATA_PRECISION_TF32 || strata_attr_flag(c->nest->op, "strata.tf32");
  if (q->compile->options->disable_tensor_core || !mlirTypeEqual(types[0], types[1]) || (is_f32 && !may_round))
    return NULL;
  return find(q->device, types[0], sum);
}

static bool is_f32(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  return mlirTypeIsAF32(mlirValueGetType(strata_contraction_narrow(c, 0))) &&
         mlirTypeIsAF32(mlirValueGetType(strata_contraction_narrow(c, 1))) &&
         mlirTypeIsAF32(strata_contraction_sum_type(c));
}

//===-- Operands that come in bulk -------------------------------------------------------------------------------===//

// Buffers of @main begin at multiples of 16 bytes; so does a view that changes the shape alone.
static bool is_at_start(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (strata_op_is(op, "memref.alloc") || strata_op_is(op, "memref.get_global"))
      return true;
    if (!strata_op_is(op, "memref.collapse_shape") && !strata_op_is(op, "memref.expand_shape"))
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
  return strided_place(strata_affine_simplify_map(access->map, nest->extents), dim, 1);
}

// True if dim |place| of the buffer is the nest's dim |dim|.
static bool walks_alone(const strata_nest_t *nest, const strata_access_t *access, int place, int dim) {
  MlirAffineMap map = strata_affine_simplify_map(access->map, nest->extents);
  MlirAffineExpr expr = mlirAffineMapGetResult(map, place);
  return mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == dim;
}

static bool is_tf32(const strata_problem_t *problem) {
  return problem->async && !strcmp(problem->async->operand, "f32");
}

// The innermost dim of the buffer; NO_PLACE if the strides of the others are not multiples of 16 bytes, or too many.
static int innermost_place(MlirValue buffer) {
  int64_t sizes[STRATA_MAX_DIMS], stride = bytes_of(element_type(buffer));
  int inner = NO_PLACE, n_dims = 0;
  for (int i = strata_memref_sizes(buffer, sizes); i-- > 0; stride *= sizes[i]) {
    if (sizes[i] == 1)
      continue;
    if (inner == NO_PLACE)
      inner = i;
    else if (stride % STRATA_MAP_UNIT)
      return NO_PLACE;
    n_dims++;
  }
  return n_dims <= STRATA_MAP_RANK ? inner : NO_PLACE;
}

// True if a stride is no multiple of |unit| bytes, nor do rows lie within one.
static bool straddles(MlirValue buffer, int64_t unit) {
  int64_t sizes[STRATA_MAX_DIMS], stride = bytes_of(element_type(buffer)), n = strata_memref_sizes(buffer, sizes);
  bool result = false;
  for (int64_t i = n; i-- > 1;) {
    stride *= sizes[i];
    result |= sizes[i - 1] > 1 && stride % unit && unit % stride;
  }
  return result;
}

static int64_t row_bytes(MlirValue buffer) {
  int64_t sizes[STRATA_MAX_DIMS], n = strata_memref_sizes(buffer, sizes);
  return n ? sizes[n - 1] * bytes_of(element_type(buffer)) : 0;
}

// Only operands of 16 bits and tf32's left one may be crossed, and those of multiply-adds must be. A side without dims
// of its own is one row (column), which comes as such.
static bool has_strides(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes, int side,
                        const strata_problem_t *problem, strata_problem_side_t *out) {
  const strata_nest_t *nest = q->contraction->nest;
  const strata_access_t *access = q->contraction->sides[side].access;
  int own = strata_contraction_axis_last(nest, &axes[axis_of_side(side)]),
      step = strata_contraction_axis_last(nest, &axes[STRATA_AXIS_STEP]);
  if (step == NO_PLACE || mlirAffineMapIsNull(access->map))
    return false;
  int inner = innermost_place(access->buffer), along = place_of(nest, access, step);
  out->has_own_steps = along != NO_PLACE && walks_alone(nest, access, along, step);
  if (own == NO_PLACE)
    return out->is_wide = !problem->bulk_adds && inner != NO_PLACE && along == inner;
  int places[2] = {place_of(nest, access, own), along};
  out->is_crossed = places[0] == inner;
  bool may_cross = out->loaded_bytes == 2 || problem->bulk_adds || is_tf32(problem);
  bool is_along = places[1] == inner && !problem->bulk_adds;
  bool has_places = places[0] != NO_PLACE && places[1] != NO_PLACE && places[0] != places[1];
  out->is_wide = has_places && (out->is_crossed ? out->loaded_bytes <= 2 : is_along);
  return has_places && (out->is_crossed ? may_cross : is_along);
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
  const strata_contraction_axis_t *own = &axes[axis_of_side(side)];
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(access->buffer)), last = NO_PLACE;
  int channels = strata_contraction_axis_last(nest, &axes[STRATA_AXIS_STEP]), inner = innermost_place(access->buffer);
  if (channels == NO_PLACE || mlirAffineMapIsNull(access->map) || rank < MIN_RANK || rank > STRATA_MAP_RANK ||
      inner != rank - 1 || own->n_dims < 2)
    return false;
  MlirAffineMap map = strata_affine_simplify_map(access->map, nest->extents);
  for (int i = 0; i < own->n_dims; i++) {
    if (nest->extents[own->dims[i]] == 1)
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
  bool has_rows = side->straddles && side->is_along && side->has_own_steps && !side->has_window && rows->n_dims == 1 &&
                  rows->extent % 2 == 0 && axes[STRATA_AXIS_STEP].n_dims == 1;
  int place = has_rows ? place_of(nest, access, rows->dims[0]) : NO_PLACE;
  if (place == NO_PLACE || !walks_alone(nest, access, place, rows->dims[0]))
    return false;
  int64_t sizes[STRATA_MAX_DIMS], stride = side->loaded_bytes;
  int rank = strata_memref_sizes(access->buffer, sizes);
  for (int i = rank - 1; i > place; stride *= sizes[i--])
    if (i < rank - 1 && sizes[i] > 1 && stride % STRATA_SECTOR)
      return false;
  return rank < STRATA_MAP_RANK && sizes[place] % 2 == 0;
}

static strata_problem_side_t read_side(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes,
                                       int side, const strata_problem_t *problem) {
  MlirValue buffer = q->contraction->sides[side].access->buffer;
  MlirType type = element_type(buffer), factor = mlirValueGetType(strata_contraction_narrow(q->contraction, side));
  strata_problem_side_t result = {.loaded_bytes = bytes_of(type)};
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
  result.straddles = result.is_read && straddles(buffer, STRATA_SECTOR);
  result.splits_lines = result.is_read && straddles(buffer, STRATA_LINE);
  result.row_bytes = row_bytes(buffer);
  result.is_shifted = is_read_alone(q->contraction, side) && axes[axis_of_side(side)].n_dims <= 1 &&
                      axes[STRATA_AXIS_STEP].n_dims <= 1 && straddles(buffer, STRATA_MAP_UNIT);
  result.has_window = !problem->bulk_adds && is_plain && !result.is_crossed && moves_windows(q, axes, side);
  result.may_alternate = side == STRATA_SIDE_U && may_alternate(q, axes, &result);
  result.is_staged = strata_attr_flag(q->contraction->sides[side].access->op, "strata.padded");
  if (!result.is_staged)
    strata_stage_read(q, side, problem->bulk_adds, &result);
  return result;
}

// The longest part of |tile|, halved again and again, that never crosses the end of the axis's last dim; 0: none.
static int64_t part_of(const strata_problem_axis_t *axis, int64_t tile, int64_t most) {
  int64_t inner = axis->n_dims > 1 ? axis->dims[axis->n_dims - 1] : 0;
  while (tile > most || (inner && inner % tile)) {
    if (tile % 2 || tile / 2 < MIN_BOX)
      return 0;
    tile /= 2;
  }
  return tile;
}

bool strata_problem_has_window(const strata_problem_t *problem) {
  return problem->sides[STRATA_SIDE_U].has_window || problem->sides[STRATA_SIDE_V].has_window;
}

bool strata_problem_has_slow_rows(const strata_problem_t *problem) {
  bool is_slow = problem->sides[STRATA_SIDE_U].splits_lines || problem->sides[STRATA_SIDE_V].splits_lines;
  return is_slow && !strata_problem_has_window(problem) && !problem->shares_launch;
}

bool strata_problem_stores_vectors(const strata_problem_t *problem) {
  enum { VECTOR_BYTES = 16 };
  return problem->columns * problem->stored_bytes % VECTOR_BYTES == 0;
}

bool strata_problem_takes_blocks_apart(const strata_problem_t *problem) {
  return !strata_problem_stores_vectors(problem) && !strata_problem_has_window(problem) && !problem->shares_launch;
}

bool strata_problem_is_left_alone(const strata_problem_t *problem, int side) {
  return problem->sides[side].is_crossed && problem->operand_bytes == 4 && !problem->bulk_adds;
}

int64_t strata_problem_extent(const strata_problem_t *problem, int side) {
  return side == STRATA_SIDE_U ? problem->rows : problem->columns;
}

double strata_problem_operand_bytes(const strata_problem_t *problem) {
  double bytes = 0;
  for (int side = 0; side < 2; side++)
    bytes += (double)(strata_problem_extent(problem, side) * problem->steps * problem->batch *
                      problem->sides[side].loaded_bytes);
  return bytes;
}

int64_t strata_problem_boxes(const strata_problem_t *problem, int side, int64_t tile, int64_t step) {
  const strata_problem_side_t *s = &problem->sides[side];
  const strata_problem_axis_t one = {0}, *own = s->is_staged ? &one : &problem->axes[axis_of_side(side)];
  const strata_problem_axis_t *steps = s->is_staged ? &one : &problem->axes[STRATA_AXIS_STEP];
  bool keeps_window = steps->n_dims > 0 && steps->dims[steps->n_dims - 1] % step == 0;
  if (s->has_window && keeps_window && tile <= STRATA_MAP_MAX_BOX)
    return 1;
  bool ends = s->is_staged || s->has_own_steps || problem->steps % step == 0; // nothing lies behind
  if (!s->is_read || !ends)
    return 0;
  if (!s->is_crossed) {
    int64_t rows = part_of(own, tile, STRATA_MAP_MAX_BOX);
    return rows && part_of(steps, step, step) == step ? tile / rows : 0;
  }
  if (problem->bulk_adds) // dense rows
    return own->n_dims <= 1 && tile <= STRATA_MAP_MAX_BOX && part_of(steps, step, step) == step;
  int64_t span = strata_min(tile, step), part = part_of(steps, step, step); // a span has as many elements as a step
  bool fits = own->n_dims <= 1 || (own->dims[own->n_dims - 1] % span == 0 && tile % span == 0);
  return fits && part ? strata_ceil_div(tile, span) * (step / part) : 0;
}

// One for each width of a box: 128, 64 and 32 bytes.
int64_t strata_problem_store_maps(int64_t columns, int64_t bytes) {
  bytes *= columns;
  return (bytes >= 128) + (bytes % 128 >= 64) + (bytes % 64 >= 32);
}

int64_t strata_problem_maps(MlirOperation func, int64_t columns) {
  MlirBlock body = strata_func_body(func);
  int64_t count = 2;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue buffer = mlirBlockGetArgument(body, i);
    if (strata_kernel_writes(func, i) && mlirShapedTypeGetRank(mlirValueGetType(buffer)) > 1)
      count += strata_problem_store_maps(columns, bytes_of(element_type(buffer)));
  }
  return count;
}

bool strata_problem_fills_alike(const strata_problem_t *a, const strata_problem_t *b, const int64_t *tile) {
  bool is_bulk[2] = {true, true}, alike = a->async == b->async && a->operand_bytes == b->operand_bytes;
  for (int side = 0; side < 2; side++) {
    is_bulk[0] &= strata_problem_boxes(a, side, tile[side], tile[2]) > 0;
    is_bulk[1] &= strata_problem_boxes(b, side, tile[side], tile[2]) > 0;
    bool is_across = strata_problem_is_left_alone(a, side) || strata_problem_is_left_alone(b, side);
    alike &= (tile[side] % tile[2] == 0 && !is_across) || a->sides[side].is_crossed == b->sides[side].is_crossed;
  }
  return alike && is_bulk[0] == is_bulk[1];
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static strata_problem_axis_t axis_of(const strata_nest_t *nest, const strata_contraction_axis_t *axis) {
  strata_problem_axis_t result = {0};
  for (int i = 0; i < axis->n_dims; i++)
    if (nest->extents[axis->dims[i]] > 1)
      result.dims[result.n_dims++] = nest->extents[axis->dims[i]];
  return result;
}

// Bytes of an element that the kernel stores, the widest of several.
static int64_t stored_bytes(const strata_gpu_contraction_t *q) {
  const strata_kernel_t *kernel = q->contraction->kernel;
  int64_t bytes = 1;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      if (access->is_store && (!q->called || mlirValueIsABlockArgument(access->buffer)))
        bytes = strata_max(bytes, bytes_of(element_type(access->buffer)));
    }
  return bytes;
}

static double buffer_bytes(MlirValue buffer) {
  int64_t sizes[STRATA_MAX_DIMS];
  double bytes = (double)bytes_of(element_type(buffer));
  for (int dim = strata_memref_sizes(buffer, sizes); dim-- > 0;)
    bytes *= (double)sizes[dim];
  return bytes;
}

// True of a pair whose columns' operands are parts of one buffer.
static bool has_packed_columns(const strata_contraction_kernel_t *c) {
  return c->other.nest && mlirValueEqual(c->sides[STRATA_SIDE_V].access->buffer,
                                         strata_contraction_second(c).sides[STRATA_SIDE_V].access->buffer);
}

static double bytes_moved(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  double bytes = 0;
  for (int i = 0; !q->called && i < c->nest->n_accesses; i++)
    bytes += buffer_bytes(c->nest->accesses[i].buffer);
  if (!q->called && c->other.nest && !has_packed_columns(c))
    bytes += buffer_bytes(strata_contraction_second(c).sides[STRATA_SIDE_V].access->buffer);
  for (intptr_t i = 0; q->called && i < mlirBlockGetNumArguments(c->kernel->body); i++)
    bytes += buffer_bytes(mlirBlockGetArgument(c->kernel->body, i));
  return bytes;
}

// Of a pair both columns' operands are alike, or it is not carried out so.
static void read_second(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes, strata_problem_t *p) {
  strata_contraction_kernel_t second = strata_contraction_second(q->contraction);
  strata_gpu_contraction_t question = *q;
  question.contraction = &second;
  strata_problem_side_t other = read_side(&question, axes, STRATA_SIDE_V, p);
  p->is_pair = true;
  p->sides[STRATA_SIDE_V].is_read &= other.is_read && other.is_crossed == p->sides[STRATA_SIDE_V].is_crossed;
  for (int side = 0; side < 2; side++)
    p->sides[side].is_stageable = p->sides[side].has_window = false;
}

// Of the buffer of |side|, what lies beside the slice that the product reads.
static double bytes_beside(const strata_contraction_kernel_t *c, int side, const strata_problem_t *p) {
  double extent = (double)strata_problem_extent(p, side) * (double)p->steps * (double)p->batch;
  extent *= side == STRATA_SIDE_V && has_packed_columns(c) ? 2 : 1;
  double bytes = buffer_bytes(c->sides[side].access->buffer) - extent * (double)p->sides[side].loaded_bytes;
  return bytes > 0 ? bytes : 0;
}

strata_problem_t strata_problem_read(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  strata_contraction_axis_t axes[STRATA_N_AXES];
  strata_contraction_axes(c, axes);
  strata_problem_t p = {.rows = axes[STRATA_AXIS_ROW].extent,
                        .columns = axes[STRATA_AXIS_COLUMN].extent,
                        .steps = c->n_reduced,
                        .batch = 1,
                        .costs = q->device->costs,
                        .mma = choose_mma(q, strata_mma_find),
                        .async = choose_mma(q, strata_mma_find_async),
                        .sum_bytes = bytes_of(strata_contraction_sum_type(c)),
                        .stored_bytes = stored_bytes(q),
                        .traffic = bytes_moved(q)};
  for (int i = 0; c->places && i < c->kernel->n_nests; i++)
    p.row_reductions += &c->kernel->nests[i] != c->nest && c->kernel->nests[i].n_reduction;
  for (int i = 0; i < STRATA_N_AXES; i++)
    p.axes[i] = axis_of(c->nest, &axes[i]);
  for (int dim = 0; dim < c->nest->n_parallel; dim++)
    p.batch *= c->nest->extents[dim];
  p.batch /= p.rows * p.columns;
  p.bulk_adds = !p.mma && !p.async && *q->device->mma_async && is_f32(q);
  for (int side = 0; side < 2; side++) {
    MlirValue factor = p.mma || p.async ? strata_contraction_narrow(c, side) : c->sides[side].factor;
    p.operand_bytes = strata_max(p.operand_bytes, bytes_of(mlirValueGetType(factor)));
    p.sides[side] = read_side(q, axes, side, &p);
    p.loaded_bytes = strata_max(p.loaded_bytes, p.sides[side].loaded_bytes);
    if (side == STRATA_SIDE_U || !mlirValueEqual(c->sides[0].access->buffer, c->sides[1].access->buffer))
      p.traffic -= bytes_beside(c, side, &p);
  }
  if (c->other.nest)
    read_second(q, axes, &p);
  return p;
}

strata_problem_t strata_problem_part(const strata_problem_t *problem, int64_t parts) {
  strata_problem_t part = *problem;
  double results = (double)problem->rows * (double)problem->columns * (double)problem->batch;
  part.batch *= parts;
  part.steps /= parts;
  part.traffic += results * (double)(parts * problem->sum_bytes - problem->stored_bytes);
  part.stored_bytes = problem->sum_bytes;
  for (int side = 0; side < 2; side++)
    part.sides[side].has_own_steps = false;
  return part;
}

bool strata_problem_has_tiles(const strata_gpu_device_t *device, const strata_problem_t *problem) {
  enum { MIN_SIDE = 8, FEW = 2, SOME = 4, MANY = 256 };
  strata_pipelined_choice_t pipelined;
  int wide = problem->columns > problem->rows; // the side of most
  int64_t least = wide ? problem->rows : problem->columns, most = wide ? problem->columns : problem->rows;
  bool is_long = most >= MANY && problem->steps >= MANY;
  double operand = (double)most * (double)(problem->steps * problem->batch * problem->sides[wide].loaded_bytes);
  bool is_far = operand > (double)device->l2_bytes / 2; // rows of results would read it again from memory
  bool is_across =
      (least >= FEW && !problem->sides[wide].is_along) || (least >= SOME && !problem->sides[1 - wide].is_along);
  if (least >= MIN_SIDE || (is_long && (is_across || (least >= SOME && is_far))))
    return true;
  return STRATA_PIPELINED_PRODUCTS && strata_pipelined_choose(device, problem, 1, &pipelined) > 0;
}

double strata_problem_unstaged_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem) {
  strata_pipelined_choice_t pipelined;
  strata_tiled_choice_t tiled;
  double seconds = INFINITY;
  if (STRATA_PIPELINED_PRODUCTS && strata_pipelined_choose(device, problem, 1, &pipelined))
    seconds = pipelined.seconds;
  if (strata_tiled_choose(device, problem, &tiled))
    seconds = fmin(seconds, tiled.seconds);
  return seconds;
}

double strata_problem_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem) {
  double seconds = strata_problem_unstaged_seconds(device, problem);
  if (STRATA_PIPELINED_PRODUCTS)
    strata_stage_choose(device, problem, &seconds);
  return seconds;
}
