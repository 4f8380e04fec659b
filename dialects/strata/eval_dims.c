// Small tensors whose elements are expressions over symbols: what shape arithmetic computes; see symbols.h. Elements
// are evaluated one by one, and what is not known of one does not hinder the others.
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/strata/real_elements.h"
#include "dialects/strata/record.h"
#include "dialects/strata/symbols.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 256, MAX_DEPTH = 200, MAX_BITS = 20 }; // of fractions

typedef strata_dim_value_t element_t;

typedef struct {
  strata_compile_t *compile;
  strata_arena_t *arena;
  strata_symbols_t *symbols;
  strata_pointer_map_t seen; // of a value: its place in |lists|
  STRATA_VECTOR(element_t *) lists;
  int depth;
} evaluator_t;

static const element_t unknown = {{0}, 1};

static bool is_known(element_t e) { return !mlirAffineExprIsNull(e.dim); }
static bool is_whole(element_t e) { return is_known(e) && e.divisor == 1; }
static element_t whole(strata_dim_t dim) { return (element_t){dim, 1}; }
static element_t number(evaluator_t *v, int64_t value) {
  return whole(strata_dim_constant(v->compile->context, value));
}
static bool is_rounded(element_t e) { return is_known(e) && strata__is_real(e); }
static strata__reals_t reals(evaluator_t *v) {
  return (strata__reals_t){v->compile->arena, v->compile->context, v->symbols};
}
static bool is_number(element_t e, int64_t *out) { return is_whole(e) && strata_dim_is_constant(e.dim, out); }

// Without the common divisor of a fraction that is a number.
static element_t reduced(evaluator_t *v, element_t e) {
  int64_t value;
  if (!is_known(e) || e.divisor == 1)
    return e;
  if (strata_dim_is_constant(e.dim, &value)) {
    int64_t common = strata_gcd(value, e.divisor);
    return (element_t){strata_dim_constant(v->compile->context, value / common), e.divisor / common};
  }
  strata_dim_t quotient;
  return strata_dim_divide(e.dim, strata_dim_constant(v->compile->context, e.divisor), &quotient) ? whole(quotient) : e;
}

static strata_range_t range_of(evaluator_t *v, strata_dim_t dim) { return strata_dim_range(dim, v->symbols); }

static const element_t *evaluate(evaluator_t *v, MlirValue value);

