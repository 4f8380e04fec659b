// Pipelined products: results whose rows begin anywhere, as rows of 4097 elements do.
//
// A row of a piece lies in staging memory as it will in memory, within units of 16 bytes: behind its first |phase|
// elements, which belong to its neighbour on the left. So whole units are loaded and stored at once. What comes before
// and behind them is together as long as a unit, and is stored element by element, as is the unit in which the result
// ends. Where a row is as long as its place there, what comes last lies in front.
//
//   in memory            ..ppphhh|01234567|89abcdef|tt......
//   in staging memory       tthhh|01234567|89abcdef|
//
// In their layout threads have pairs of neighbours, which fall apart where the phase is odd: elements go in one by one,
// to a few places of the thread's and constants beyond.
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/defer.h"
#include "lowering/tile_to_gpu/pipelined_exchange.h"
#include "lowering/tile_to_gpu/values.h"

enum { RANK = 2, MIN_BYTES = 2, BANKS = 128 };

// The layout of the sums: four threads have eight columns, pairs of them, of two rows.
enum { QUAD = 4, PAIR = 2, HALVES = 2, EIGHT = 8, HALF = 8, HALF_LEFT_READ = 4 };

typedef struct {
  strata_exchange_t x;
  const strata_transfer_t *transfer;
  int inner, outer;         // dims of the vector: along a row of the piece, and from row to row
  int64_t unit;             // elements of 16 bytes
  MlirValue tile;           // the position of the tile's first element
  MlirValue limits[RANK];   // how many of the vector's elements along each dim exist; null: all
  MlirValue start;          // the position of the piece's first element
  MlirValue existing[RANK]; // what the limits leave of the piece
} rows_t;

static MlirValue binary(rows_t *s, const char *name, MlirValue a, int64_t b) {
  return strata_emit_binary(&s->x.d->e, name, a, strata_emit_index(&s->x.d->e, b));
}

static MlirValue add(rows_t *s, MlirValue a, int64_t b) { return strata_emit_plus(&s->x.d->e, a, b); }

static MlirValue both(rows_t *s, MlirValue a, MlirValue b) {
  return mlirValueIsNull(b) ? a : strata_emit_binary(&s->x.d->e, "arith.andi", a, b);
}

//===-- What is stored -------------------------------------------------------------------------------------------===//

// |expr| at the tile's first element.
static MlirAffineExpr at_start(const strata_gpu_box_t *box, MlirAffineExpr expr) {
  MlirContext context = box->space.d->e.context;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  for (int i = 0; i < box->space.n_dims; i++)
    dims[i] = i < RANK ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, i);
  MlirAffineMap map = mlirAffineMapGet(context, box->space.n_dims, STRATA_INDEX_DIMS, box->space.n_dims, dims);
  return strata_index_simplify(&box->space, mlirAffineExprCompose(expr, map));
}

// The dim that constraint |i| of the mask ends; -1 if it always holds, -2 if it is of another kind. |*out_last|: the
// last element.
static int ended_dim(const rows_t *s, intptr_t i, MlirAffineExpr *out_last) {
  strata_gpu_box_t *box = s->transfer->box;
  int64_t min, max, steps[RANK];
  MlirAffineExpr expr;
  bool is_equality = strata_gpu_mask_constraint(box, s->transfer->op, s->transfer->first_symbol, i, &expr);
  if (!is_equality && strata_index_range(&box->space, expr, &min, &max) && min >= 0)
    return -1;
  for (int dim = 0; dim < RANK; dim++)
    if (!strata_affine_coefficient(expr, dim, &steps[dim]))
      return -2;
  *out_last = at_start(box, expr);
  int dim = steps[0] != 0 ? 0 : 1;
  return !is_equality && steps[dim] == -1 && steps[1 - dim] == 0 ? dim : -2;
}

static bool has_limits(const rows_t *s) {
  MlirAffineExpr last;
  for (intptr_t i = 0; i < strata_gpu_mask_count(s->transfer->mask); i++)
    if (ended_dim(s, i, &last) == -2)
      return false;
  return true;
}

static void emit_limits(rows_t *s) {
  MlirAffineExpr last;
  for (intptr_t i = 0; i < strata_gpu_mask_count(s->transfer->mask); i++) {
    int dim = ended_dim(s, i, &last);
    if (dim < 0)
      continue;
    MlirValue count = add(s, strata_index_emit(&s->transfer->box->space, last), 1);
    MlirValue old = s->limits[dim];
    s->limits[dim] = mlirValueIsNull(old) ? count : strata_emit_binary(&s->x.d->e, "arith.minsi", old, count);
  }
}

