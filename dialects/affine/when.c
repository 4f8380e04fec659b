// See when.h. A constraint is about one expression and a number; what it says of single symbols is found by asking for
// which of their values it can still hold.
#include "dialects/affine/when.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

enum { MAX_CONSTRAINTS = 16, MAX_SYMBOLS = 256 };

//===-- Constraints ----------------------------------------------------------------------------------------------===//

static MlirAffineExpr constant(MlirAffineExpr like, int64_t value) {
  return mlirAffineConstantExprGet(mlirAffineExprGetContext(like), value);
}

static MlirAffineExpr negative(MlirAffineExpr expr) { return mlirAffineMulExprGet(expr, constant(expr, -1)); }

static MlirAffineExpr plus(MlirAffineExpr expr, int64_t value) {
  return mlirAffineAddExprGet(expr, constant(expr, value));
}

typedef struct {
  int count;
  MlirAffineExpr exprs[MAX_CONSTRAINTS];
  bool is_equation[MAX_CONSTRAINTS];
} constraints_t;

static void add(constraints_t *c, MlirAffineExpr expr, bool is_equation) {
  if (c->count == MAX_CONSTRAINTS)
    return;
  c->exprs[c->count] = expr;
  c->is_equation[c->count++] = is_equation;
}

static void add_range(constraints_t *c, const strata_size_range_t *range) {
  if (range->min == range->max) {
    add(c, plus(range->expr, -range->min), true);
    return;
  }
  if (range->min > 0)
    add(c, plus(range->expr, -range->min), false);
  if (range->max < INT64_MAX)
    add(c, plus(negative(range->expr), range->max), false);
  if (range->multiple > 1)
    add(c, mlirAffineModExprGet(range->expr, constant(range->expr, range->multiple)), true);
}

MlirIntegerSet strata_when_of_ranges(MlirContext context, int count, const strata_size_range_t *ranges) {
  constraints_t c = {0};
  int n_symbols = 0;
  for (int i = 0; i < count; i++)
    add_range(&c, &ranges[i]);
  for (int i = 0; i < c.count; i++)
    n_symbols = (int)strata_max(n_symbols, strata_expr_symbols(c.exprs[i]));
  return c.count ? mlirIntegerSetGet(context, 0, n_symbols, c.count, c.exprs, c.is_equation) : (MlirIntegerSet){0};
}

// A constraint as a range of what is left of it without its constant and sign.
static strata_size_range_t range_of(MlirIntegerSet when, intptr_t index) {
  MlirAffineExpr expr = mlirIntegerSetGetConstraint(when, index), rhs;
  bool is_equation = mlirIntegerSetIsConstraintEq(when, index), is_negative = false;
  int64_t offset = 0;
  if (mlirAffineExprIsAAdd(expr) && mlirAffineExprIsAConstant(rhs = mlirAffineBinaryOpExprGetRHS(expr))) {
    offset = mlirAffineConstantExprGetValue(rhs);
    expr = mlirAffineBinaryOpExprGetLHS(expr);
  }
  if (mlirAffineExprIsAMul(expr) && mlirAffineExprIsAConstant(rhs = mlirAffineBinaryOpExprGetRHS(expr)) &&
      mlirAffineConstantExprGetValue(rhs) == -1) {
    is_negative = true;
    expr = mlirAffineBinaryOpExprGetLHS(expr);
  }
  bool is_multiple = is_equation && offset == 0 && mlirAffineExprIsAMod(expr) &&
                     mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr));
  if (is_multiple)
    return (strata_size_range_t){mlirAffineBinaryOpExprGetLHS(expr), 0, INT64_MAX,
                                 mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(expr))};
  strata_size_range_t range = {expr, INT64_MIN, INT64_MAX, 1};
  if (is_equation || !is_negative)
    range.min = is_negative ? offset : -offset;
  if (is_equation || is_negative)
    range.max = is_negative ? offset : -offset;
  return range;
}

MlirIntegerSet strata_when_around(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !strata_op_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  MlirAttribute when = mlirOperationIsNull(op) ? (MlirAttribute){0} : strata_attr(op, STRATA_WHEN);
  return strata_when_is_valid(when, MAX_SYMBOLS) ? mlirIntegerSetAttrGetValue(when) : (MlirIntegerSet){0};
}

