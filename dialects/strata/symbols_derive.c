// Derived symbols; see symbols.h.
#include "dialects/strata/symbols.h"

#include "dialects/integers.h"

// The operation of the derived symbol that |dim| is; false of anything else.
static bool is_real_symbol(const strata_symbols_t *symbols, strata_dim_t dim, const strata_symbol_t **out_symbol,
                           strata_real_op_t *out) {
  size_t number = mlirAffineExprIsASymbol(dim) ? (size_t)mlirAffineSymbolExprGetPosition(dim) : SIZE_MAX;
  if (number >= symbols->list.count)
    return false;
  *out_symbol = &symbols->list.data[number];
  return strata_symbol_op_is_real((*out_symbol)->op, out);
}

// Of numbers the result; what is a whole number, or an f32, already stays.
static bool simplify_real(const strata_symbols_t *symbols, strata_symbol_op_t op, strata_dim_t lhs, strata_dim_t rhs,
                          strata_dim_t *out) {
  enum { EXACT = 1 << 24 }; // integers up to it are f32
  const strata_symbol_t *inner;
  strata_real_op_t real, before;
  int64_t a, b, value;
  if (!strata_symbol_op_is_real(op, &real))
    return false;
  if (strata_dim_is_constant(lhs, &a) && strata_dim_is_constant(rhs, &b) && strata_real_compute(real, a, b, &value))
    return *out = strata_dim_constant(mlirAffineExprGetContext(lhs), value), true;
  if (real < STRATA_REAL_SINGLE || !is_real_symbol(symbols, lhs, &inner, &before))
    return false;
  bool is_whole = before == STRATA_REAL_OF;
  *out = real == STRATA_REAL_SINGLE ? lhs : inner->lhs;
  return real == STRATA_REAL_SINGLE ? before == real || (is_whole && strata_dim_range(inner->lhs, symbols).max <= EXACT)
                                    : is_whole;
}

// What needs no symbol.
static bool simplify(strata_arena_t *arena, strata_symbols_t *symbols, strata_symbol_op_t op, strata_dim_t lhs,
                     strata_dim_t rhs, strata_dim_t *out) {
  strata_range_t difference = strata_dim_range(strata_dim_sub(lhs, rhs), symbols);
  int64_t divisor;
  switch (op) {
  case STRATA_SYMBOL_MAX:
  case STRATA_SYMBOL_MIN:
    *out = (difference.min >= 0) == (op == STRATA_SYMBOL_MAX) ? lhs : rhs;
    return difference.min >= 0 || difference.max <= 0;
  case STRATA_SYMBOL_FLOORDIV:
    if (strata_dim_is_constant(rhs, &divisor) && divisor > 0)
      *out = strata_dim_floordiv(lhs, divisor);
    else if (!strata_dim_divide(lhs, rhs, out))
      return false;
    return true;
  case STRATA_SYMBOL_MOD: {
    strata_dim_t quotient;
    if (strata_dim_range(lhs, symbols).min >= 0 && difference.max < 0)
      return *out = lhs, true;
    if (!simplify(arena, symbols, STRATA_SYMBOL_FLOORDIV, lhs, rhs, &quotient))
      return false;
    *out = strata_dim_sub(lhs, strata_dim_mul(quotient, rhs));
    return true;
  }
  default:
    return simplify_real(symbols, op, lhs, rhs, out);
  }
}

//===-- Ranges of floats -----------------------------------------------------------------------------------------===//

// What a result may be more than it is by rounding to f32, which that to f64 is less than.
#define ROUNDED_UP (1 + 0x1p-23)

static double greatest(const strata_symbols_t *symbols, strata_dim_t bits) {
  int64_t max = strata_dim_range(bits, symbols).max;
  return max == INT64_MAX ? HUGE_VAL : strata_real_value(max);
}

