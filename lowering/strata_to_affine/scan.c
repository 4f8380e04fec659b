// Running combinations along an axis: parallel over the other dims, and a serial loop that stores as it goes.
//
//   affine.parallel (%i) = (0) to (8) {
//     affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
//       %x = affine.load %x[%i, %k] ...  %n = arith.addf %a, %x : f32  affine.store %n, %y[%i, %k] ...  affine.yield %n
//       }
//   } {strata.nest = "scan", strata.serial}
//
// On a GPU lines of known length that lie along the innermost axis are a block's (scan_lanes.c). One thread would do
// all of another single line. There, if the order of combination does not matter, parts of the line are combined first,
// parts of those, and so on while these are many; each result is then what the parts in front of its own give, and its
// own up to it.
#include "lowering/strata_to_affine/scan_lanes.h"

#include "passes/target.h"

enum { PART = 32, FEW_PARTS = 2 * PART, MAX_LEVELS = 16 };

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *operand;
  strata_combiner_t combiner;
  bool is_reverse;
  int n_levels;
  const strata__tensor_t *levels[MAX_LEVELS]; // the operand, its parts, parts of those, ...
} line_t;

static MlirValue op2(line_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}
static MlirValue number(line_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }

static MlirValue place_of(line_t *s, MlirValue at) {
  MlirValue last = op2(s, "arith.subi", strata__size(&s->nest, s->operand->sizes[0]), number(s, 1));
  return s->is_reverse ? op2(s, "arith.subi", last, at) : at;
}

// |before| combined with the numbers of |from|, of the operand in the order of the scan, from |begin| to |end| - 1.
static MlirValue combine_all(line_t *s, const strata__tensor_t *from, MlirValue begin, MlirValue end,
                             MlirValue before) {
  strata_emitter_t *e = &s->nest.e;
  MlirValue so_far;
  strata_loop_t loop = strata_emit_for_begin(e, begin, end, 1, 1, &before, &so_far);
  MlirValue at = from == s->operand ? place_of(s, loop.induction) : loop.induction;
  MlirValue next = strata__to_math(&s->nest, from->type, strata__load_at(&s->nest, from, &at));
  next = strata__combine(&s->nest, s->combiner, so_far, next);
  strata_emit_for_end(e, loop, 1, &next, &before);
  return before;
}

static MlirValue begin(strata__lowering_t *l, line_t *s, MlirOperation op, const char *name, strata_size_t size,
                       MlirValue *out_neutral) {
  strata__nest_begin(l, &s->nest, op, name, 1, &size);
  s->nest.is_serial = true;
  *out_neutral = strata__neutral_value(&s->nest, s->combiner, strata__math_type(l->context, s->operand->type));
  return strata__index_of(&s->nest, strata__dim(&s->nest, 0));
}

static strata__tensor_t *new_line(strata__lowering_t *l, const line_t *s, MlirOperation op, strata_size_t length) {
  strata__tensor_t *line = strata_arena_new(l->compile->arena, strata__tensor_t);
  strata_size_t *size = strata_arena_new(l->compile->arena, strata_size_t);
  *size = length;
  *line = (strata__tensor_t){.type = s->operand->type, .rank = 1, .sizes = size};
  strata__place_anywhere(l, line, mlirOperationGetLocation(op));
  return line;
}

static const strata__tensor_t *combine_parts(strata__lowering_t *l, line_t *s, MlirOperation op,
                                             const strata__tensor_t *from) {
  strata_size_t length = from->sizes[0];
  strata__tensor_t *parts = new_line(l, s, op, strata_size_ceil_div(length, PART));
  MlirValue neutral, part = begin(l, s, op, "scan_parts", parts->sizes[0], &neutral);
  MlirValue first = op2(s, "arith.muli", part, number(s, PART));
  MlirValue end = op2(s, "arith.minsi", op2(s, "arith.addi", first, number(s, PART)), strata__size(&s->nest, length));
  MlirValue combined = combine_all(s, from, first, end, neutral);
  const MlirAffineExpr at = strata__dim(&s->nest, 0);
  strata__store(&s->nest, parts, &at, combined);
  strata__nest_end(&s->nest);
  return parts;
}