// -1 where there are too many elements, or it is not known how many.
static int64_t count_of(MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  int64_t count = shape.type == STRATA_TYPE_COUNT ? -1 : strata_shape_count(&shape);
  return count <= MAX_ELEMENTS ? count : -1;
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static element_t from_double(evaluator_t *v, double x) {
  for (int bits = 0; bits <= MAX_BITS; bits++) {
    double scaled = ldexp(x, bits);
    if (scaled == nearbyint(scaled) && fabs(scaled) < 9e15)
      return reduced(v, (element_t){strata_dim_constant(v->compile->context, (int64_t)scaled), INT64_C(1) << bits});
  }
  strata__reals_t r = reals(v);
  return strata__real_number(&r, x);
}

static void read_constant(evaluator_t *v, MlirValue value, element_t *out) {
  int64_t *ints, count;
  double *floats;
  if (strata_constant_i64s(v->compile, value, &ints, &count))
    for (int64_t i = 0; i < count; i++)
      out[i] = number(v, ints[i]);
  else if (strata_constant_f64s(v->compile, value, &floats, &count))
    for (int64_t i = 0; i < count; i++)
      out[i] = from_double(v, floats[i]);
}

//===-- One element ----------------------------------------------------------------------------------------------===//

// a + factor * b
static element_t add(evaluator_t *v, element_t a, element_t b, int64_t factor) {
  int64_t divisor;
  if (__builtin_mul_overflow(a.divisor, b.divisor, &divisor))
    return unknown;
  strata_dim_t sum =
      strata_dim_add(strata_dim_times(a.dim, b.divisor), strata_dim_times(b.dim, strata_times(factor, a.divisor)));
  return reduced(v, (element_t){sum, divisor});
}

static element_t multiply(evaluator_t *v, element_t a, element_t b) {
  int64_t divisor;
  if (__builtin_mul_overflow(a.divisor, b.divisor, &divisor))
    return unknown;
  return reduced(v, (element_t){strata_dim_mul(a.dim, b.dim), divisor});
}

static element_t derive(evaluator_t *v, strata_symbol_op_t op, element_t a, element_t b) {
  return is_whole(a) && is_whole(b) ? whole(strata_symbols_derive(v->compile->arena, v->symbols, op, a.dim, b.dim))
                                    : unknown;
}

// Of floats as of real numbers.
static element_t divide_floats(evaluator_t *v, element_t a, element_t b) {
  int64_t value;
  strata_dim_t quotient;
  if (strata_dim_is_constant(b.dim, &value) && value > 0 && value < INT32_MAX)
    return multiply(v, a, (element_t){strata_dim_constant(v->compile->context, b.divisor), value});
  if (a.divisor == 1 && strata_dim_divide(strata_dim_times(a.dim, b.divisor), b.dim, &quotient))
    return whole(quotient);
  return unknown;
}

// Integer quotients go towards zero, remainders with them: as rounding down does where nothing is negative.
static element_t divide(evaluator_t *v, element_t a, element_t b, bool is_float, strata_symbol_op_t op) {
  if (is_float)
    return op == STRATA_SYMBOL_FLOORDIV ? divide_floats(v, a, b) : unknown;
  int64_t x, y;
  if (is_number(a, &x) && is_number(b, &y) && y != 0 && y != -1)
    return number(v, op == STRATA_SYMBOL_FLOORDIV ? x / y : x % y);
  if (!is_whole(a) || !is_whole(b) || range_of(v, a.dim).min < 0 || range_of(v, b.dim).min < 1)
    return unknown;
  return derive(v, op, a, b);
}

static element_t round_down(evaluator_t *v, element_t e, int64_t more) {
  (void)v;
  return e.divisor == 1 ? e : whole(strata_dim_floordiv(strata_dim_plus(e.dim, more), e.divisor));
}

// What the sign of a - b, which is in the range, says of the comparison; -1: nothing.
static int compare(strata_op_id_t op, strata_range_t difference) {
  bool above = difference.min > 0, below = difference.max < 0, not_below = difference.min >= 0,
       not_above = difference.max <= 0, equal = difference.min == 0 && difference.max == 0;
  switch (op) {
  case STRATA_OP_EQ:
    return equal ? 1 : above || below ? 0 : -1;
  case STRATA_OP_NE:
    return equal ? 0 : above || below ? 1 : -1;
  case STRATA_OP_LT:
    return below ? 1 : not_below ? 0 : -1;
  case STRATA_OP_LE:
    return not_above ? 1 : above ? 0 : -1;
  case STRATA_OP_GT:
    return above ? 1 : not_above ? 0 : -1;
  case STRATA_OP_GE:
    return not_below ? 1 : below ? 0 : -1;
  default:
    return -1;
  }
}

static element_t compare_elements(evaluator_t *v, strata_op_id_t op, element_t a, element_t b) {
  element_t difference = add(v, a, b, -1);
  int result = is_known(difference) ? compare(op, range_of(v, difference.dim)) : -1;
  return result < 0 ? unknown : number(v, result);
}

static element_t combine_bits(evaluator_t *v, strata_op_id_t op, strata_type_t type, element_t a, element_t b) {
  int64_t x, y;
  bool has_a = is_number(a, &x), has_b = is_number(b, &y);
  if (op == STRATA_OP_AND && ((has_a && x == 0) || (has_b && y == 0)))
    return number(v, 0);
  if (op == STRATA_OP_OR && type == STRATA_TYPE_I1 && ((has_a && x) || (has_b && y)))
    return number(v, 1);
  if (!has_a || !has_b)
    return unknown;
  return number(v, op == STRATA_OP_AND ? (x & y) : op == STRATA_OP_OR ? (x | y) : (x ^ y));
}

static element_t binary_fractions(evaluator_t *v, strata_op_id_t op, strata_type_t type, element_t a, element_t b) {
  bool is_float = strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT;
  if (op == STRATA_OP_AND || op == STRATA_OP_OR || op == STRATA_OP_XOR)
    return combine_bits(v, op, type, a, b);
  if (!is_known(a) || !is_known(b))
    return unknown;
  switch (op) {
  case STRATA_OP_ADD:
    return add(v, a, b, 1);
  case STRATA_OP_SUB:
    return add(v, a, b, -1);
  case STRATA_OP_MUL:
    return multiply(v, a, b);
  case STRATA_OP_DIV:
  case STRATA_OP_DIV_EXACT:
    return divide(v, a, b, is_float, STRATA_SYMBOL_FLOORDIV);
  case STRATA_OP_REM:
    return divide(v, a, b, is_float, STRATA_SYMBOL_MOD);
  case STRATA_OP_MIN:
    return derive(v, STRATA_SYMBOL_MIN, a, b);
  case STRATA_OP_MAX:
    return derive(v, STRATA_SYMBOL_MAX, a, b);
  default:
    return compare_elements(v, op, a, b);
  }
}

// Bits are in the order of the numbers.
static element_t compare_rounded(evaluator_t *v, strata_op_id_t op, strata_type_t type, element_t a, element_t b) {
  strata__reals_t r = reals(v);
  a = strata__as_real(&r, type, a);
  b = strata__as_real(&r, type, b);
  return is_known(a) && is_known(b) ? compare_elements(v, op, whole(a.dim), whole(b.dim)) : unknown;
}

// As fractions where all are such, else rounded.
static element_t binary(evaluator_t *v, strata_op_id_t op, strata_type_t type, element_t a, element_t b) {
  bool are_fractions = !is_rounded(a) && !is_rounded(b);
  bool are_floats = strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT;
  element_t result = are_fractions ? binary_fractions(v, op, type, a, b) : unknown;
  if (is_known(result) || !is_known(a) || !is_known(b) || !are_floats)
    return result;
  strata__reals_t r = reals(v);
  return strata_op_info[op].rule == STRATA_RULE_BOOL ? compare_rounded(v, op, type, a, b)
                                                     : strata__real_binary(&r, op, type, a, b);
}

// |from|, |to|: the types of operand and result.
static element_t unary(evaluator_t *v, strata_op_id_t op, strata_type_t from, strata_type_t to, element_t a) {
  int64_t value;
  strata__reals_t r = reals(v);
  if (!is_known(a))
    return unknown;
  if (is_rounded(a))
    return strata__real_unary(&r, op, to, a);
  bool is_positive = range_of(v, a.dim).min >= 0;
  switch (op) {
  case STRATA_OP_NEG:
    return (element_t){strata_dim_times(a.dim, -1), a.divisor};
  case STRATA_OP_ABS:
    return is_positive ? a : unknown;
  case STRATA_OP_FLOOR:
    return round_down(v, a, 0);
  case STRATA_OP_CEIL:
    return round_down(v, a, a.divisor - 1);
  case STRATA_OP_TRUNC:
    return is_positive ? round_down(v, a, 0) : unknown;
  case STRATA_OP_NOT:
    return from == STRATA_TYPE_I1 && is_number(a, &value) ? number(v, !value) : unknown;
  case STRATA_OP_CONVERT:
    if (to == STRATA_TYPE_I1)
      return range_of(v, a.dim).min > 0 ? number(v, 1) : is_number(a, &value) ? number(v, value != 0) : unknown;
    if (strata_type_info[to].kind == STRATA_TYPE_KIND_FLOAT)
      return a;
    return a.divisor == 1 || is_positive ? round_down(v, a, 0) : unknown;
  default:
    return unknown;
  }
}

static element_t select(element_t condition, element_t a, element_t b) {
  int64_t value;
  if (is_number(condition, &value))
    return value ? a : b;
  bool same = is_known(a) && is_known(b) && a.divisor == b.divisor && strata_dim_equal(a.dim, b.dim);
  return same ? a : unknown;
}

static void apply(evaluator_t *v, const strata__record_t *r, const element_t *const *operands, int64_t count,
                  element_t *out) {
  for (int64_t i = 0; i < count; i++) {
    element_t e[3];
    for (int k = 0; k < r->n_operands; k++)
      e[k] = operands[k] ? operands[k][i] : unknown;
    out[i] = r->n_operands == 1   ? unary(v, r->id, r->operands[0].type, r->results[0].type, e[0])
             : r->n_operands == 2 ? binary(v, r->id, r->operands[0].type, e[0], e[1])
                                  : select(e[0], e[1], e[2]);
  }
}

//===-- Movement and reductions ----------------------------------------------------------------------------------===//

// Ops that move elements are carried out on the elements' numbers: |is_index| are operands that say where.
static void move(evaluator_t *v, strata__record_t *r, const element_t *const *operands, int index_operand,
                 element_t *out) {
  int64_t *numbers[3], from[3] = {0}, total = 0, *result = strata_arena_array(v->arena, int64_t, MAX_ELEMENTS);
  for (int k = 0; k < r->n_operands; k++) {
    int64_t count = strata_shape_count(&r->operands[k]);
    if (!operands[k])
      return;
    numbers[k] = strata_arena_array(v->arena, int64_t, count + 1);
    from[k] = total;
    for (int64_t i = 0; i < count; i++)
      if (k != index_operand)
        numbers[k][i] = total++;
      else if (!is_number(operands[k][i], &numbers[k][i]))
        return;
    r->operands[k].type = STRATA_TYPE_I64;
  }
  r->results[0].type = STRATA_TYPE_I64;
  strata_status_t status = strata__evaluate(v->arena, r, (const void *const *)numbers, (void *const[]){result});
  bool failed = status != NULL;
  strata_status_free(status);
  int64_t count = failed ? 0 : strata_shape_count(&r->results[0]);
  for (int64_t i = 0; i < count; i++)
    for (int k = r->n_operands - 1; k >= 0; k--)
      if (k != index_operand && result[i] >= from[k]) {
        out[i] = operands[k][result[i] - from[k]];
        break;
      }
}

static strata_op_id_t op_of_combiner(strata_combiner_t combiner) {
  static const struct {
    strata_combiner_t combiner;
    strata_op_id_t op;
  } table[] = {{STRATA_COMBINER_ADD, STRATA_OP_ADD}, {STRATA_COMBINER_MUL, STRATA_OP_MUL},
               {STRATA_COMBINER_MAX, STRATA_OP_MAX}, {STRATA_COMBINER_MIN, STRATA_OP_MIN},
               {STRATA_COMBINER_AND, STRATA_OP_AND}, {STRATA_COMBINER_OR, STRATA_OP_OR}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].combiner == combiner)
      return table[i].op;
  return STRATA_OP_COUNT;
}