// The size that a float is, but for rounding; null where it is none.
static strata_dim_t size_of_real(const strata_symbols_t *symbols, strata_dim_t bits) {
  const strata_symbol_t *symbol;
  strata_real_op_t op;
  if (!is_real_symbol(symbols, bits, &symbol, &op))
    return (strata_dim_t){0};
  return op == STRATA_REAL_OF       ? symbol->lhs
         : op == STRATA_REAL_SINGLE ? size_of_real(symbols, symbol->lhs)
                                    : (strata_dim_t){0};
}

// A number that |bits| times |size|, at least 1, is at most, as of factors that make the longest of sides a given
// length; infinity where nothing is known.
static double most_times(const strata_symbols_t *symbols, strata_dim_t bits, strata_dim_t size) {
  size_t number = mlirAffineExprIsASymbol(bits) ? (size_t)mlirAffineSymbolExprGetPosition(bits) : SIZE_MAX;
  if (number >= symbols->list.count)
    return HUGE_VAL;
  strata_symbol_t symbol = symbols->list.data[number];
  strata_real_op_t op;
  if (symbol.op == STRATA_SYMBOL_MIN)
    return fmin(most_times(symbols, symbol.lhs, size), most_times(symbols, symbol.rhs, size));
  if (!strata_symbol_op_is_real(symbol.op, &op))
    return HUGE_VAL;
  if (op == STRATA_REAL_SINGLE)
    return ROUNDED_UP * most_times(symbols, symbol.lhs, size);
  if (op == STRATA_REAL_MUL)
    return ROUNDED_UP * fmin(most_times(symbols, symbol.lhs, size) * greatest(symbols, symbol.rhs),
                             most_times(symbols, symbol.rhs, size) * greatest(symbols, symbol.lhs));
  strata_dim_t divisor = op == STRATA_REAL_DIV ? size_of_real(symbols, symbol.rhs) : (strata_dim_t){0};
  bool is_less = !mlirAffineExprIsNull(divisor) && strata_dim_range(strata_dim_sub(divisor, size), symbols).min >= 0;
  return is_less ? ROUNDED_UP * ROUNDED_UP * greatest(symbols, symbol.lhs) : HUGE_VAL;
}

// A product of a size and what divides by no less.
static int64_t greatest_product(const strata_symbols_t *symbols, strata_dim_t lhs, strata_dim_t rhs) {
  strata_dim_t factors[] = {lhs, rhs}, size;
  double most = HUGE_VAL;
  int64_t bits;
  for (int i = 0; i < 2; i++)
    if (size = size_of_real(symbols, factors[i]), !mlirAffineExprIsNull(size))
      most = fmin(most, ROUNDED_UP * ROUNDED_UP * most_times(symbols, factors[1 - i], size));
  return strata_real_bits(most, &bits) ? bits : INT64_MAX;
}

// All of these operations are monotone; what has no result, as beyond an end that is not known, says nothing.
static strata_range_t range_of_real(strata_real_op_t op, strata_range_t a, strata_range_t b) {
  bool falls = op == STRATA_REAL_SUB || op == STRATA_REAL_DIV;
  strata_range_t range;
  if (!strata_real_compute(op, strata_max(0, a.min), falls ? b.max : b.min, &range.min))
    range.min = 0;
  if (!strata_real_compute(op, a.max, falls ? b.min : b.max, &range.max))
    range.max = INT64_MAX;
  return range;
}

static strata_range_t range_of(strata_symbol_op_t op, strata_range_t a, strata_range_t b) {
  strata_real_op_t real;
  if (strata_symbol_op_is_real(op, &real))
    return range_of_real(real, a, b);
  if (op == STRATA_SYMBOL_MAX)
    return (strata_range_t){strata_max(a.min, b.min), strata_max(a.max, b.max)};
  if (op == STRATA_SYMBOL_MIN)
    return (strata_range_t){strata_min(a.min, b.min), strata_min(a.max, b.max)};
  if (op == STRATA_SYMBOL_MOD)
    return (strata_range_t){0, b.max > 0 && b.max < INT64_MAX ? b.max - 1 : INT64_MAX};
  bool is_plain = a.min >= 0 && b.min >= 1;
  return is_plain ? (strata_range_t){a.min / b.max, a.max / b.min} : (strata_range_t){INT64_MIN, INT64_MAX};
}

