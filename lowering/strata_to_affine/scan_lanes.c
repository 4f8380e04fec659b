// Running combinations along lines of known length on a GPU: a block has a line, or a part of one, which it walks by
// as many elements at a time as there are lanes.
//
//   affine.parallel (%i, %part) { parts[%i, %part] = the part's elements combined }
//   affine.parallel (%i) { before[%i, %part] = the parts in front combined, of all but the last elements; all[%i] }
//   affine.parallel (%i, %part) {
//     scf.for %n iter_args(%a = before[%i, %part]) {
//       scf.for %lane iter_args(%b = %a) { y[%i, ...] = %b combined with x[%i, ...] } {strata.lanes}
//     }
//   } {strata.nest = "scan", strata.serial}
//   affine.parallel (%i) { the last elements, which fill no part }
//
// Few long lines are cut into parts, of equal length; others are one.
#include "lowering/strata_to_affine/scan_lanes.h"

#include "lowering/strata_to_affine/lanes.h"
#include "passes/target.h"

enum { LANES = STRATA__LANES };

typedef struct {
  strata__nest_t nest;
  strata__lowering_t *lowering;
  MlirOperation op;
  const strata__tensor_t *operand, *result;
  strata_combiner_t combiner;
  bool is_exclusive, is_reverse;
  int rank;
  int64_t length;
} scan_t;

static MlirValue number(scan_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }
static MlirValue op2(scan_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}

// A nest of the lines, or of |parts| of each; *out_neutral is what combines to nothing.
static void begin(scan_t *s, const char *name, int64_t parts, MlirValue *out_neutral) {
  strata__lines_begin(s->lowering, &s->nest, s->op, name, s->operand, parts);
  *out_neutral =
      strata__neutral_value(&s->nest, s->combiner, strata__math_type(s->lowering->context, s->operand->type));
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

// Where element |at| of the scan's order is in |tensor|: parts are in that order.
static MlirValue place_of(scan_t *s, const strata__tensor_t *tensor, MlirValue at) {
  if (!s->is_reverse || (tensor != s->operand && tensor != s->result))
    return at;
  return op2(s, "arith.addi", op2(s, "arith.muli", at, number(s, -1)), number(s, s->length - 1));
}

// |so_far| combined with |n| elements of |from| from |first| on; |to|: where each is stored on the way, or NULL.
static MlirValue walk_lanes(scan_t *s, const strata__tensor_t *from, const strata__tensor_t *to, MlirValue first,
                            int64_t n, MlirValue so_far) {
  MlirValue before;
  strata_loop_t loop = strata__lanes_begin(&s->nest, n, &so_far, &before);
  MlirValue at = op2(s, "arith.addi", first, loop.induction);
  MlirValue after =
      strata__combine(&s->nest, s->combiner, before, strata__line_load(&s->nest, from, place_of(s, from, at)));
  if (to)
    strata__line_store(&s->nest, to, place_of(s, to, at), s->is_exclusive ? before : after);
  strata_emit_for_end(&s->nest.e, loop, 1, &after, &so_far);
  return so_far;
}

// The same of any number.
static MlirValue walk(scan_t *s, const strata__tensor_t *from, const strata__tensor_t *to, MlirValue first, int64_t n,
                      MlirValue so_far) {
  int64_t chunks = n / LANES;
  if (chunks > 0) {
    MlirValue before;
    strata_loop_t loop = strata_emit_for_begin(&s->nest.e, number(s, 0), number(s, chunks), 1, 1, &so_far, &before);
    MlirValue chunk = op2(s, "arith.addi", first, op2(s, "arith.muli", loop.induction, number(s, LANES)));
    before = walk_lanes(s, from, to, chunk, LANES, before);
    strata_emit_for_end(&s->nest.e, loop, 1, &before, &so_far);
  }
  MlirValue rest = op2(s, "arith.addi", first, number(s, chunks * LANES));
  return n % LANES ? walk_lanes(s, from, to, rest, n % LANES, so_far) : so_far;
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

static MlirValue first_of_part(scan_t *s, int64_t length) {
  return op2(s, "arith.muli", s->nest.dims[s->rank - 1], number(s, length));
}

static void combine_parts(scan_t *s, const strata__tensor_t *parts, int64_t n_parts, int64_t length) {
  MlirValue so_far;
  begin(s, "scan_parts", n_parts, &so_far);
  so_far = walk(s, s->operand, NULL, first_of_part(s, length), length, so_far);
  strata__line_store(&s->nest, parts, s->nest.dims[s->rank - 1], so_far);
  strata__nest_end(&s->nest);
}

// |before| has one more than there are parts: the last is what all parts give.
static void combine_in_front(scan_t *s, const strata__tensor_t *parts, const strata__tensor_t *before,
                             int64_t n_parts) {
  bool is_exclusive = s->is_exclusive;
  MlirValue so_far;
  begin(s, "scan_before", 0, &so_far);
  s->is_exclusive = true;
  so_far = walk(s, parts, before, number(s, 0), n_parts, so_far);
  strata__line_store(&s->nest, before, number(s, n_parts), so_far);
  s->is_exclusive = is_exclusive;
  strata__nest_end(&s->nest);
}

static void scan_parts(scan_t *s, const strata__tensor_t *before, int64_t n_parts, int64_t length) {
  MlirValue neutral;
  begin(s, "scan", n_parts, &neutral);
  walk(s, s->operand, s->result, first_of_part(s, length), length,
       strata__line_load(&s->nest, before, s->nest.dims[s->rank - 1]));
  strata__nest_end(&s->nest);
  if (s->length == n_parts * length)
    return;
  begin(s, "scan", 0, &neutral);
  walk(s, s->operand, s->result, number(s, n_parts * length), s->length - n_parts * length,
       strata__line_load(&s->nest, before, number(s, n_parts)));
  strata__nest_end(&s->nest);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

bool strata__scan_by_lanes(strata__lowering_t *l, MlirOperation op) {
  scan_t s = {.lowering = l,
              .op = op,
              .operand = strata__operand(l, op, 0),
              .result = strata__result(l, op, 0),
              .combiner = strata_op_combiner(op),
              .is_exclusive = strata_attr_flag(op, "exclusive"),
              .is_reverse = strata_attr_flag(op, "reverse")};
  s.rank = s.operand->rank;
  if (!strata_target_is_gpu(l->compile) || strata_attr_i64(op, "axis", 0) != s.rank - 1 ||
      !strata__has_lines(s.operand) || !strata__has_lines(s.result))
    return false;
  s.length = strata_size_static_value(s.operand->sizes[s.rank - 1]);
  if (s.length < STRATA__SHORT_LINE)
    return false;
  int64_t length, n_parts = strata__parts_of_line(l, s.operand, &length);
  if (n_parts == 1) {
    MlirValue so_far;
    begin(&s, "scan", 0, &so_far);
    walk(&s, s.operand, s.result, number(&s, 0), s.length, so_far);
    strata__nest_end(&s.nest);
    return true;
  }
  strata_type_t type = strata_type_info[s.operand->type].math_type;
  strata__tensor_t parts = strata__for_each_line(l, op, s.operand, type, n_parts),
                   before = strata__for_each_line(l, op, s.operand, type, n_parts + 1);
  combine_parts(&s, &parts, n_parts, length);
  combine_in_front(&s, &parts, &before, n_parts);
  scan_parts(&s, &before, n_parts, length);
  return true;
}