// Of no elements: nothing is known.
static void reduce(evaluator_t *v, const strata__record_t *r, const element_t *operand, element_t *out) {
  const strata__attr_t *axes = strata__get(r, "axes");
  strata_op_id_t op = op_of_combiner(strata_combiner_from_name(strata__get(r, "kind")->string));
  int64_t sizes[STRATA_MAX_RANK], count = strata_shape_count(&r->operands[0]);
  bool reduced_axes[STRATA_MAX_RANK] = {false}, begun[MAX_ELEMENTS] = {false};
  if (!operand || op == STRATA_OP_COUNT || !strata_shape_sizes(&r->operands[0], sizes))
    return;
  for (int i = 0; i < axes->count; i++)
    reduced_axes[axes->i64s[i]] = true;
  for (int64_t i = 0; i < count; i++) {
    int64_t to = 0, stride = 1, rest = i;
    for (int d = r->operands[0].rank - 1; d >= 0; rest /= sizes[d--])
      if (!reduced_axes[d]) {
        to += rest % sizes[d] * stride;
        stride *= sizes[d];
      }
    out[to] = begun[to] ? binary(v, op, r->operands[0].type, out[to], operand[i]) : operand[i];
    begun[to] = true;
  }
}

static void count_up(evaluator_t *v, const strata__record_t *r, element_t *out) {
  int64_t sizes[STRATA_MAX_RANK], axis = strata__i64(r, "axis"), count = strata_shape_count(&r->results[0]), inner = 1;
  if (!strata_shape_sizes(&r->results[0], sizes))
    return;
  for (int i = (int)axis + 1; i < r->results[0].rank; i++)
    inner *= sizes[i];
  for (int64_t i = 0; i < count; i++)
    out[i] = number(v, i / inner % sizes[axis]);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static void evaluate_op(evaluator_t *v, strata__record_t *r, MlirOperation op, int64_t count, element_t *out) {
  const element_t *operands[STRATA__MAX_OPERANDS] = {NULL};
  for (int i = 0; i < r->n_operands; i++)
    operands[i] = evaluate(v, mlirOperationGetOperand(op, i));
  const strata__attr_t *values;
  switch (strata_op_info[r->id].kind) {
  case STRATA_KIND_ELEMENTWISE:
    apply(v, r, operands, count, out);
    break;
  case STRATA_KIND_REDUCE:
    reduce(v, r, operands[0], out);
    break;
  case STRATA_KIND_MOVEMENT:
    if (r->id != STRATA_OP_PAD)
      move(v, r, operands, -1, out);
    break;
  case STRATA_KIND_GATHER:
    move(v, r, operands, 1, out);
    break;
  case STRATA_KIND_SCATTER:
    if (strata_str_equal(strata__get(r, "kind")->string, "none"))
      move(v, r, operands, 1, out);
    break;
  case STRATA_KIND_GENERATE:
    values = strata__get(r, "values");
    if (r->id == STRATA_OP_CONSTANT)
      read_constant(v, mlirOperationGetResult(op, 0), out);
    else if (r->id == STRATA_OP_IOTA)
      count_up(v, r, out);
    for (int64_t i = 0; r->id == STRATA_OP_DIMS && i < count; i++)
      out[i] = whole(values->is_symbolic ? values->dims[i] : strata_dim_constant(v->compile->context, values->i64s[i]));
    break;
  default:
    break;
  }
}

static const element_t *evaluate(evaluator_t *v, MlirValue value) {
  int64_t count = count_of(value), *place = strata_pointer_map_put(&v->seen, value.ptr);
  if (count < 0)
    return NULL;
  if (*place > 0)
    return v->lists.data[*place - 1];
  element_t *out = strata_arena_array(v->arena, element_t, count + 1);
  for (int64_t i = 0; i < count; i++)
    out[i] = unknown;
  *strata_vector_push(v->arena, &v->lists) = out;
  *place = (int64_t)v->lists.count;
  MlirOperation op = strata_def(value);
  strata__record_t record;
  if (mlirOperationIsNull(op) || strata_op_id(op) == STRATA_OP_COUNT || v->depth == MAX_DEPTH)
    return out;
  strata_status_t status = strata__decode(op, &record);
  bool failed = status != NULL;
  strata_status_free(status);
  v->depth++;
  if (!failed && record.n_results == 1)
    evaluate_op(v, &record, op, count, out);
  v->depth--;
  return out;
}

// In the compile's arena; NULL where there are many, or it is not known how many.
static element_t *evaluate_all(strata_compile_t *compile, strata_symbols_t *symbols, MlirValue value,
                               int64_t *out_count) {
  *out_count = mlirValueIsNull(value) ? -1 : count_of(value);
  if (*out_count < 0)
    return NULL;
  evaluator_t v = {.compile = compile, .arena = strata_arena_create(), .symbols = symbols};
  v.seen.arena = v.arena;
  size_t bytes = (size_t)(*out_count + 1) * sizeof(element_t);
  element_t *elements = strata_arena_copy(compile->arena, evaluate(&v, value), bytes);
  strata_arena_destroy(v.arena);
  return elements;
}

bool strata_dim_values(strata_compile_t *compile, strata_symbols_t *symbols, MlirValue value,
                       const strata_dim_value_t **out, int64_t *out_count) {
  int64_t count;
  element_t *elements = evaluate_all(compile, symbols, value, &count);
  if (!elements)
    return false;
  for (int64_t i = 0; i < count; i++)
    if (is_rounded(elements[i])) // a float is nobody's size
      elements[i] = unknown;
  *out = elements;
  *out_count = count;
  return true;
}

bool strata_dim_reals(strata_compile_t *compile, strata_symbols_t *symbols, MlirValue value, const strata_dim_t **out,
                      int64_t *out_count) {
  int64_t count;
  const element_t *elements = evaluate_all(compile, symbols, value, &count);
  if (!elements)
    return false;
  strata__reals_t reals = {compile->arena, compile->context, symbols};
  strata_dim_t *bits = strata_arena_array(compile->arena, strata_dim_t, count + 1);
  for (int64_t i = 0; i < count; i++)
    if (is_known(elements[i]))
      bits[i] = strata__as_real(&reals, strata_shape_of(value).type, elements[i]).dim;
  *out = bits;
  *out_count = count;
  return true;
}
