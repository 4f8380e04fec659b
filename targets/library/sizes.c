// See sizes.h. Values are found again by a hash table of their operations; operands of those that may be swapped are in
// order, and what constants decide is decided here.
#include "targets/library/sizes.h"

#include "dialects/affine/variants.h"
#include "runtime/library/sizes.h"

//===-- Values ---------------------------------------------------------------------------------------------------===//

static size_t hash_of(const strata_value_info_t *info) {
  uint64_t hash = info->op;
  hash = (hash ^ (uint64_t)info->a) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 29 ^ (uint64_t)info->b) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(hash ^ hash >> 32);
}

// Where the value is, or where it belongs: an entry is 1 + its place in the list, 0 is free.
static size_t *find(const strata_sizes_t *sizes, const strata_value_info_t *info) {
  size_t at = hash_of(info) % sizes->capacity;
  for (;; at = (at + 1) % sizes->capacity) {
    const strata_value_info_t *other = sizes->table[at] ? &sizes->values.data[sizes->table[at] - 1] : NULL;
    if (!other || (other->op == info->op && other->a == info->a && other->b == info->b))
      return &sizes->table[at];
  }
}

static void grow(strata_sizes_t *sizes) {
  sizes->capacity = sizes->capacity ? 2 * sizes->capacity : 64;
  sizes->table = strata_arena_array(sizes->arena, size_t, sizes->capacity);
  for (size_t i = 0; i < sizes->values.count; i++)
    *find(sizes, &sizes->values.data[i]) = i + 1;
}

// The number of a value, of the list from now on.
static size_t value_of(strata_sizes_t *sizes, strata_value_info_t info) {
  if (2 * sizes->values.count >= sizes->capacity)
    grow(sizes);
  size_t *entry = find(sizes, &info);
  if (!*entry) {
    *strata_vector_push(sizes->arena, &sizes->values) = info;
    *entry = sizes->values.count;
  }
  return sizes->n_given + *entry - 1;
}

static strata_number_t number_of(size_t value) { return -1 - (int64_t)value; }

static strata_number_t constant(strata_sizes_t *sizes, int64_t value) {
  return value >= 0 ? value
                    : number_of(value_of(sizes, (strata_value_info_t){.op = STRATA_VALUE_CONSTANT, .a = value}));
}

// As an operand: constants too are values there.
static int64_t operand(strata_sizes_t *sizes, strata_number_t number) {
  strata_value_info_t info = {.op = STRATA_VALUE_CONSTANT, .a = number};
  return number < 0 ? -1 - number : (int64_t)value_of(sizes, info);
}

// True if the number is a constant, negative ones among them.
static bool is_constant(const strata_sizes_t *sizes, strata_number_t number, int64_t *out) {
  *out = number;
  if (number >= 0)
    return true;
  size_t value = (size_t)(-1 - number), first = sizes->n_given;
  if (value < first || sizes->values.data[value - first].op != STRATA_VALUE_CONSTANT)
    return false;
  *out = sizes->values.data[value - first].a;
  return true;
}

// What x op y is by the rules of arithmetic where y is a constant; false if that takes an operation.
static bool simplify(uint64_t op, strata_number_t x, int64_t y, strata_number_t *out) {
  *out = x;
  switch (op) {
  case STRATA_VALUE_ADD:
    return y == 0;
  case STRATA_VALUE_MUL:
    *out = y == 0 ? 0 : x;
    return y == 0 || y == 1;
  case STRATA_VALUE_FLOORDIV:
  case STRATA_VALUE_CEILDIV:
    return y == 1;
  case STRATA_VALUE_MOD:
    *out = 0;
    return y == 1;
  }
  return false;
}

static bool commutes(uint64_t op) {
  return op == STRATA_VALUE_ADD || op == STRATA_VALUE_MUL || op == STRATA_VALUE_MIN || op == STRATA_VALUE_MAX;
}