// True if every thread's rows begin at the same place within 16 bytes, and elements are as many as threads share
// evenly.
static bool suits(const rows_t *s) {
  const strata_exchange_t *x = &s->x;
  const strata_gpu_box_t *box = s->transfer->box;
  return x->bytes >= MIN_BYTES && x->width < s->unit && x->length % s->unit == 0 && box->is_linear &&
         box->steps[s->outer] > 0 && x->along * x->across == STRATA_GROUP_THREADS && x->across % s->unit == 0 &&
         x->rows * s->unit % STRATA_GROUP_THREADS == 0 && has_limits(s);
}

static bool read_rows(strata_gpu_distribution_t *d, const strata_transfer_t *transfer,
                      const strata_registers_t *registers, rows_t *s) {
  *s = (rows_t){.transfer = transfer};
  strata_exchange_t *x = &s->x;
  if (!strata_exchange_read(d, registers->type, &registers->layout, transfer->box, x))
    return false;
  s->inner = strata_gpu_box_contiguous(transfer->box);
  s->outer = 1 - s->inner;
  s->unit = STRATA_VECTOR_BYTES / x->bytes;
  x->along = strata_power_of_two_in(x->length / s->unit, STRATA_GROUP_THREADS / s->unit);
  x->across = strata_power_of_two_in(x->rows, STRATA_GROUP_THREADS / x->along);
  return suits(s);
}

//===-- A piece --------------------------------------------------------------------------------------------------===//

// Where the piece begins, and how much of it exists.
static void place_piece(rows_t *s, int64_t block, int64_t part) {
  strata_exchange_t *x = &s->x;
  strata_emitter_t *e = &x->d->e;
  const strata_pipelined_t *p = &x->k->product;
  int left = p->swap ? 1 : 0;
  MlirValue first[RANK],
      group = binary(s, "arith.muli", strata_emit_own_group(x->d, x->k), p->m_blocks * STRATA_GROUP_ROWS);
  first[left] = add(s, group, block * STRATA_GROUP_ROWS);
  first[1 - left] = strata_emit_index(e, part * (p->n / x->parts));
  MlirValue rows = binary(s, "arith.muli", first[s->outer], s->transfer->box->steps[s->outer]);
  s->start = strata_emit_binary(e, "arith.addi", strata_emit_binary(e, "arith.addi", s->tile, first[s->inner]), rows);
  for (int dim = 0; dim < RANK; dim++)
    s->existing[dim] = mlirValueIsNull(s->limits[dim])
                           ? (MlirValue){0}
                           : strata_emit_binary(e, "arith.subi", s->limits[dim], first[dim]);
}

static MlirValue position_of(rows_t *s, MlirValue row) {
  MlirValue rows = binary(s, "arith.muli", row, s->transfer->box->steps[s->outer]);
  return strata_emit_binary(&s->x.d->e, "arith.addi", s->start, rows);
}

// Elements of the row at |position| before a multiple of 16 bytes.
static MlirValue head_of(rows_t *s, MlirValue position) {
  MlirValue negative = strata_emit_binary(&s->x.d->e, "arith.subi", strata_emit_index(&s->x.d->e, 0), position);
  return binary(s, "arith.andi", negative, s->unit - 1);
}

static MlirValue wrapped(rows_t *s, MlirValue column) {
  strata_emitter_t *e = &s->x.d->e;
  MlirValue is_beyond = strata_emit_cmpi(e, STRATA_SLE, strata_emit_index(e, s->x.length), column);
  return strata_emit_select(e, is_beyond, binary(s, "arith.subi", column, s->x.length), column);
}

// |condition| where the row exists.
static MlirValue where_row_exists(rows_t *s, MlirValue row, MlirValue condition) {
  MlirValue count = s->existing[s->outer];
  return mlirValueIsNull(count) ? condition : both(s, condition, strata_emit_cmpi(&s->x.d->e, STRATA_SLT, row, count));
}

static void store(rows_t *s, MlirValue condition, MlirValue value, MlirValue position) {
  strata_emitter_t *e = &s->x.d->e;
  bool is_vector = mlirTypeIsAVector(mlirValueGetType(value));
  strata_named_attr_t attr = {"nontemporal", strata_bool_attr(e->context, true)};
  strata_loop_t branch = strata_emit_if_begin(e, condition);
  strata_emit_op(e, is_vector ? "vector.store" : "memref.store", 3, (MlirValue[]){value, s->transfer->flat, position},
                 0, NULL, s->transfer->is_streaming, &attr);
  strata_emit_if_end(e, branch);
}

//===-- Staging memory -------------------------------------------------------------------------------------------===//

static int64_t place_length(const rows_t *s) { return s->x.pitch / s->x.bytes; }

// Rows beside one another are moved by a unit each, so that they fall into different banks.
static int64_t most_turns(const rows_t *s) { return strata_min(s->x.pitch, BANKS) / STRATA_VECTOR_BYTES; }