intptr_t strata_when_count_exceptions(MlirOperation func) {
  MlirAttribute list = strata_attr(func, STRATA_UNLESS);
  return mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list) ? 0 : mlirArrayAttrGetNumElements(list);
}

MlirIntegerSet strata_when_exception(MlirOperation func, intptr_t index) {
  MlirAttribute each = mlirArrayAttrGetElement(strata_attr(func, STRATA_UNLESS), index);
  return strata_when_is_valid(each, MAX_SYMBOLS) ? mlirIntegerSetAttrGetValue(each) : (MlirIntegerSet){0};
}

bool strata_when_is_valid(MlirAttribute when, int n_symbols) {
  if (mlirAttributeIsNull(when) || !mlirAttributeIsAIntegerSet(when))
    return false;
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(when);
  return mlirIntegerSetGetNumDims(set) == 0 && mlirIntegerSetGetNumSymbols(set) <= n_symbols;
}

bool strata_when_holds(MlirIntegerSet when, const int64_t *values) {
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(when); i++) {
    int64_t value;
    if (!strata_expr_evaluate(mlirIntegerSetGetConstraint(when, i), values, &value) ||
        (mlirIntegerSetIsConstraintEq(when, i) ? value != 0 : value < 0))
      return false;
  }
  return true;
}

//===-- Two conditions -------------------------------------------------------------------------------------------===//

static int64_t negative_limit(int64_t limit) { return limit == INT64_MAX ? INT64_MIN : strata_minus(0, limit); }

// A constraint as a range of its expression without a factor that is a number; a multiple has no limits.
static strata_size_range_t range_without_factor(MlirIntegerSet when, intptr_t index) {
  strata_size_range_t range = range_of(when, index);
  if (range.multiple > 1) {
    range.min = INT64_MIN;
    return range;
  }
  if (!mlirAffineExprIsAMul(range.expr) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(range.expr)))
    return range;
  int64_t factor = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(range.expr));
  if (factor < 0)
    range = (strata_size_range_t){range.expr, negative_limit(range.max), negative_limit(range.min), 1};
  int64_t size = strata_max(factor, strata_minus(0, factor));
  range.expr = mlirAffineBinaryOpExprGetLHS(range.expr);
  range.min = range.min == INT64_MIN ? INT64_MIN : negative_limit(strata_floor_div(negative_limit(range.min), size));
  range.max = range.max == INT64_MAX ? INT64_MAX : strata_floor_div(range.max, size);
  return range;
}

static bool is_within(const strata_size_range_t *a, const strata_size_range_t *b) {
  return mlirAffineExprEqual(a->expr, b->expr) && a->min >= b->min && a->max <= b->max &&
         a->multiple % b->multiple == 0;
}

// True if |when| says of constraint |index| of |of| that it holds.
static bool says(MlirIntegerSet when, MlirIntegerSet of, intptr_t index) {
  bool is_said = false;
  const strata_size_range_t range = range_without_factor(of, index);
  for (intptr_t i = 0; !mlirIntegerSetIsNull(when) && i < mlirIntegerSetGetNumConstraints(when); i++) {
    const strata_size_range_t own = range_without_factor(when, i);
    is_said |= is_within(&own, &range);
  }
  return is_said;
}

MlirIntegerSet strata_when_both(strata_arena_t *arena, MlirIntegerSet a, MlirIntegerSet b) {
  if (mlirIntegerSetIsNull(a) || mlirIntegerSetIsNull(b))
    return mlirIntegerSetIsNull(a) ? b : a;
  intptr_t n_own = mlirIntegerSetGetNumConstraints(a), n_others = mlirIntegerSetGetNumConstraints(b), count = 0;
  MlirAffineExpr *exprs = strata_arena_array(arena, MlirAffineExpr, n_own + n_others);
  bool *are_equations = strata_arena_array(arena, bool, n_own + n_others);
  for (intptr_t i = 0; i < n_own + n_others; i++) {
    MlirIntegerSet from = i < n_own ? a : b;
    intptr_t index = i < n_own ? i : i - n_own;
    if (i >= n_own && says(a, b, index))
      continue;
    exprs[count] = mlirIntegerSetGetConstraint(from, index);
    are_equations[count++] = mlirIntegerSetIsConstraintEq(from, index);
  }
  intptr_t n_symbols = strata_max(mlirIntegerSetGetNumSymbols(a), mlirIntegerSetGetNumSymbols(b));
  return mlirIntegerSetGet(mlirIntegerSetGetContext(a), 0, n_symbols, count, exprs, are_equations);
}

