// See problem.h.
#include "passes/affine/problem_operand.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "dialects/tile/map_limits.h"
#include "passes/affine/candidate_cache.h"
#include "passes/affine/stage.h"

#include <math.h>

enum { MIN_BOX = 8 }; // rows after which a swizzle repeats

//===-- Instructions ---------------------------------------------------------------------------------------------===//

typedef const strata_mma_t *(*find_mma_t)(const strata_gpu_device_t *device, MlirType left, MlirType right,
                                          MlirType sum, bool may_round);

// The instruction that takes the operands' scales.
static const strata_mma_t *choose_scaled(const strata_gpu_contraction_t *q, MlirType sum) {
  const strata_contraction_kernel_t *c = q->contraction;
  MlirType type = strata_contraction_narrow_type(c, STRATA_SIDE_U);
  const strata_mma_t *mma = NULL;
  if (mlirTypeEqual(type, strata_contraction_narrow_type(c, STRATA_SIDE_V)))
    mma = strata_mma_find_scaled(q->device, type, sum, STRATA_SCALED_BLOCK);
  return mma && strata_contraction_scales_blocks(c, STRATA_SCALED_BLOCK) ? mma : NULL;
}

// The instruction for the operands' types. Operands of f32 are multiplied as they are unless tf32 was asked for, or
// chosen (affine-tf32).
static const strata_mma_t *choose_mma(const strata_gpu_contraction_t *q, find_mma_t find) {
  const strata_contraction_kernel_t *c = q->contraction;
  MlirType sum = strata_contraction_sum_type(c);
  bool may_round =
      q->compile->options->precision == STRATA_PRECISION_TF32 || strata_attr_flag(c->nest->op, "strata.tf32");
  if (q->compile->options->disable_tensor_core)
    return NULL;
  if (strata_contraction_is_scaled(c))
    return find == strata_mma_find ? choose_scaled(q, sum) : NULL;
  return find(q->device, strata_contraction_narrow_type(c, STRATA_SIDE_U),
              strata_contraction_narrow_type(c, STRATA_SIDE_V), sum, may_round);
}