// What is in front of element |at| of a level, itself included if |is_inclusive|: |before_parts| has that of each part,
// or there are few parts.
static MlirValue combine_before(line_t *s, int level, const strata__tensor_t *before_parts, MlirValue at,
                                bool is_inclusive, MlirValue neutral) {
  MlirValue part = op2(s, "arith.divui", at, number(s, PART));
  MlirValue end = is_inclusive ? op2(s, "arith.addi", at, number(s, 1)) : at;
  MlirValue before = before_parts
                         ? strata__to_math(&s->nest, before_parts->type, strata__load_at(&s->nest, before_parts, &part))
                         : combine_all(s, s->levels[level + 1], number(s, 0), part, neutral);
  return combine_all(s, s->levels[level], op2(s, "arith.muli", part, number(s, PART)), end, before);
}

static void lower_by_parts(strata__lowering_t *l, MlirOperation op, const strata__tensor_t *result) {
  line_t s = {.operand = strata__operand(l, op, 0),
              .combiner = strata_op_combiner(op),
              .is_reverse = strata_attr_flag(op, "reverse")};
  MlirValue neutral, at;
  const strata__tensor_t *before_parts = NULL;
  s.levels[s.n_levels++] = s.operand;
  do {
    s.levels[s.n_levels] = combine_parts(l, &s, op, s.levels[s.n_levels - 1]);
    s.n_levels++;
  } while (s.n_levels < MAX_LEVELS && strata_size_likely(&l->symbols, s.levels[s.n_levels - 1]->sizes[0]) > FEW_PARTS);
  for (int level = s.n_levels - 2; level > 0; level--) {
    strata__tensor_t *before = new_line(l, &s, op, s.levels[level]->sizes[0]);
    at = begin(l, &s, op, "scan_before", before->sizes[0], &neutral);
    strata__store_at(&s.nest, before, &at, combine_before(&s, level, before_parts, at, false, neutral));
    strata__nest_end(&s.nest);
    before_parts = before;
  }
  at = begin(l, &s, op, "scan", s.operand->sizes[0], &neutral);
  MlirValue sum = combine_before(&s, 0, before_parts, at, !strata_attr_flag(op, "exclusive"), neutral);
  MlirValue place = place_of(&s, at);
  strata__store_at(&s.nest, result, &place, sum);
  strata__nest_end(&s.nest);
}

// A line whose combination is exact.
static bool goes_by_parts(const strata__lowering_t *l, MlirOperation op, const strata__tensor_t *operand) {
  strata_combiner_t combiner = strata_op_combiner(op);
  bool is_integer = strata_type_info[operand->type].kind == STRATA_TYPE_KIND_INTEGER;
  return strata_target_is_gpu(l->compile) && operand->rank == 1 && strata_size_max(operand->sizes[0]) > FEW_PARTS &&
         is_integer &&
         (combiner == STRATA_COMBINER_ADD || combiner == STRATA_COMBINER_MAX || combiner == STRATA_COMBINER_MIN);
}

strata_status_t strata__lower_scan(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  int axis = (int)strata_attr_i64(op, "axis", 0);
  if (strata__scan_by_lanes(l, op))
    return NULL;
  if (goes_by_parts(l, op, operand)) {
    lower_by_parts(l, op, result);
    return NULL;
  }
  strata_size_t length = operand->sizes[axis], others[STRATA_MAX_RANK];
  strata_combiner_t combiner = strata_op_combiner(op);
  strata__nest_t nest;
  MlirAffineExpr coordinates[STRATA_MAX_RANK];
  MlirValue before, final;
  for (int i = 0; i < operand->rank - 1; i++)
    others[i] = operand->sizes[i < axis ? i : i + 1];
  strata__nest_begin(l, &nest, op, "scan", operand->rank - 1, others);
  nest.is_serial = true;
  MlirValue neutral = strata__neutral_value(&nest, combiner, strata__math_type(l->context, operand->type));
  strata__loop_t loop = strata__for_begin(&nest, length, 1, &neutral, &before);
  for (int i = 0; i < operand->rank; i++)
    coordinates[i] = strata__dim(&nest, i < axis ? i : i - 1);
  MlirAffineExpr step = strata__dim(&nest, nest.n_dims - 1);
  coordinates[axis] =
      strata_attr_flag(op, "reverse") ? strata__plus(&nest, strata__linear(&nest, step, -1, -1), length) : step;
  MlirValue after = strata__combine(&nest, combiner, before, strata__load(&nest, operand, coordinates));
  strata__store(&nest, result, coordinates, strata_attr_flag(op, "exclusive") ? before : after);
  strata__for_end(&nest, loop, 1, &after, &final);
  strata__nest_end(&nest);
  return NULL;
}
