// Positions of extreme elements along lines of known length on a GPU: a block has a line, or a part of one.
//
//   affine.parallel (%i, %part) { keys[%i, %part] = the greatest key of the part }
//   affine.parallel (%i) {
//     %k = scf.for %lane { scf.for { the greater key } } {strata.lanes}      of keys, and of elements that fill no part
//     y[%i] = its place } {strata.nest = "arg_reduce", strata.serial}
//
// A key is an i64: above, the element as an integer of its order, below, its place, so that the greatest is of the
// first or the last of what is equal. NaN is the greatest or least, whichever is asked for.
#include "lowering/strata_to_affine/arg_reduce_lanes.h"

#include "dialects/affine/nest.h"
#include "lowering/strata_to_affine/lanes.h"
#include "passes/target.h"

enum { LANES = STRATA__LANES };

typedef struct {
  strata__nest_t nest;
  strata__lowering_t *lowering;
  const strata__tensor_t *operand;
  strata__tensor_t keys; // of parts
  bool is_least, is_unsigned, is_last;
} line_t;

static MlirValue number(line_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }
static MlirValue op2(line_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}
static MlirType int_type(const line_t *s, unsigned bits) { return mlirIntegerTypeGet(s->lowering->context, bits); }
static MlirValue integer(line_t *s, unsigned bits, int64_t value) {
  return strata__int_constant(&s->nest, int_type(s, bits), value);
}

//===-- Keys -----------------------------------------------------------------------------------------------------===//

// |x| as an i32, the greater the better.
static MlirValue order_of(line_t *s, MlirValue x) {
  bool is_float = mlirTypeIsAFloat(mlirValueGetType(x));
  MlirValue order = x;
  if (is_float)
    order = strata__ordered_bits(&s->nest, x);
  else if (mlirIntegerTypeGetWidth(mlirValueGetType(x)) < 32)
    order = strata__cast(&s->nest, s->is_unsigned ? "arith.extui" : "arith.extsi", x, int_type(s, 32));
  else if (s->is_unsigned)
    order = op2(s, "arith.xori", x, integer(s, 32, INT32_MIN));
  if (s->is_least)
    order = op2(s, "arith.xori", order, integer(s, 32, -1));
  return is_float ? strata__select(&s->nest, strata__compare(&s->nest, "uno", x, x), integer(s, 32, INT32_MAX), order)
                  : order;
}

static MlirValue key_of(line_t *s, MlirValue x, MlirValue at) {
  MlirValue order = strata__cast(&s->nest, "arith.extsi", order_of(s, x), int_type(s, 64));
  MlirValue place = strata__cast(&s->nest, "arith.index_cast", at, int_type(s, 64));
  if (!s->is_last)
    place = op2(s, "arith.subi", integer(s, 64, UINT32_MAX), place);
  return op2(s, "arith.ori", op2(s, "arith.shli", order, integer(s, 64, 32)), place);
}

static MlirValue place_of(line_t *s, MlirValue key) {
  MlirValue place = op2(s, "arith.andi", key, integer(s, 64, UINT32_MAX));
  return s->is_last ? place : op2(s, "arith.subi", integer(s, 64, UINT32_MAX), place);
}

static MlirValue load_key(line_t *s, const strata__tensor_t *from, MlirValue at) {
  MlirValue x = strata__line_load(&s->nest, from, at);
  return from == &s->keys ? x : key_of(s, x, at);
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

// The greater of |best| and the keys of |chunks| times |lanes| elements of |from| from |first| on.
static MlirValue best_of_chunks(line_t *s, const strata__tensor_t *from, MlirValue first, int64_t chunks, int64_t lanes,
                                MlirValue best) {
  strata_emitter_t *e = &s->nest.e;
  MlirValue none = integer(s, 64, INT64_MIN), so_far, of_lane;
  strata_loop_t by_lane = strata__lanes_begin(&s->nest, lanes, &best, &so_far);
  strata_loop_t by_chunk = strata_emit_for_begin(e, number(s, 0), number(s, chunks), 1, 1, &none, &of_lane);
  MlirValue at = op2(s, "arith.addi", first, op2(s, "arith.muli", by_chunk.induction, number(s, lanes)));
  MlirValue next = op2(s, "arith.maxsi", of_lane, load_key(s, from, op2(s, "arith.addi", at, by_lane.induction)));
  strata_emit_for_end(e, by_chunk, 1, &next, &of_lane);
  next = op2(s, "arith.maxsi", so_far, of_lane);
  strata_emit_for_end(e, by_lane, 1, &next, &best);
  return best;
}

static MlirValue best_of(line_t *s, const strata__tensor_t *from, int64_t first, int64_t n, MlirValue best) {
  int64_t chunks = n / LANES;
  if (chunks)
    best = best_of_chunks(s, from, number(s, first), chunks, LANES, best);
  return n % LANES ? best_of_chunks(s, from, number(s, first + chunks * LANES), 1, n % LANES, best) : best;
}

static void reduce_parts(line_t *s, MlirOperation op, int64_t n_parts, int64_t length) {
  strata__lines_begin(s->lowering, &s->nest, op, "arg_reduce_parts", s->operand, n_parts);
  MlirValue part = s->nest.dims[s->operand->rank - 1];
  MlirValue best = best_of_chunks(s, s->operand, op2(s, "arith.muli", part, number(s, length)), length / LANES, LANES,
                                  integer(s, 64, INT64_MIN));
  strata__line_store(&s->nest, &s->keys, part, best);
  strata__nest_end(&s->nest);
}

bool strata__arg_reduce_by_lanes(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  strata_combiner_t combiner = strata_op_combiner(op);
  line_t s = {.lowering = l,
              .operand = operand,
              .is_least = combiner == STRATA_COMBINER_MIN || combiner == STRATA_COMBINER_MIN_U,
              .is_unsigned = combiner == STRATA_COMBINER_MAX_U || combiner == STRATA_COMBINER_MIN_U,
              .is_last = strata_attr_flag(op, "select_last")};
  if (!strata_target_is_gpu(l->compile) || strata_attr_i64(op, "axis", 0) != operand->rank - 1 ||
      strata_type_info[operand->type].bits > 32 || !strata__has_lines(operand))
    return false;
  int64_t length = strata_size_static_value(operand->sizes[operand->rank - 1]);
  if (length < STRATA__SHORT_LINE || length > INT32_MAX)
    return false;
  int64_t of_part, n_parts = strata__parts_of_line(l, operand, &of_part);
  if (n_parts > 1) {
    s.keys = strata__for_each_line(l, op, operand, STRATA_TYPE_I64, n_parts);
    reduce_parts(&s, op, n_parts, of_part);
  }
  strata__lines_begin(l, &s.nest, op, "arg_reduce", operand, 0);
  MlirValue best = integer(&s, 64, INT64_MIN);
  int64_t done = n_parts > 1 ? n_parts * of_part : 0;
  if (n_parts > 1)
    best = best_of(&s, &s.keys, 0, n_parts, best);
  best = best_of(&s, operand, done, length - done, best);
  strata__store_at(&s.nest, result, s.nest.dims, place_of(&s, best));
  strata__nest_end(&s.nest);
  return true;
}