static bool is_f32(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  return mlirTypeIsAF32(mlirValueGetType(strata_contraction_narrow(c, 0))) &&
         mlirTypeIsAF32(mlirValueGetType(strata_contraction_narrow(c, 1))) &&
         mlirTypeIsAF32(strata_contraction_sum_type(c));
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

bool strata_problem_is_multiple(const strata_problem_t *problem, int axis, int64_t n) {
  const int64_t numbers[STRATA_N_AXES] = {problem->rows, problem->columns, problem->steps};
  return (problem->divisors[axis] ? problem->divisors[axis] : numbers[axis]) % n == 0;
}

bool strata_problem_stores_vectors(const strata_problem_t *problem) {
  enum { VECTOR_BYTES = 16 };
  int64_t unit = VECTOR_BYTES / strata_gcd(VECTOR_BYTES, problem->stored_bytes);
  return strata_problem_is_multiple(problem, STRATA_AXIS_COLUMN, unit);
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

// Of an operand in memory.
static double side_bytes(const strata_problem_t *problem, int side) {
  return (double)(strata_problem_extent(problem, side) * problem->steps * problem->batch *
                  problem->sides[side].loaded_bytes);
}

double strata_problem_operand_bytes(const strata_problem_t *problem) {
  return side_bytes(problem, 0) + side_bytes(problem, 1);
}

int64_t strata_problem_boxes(const strata_problem_t *problem, int side, int64_t tile, int64_t step) {
  const strata_problem_side_t *s = &problem->sides[side];
  const strata_problem_axis_t one = {0}, *own = s->is_staged ? &one : &problem->axes[strata_problem_axis(side)];
  const strata_problem_axis_t *steps = s->is_staged ? &one : &problem->axes[STRATA_AXIS_STEP];
  bool keeps_window = steps->n_dims > 0 && steps->dims[steps->n_dims - 1] % step == 0;
  if (s->has_window && keeps_window && tile <= STRATA_MAP_MAX_BOX)
    return 1;
  bool ends = s->is_staged || s->has_own_steps ||
              strata_problem_is_multiple(problem, STRATA_AXIS_STEP, step); // nothing lies behind
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

int64_t strata_problem_stored_maps(MlirOperation func, int64_t columns) {
  MlirBlock body = strata_func_body(func);
  int64_t count = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue buffer = mlirBlockGetArgument(body, i);
    if (strata_kernel_writes(func, i) && mlirShapedTypeGetRank(mlirValueGetType(buffer)) > 1)
      count += strata_problem_store_maps(columns, strata_element_bytes(strata_problem_element(buffer)));
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
    if (!strata_size_is_one(nest->space.sizes[axis->dims[i]]))
      result.dims[result.n_dims++] = nest->space.sizes[axis->dims[i]].divisor;
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
        bytes = strata_max(bytes, strata_element_bytes(strata_problem_element(access->buffer)));
    }
  return bytes;
}

static double buffer_bytes(const strata_nest_t *nest, MlirValue buffer) {
  const strata_size_symbols_t symbols = strata_nest_symbols(nest);
  return (double)strata_element_bytes(strata_problem_element(buffer)) *
         strata_memref_likely_elements(&symbols, mlirValueGetType(buffer));
}

double strata_problem_stored_beside(MlirOperation func, const strata_problem_t *problem) {
  MlirBlock body = strata_func_body(func);
  const strata_nest_t of_numbers = {0};
  if (problem->varies) // it shares no launch
    return 0;
  double results = (double)problem->rows * (double)problem->columns * (double)problem->batch, bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue buffer = mlirBlockGetArgument(body, i);
    double beside =
        buffer_bytes(&of_numbers, buffer) - results * (double)strata_element_bytes(strata_problem_element(buffer));
    bytes += strata_kernel_writes(func, i) && beside > 0 ? beside : 0;
  }
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
    bytes += buffer_bytes(c->nest, c->nest->accesses[i].buffer);
  if (!q->called && c->other.nest && !has_packed_columns(c))
    bytes += buffer_bytes(c->nest, strata_contraction_second(c).sides[STRATA_SIDE_V].access->buffer);
  for (intptr_t i = 0; q->called && i < mlirBlockGetNumArguments(c->kernel->body); i++)
    bytes += buffer_bytes(c->nest, mlirBlockGetArgument(c->kernel->body, i));
  return bytes;
}

// Of a pair both columns' operands are alike, or it is not carried out so.
static void read_second(const strata_gpu_contraction_t *q, const strata_contraction_axis_t *axes, strata_problem_t *p) {
  strata_contraction_kernel_t second = strata_contraction_second(q->contraction);
  strata_gpu_contraction_t question = *q;
  question.contraction = &second;
  strata_problem_side_t other = strata_problem_read_side(&question, axes, STRATA_SIDE_V, p);
  p->is_pair = true;
  p->sides[STRATA_SIDE_V].is_read &= other.is_read && other.is_crossed == p->sides[STRATA_SIDE_V].is_crossed;
  for (int side = 0; side < 2; side++)
    p->sides[side].is_stageable = p->sides[side].has_window = false;
}

// Of the buffer of |side|, what lies beside the slice that the product reads.
static double bytes_beside(const strata_contraction_kernel_t *c, int side, const strata_problem_t *p) {
  double extent = (double)strata_problem_extent(p, side) * (double)p->steps * (double)p->batch;
  extent *= side == STRATA_SIDE_V && has_packed_columns(c) ? 2 : 1;
  double bytes = buffer_bytes(c->nest, c->sides[side].access->buffer) - extent * (double)p->sides[side].loaded_bytes;
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
                        .sum_bytes = strata_element_bytes(strata_contraction_sum_type(c)),
                        .stored_bytes = stored_bytes(q),
                        .traffic = bytes_moved(q),
                        .cache = strata_candidate_cache_of(q->compile)};
  for (int i = 0; c->places && i < c->kernel->n_nests; i++)
    p.row_reductions += &c->kernel->nests[i] != c->nest && c->kernel->nests[i].n_reduction;
  for (int i = 0; i < STRATA_N_AXES; i++) {
    p.axes[i] = axis_of(c->nest, &axes[i]);
    p.divisors[i] = strata_size_varies(axes[i].size) ? axes[i].size.divisor : 0;
  }
  for (int dim = 0; dim < c->nest->n_parallel; dim++)
    p.batch *= strata_max(1, strata_nest_likely_extent(c->nest, dim));
  p.batch /= p.rows * p.columns;
  p.varies = p.is_any = strata_sizes_vary(strata_nest_n_dims(c->nest), c->nest->space.sizes);
  p.has_no_steps = strata_size_min(axes[STRATA_AXIS_STEP].size) < 1;
  p.bulk_adds = !p.mma && !p.async && *q->device->mma_async && is_f32(q);
  for (int side = 0; side < 2; side++) {
    MlirValue factor = p.mma || p.async ? strata_contraction_narrow(c, side) : c->sides[side].factor;
    p.operand_bytes = strata_max(p.operand_bytes, strata_element_bytes(mlirValueGetType(factor)));
    p.sides[side] = strata_problem_read_side(q, axes, side, &p);
    p.loaded_bytes = strata_max(p.loaded_bytes, p.sides[side].loaded_bytes);
    if (side == STRATA_SIDE_U || !mlirValueEqual(c->sides[0].access->buffer, c->sides[1].access->buffer))
      p.traffic -= bytes_beside(c, side, &p);
  }
  if (c->other.nest)
    read_second(q, axes, &p);
  return p;
}

bool strata_problem_of_kernel(const strata_gpu_contraction_t *like, strata_problem_reading_t *out) {
  if (!strata_is_contraction(&out->kernel, &out->contraction))
    return false;
  out->question = *like;
  out->question.contraction = &out->contraction;
  out->problem = strata_problem_read(&out->question);
  return true;
}

strata_status_t strata_problem_of_called(const strata_gpu_contraction_t *like, const strata_called_kernel_t *called,
                                         strata_problem_reading_t *out, bool *out_is_one) {
  strata_gpu_contraction_t question = *like;
  question.called = called;
  STRATA_TRY(strata_kernel_read(like->compile->arena, called->func, &out->kernel));
  *out_is_one = strata_problem_of_kernel(&question, out);
  return NULL;
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
  strata_candidate_t pipelined;
  if (isfinite(strata_problem_correction(device, problem, NULL, STRATA_CORRECTS_TILED)))
    return true;
  return strata_pipelined_choose(device, problem, STRATA_REACH_FITTED, 1, &pipelined) > 0;
}

bool strata_problem_is_rows(const strata_gpu_device_t *device, const strata_problem_t *pair) {
  return !device->mma_async[0] && !strata_problem_has_tiles(device, pair);
}

double strata_problem_unstaged_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem) {
  strata_work_t work = {.device = device, .product = problem};
  const strata_ways_t *ways;
  strata_candidate_t best;
  double seconds = INFINITY;
  for (int i = 0; (ways = strata_ways_of(&work, i)); i++)
    seconds = strata_candidates_best(&work, ways, 1, &best) ? fmin(seconds, best.seconds) : seconds;
  return seconds;
}

double strata_problem_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem) {
  double seconds = strata_problem_unstaged_seconds(device, problem);
  strata_stage_choose(device, problem, &seconds);
  return seconds;
}
