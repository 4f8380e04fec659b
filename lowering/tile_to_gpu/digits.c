// tile.count_digits and tile.place_digits: sorts by digits, as what one thread does.
//
// A tile of a part is loaded so that a warp has neighbouring elements, lane by lane, again and again: then their order
// is that of the warps, of what a warp loads in turn, and of its lanes. Of the lanes that have the same digit the
// warp's ballots, one for each bit, tell each how many are in front of it; a count for each digit and warp, in shared
// memory, how many the warp had before. Behind a barrier thread t adds up what the warps counted of digit t, and finds
// where the digit begins in the sorted tile; so each element gets its place there. It goes there in shared memory
// first: then neighbouring threads have neighbours of the sorted row, and what they store lies in as few pieces as
// there are digits.
#include "dialects/affine/schedule.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/digit.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/roles.h"
#include "passes/target.h"

enum { MOST_BUFFERS = 6, MOST_ITEMS = 64, N_INDICES_BEHIND = 2, WORD = 32 };
enum { KEYS, COUNTS, BEFORE, RESULT, POSITIONS, RESULT_POSITIONS };

// A row of a buffer: element i is at |at| + i * |step| of |memory|; 0: there is none.
typedef struct {
  MlirValue memory, at;
  int64_t step;
} line_t;

typedef struct {
  strata_gpu_distribution_t *d;
  strata_emitter_t *e;
  strata_sort_digit_t digit;
  line_t lines[MOST_BUFFERS];
  MlirValue first, end; // elements
  int64_t lanes, warps, items, n_digits;
  MlirType i32, lanes_type;
  MlirValue thread, lane, warp, warp_digits; // the last: where the warp's counts begin
  MlirValue in_front;                        // lanes in front of this one, a bit each
  MlirValue counts;                          // shared: of each warp, of each digit
  MlirValue sums;                            // shared: of the warps
  // Of the thread's elements of a tile.
  MlirValue keys[MOST_ITEMS], positions[MOST_ITEMS], digits[MOST_ITEMS], ranks[MOST_ITEMS], exist[MOST_ITEMS];
} sort_t;

//===-- Values ---------------------------------------------------------------------------------------------------===//

static MlirValue op2(sort_t *s, const char *name, MlirValue a, MlirValue b) {
  return strata_emit_binary(s->e, name, a, b);
}
static MlirValue add(sort_t *s, MlirValue a, MlirValue b) { return op2(s, "arith.addi", a, b); }
static MlirValue number(sort_t *s, int64_t value) { return strata_emit_integer(s->e, s->i32, value); }
static MlirValue index_of(sort_t *s, MlirValue value) {
  return strata_emit_cast(s->e, "arith.index_cast", value, mlirIndexTypeGet(s->e->context));
}
static MlirValue load(sort_t *s, MlirValue memory, MlirValue at) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  return strata_emit_value(s->e, "memref.load", 2, (MlirValue[]){memory, at}, element, 0, NULL);
}
static void store(sort_t *s, MlirValue value, MlirValue memory, MlirValue at) {
  strata_emit_op(s->e, "memref.store", 3, (MlirValue[]){value, memory, at}, 0, NULL, 0, NULL);
}
static MlirValue place_in(sort_t *s, const line_t *line, MlirValue i) {
  return add(s, line->at, strata_emit_times(s->e, i, line->step));
}

// An integer of 32 bits as one of |type|, or the other way round.
static MlirValue integer_as(sort_t *s, MlirValue value, MlirType type) {
  unsigned from = mlirIntegerTypeGetWidth(mlirValueGetType(value)), to = mlirIntegerTypeGetWidth(type);
  return from == to ? value : strata_emit_cast(s->e, from < to ? "arith.extsi" : "arith.trunci", value, type);
}

//===-- The operation --------------------------------------------------------------------------------------------===//

static bool read_lines(sort_t *s, MlirOperation op, int n) {
  int64_t steps[MOST_BUFFERS];
  if (n > MOST_BUFFERS || strata_attr_i64s(op, "steps", MOST_BUFFERS, steps) != n)
    return false;
  for (int i = 0; i < n; i++) {
    MlirValue memory = strata_new_scalar(s->d, mlirOperationGetOperand(op, i));
    bool is_flat = mlirShapedTypeGetRank(mlirValueGetType(memory)) == 1;
    s->lines[i] = (line_t){is_flat ? memory : strata_emit_flat(s->e, memory),
                           strata_new_scalar(s->d, mlirOperationGetOperand(op, n + i)), steps[i]};
  }
  s->first = strata_new_scalar(s->d, mlirOperationGetOperand(op, 2 * n));
  s->end = strata_new_scalar(s->d, mlirOperationGetOperand(op, 2 * n + 1));
  return true;
}