strata_number_t strata_sizes_op(strata_sizes_t *sizes, uint64_t op, strata_number_t a, strata_number_t b) {
  int64_t x, y, known;
  if (!sizes)
    return strata_rt_value(op, a, b, &known) ? known : INT64_MAX;
  bool has_x = is_constant(sizes, a, &x), has_y = is_constant(sizes, b, &y);
  if (has_x && has_y && strata_rt_value(op, x, y, &known))
    return constant(sizes, known);
  if (has_x && !has_y && commutes(op))
    return strata_sizes_op(sizes, op, b, a);
  strata_number_t same;
  if (has_y && simplify(op, a, y, &same))
    return same;
  if (a == b && (op == STRATA_VALUE_MIN || op == STRATA_VALUE_MAX))
    return a;
  strata_value_info_t info = {op, operand(sizes, a), operand(sizes, b)};
  if (commutes(op) && !has_y && info.a > info.b)
    info = (strata_value_info_t){op, info.b, info.a};
  return number_of(value_of(sizes, info));
}

static uint64_t op_of(MlirAffineExpr expr) {
  return mlirAffineExprIsAAdd(expr)        ? STRATA_VALUE_ADD
         : mlirAffineExprIsAMul(expr)      ? STRATA_VALUE_MUL
         : mlirAffineExprIsAFloorDiv(expr) ? STRATA_VALUE_FLOORDIV
         : mlirAffineExprIsACeilDiv(expr)  ? STRATA_VALUE_CEILDIV
                                           : STRATA_VALUE_MOD;
}

static strata_number_t value_of_symbol(strata_sizes_t *sizes, int64_t symbol) {
  bool is_one = symbol >= 0 && (size_t)symbol < sizes->symbols->list.count;
  sizes->is_malformed |= !is_one;
  return is_one ? sizes->of_symbols[symbol] : 0;
}

strata_number_t strata_sizes_expr(strata_sizes_t *sizes, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr)) {
    int64_t value = mlirAffineConstantExprGetValue(expr);
    return sizes ? constant(sizes, value) : value;
  }
  if (mlirAffineExprIsASymbol(expr) || mlirAffineExprIsADim(expr))
    return value_of_symbol(sizes, mlirAffineExprIsADim(expr) ? -1 : mlirAffineSymbolExprGetPosition(expr));
  strata_number_t lhs = strata_sizes_expr(sizes, mlirAffineBinaryOpExprGetLHS(expr));
  return strata_sizes_op(sizes, op_of(expr), lhs, strata_sizes_expr(sizes, mlirAffineBinaryOpExprGetRHS(expr)));
}

//===-- Variants -------------------------------------------------------------------------------------------------===//

static strata_number_t add(strata_sizes_t *sizes, strata_number_t a, int64_t b) {
  return strata_sizes_op(sizes, STRATA_VALUE_ADD, a, constant(sizes, b));
}

static strata_number_t times(strata_sizes_t *sizes, strata_number_t a, int64_t b) {
  return strata_sizes_op(sizes, STRATA_VALUE_MUL, a, constant(sizes, b));
}

// 1 where the constraint holds, else 0: of e == 0 it is max(1 - max(e, -e), 0), of e >= 0 max(min(e + 1, 1), 0).
static strata_number_t constraint_value(strata_sizes_t *sizes, MlirAffineExpr expr, bool is_equation) {
  strata_number_t value = strata_sizes_expr(sizes, expr);
  if (is_equation) {
    strata_number_t distance = strata_sizes_op(sizes, STRATA_VALUE_MAX, value, times(sizes, value, -1));
    value = add(sizes, times(sizes, distance, -1), 1);
  } else {
    value = strata_sizes_op(sizes, STRATA_VALUE_MIN, add(sizes, value, 1), 1);
  }
  return strata_sizes_op(sizes, STRATA_VALUE_MAX, value, 0);
}

// 1 where the condition holds, else 0.
static strata_number_t condition_value(strata_sizes_t *sizes, MlirIntegerSet when) {
  strata_number_t value = 1;
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(when); i++) {
    strata_number_t one =
        constraint_value(sizes, mlirIntegerSetGetConstraint(when, i), mlirIntegerSetIsConstraintEq(when, i));
    value = i ? strata_sizes_op(sizes, STRATA_VALUE_MIN, value, one) : one;
  }
  return value;
}

// 1 where the variant is one for the sizes, but for those in front of it.
static strata_number_t variant_value(strata_sizes_t *sizes, MlirOperation variant) {
  strata_number_t value = condition_value(sizes, strata_when_around(variant));
  for (intptr_t i = 0; i < strata_when_count_exceptions(variant); i++) {
    strata_number_t holds = condition_value(sizes, strata_when_exception(variant, i));
    value = strata_sizes_op(sizes, STRATA_VALUE_MIN, value, add(sizes, times(sizes, holds, -1), 1));
  }
  return value;
}