// |column| of |row|, a column behind another: moved by the row's phase and turn.
static MlirValue moved(rows_t *s, MlirValue row, MlirValue column) {
  strata_emitter_t *e = &s->x.d->e;
  int64_t turns = most_turns(s), rows = BANKS / (turns * STRATA_VECTOR_BYTES);
  MlirValue phase = binary(s, "arith.andi", position_of(s, row), s->unit - 1);
  MlirValue turn = binary(s, "arith.andi", binary(s, "arith.divui", row, rows), turns - 1);
  column = strata_emit_binary(e, "arith.addi", column, phase);
  return strata_emit_binary(e, "arith.addi", column, binary(s, "arith.muli", turn, s->unit));
}

// What goes beyond the row's place comes to lie in front.
static MlirValue turned(rows_t *s, MlirValue column) {
  strata_emitter_t *e = &s->x.d->e;
  MlirValue is_beyond = strata_emit_cmpi(e, STRATA_SLE, strata_emit_index(e, place_length(s)), column);
  return strata_emit_select(e, is_beyond, binary(s, "arith.subi", column, place_length(s)), column);
}

static MlirValue row_place(rows_t *s, MlirValue row) {
  return strata_emit_binary(&s->x.d->e, "arith.addi", binary(s, "arith.muli", row, place_length(s)), s->x.area);
}

// The element of staging memory at |row| and |column| of the piece.
static MlirValue place(rows_t *s, MlirValue row, MlirValue column) {
  return strata_emit_binary(&s->x.d->e, "arith.addi", row_place(s, row), turned(s, moved(s, row, column)));
}

// An element of the sums: the row and column of the piece that the thread has first, and those |eight| further.
typedef struct {
  MlirValue row_at, column;
} sum_place_t;

static sum_place_t first_sum(rows_t *s, int64_t half, int64_t j) {
  strata_exchange_t *x = &s->x;
  MlirValue left = add(s, strata_pipelined_lane_row(x->d, &x->k->product, x->lane),
                       half * (x->k->product.reads_left ? HALF_LEFT_READ : HALF));
  MlirValue right = add(s, binary(s, "arith.muli", binary(s, "arith.andi", x->lane, QUAD - 1), PAIR), j);
  MlirValue row = x->crossed ? right : left, column = moved(s, row, x->crossed ? left : right);
  return (sum_place_t){row_place(s, row), x->crossed ? turned(s, column) : column};
}

static MlirValue sum_at(rows_t *s, const sum_place_t *first, int64_t eight) {
  strata_emitter_t *e = &s->x.d->e;
  int64_t further = eight * EIGHT, most = EIGHT + most_turns(s) * s->unit; // |column| of the first is below that
  MlirValue row_at = first->row_at, column = first->column;
  if (s->x.crossed)
    row_at = add(s, row_at, further * place_length(s));
  else
    column = add(s, column, further);
  if (!s->x.crossed && further + most > place_length(s))
    column = turned(s, column);
  return strata_emit_binary(e, "arith.addi", row_at, column);
}

// Part |part| of |block| of the sums into the staging memory.
static void put_sums(rows_t *s, int64_t block, int64_t part, const MlirValue *sums) {
  strata_exchange_t *x = &s->x;
  int64_t eights = x->k->product.n / EIGHT, own = eights / x->parts;
  sum_place_t first[HALVES][PAIR];
  strata_emit_group_barrier(x->d, x->k);
  for (int64_t i = 0; i < HALVES * PAIR; i++)
    first[i / PAIR][i % PAIR] = first_sum(s, i / PAIR, i % PAIR);
  for (int64_t eight = 0; eight < own; eight++)
    for (int64_t i = 0; i < HALVES * PAIR; i++) {
      MlirValue at = sum_at(s, &first[i / PAIR][i % PAIR], eight);
      MlirValue value = sums[HALVES * PAIR * (eights * block + part * own + eight) + i];
      strata_emit_op(&x->d->e, "memref.store", 3, (MlirValue[]){value, x->memory, at}, 0, NULL, 0, NULL);
    }
  strata_emit_group_barrier(x->d, x->k);
}

//===-- Units ----------------------------------------------------------------------------------------------------===//

static MlirValue load_unit(rows_t *s, MlirValue row, MlirValue column) {
  MlirType type = mlirVectorTypeGet(1, &s->unit, s->x.element);
  return strata_emit_value(&s->x.d->e, "vector.load", 2, (MlirValue[]){s->x.memory, place(s, row, column)}, type, 0,
                           NULL);
}

