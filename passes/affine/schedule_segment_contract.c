// Rows times their sequences' matrices (dialects/affine/segment_contract.h): a pipelined product on GPUs, whose tiles
// are those of the table. Where these are of few rows the matrices decide, and the rows are the instruction's columns:
// the model of other pipelined products says how many of a matrix's columns a block has, and whether blocks share a
// reduction.
#include "devices/gpu/mma.h"
#include "dialects/affine/segment_attention.h"
#include "dialects/affine/segment_contract.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/kinds.h"
#include "passes/affine/pipelined.h"
#include "passes/affine/variants.h"

#include <math.h>

enum {
  ELEMENT_BYTES = 2,
  STEP = STRATA_SPAN / ELEMENT_BYTES, // of a slot
  UNIT = 8,                           // elements that the copy engine takes at once, and columns of an instruction
  MOST_SLOTS = 4,
  GROUPS = STRATA_SEGMENT_TILE_ROWS / STRATA_GROUP_ROWS,
};

static int64_t slots_of(const strata_gpu_device_t *device, int64_t columns) {
  int64_t slot = (STRATA_SEGMENT_TILE_ROWS + strata_round_up(columns, STEP)) * STEP * ELEMENT_BYTES;
  int64_t room = device->shared_bytes - GROUPS * STRATA_SUB_TILES * STRATA_SUB_TILE - STRATA_PIPELINED_BARRIER_BYTES;
  return strata_min(room / slot, MOST_SLOTS);
}

//===-- Few rows -------------------------------------------------------------------------------------------------===//

// Its rows, of |elements|, lie side by side.
static strata_problem_side_t side_of(bool is_along, int64_t elements) {
  int64_t row = elements * ELEMENT_BYTES;
  return (strata_problem_side_t){.is_read = true,
                                 .is_crossed = !is_along,
                                 .is_along = is_along,
                                 .has_own_steps = true,
                                 .begins_rows = true,
                                 .row_bytes = row,
                                 .loaded_bytes = ELEMENT_BYTES,
                                 .splits_lines = row % STRATA_LINE != 0,
                                 .straddles = row % STRATA_SECTOR != 0};
}

// True if the matrices lie along the reduction.
static bool lies_along(const strata_segment_contract_t *a) {
  intptr_t last = mlirAffineMapGetNumResults(a->matrices.map) - 1;
  return mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->matrices.map, last), STRATA_PRODUCT_STEP);
}

// Of |rows|: as many products as there are tiles, each with a matrix of its own.
static strata_problem_t problem_of(const strata_gpu_device_t *device, const strata_segment_contract_t *a,
                                   const strata_mma_t *mma, int64_t rows) {
  strata_size_t tiles[STRATA_MAX_DIMS];
  strata_memref_sizes(a->tiles, tiles);
  int64_t batch = strata_min(strata_size_max(tiles[0]), rows);
  strata_problem_t p = {.rows = a->tile_rows,
                        .columns = a->columns,
                        .steps = a->steps,
                        .batch = batch,
                        .costs = device->costs,
                        .async = mma,
                        .operand_bytes = ELEMENT_BYTES,
                        .loaded_bytes = ELEMENT_BYTES,
                        .sum_bytes = STRATA_SUM_BYTES,
                        .stored_bytes = strata_element_bytes(strata_place_element(&a->result)),
                        .n_calls = 1,
                        .n_operands = 2,
                        .varies = strata_size_varies(tiles[0]),
                        .axes = {{1, {a->tile_rows}}, {1, {a->columns}}, {1, {a->steps}}}};
  p.traffic = (double)batch * (double)(a->columns * a->steps * ELEMENT_BYTES) +
              (double)rows * (double)(a->steps * ELEMENT_BYTES + a->columns * p.stored_bytes);
  p.sides[STRATA_SIDE_U] = side_of(true, a->steps);
  p.sides[STRATA_SIDE_V] = lies_along(a) ? side_of(true, a->steps) : side_of(false, a->columns);
  return p;
}

