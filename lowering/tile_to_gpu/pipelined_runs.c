// Pipelined products: between the layout of the sums and runs of neighbours in memory.
//
// In the layout of the sums a thread holds pairs along the instruction's columns, and four threads eight of them: half
// a sector, or, where memory is contiguous along the instruction's rows, one element. What the copy engine cannot store
// (rows of any length, swapped products) passes through the staging memory of its warp group piece by piece, and so do
// operands of the epilogue: on the other side neighbouring threads hold neighbouring vectors.
#include "lowering/tile_to_gpu/pipelined_runs.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/defer.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/swizzle.h"
#include "lowering/tile_to_gpu/values.h"

enum { EIGHT = 8, BANKS = 128, MAX_BYTES = 4, MIN_COLUMNS = 16 };

//===-- Shape ----------------------------------------------------------------------------------------------------===//

// Whole groups of banks, or a part of one that is a power of two.
static int64_t pitch_of(int64_t bytes) {
  int64_t pitch = STRATA_VECTOR_BYTES;
  while (pitch < bytes && pitch < BANKS)
    pitch *= 2;
  return pitch < bytes ? strata_round_up(bytes, BANKS) : pitch;
}

// The fewest parts that fit the group's staging memory.
static bool find_piece(strata_runs_t *x) {
  const strata_pipelined_t *p = &x->k->product;
  int64_t room = strata_pipelined_staging_bytes(p) / p->groups, eights = p->n / EIGHT;
  for (x->parts = 1; x->parts <= eights; x->parts++) {
    int64_t columns = p->n / x->parts;
    x->length = x->crossed ? STRATA_GROUP_ROWS : columns;
    x->rows = x->crossed ? columns : STRATA_GROUP_ROWS;
    x->pitch = pitch_of(x->length * x->bytes);
    if (eights % x->parts == 0 && x->rows * x->pitch <= room)
      return true;
  }
  return false;
}

static strata_layout_t runs_layout(const strata_runs_t *x) {
  const strata_pipelined_t *p = &x->k->product;
  int left = p->swap ? 1 : 0, right = 1 - left, inner = x->crossed ? left : right, outer = 1 - inner;
  int64_t run = x->along * x->width;
  strata_layout_t layout = {0};
  strata_layout_push_reg(&layout, inner, x->width, 1);
  strata_layout_push_reg(&layout, inner, x->length / run, run);
  strata_layout_push_reg(&layout, outer, x->rows / x->across, x->across);
  strata_layout_push_reg(&layout, right, x->parts, p->n / x->parts);
  strata_layout_push_reg(&layout, left, p->m_blocks, STRATA_GROUP_ROWS);
  strata_layout_push_thread(&layout, inner, x->along, x->width);
  strata_layout_push_thread(&layout, outer, x->across, 1);
  strata_layout_push_thread(&layout, STRATA_COPIES, STRATA_GROUP_THREADS / (x->along * x->across), 0);
  strata_layout_push_thread(&layout, left, p->groups / p->across, STRATA_GROUP_ROWS * p->m_blocks);
  strata_layout_push_thread(&layout, right, p->across, p->n);
  return layout;
}

