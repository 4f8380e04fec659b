// Running combinations along lines of known length on a GPU: a block has a line, or a part of one, which it walks by
// LANES elements at a time.
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

#include "dialects/affine/nest.h"
#include "dialects/integers.h"
#include "passes/target.h"

enum { LANES = 1024, SHORT_LINE = 64, FEW_LINES = 64, LONG_LINE = 8 * LANES, MOST_PARTS = 1024 };

typedef struct {
  strata__nest_t nest;
  strata__lowering_t *lowering;
  MlirOperation op;
  const strata__tensor_t *operand, *result;
  strata_combiner_t combiner;
  bool is_exclusive;
  int rank;
  int64_t length;
} scan_t;

static MlirValue number(scan_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }
static MlirValue op2(scan_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}

//===-- Access ---------------------------------------------------------------------------------------------------===//

// What is at |at| of the nest's line: all dims but the last are the nest's.
static void point_of(const scan_t *s, MlirValue at, MlirValue *out) {
  for (int i = 0; i < s->rank - 1; i++)
    out[i] = s->nest.dims[i];
  out[s->rank - 1] = at;
}

static MlirValue load(scan_t *s, const strata__tensor_t *tensor, MlirValue at) {
  MlirValue point[STRATA_MAX_RANK];
  point_of(s, at, point);
  return strata__to_math(&s->nest, tensor->type, strata__load_at(&s->nest, tensor, point));
}

static void store(scan_t *s, const strata__tensor_t *tensor, MlirValue at, MlirValue value) {
  MlirValue point[STRATA_MAX_RANK];
  point_of(s, at, point);
  strata__store_at(&s->nest, tensor, point, value);
}