bool strata_when_implies(MlirIntegerSet a, MlirIntegerSet b) {
  bool are_said = true;
  for (intptr_t i = 0; !mlirIntegerSetIsNull(b) && i < mlirIntegerSetGetNumConstraints(b); i++)
    are_said = are_said && says(a, b, i);
  return are_said;
}

bool strata_when_excludes(MlirIntegerSet a, MlirIntegerSet b) {
  if (mlirIntegerSetIsNull(a) || mlirIntegerSetIsNull(b))
    return false;
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(a); i++)
    for (intptr_t j = 0; j < mlirIntegerSetGetNumConstraints(b); j++) {
      const strata_size_range_t own = range_without_factor(a, i), other = range_without_factor(b, j);
      if (mlirAffineExprEqual(own.expr, other.expr) && (own.max < other.min || other.max < own.min))
        return true;
    }
  return false;
}

const char *strata_when_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirIntegerSet when) {
  const char *text = "";
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(when); i++) {
    strata_size_range_t range = range_of(when, i);
    const char *expr = strata_symbols_text(arena, symbols, range.expr);
    text = strata_arena_printf(arena, "%s%s%s", text, i ? ", " : "", expr);
    if (range.multiple > 1)
      text = strata_arena_printf(arena, "%s mod %lld == 0", text, (long long)range.multiple);
    else if (range.min == range.max)
      text = strata_arena_printf(arena, "%s == %lld", text, (long long)range.min);
    else if (range.max == INT64_MAX)
      text = strata_arena_printf(arena, "%s >= %lld", text, (long long)range.min);
    else
      text = strata_arena_printf(arena, "%s <= %lld", text, (long long)range.max);
  }
  return text;
}

//===-- What is known where a condition holds --------------------------------------------------------------------===//

typedef struct {
  strata_size_symbols_t *symbols;
  strata_size_t *sizes;
  const strata_size_range_t *range;
} narrowing_t;

// Whether the expression may be in its range where symbol |index| is within |min| and |max|.
static bool is_possible(const narrowing_t *n, int index, int64_t min, int64_t max) {
  strata_size_t kept = n->sizes[index];
  n->sizes[index].min = min;
  n->sizes[index].max = max;
  strata_size_t size = strata_size_of_expr(n->symbols, n->range->expr);
  n->sizes[index] = kept;
  return size.max >= n->range->min && size.min <= n->range->max;
}

static int64_t middle(int64_t a, int64_t b) { return a + (int64_t)(((uint64_t)b - (uint64_t)a) / 2); }

// Limits of a symbol: halves of its range that cannot be are cut off, as multiples of its divisor.
static void narrow_symbol(const narrowing_t *n, int index) {
  strata_size_t *size = &n->sizes[index];
  if (size->min < 0 || !is_possible(n, index, size->min, size->max))
    return;
  int64_t low = size->min, high = size->max;
  while (low < high) { // the largest |low| from which on it is possible
    int64_t at = high - (high - low) / 2;
    if (is_possible(n, index, at, size->max))
      low = at;
    else
      high = at - 1;
  }
  int64_t last = low;
  for (low = size->min, high = last; low < high;) { // the least |high| up to which it is
    int64_t at = middle(low, high);
    if (is_possible(n, index, size->min, at))
      high = at;
    else
      low = at + 1;
  }
  int64_t divisor = strata_max(size->divisor, 1);
  size->min = strata_min(low + (divisor - low % divisor) % divisor, last);
  size->max = strata_max(last - last % divisor, size->min);
}

// What a multiple of both is a multiple of; one of the two where that is too large.
static int64_t both_divisors(int64_t a, int64_t b) {
  int64_t both;
  return a == 0 || b <= 1 || __builtin_mul_overflow(a / strata_gcd(a, b), b, &both) ? a : both;
}