// Rows as the instruction's columns, |most| at most: all of a tile's in one block or cluster.
static bool is_for_few(const strata_segment_contract_t *a, const strata_pipelined_choice_t *p, bool varies,
                       int64_t most) {
  return p->swap && !p->stream && p->share[0] * p->share[1] == 1 && p->shape.teams == 1 && p->shape.depth == 1 &&
         p->shape.columns >= a->tile_rows && p->shape.columns <= most && !(varies && p->parts > 1);
}

// For |rows|.
static bool choose_for_few(const strata_gpu_device_t *device, const strata_segment_contract_t *a,
                           const strata_mma_t *mma, int64_t rows, int64_t most, strata_schedule_t *out) {
  const strata_problem_t problem = problem_of(device, a, mma, rows);
  // Corrections are of products that have other ways; this one has none but a thread for each result.
  const strata_work_t work = {.device = device, .product = &problem, .wants_all = true};
  strata_candidate_t c = {0};
  double seconds = INFINITY;
  while (strata_candidate_next(&work, &strata_ways_pipelined, &c)) {
    if (!is_for_few(a, &c.pipelined, problem.varies, most) || c.seconds >= seconds)
      continue;
    seconds = c.seconds;
    *out = c.schedule;
    out->kind = STRATA_KERNEL_SEGMENT_CONTRACT;
  }
  return isfinite(seconds);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

// Equal tiles of columns, as few as there can be.
static bool choose_for_many(const strata_gpu_device_t *device, const strata_segment_contract_t *a,
                            const strata_mma_t *mma, strata_schedule_t *out) {
  int64_t n = strata_ceil_div(a->columns, STRATA_MAX_COLUMNS),
          columns = strata_round_up(strata_ceil_div(a->columns, n), UNIT);
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SEGMENT_CONTRACT,
                             .threads = GROUPS * STRATA_GROUP_THREADS,
                             .group = GROUPS * STRATA_GROUP_THREADS,
                             .n_tile = 3,
                             .tile = {STRATA_SEGMENT_TILE_ROWS, columns, STEP},
                             .warps = {4 * GROUPS, 1},
                             .mma = strata_str(mma->name),
                             .producers = STRATA_GROUP_THREADS,
                             .slots = slots_of(device, columns),
                             .blocks = device->n_processors};
  return out->slots >= STRATA_MIN_SLOTS;
}

// A variant by the second table, where there are no more rows than those by which it has no more tiles.
static strata_status_t add_few(const strata_scheduling_t *s, const strata_segment_contract_t *a,
                               const strata_mma_t *mma) {
  strata_segment_contract_t few = strata_segment_contract_of_few(a);
  int64_t most = strata_segment_most_by_row(few.tile_rows, strata_segment_contract_sequences(a));
  strata_schedule_t schedule;
  if (!choose_for_few(s->device, &few, mma, most, a->tile_rows - 1, &schedule))
    return NULL;
  return strata_variant_create_for(s, a->n_rows, &(strata_variant_choice_t){1, strata_size_min(a->n_rows), most},
                                   &schedule);
}

strata_status_t strata_gpu_segment_contract(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_segment_contract_t a;
  *out = (strata_schedule_t){0};
  *out_taken = false;
  if (!strata_segment_contract_read(s->kernel, &a))
    return NULL;
  MlirType type = strata_place_element(&a.rows), f32 = mlirF32TypeGet(mlirTypeGetContext(type));
  const strata_mma_t *mma = strata_mma_find_async(s->device, type, type, f32, true);
  if (!mma || !mlirTypeEqual(type, strata_place_element(&a.matrices)) ||
      (!mlirTypeEqual(f32, strata_place_element(&a.result)) && !mlirTypeEqual(type, strata_place_element(&a.result))) ||
      a.columns % UNIT || a.steps % UNIT)
    return NULL;
  *out_taken = a.tile_rows < STRATA_SEGMENT_TILE_ROWS
                   ? choose_for_few(s->device, &a, mma, strata_size_max(a.n_rows), STRATA_MAX_COLUMNS, out)
                   : choose_for_many(s->device, &a, mma, out);
  return *out_taken && !mlirValueIsNull(a.few) ? add_few(s, &a, mma) : NULL;
}