// What |op|, which accesses |box|, needs for a value in |layout|; false if it has no use of runs.
bool strata_runs_read(strata_gpu_distribution_t *d, MlirType type, const strata_layout_t *layout,
                      const strata_gpu_box_t *box, strata_runs_t *x) {
  *x = (strata_runs_t){.d = d, .k = d->state.pipelined};
  if (!x->k || !x->k->product.instruction->has_fragments || x->k->is_full || d->nest.branches > 0 ||
      !mlirTypeIsAVector(type) || mlirShapedTypeGetRank(type) != 2)
    return false;
  const strata_pipelined_t *p = &x->k->product;
  x->element = mlirShapedTypeGetElementType(type);
  x->bytes = strata_element_bytes(x->element);
  int inner = strata_gpu_box_contiguous(box);
  bool is_truth = mlirTypeIsAInteger(x->element) && mlirIntegerTypeGetWidth(x->element) < 8;
  if (inner < 0 || is_truth || mlirTypeIsAIndex(x->element) || x->bytes > MAX_BYTES || p->n < MIN_COLUMNS ||
      !strata_layout_equal(layout, &p->layout) || (box->is_linear && box->steps[1 - inner] == 0))
    return false;
  x->crossed = inner == (p->swap ? 1 : 0);
  if (!find_piece(x))
    return false;
  x->width = strata_power_of_two_in(x->length, strata_gpu_box_width(box, inner, STRATA_VECTOR_BYTES / x->bytes));
  x->along = strata_power_of_two_in(x->length / x->width, STRATA_GROUP_THREADS);
  x->across = strata_power_of_two_in(x->rows, STRATA_GROUP_THREADS / x->along);
  return true;
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

static MlirValue binary(strata_runs_t *x, const char *name, MlirValue a, int64_t b) {
  return strata_emit_binary(&x->d->e, name, a, strata_emit_index(&x->d->e, b));
}

static MlirValue add(strata_runs_t *x, MlirValue a, int64_t b) { return strata_emit_plus(&x->d->e, a, b); }

// A row or column of the piece: a thread's first one, and how far behind it.
typedef struct {
  MlirValue first;
  int64_t further;
} coordinate_t;

// The element of staging memory at |row| and |column| of the piece. Units are exchanged alike every EIGHT rows, so what
// is that far away is a number more: accesses of few addresses, which have the rest in the instruction.
static MlirValue place_of(strata_runs_t *x, coordinate_t row, coordinate_t column) {
  strata_emitter_t *e = &x->d->e;
  int64_t unit = STRATA_VECTOR_BYTES / x->bytes, pitch = x->pitch / x->bytes, near = row.further % EIGHT;
  MlirValue i = add(x, row.first, near), j = add(x, column.first, column.further);
  MlirValue turn = strata_swizzle_turn(e, strata_min(x->pitch, BANKS), i);
  MlirValue place = strata_swizzle_unit(e, turn, j, unit), row_at = strata_emit_times(e, i, pitch);
  place = strata_emit_binary(e, "arith.addi", row_at, place);
  place = strata_emit_binary(e, "arith.addi", place, strata_emit_with(e, "arith.andi", j, unit - 1));
  place = strata_emit_binary(e, "arith.addi", place, x->area);
  return add(x, place, (row.further - near) * pitch);
}

static void move(strata_runs_t *x, bool is_store, MlirValue at, int64_t count, MlirValue *values) {
  strata_emitter_t *e = &x->d->e;
  if (is_store) {
    strata_lanes_store(e, strata_lanes_of_scalars(e, count, values), x->memory, at);
    return;
  }
  MlirValue value = strata_lanes_load(e, strata_lanes_type(x->element, count), x->memory, at);
  for (int64_t i = 0; i < count; i++)
    values[i] = strata_lanes_extract(e, value, i);
}

//===-- Pieces ---------------------------------------------------------------------------------------------------===//

// The sums' side of part |part| of |block|: row warp * 16 + lane / 4 (+ 8) of the instruction, pairs of its columns.
static void move_sums(strata_runs_t *x, bool is_store, int64_t block, int64_t part, MlirValue *registers) {
  int64_t eights = x->k->product.n / EIGHT, own = eights / x->parts;
  bool reads_left = x->k->product.reads_left;
  MlirValue row = strata_pipelined_lane_row(x->d, &x->k->product, x->lane);
  MlirValue column = binary(x, "arith.muli", binary(x, "arith.andi", x->lane, 3), 2);
  for (int64_t eight = 0; eight < own; eight++)
    for (int64_t half = 0; half < 2; half++) {
      MlirValue *pair = registers + 4 * (eights * block + part * own + eight) + 2 * half;
      coordinate_t i = {row, half * (reads_left ? 4 : 8)}, first = {column, eight * EIGHT};
      if (!x->crossed)
        move(x, is_store, place_of(x, i, first), 2, pair);
      for (int64_t j = 0; x->crossed && j < 2; j++, first.further++)
        move(x, is_store, place_of(x, first, i), 1, pair + j);
    }
}

static void move_runs(strata_runs_t *x, bool is_store, int64_t block, int64_t part, MlirValue *registers) {
  int64_t run = x->along * x->width, n = x->length / run * x->width * (x->rows / x->across);
  MlirValue *at = registers + (block * x->parts + part) * n;
  MlirValue column = binary(x, "arith.muli", binary(x, "arith.andi", x->lane, x->along - 1), x->width);
  MlirValue row = binary(x, "arith.andi", binary(x, "arith.divui", x->lane, x->along), x->across - 1);
  for (int64_t i = 0; i < x->rows; i += x->across)
    for (int64_t j = 0; j < x->length; j += run, at += x->width)
      move(x, is_store, place_of(x, (coordinate_t){row, i}, (coordinate_t){column, j}), x->width, at);
}

void strata_runs_begin(strata_runs_t *x) {
  strata_gpu_distribution_t *d = x->d;
  int64_t bytes = strata_pipelined_staging_bytes(&x->k->product), own = bytes / x->k->product.groups;
  x->memory = strata_shared_view(d, x->k->staging, x->element, bytes / x->bytes);
  x->lane = strata_emit_group_lane(d);
  x->area = binary(x, "arith.muli", strata_emit_own_group(d, x->k), own / x->bytes);
  strata_pipelined_drain(d);
}

// Each piece goes in by one side and out by the other.
static void pass(strata_runs_t *x, MlirValue *sums, MlirValue *runs, bool to_runs) {
  strata_runs_begin(x);
  for (int64_t block = 0; block < x->k->product.m_blocks; block++)
    for (int64_t part = 0; part < x->parts; part++) {
      if (to_runs) {
        strata_emit_group_barrier(x->d, x->k);
        move_sums(x, true, block, part, sums);
        strata_emit_group_barrier(x->d, x->k);
        move_runs(x, false, block, part, runs);
        continue;
      }
      strata_emit_group_barrier(x->d, x->k);
      move_runs(x, true, block, part, runs);
      strata_emit_group_barrier(x->d, x->k);
      move_sums(x, false, block, part, sums);
    }
}

//===-- Both ways ------------------------------------------------------------------------------------------------===//

bool strata_pipelined_to_runs(strata_gpu_distribution_t *d, const strata_gpu_box_t *box,
                              strata_registers_t *registers) {
  strata_runs_t x;
  if (!strata_runs_read(d, registers->type, &registers->layout, box, &x))
    return false;
  strata_layout_t layout = runs_layout(&x);
  strata_registers_t runs = strata_registers_in(d, registers->type, &layout);
  pass(&x, registers->values, runs.values, true);
  strata_gpu_defer_arithmetic(d, d->e.block);
  *registers = runs;
  return true;
}

bool strata_pipelined_runs(strata_gpu_distribution_t *d, const strata_gpu_box_t *box,
                           const strata_registers_t *registers, strata_registers_t *out_runs) {
  enum { MOST = 176, REGISTER = 4 }; // of a thread for the sums and for this; bytes of one
  strata_runs_t x;
  if (!strata_runs_read(d, registers->type, &registers->layout, box, &x))
    return false;
  int64_t vector = x.width * x.bytes, own = registers->count / x.width * strata_ceil_div(vector, REGISTER);
  if (registers->count + own > (x.k->product.groups > 2 ? STRATA_MOST_OF_THREE : MOST))
    return false;
  strata_layout_t layout = runs_layout(&x);
  *out_runs = strata_registers_in(d, registers->type, &layout);
  return true;
}

void strata_pipelined_from_runs(strata_gpu_distribution_t *d, const strata_gpu_box_t *box, strata_registers_t *runs,
                                strata_registers_t *registers) {
  strata_runs_t x;
  if (strata_runs_read(d, registers->type, &registers->layout, box, &x))
    pass(&x, registers->values, runs->values, false);
}