static strata_status_t begin(sort_t *s, strata_gpu_distribution_t *d, MlirOperation op) {
  int n = (int)(mlirOperationGetNumOperands(op) - N_INDICES_BEHIND) / 2;
  strata_schedule_t schedule = strata_schedule_read(d->func);
  *s = (sort_t){.d = d, .e = &d->e, .lanes = d->device->lanes, .i32 = mlirIntegerTypeGet(d->e.context, WORD)};
  if (!strata_digit_read(strata_attr(op, STRATA_DIGIT), &s->digit) || d->role.group != d->role.threads ||
      d->role.group != INT64_C(1) << s->digit.bits || schedule.n_tile != 1)
    return strata_gpu_missing(op, "digits that are not as many as the block has threads");
  s->n_digits = d->role.group;
  s->warps = d->role.group / s->lanes;
  s->items = schedule.tile[0] / d->role.group;
  if (s->warps < 1 || s->items < 1 || s->items > MOST_ITEMS)
    return strata_gpu_missing(op, "a block of so few threads");
  s->lanes_type = mlirIntegerTypeGet(d->e.context, (unsigned)s->lanes);
  if (!read_lines(s, op, n))
    return strata_gpu_missing(op, "another number of steps than of buffers");
  s->thread = d->role.thread;
  s->lane = strata_emit_with(s->e, "arith.andi", s->thread, s->lanes - 1);
  s->warp = strata_emit_with(s->e, "arith.divui", s->thread, s->lanes);
  s->warp_digits = strata_emit_times(s->e, s->warp, s->n_digits);
  MlirValue one = strata_emit_integer(s->e, s->lanes_type, 1);
  MlirValue own = op2(s, "arith.shli", one, strata_emit_cast(s->e, "arith.index_cast", s->lane, s->lanes_type));
  s->in_front = op2(s, "arith.subi", own, one);
  return strata_shared_alloc(d, s->i32, s->warps * s->n_digits, &s->counts);
}

static void clear_counts(sort_t *s) {
  for (int64_t warp = 0; warp < s->warps; warp++)
    store(s, number(s, 0), s->counts, strata_emit_plus(s->e, s->thread, warp * s->n_digits));
}

static MlirValue load_count(sort_t *s, int64_t warp) {
  return load(s, s->counts, strata_emit_plus(s->e, s->thread, warp * s->n_digits));
}

//===-- A tile's elements ----------------------------------------------------------------------------------------===//

static strata_loop_t tiles_begin(sort_t *s, int n_carried, MlirValue *inits, MlirValue *out_carried) {
  return strata_emit_for_begin(s->e, s->first, s->end, s->items * s->n_digits, n_carried, inits, out_carried);
}

// The thread's elements of the tile that begins at |tile|, with their positions if those are wanted: all are loaded
// before one is looked at. What does not exist is the row's last one, and counts for nothing.
static void load_items(sort_t *s, MlirValue tile) {
  MlirValue own = add(s, strata_emit_times(s->e, s->warp, s->lanes * s->items), s->lane),
            last = strata_emit_plus(s->e, s->end, -1), first = add(s, tile, own);
  for (int64_t i = 0; i < s->items; i++) {
    MlirValue at = strata_emit_plus(s->e, first, i * s->lanes);
    s->exist[i] = strata_emit_cmpi(s->e, STRATA_SLT, at, s->end);
    at = op2(s, "arith.minsi", at, last);
    s->keys[i] = load(s, s->lines[KEYS].memory, place_in(s, &s->lines[KEYS], at));
    if (!s->lines[RESULT_POSITIONS].step)
      continue;
    const line_t *positions = &s->lines[POSITIONS];
    s->positions[i] = positions->step ? integer_as(s, load(s, positions->memory, place_in(s, positions, at)), s->i32)
                                      : strata_emit_cast(s->e, "arith.index_cast", at, s->i32);
  }
}

static MlirValue ballot(sort_t *s, MlirValue own) {
  return strata_emit_value(s->e, STRATA_TILE_BALLOT, 1, &own, s->lanes_type, 0, NULL);
}

static MlirValue count_bits(sort_t *s, MlirValue lanes) {
  return integer_as(s, strata_emit_unary(s->e, "math.ctpop", lanes), s->i32);
}