static void narrow_divisor(const narrowing_t *n) {
  intptr_t index =
      mlirAffineExprIsASymbol(n->range->expr) ? mlirAffineSymbolExprGetPosition(n->range->expr) : n->symbols->count;
  if (index < n->symbols->count)
    n->sizes[index].divisor = both_divisors(n->sizes[index].divisor, n->range->multiple);
}

static void narrow_by(const narrowing_t *n) {
  bool used[MAX_SYMBOLS] = {false};
  strata_expr_use_symbols(n->range->expr, MAX_SYMBOLS, used);
  narrow_divisor(n);
  for (int i = 0; i < n->symbols->count && i < MAX_SYMBOLS; i++)
    if (used[i])
      narrow_symbol(n, i);
}

//===-- Likely sizes ---------------------------------------------------------------------------------------------===//

enum { MAX_CHOICES = STRATA_MAX_LIKELY + 8, MAX_SEARCHED = 3 };

// Values that a symbol may have, the likely ones first.
static int choices_of(const strata_symbol_t *symbol, strata_size_t size, int64_t *out) {
  int64_t divisor = strata_max(size.divisor, 1), few[] = {1, 8, 64, 512, 4096, 32768};
  int count = 0;
  for (int i = 0; i < symbol->n_likely; i++)
    if (symbol->likely[i] >= size.min && symbol->likely[i] <= size.max && symbol->likely[i] % divisor == 0)
      out[count++] = symbol->likely[i];
  for (size_t i = 0; i < sizeof few / sizeof *few; i++)
    if (few[i] * divisor >= size.min && few[i] * divisor <= size.max)
      out[count++] = few[i] * divisor;
  out[count++] = size.min;
  out[count++] = size.max;
  return count;
}

typedef struct {
  MlirIntegerSet when;
  const strata_symbols_t *table;
  const strata_size_t *sizes;
  int count, symbols[MAX_SEARCHED];
  int64_t *values;
} search_t;

// Whether some choices of the symbols from |index| on make the condition hold.
static bool choose(search_t *s, int index) {
  if (index == s->count || index == MAX_SEARCHED)
    return strata_when_holds(s->when, s->values);
  int64_t choices[MAX_CHOICES];
  int symbol = s->symbols[index];
  int count = choices_of(&s->table->list.data[symbol], s->sizes[symbol], choices);
  for (int i = 0; i < count; i++) {
    s->values[symbol] = choices[i];
    if (choose(s, index + 1))
      return true;
  }
  s->values[symbol] = choices[0];
  return false;
}

static void choose_likely(MlirIntegerSet when, const strata_symbols_t *table, const strata_size_t *sizes,
                          int64_t *likely) {
  search_t search = {.when = when, .table = table, .sizes = sizes, .values = likely};
  bool used[MAX_SYMBOLS] = {false};
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(when); i++)
    strata_expr_use_symbols(mlirIntegerSetGetConstraint(when, i), MAX_SYMBOLS, used);
  for (int i = 0; i < (int)table->list.count && i < MAX_SYMBOLS; i++)
    if (used[i] && search.count < MAX_SEARCHED)
      search.symbols[search.count++] = i;
  choose(&search, 0);
}

void strata_when_narrow(strata_arena_t *arena, MlirIntegerSet when, const strata_symbols_t *table,
                        strata_size_symbols_t *symbols, strata_size_t *sizes, int64_t *likely) {
  intptr_t count = mlirIntegerSetGetNumConstraints(when);
  strata_size_range_t *known = strata_arena_array(arena, strata_size_range_t, count + 1);
  for (intptr_t i = 0; i < count; i++) {
    known[i] = range_of(when, i);
    narrow_by(&(narrowing_t){symbols, sizes, &known[i]});
  }
  choose_likely(when, table, sizes, likely);
  symbols->n_known = (int)count;
  symbols->known = known;
}

strata_size_t strata_when_narrowed(const strata_size_symbols_t *symbols, MlirAffineExpr expr, strata_size_t size) {
  for (int i = 0; i < symbols->n_known; i++) {
    const strata_size_range_t *known = &symbols->known[i];
    if (!mlirAffineExprEqual(known->expr, expr))
      continue;
    size.min = strata_max(size.min, known->min);
    size.max = strata_max(strata_min(size.max, known->max), size.min);
    size.divisor = both_divisors(size.divisor, known->multiple);
  }
  return size;
}