// From the last one on: where a condition c holds the number is n, else that of the variants behind, p, which is
// p + c * (n - p).
strata_number_t strata_sizes_pick(strata_sizes_t *sizes, int n_variants, const MlirOperation *variants) {
  strata_number_t pick = 0;
  for (int i = n_variants; i-- > 0;) {
    strata_number_t holds = variant_value(sizes, variants[i]);
    strata_number_t difference = add(sizes, times(sizes, pick, -1), i + 1);
    strata_number_t step = strata_sizes_op(sizes, STRATA_VALUE_MUL, holds, difference);
    pick = strata_sizes_op(sizes, STRATA_VALUE_ADD, pick, step);
  }
  return pick;
}

void strata_sizes_require(strata_sizes_t *sizes, strata_number_t number, int64_t min, int64_t max, int64_t multiple,
                          const char *text) {
  bool is_anything = min == INT64_MIN && max == INT64_MAX && multiple == 1;
  if (!is_anything && strata_number_varies(number))
    *strata_vector_push(sizes->arena, &sizes->checks) =
        (strata_rt_check_t){(uint64_t)(-1 - number), min, max, multiple, text};
}

//===-- Symbols --------------------------------------------------------------------------------------------------===//

static MlirAffineExpr minus_one(MlirAffineExpr like) {
  return mlirAffineConstantExprGet(mlirAffineExprGetContext(like), -1);
}

static void add_derived(strata_sizes_t *sizes, size_t index) {
  static const uint64_t ops[] = {
      [STRATA_SYMBOL_MAX] = STRATA_VALUE_MAX,           [STRATA_SYMBOL_MIN] = STRATA_VALUE_MIN,
      [STRATA_SYMBOL_FLOORDIV] = STRATA_VALUE_FLOORDIV, [STRATA_SYMBOL_MOD] = STRATA_VALUE_MOD,
      [STRATA_SYMBOL_CHECK] = STRATA_VALUE_ADD, // of the negative
  };
  const strata_symbol_t *symbol = &sizes->symbols->list.data[index];
  strata_number_t lhs = strata_sizes_expr(sizes, symbol->lhs), rhs = strata_sizes_expr(sizes, symbol->rhs);
  strata_real_op_t real;
  if (symbol->op == STRATA_SYMBOL_CHECK)
    rhs = strata_sizes_op(sizes, STRATA_VALUE_MUL, rhs, strata_sizes_expr(sizes, minus_one(symbol->lhs)));
  bool is_real = strata_symbol_op_is_real(symbol->op, &real);
  sizes->of_symbols[index] = strata_sizes_op(sizes, is_real ? STRATA_VALUE_REAL + real : ops[symbol->op], lhs, rhs);
  strata_sizes_require(sizes, sizes->of_symbols[index], symbol->min, symbol->max, symbol->multiple, symbol->name);
}

strata_sizes_t *strata_sizes_create(strata_arena_t *arena, const strata_symbols_t *symbols) {
  strata_sizes_t *sizes = strata_arena_new(arena, strata_sizes_t);
  *sizes = (strata_sizes_t){.arena = arena, .symbols = symbols, .n_given = strata_symbols_given(symbols)};
  sizes->of_symbols = strata_arena_array(arena, strata_number_t, symbols->list.count + 1);
  for (size_t i = 0; i < sizes->n_given; i++)
    sizes->of_symbols[i] = number_of(i);
  for (size_t i = sizes->n_given; i < symbols->list.count; i++)
    add_derived(sizes, i);
  return sizes;
}

strata_status_t strata_sizes_check(const strata_sizes_t *sizes) {
  if (sizes->is_malformed)
    return strata_error(STRATA_INTERNAL, "library: a size with a symbol that strata.symbols does not have");
  size_t count = sizes->n_given + sizes->values.count;
  return count <= STRATA_RT_MAX_VALUES
             ? NULL
             : strata_error(STRATA_UNSUPPORTED, "expected at most %d numbers that depend on sizes, got %zu",
                            (int)STRATA_RT_MAX_VALUES, count);
}