// A nest of the lines, or of |parts| of each; *out_neutral is what combines to nothing.
static void begin(scan_t *s, const char *name, int64_t parts, MlirValue *out_neutral) {
  strata_size_t sizes[STRATA_MAX_RANK];
  for (int i = 0; i < s->rank - 1; i++)
    sizes[i] = s->operand->sizes[i];
  sizes[s->rank - 1] = strata_size_constant(parts);
  strata__nest_begin(s->lowering, &s->nest, s->op, name, parts ? s->rank : s->rank - 1, sizes);
  s->nest.is_serial = true;
  *out_neutral =
      strata__neutral_value(&s->nest, s->combiner, strata__math_type(s->lowering->context, s->operand->type));
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

// |so_far| combined with |n| elements of |from| from |first| on; |to|: where each is stored on the way, or NULL.
static MlirValue walk_lanes(scan_t *s, const strata__tensor_t *from, const strata__tensor_t *to, MlirValue first,
                            int64_t n, MlirValue so_far) {
  strata_emitter_t *e = &s->nest.e;
  MlirValue before;
  strata_loop_t loop = strata_emit_for_begin(e, number(s, 0), number(s, n), 1, 1, &so_far, &before);
  strata_set_attr(loop.op, STRATA_LANES, strata_i64_attr(e->context, n));
  MlirValue at = op2(s, "arith.addi", first, loop.induction);
  MlirValue after = strata__combine(&s->nest, s->combiner, before, load(s, from, at));
  if (to)
    store(s, to, at, s->is_exclusive ? before : after);
  strata_emit_for_end(e, loop, 1, &after, &so_far);
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

static strata__tensor_t scratch(scan_t *s, int64_t parts) {
  strata_size_t *sizes = strata_arena_array(s->lowering->compile->arena, strata_size_t, STRATA_MAX_RANK);
  memcpy(sizes, s->operand->sizes, (size_t)s->rank * sizeof *sizes);
  sizes[s->rank - 1] = strata_size_constant(parts);
  strata_type_t type = s->operand->type;
  if (type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16)
    type = STRATA_TYPE_F32; // what they are computed in
  strata__tensor_t tensor = {.type = type, .rank = s->rank, .sizes = sizes};
  strata__place_anywhere(s->lowering, &tensor, mlirOperationGetLocation(s->op));
  return tensor;
}

static MlirValue first_of_part(scan_t *s, int64_t length) {
  return op2(s, "arith.muli", s->nest.dims[s->rank - 1], number(s, length));
}

static void combine_parts(scan_t *s, const strata__tensor_t *parts, int64_t n_parts, int64_t length) {
  MlirValue so_far;
  begin(s, "scan_parts", n_parts, &so_far);
  so_far = walk(s, s->operand, NULL, first_of_part(s, length), length, so_far);
  store(s, parts, s->nest.dims[s->rank - 1], so_far);
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
  store(s, before, number(s, n_parts), so_far);
  s->is_exclusive = is_exclusive;
  strata__nest_end(&s->nest);
}

static void scan_parts(scan_t *s, const strata__tensor_t *before, int64_t n_parts, int64_t length) {
  MlirValue neutral;
  begin(s, "scan", n_parts, &neutral);
  walk(s, s->operand, s->result, first_of_part(s, length), length, load(s, before, s->nest.dims[s->rank - 1]));
  strata__nest_end(&s->nest);
  if (s->length == n_parts * length)
    return;
  begin(s, "scan", 0, &neutral);
  walk(s, s->operand, s->result, number(s, n_parts * length), s->length - n_parts * length,
       load(s, before, number(s, n_parts)));
  strata__nest_end(&s->nest);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static bool is_sum_of_dims(MlirAffineExpr expr) {
  if (!mlirAffineExprIsABinary(expr))
    return true;
  return (mlirAffineExprIsAAdd(expr) || mlirAffineExprIsAMul(expr)) &&
         is_sum_of_dims(mlirAffineBinaryOpExprGetLHS(expr)) && is_sum_of_dims(mlirAffineBinaryOpExprGetRHS(expr));
}

// Lanes take places that are sums.
static bool has_places(const strata__tensor_t *tensor) {
  if (!tensor->buffer || tensor->type == STRATA_TYPE_I4)
    return false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(tensor->map); i++)
    if (!is_sum_of_dims(mlirAffineMapGetResult(tensor->map, i)))
      return false;
  return true;
}

bool strata__scan_by_lanes(strata__lowering_t *l, MlirOperation op) {
  scan_t s = {.lowering = l,
              .op = op,
              .operand = strata__operand(l, op, 0),
              .result = strata__result(l, op, 0),
              .combiner = strata__combiner_of(op),
              .is_exclusive = strata_attr_flag(op, "exclusive")};
  s.rank = s.operand->rank;
  strata_size_t length = s.operand->sizes[s.rank - 1];
  if (!strata_target_is_gpu(l->compile) || strata_attr_i64(op, "axis", 0) != s.rank - 1 ||
      strata_attr_flag(op, "reverse") || !has_places(s.operand) || !has_places(s.result) ||
      strata_size_varies(length))
    return false;
  s.length = strata_size_static_value(length);
  int64_t lines = 1;
  for (int i = 0; i < s.rank - 1; i++)
    lines = strata_times(lines, strata_size_likely(&l->symbols, s.operand->sizes[i]));
  if (s.length < SHORT_LINE)
    return false;
  if (lines > FEW_LINES || s.length < LONG_LINE) {
    MlirValue so_far;
    begin(&s, "scan", 0, &so_far);
    walk(&s, s.operand, s.result, number(&s, 0), s.length, so_far);
    strata__nest_end(&s.nest);
    return true;
  }
  int64_t part = LANES * strata_ceil_div(s.length, (int64_t)LANES * MOST_PARTS), n_parts = s.length / part;
  strata__tensor_t parts = scratch(&s, n_parts), before = scratch(&s, n_parts + 1);
  combine_parts(&s, &parts, n_parts, part);
  combine_in_front(&s, &parts, &before, n_parts);
  scan_parts(&s, &before, n_parts, part);
  return true;
}