// The lanes whose elements exist and have the digit of element |i|.
static MlirValue find_equal(sort_t *s, int64_t i) {
  MlirValue equal = ballot(s, s->exist[i]);
  MlirValue none = strata_emit_integer(s->e, s->lanes_type, 0), all = strata_emit_integer(s->e, s->lanes_type, -1);
  for (int64_t bit = 0; bit < s->digit.bits; bit++) {
    MlirValue own = op2(s, "arith.andi", s->digits[i], number(s, INT64_C(1) << bit));
    MlirValue is_set = strata_emit_cmpi(s->e, STRATA_NE, own, number(s, 0));
    MlirValue others = op2(s, "arith.xori", ballot(s, is_set), strata_emit_select(s->e, is_set, none, all));
    equal = op2(s, "arith.andi", equal, others);
  }
  return equal;
}

static void wait_for_warp(sort_t *s) { strata_emit_op(s->e, STRATA_TILE_WARP_BARRIER, 0, NULL, 0, NULL, 0, NULL); }

// Finds how many of the warp's elements in front of each have its digit, and counts them. The first of the lanes that
// have a digit counts for all of them.
static void rank_items(sort_t *s) {
  for (int64_t i = 0; i < s->items; i++) {
    s->digits[i] = strata_emit_digit(s->e, s->keys[i], &s->digit);
    MlirValue equal = find_equal(s, i), in_front = count_bits(s, op2(s, "arith.andi", equal, s->in_front));
    MlirValue at = add(s, s->warp_digits, index_of(s, s->digits[i])), before = load(s, s->counts, at);
    s->ranks[i] = add(s, before, in_front);
    wait_for_warp(s);
    MlirValue is_first = strata_emit_cmpi(s->e, STRATA_EQ, in_front, number(s, 0));
    strata_loop_t branch = strata_emit_if_begin(s->e, op2(s, "arith.andi", is_first, s->exist[i]));
    store(s, add(s, before, count_bits(s, equal)), s->counts, at);
    strata_emit_if_end(s->e, branch);
    wait_for_warp(s);
  }
}

//===-- Counting -------------------------------------------------------------------------------------------------===//

strata_status_t strata_gpu_rule_count_digits(strata_gpu_distribution_t *d, MlirOperation op) {
  sort_t s;
  STRATA_TRY(begin(&s, d, op));
  clear_counts(&s);
  STRATA_TRY(strata_emit_barrier(d));
  strata_loop_t loop = tiles_begin(&s, 0, NULL, NULL);
  load_items(&s, loop.induction);
  rank_items(&s);
  strata_emit_for_end(s.e, loop, 0, NULL, NULL);
  STRATA_TRY(strata_emit_barrier(d));
  MlirValue sum = load_count(&s, 0);
  for (int64_t warp = 1; warp < s.warps; warp++)
    sum = add(&s, sum, load_count(&s, warp));
  store(&s, sum, s.lines[COUNTS].memory, place_in(&s, &s.lines[COUNTS], s.thread));
  return NULL;
}

//===-- Placing --------------------------------------------------------------------------------------------------===//

// What the threads in front have together.
static strata_status_t sum_in_front(sort_t *s, MlirValue own, MlirValue *out) {
  MlirValue in_front = number(s, 0), all = own;
  for (int64_t bit = 1; bit < s->lanes; bit *= 2) {
    MlirValue own_bit = strata_emit_with(s->e, "arith.andi", s->thread, bit);
    MlirValue is_behind = strata_emit_cmpi(s->e, STRATA_NE, own_bit, strata_emit_index(s->e, 0));
    MlirValue other = strata_emit_shuffle_xor(s->e, all, bit, (int)s->lanes);
    in_front = strata_emit_select(s->e, is_behind, add(s, other, in_front), in_front);
    all = add(s, all, other);
  }
  strata_loop_t branch = strata_emit_if_begin(s->e, strata_emit_is_first_lane(s->d));
  store(s, all, s->sums, s->warp);
  strata_emit_if_end(s->e, branch);
  STRATA_TRY(strata_emit_barrier(s->d));
  for (int64_t warp = 0; warp < s->warps; warp++) {
    MlirValue of_warp = load(s, s->sums, strata_emit_index(s->e, warp));
    MlirValue is_in_front = strata_emit_cmpi(s->e, STRATA_SLT, strata_emit_index(s->e, warp), s->warp);
    in_front = strata_emit_select(s->e, is_in_front, add(s, in_front, of_warp), in_front);
  }
  *out = in_front;
  return NULL;
}

// Where the first element of the thread's digit goes, of those of this part.
static strata_status_t find_start(sort_t *s, MlirValue *out) {
  const line_t *counts = &s->lines[COUNTS], *before = &s->lines[BEFORE];
  MlirValue own = load(s, counts->memory, place_in(s, counts, s->thread));
  STRATA_TRY(sum_in_front(s, own, out));
  if (before->step)
    *out = add(s, *out, load(s, before->memory, place_in(s, before, s->thread)));
  return NULL;
}