static void store_units(rows_t *s) {
  strata_exchange_t *x = &s->x;
  strata_emitter_t *e = &x->d->e;
  MlirValue first = binary(s, "arith.divui", x->lane, x->along);
  MlirValue column = binary(s, "arith.muli", binary(s, "arith.andi", x->lane, x->along - 1), s->unit);
  MlirValue begin = position_of(s, first), head = head_of(s, begin), end = strata_emit_index(e, x->length);
  if (!mlirValueIsNull(s->existing[s->inner]))
    end = strata_emit_binary(e, "arith.minsi", end, s->existing[s->inner]);
  for (int64_t j = 0; j < x->length; j += x->along * s->unit) {
    MlirValue from = strata_emit_binary(e, "arith.addi", add(s, column, j), head);
    MlirValue exists = strata_emit_cmpi(e, STRATA_SLE, add(s, from, s->unit), end);
    MlirValue position = strata_emit_binary(e, "arith.addi", begin, from);
    for (int64_t i = 0; i < x->rows; i += x->across) {
      MlirValue row = add(s, first, i);
      store(s, where_row_exists(s, row, exists), load_unit(s, row, from),
            add(s, position, i * s->transfer->box->steps[s->outer]));
    }
  }
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

// Elements of the unit at |column| of each row, of which the thread has number |element|; those at |ends| where the row
// ends in the piece.
static void store_element(rows_t *s, MlirValue row, MlirValue position, MlirValue column, MlirValue condition) {
  strata_emitter_t *e = &s->x.d->e;
  MlirValue count = s->existing[s->inner];
  if (!mlirValueIsNull(count))
    condition = both(s, strata_emit_cmpi(e, STRATA_SLT, column, count), condition);
  MlirValue last = strata_emit_index(e, s->x.length - 1); // beyond it there is nothing to load
  MlirValue at = place(s, row, strata_emit_binary(e, "arith.minsi", column, last));
  MlirValue value = strata_emit_value(e, "memref.load", 2, (MlirValue[]){s->x.memory, at}, s->x.element, 0, NULL);
  store(s, where_row_exists(s, row, condition), value, strata_emit_binary(e, "arith.addi", position, column));
}

// The column of the unit in which the result ends, which no thread has stored as a whole.
static MlirValue last_unit(rows_t *s, MlirValue head) {
  strata_emitter_t *e = &s->x.d->e;
  MlirValue rest = strata_emit_binary(e, "arith.subi", s->existing[s->inner], head);
  rest = strata_emit_binary(e, "arith.maxsi", rest, strata_emit_index(e, 0));
  return strata_emit_binary(e, "arith.addi", binary(s, "arith.andi", rest, -s->unit), head);
}

// A thread has one element of the unit of every so many rows, whose heads are alike.
static void store_elements(rows_t *s, bool at_end) {
  strata_exchange_t *x = &s->x;
  strata_emitter_t *e = &x->d->e;
  int64_t together = STRATA_GROUP_THREADS / s->unit;
  MlirValue first = binary(s, "arith.divui", x->lane, s->unit), element = binary(s, "arith.andi", x->lane, s->unit - 1);
  MlirValue begin = position_of(s, first), head = head_of(s, begin);
  MlirValue unit = at_end ? last_unit(s, head) : add(s, head, x->length - s->unit);
  MlirValue column = strata_emit_binary(e, "arith.addi", unit, element), condition;
  if (at_end) {
    condition = strata_emit_cmpi(e, STRATA_SLT, column, strata_emit_index(e, x->length));
  } else {
    column = wrapped(s, column);
    condition = strata_emit_cmpi(e, STRATA_SLT, strata_emit_index(e, 0), head);
  }
  for (int64_t i = 0; i < x->rows; i += together)
    store_element(s, add(s, first, i), add(s, begin, i * s->transfer->box->steps[s->outer]), column, condition);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static void store_piece(rows_t *s) {
  strata_emitter_t *e = &s->x.d->e;
  store_units(s);
  store_elements(s, false);
  if (mlirValueIsNull(s->existing[s->inner]))
    return;
  MlirValue ends = strata_emit_cmpi(e, STRATA_SLT, s->existing[s->inner], strata_emit_index(e, s->x.length));
  strata_loop_t branch = strata_emit_if_begin(e, ends);
  store_elements(s, true);
  strata_emit_if_end(e, branch);
}

bool strata_pipelined_store_rows(strata_gpu_distribution_t *d, const strata_transfer_t *transfer,
                                 const strata_registers_t *registers) {
  rows_t s;
  if ((d->state.pipelined && d->state.pipelined->product.across > 1) || !read_rows(d, transfer, registers, &s))
    return false;
  strata_exchange_begin(&s.x);
  s.tile = strata_index_emit(&transfer->box->space, at_start(transfer->box, transfer->box->position));
  emit_limits(&s);
  for (int64_t block = 0; block < s.x.k->product.m_blocks; block++)
    for (int64_t part = 0; part < s.x.parts; part++) {
      place_piece(&s, block, part);
      put_sums(&s, block, part, registers->values);
      store_piece(&s);
    }
  strata_gpu_defer_arithmetic(d, d->e.block);
  return true;
}