static bool is_same(const strata_symbol_t *symbol, strata_symbol_op_t op, strata_dim_t lhs, strata_dim_t rhs) {
  bool commutes = op == STRATA_SYMBOL_MAX || op == STRATA_SYMBOL_MIN;
  return symbol->op == op && op != STRATA_SYMBOL_GIVEN &&
         ((strata_dim_equal(symbol->lhs, lhs) && strata_dim_equal(symbol->rhs, rhs)) ||
          (commutes && strata_dim_equal(symbol->lhs, rhs) && strata_dim_equal(symbol->rhs, lhs)));
}

// A float as a person reads it: numbers are bits.
static const char *real_text(strata_arena_t *arena, const strata_symbols_t *symbols, strata_dim_t dim) {
  int64_t bits;
  return strata_dim_is_constant(dim, &bits) ? strata_arena_printf(arena, "%.9g", strata_real_value(bits))
                                            : strata_symbols_text(arena, symbols, dim);
}

static const char *name_of(strata_arena_t *arena, const strata_symbols_t *symbols, strata_symbol_op_t op,
                           strata_dim_t lhs, strata_dim_t rhs) {
  static const char *const signs[] = {
      [STRATA_REAL_ADD] = "+", [STRATA_REAL_SUB] = "-", [STRATA_REAL_MUL] = "*", [STRATA_REAL_DIV] = "/"};
  static const char *const functions[] = {[STRATA_REAL_SINGLE] = "f32",
                                          [STRATA_REAL_FLOOR] = "floor",
                                          [STRATA_REAL_CEIL] = "ceil",
                                          [STRATA_REAL_RINT] = "round"};
  strata_real_op_t real;
  const char *l = strata_symbols_text(arena, symbols, lhs), *r = strata_symbols_text(arena, symbols, rhs);
  if (!strata_symbol_op_is_real(op, &real))
    return strata_arena_printf(arena, "%s(%s, %s)", strata_symbol_op_name(op), l, r);
  if (real == STRATA_REAL_OF)
    return l;
  if (real >= STRATA_REAL_SINGLE)
    return strata_arena_printf(arena, "%s(%s)", functions[real], real_text(arena, symbols, lhs));
  return strata_arena_printf(arena, "(%s %s %s)", real_text(arena, symbols, lhs), signs[real],
                             real_text(arena, symbols, rhs));
}

strata_dim_t strata_symbols_derive(strata_arena_t *arena, strata_symbols_t *symbols, strata_symbol_op_t op,
                                   strata_dim_t lhs, strata_dim_t rhs) {
  strata_dim_t result;
  if (simplify(arena, symbols, op, lhs, rhs, &result))
    return result;
  MlirContext context = mlirAffineExprGetContext(lhs);
  for (size_t i = 0; i < symbols->list.count; i++)
    if (is_same(&symbols->list.data[i], op, lhs, rhs))
      return strata_dim_symbol(context, (int)i);
  strata_range_t range = range_of(op, strata_dim_range(lhs, symbols), strata_dim_range(rhs, symbols));
  if (op == (strata_symbol_op_t)(STRATA_SYMBOL_REAL + STRATA_REAL_MUL))
    range.max = strata_min(range.max, greatest_product(symbols, lhs, rhs));
  int64_t multiple = 1;
  if (op == STRATA_SYMBOL_MAX || op == STRATA_SYMBOL_MIN)
    multiple = strata_max(1, strata_gcd(strata_dim_divisor(lhs, symbols), strata_dim_divisor(rhs, symbols)));
  const char *name = name_of(arena, symbols, op, lhs, rhs);
  *strata_vector_push(arena, &symbols->list) = (strata_symbol_t){
      .name = name, .op = op, .lhs = lhs, .rhs = rhs, .min = range.min, .max = range.max, .multiple = multiple};
  return strata_dim_symbol(context, (int)symbols->list.count - 1);
}