// Makes of the warps' counts where the first element of each warp with each digit is in the sorted tile; |starts|,
// shared, gets what is to be added to that. |*next|: where the next element with the thread's digit goes.
static strata_status_t find_places(sort_t *s, MlirValue starts, MlirValue *next) {
  MlirValue counts[MOST_ITEMS], sum = number(s, 0), first;
  for (int64_t warp = 0; warp < s->warps; warp++) {
    counts[warp] = load_count(s, warp);
    sum = add(s, sum, counts[warp]);
  }
  STRATA_TRY(sum_in_front(s, sum, &first));
  store(s, op2(s, "arith.subi", *next, first), starts, s->thread);
  *next = add(s, *next, sum);
  for (int64_t warp = 0; warp < s->warps; warp++) {
    store(s, first, s->counts, strata_emit_plus(s->e, s->thread, warp * s->n_digits));
    first = add(s, first, counts[warp]);
  }
  return NULL;
}

// The sorted tile, in shared memory.
typedef struct {
  MlirValue keys, positions, starts;
} tile_t;

static void put_items(sort_t *s, const tile_t *tile) {
  for (int64_t i = 0; i < s->items; i++) {
    MlirValue begin_of = load(s, s->counts, add(s, s->warp_digits, index_of(s, s->digits[i])));
    MlirValue at = index_of(s, add(s, begin_of, s->ranks[i]));
    strata_loop_t branch = strata_emit_if_begin(s->e, s->exist[i]);
    store(s, s->keys[i], tile->keys, at);
    if (s->lines[RESULT_POSITIONS].step)
      store(s, s->positions[i], tile->positions, at);
    strata_emit_if_end(s->e, branch);
  }
}

static void store_items(sort_t *s, const tile_t *tile, MlirValue first) {
  const line_t *result = &s->lines[RESULT], *positions = &s->lines[RESULT_POSITIONS];
  MlirValue left = op2(s, "arith.subi", s->end, first);
  for (int64_t i = 0; i < s->items; i++) {
    MlirValue at = strata_emit_plus(s->e, s->thread, i * s->n_digits);
    strata_loop_t branch = strata_emit_if_begin(s->e, strata_emit_cmpi(s->e, STRATA_SLT, at, left));
    MlirValue key = load(s, tile->keys, at), digit = strata_emit_digit(s->e, key, &s->digit);
    MlirValue to = add(s, index_of(s, load(s, tile->starts, index_of(s, digit))), at);
    if (result->step)
      store(s, key, result->memory, place_in(s, result, to));
    if (positions->step) {
      MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(positions->memory));
      store(s, integer_as(s, load(s, tile->positions, at), type), positions->memory, place_in(s, positions, to));
    }
    strata_emit_if_end(s->e, branch);
  }
}

static strata_status_t alloc_tile(sort_t *s, tile_t *tile) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(s->lines[KEYS].memory));
  int64_t n = s->items * s->n_digits;
  STRATA_TRY(strata_shared_alloc(s->d, s->i32, s->n_digits, &tile->starts));
  STRATA_TRY(strata_shared_alloc(s->d, s->i32, s->warps, &s->sums));
  STRATA_TRY(strata_shared_alloc(s->d, element, n, &tile->keys));
  return s->lines[RESULT_POSITIONS].step ? strata_shared_alloc(s->d, s->i32, n, &tile->positions) : NULL;
}

strata_status_t strata_gpu_rule_place_digits(strata_gpu_distribution_t *d, MlirOperation op) {
  sort_t s;
  tile_t tile = {0};
  MlirValue start, next;
  STRATA_TRY(begin(&s, d, op));
  STRATA_TRY(alloc_tile(&s, &tile));
  STRATA_TRY(find_start(&s, &start));
  strata_loop_t loop = tiles_begin(&s, 1, &start, &next);
  clear_counts(&s);
  STRATA_TRY(strata_emit_barrier(d)); // nobody reads the tile in front any more, either
  load_items(&s, loop.induction);
  rank_items(&s);
  STRATA_TRY(strata_emit_barrier(d));
  STRATA_TRY(find_places(&s, tile.starts, &next));
  STRATA_TRY(strata_emit_barrier(d));
  put_items(&s, &tile);
  STRATA_TRY(strata_emit_barrier(d));
  store_items(&s, &tile, loop.induction);
  strata_emit_for_end(s.e, loop, 1, &next, &start);
  return NULL;
}
