// Attention whose scores count where a condition on the numbers of rows and columns holds alone; see
// attention_reader.h.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/simplify.h"

#include <math.h>

typedef strata_term_t term_t;
typedef strata_attention_reader_t reader_t;

enum { MAX_STEPS = 64 }; // of arithmetic on numbers of rows and columns

static bool op_is(MlirOperation op, const char *name) { return !mlirOperationIsNull(op) && strata_op_is(op, name); }

static bool read_number(const reader_t *r, term_t term, int *budget, MlirAffineExpr *out);

// One of the factors is the same for all rows and columns.
static bool read_product(const MlirAffineExpr *factors, MlirAffineExpr *out) {
  int fixed = mlirAffineExprIsSymbolicOrConstant(factors[1]) ? 1 : 0;
  *out = mlirAffineMulExprGet(factors[1 - fixed], factors[fixed]);
  return mlirAffineExprIsSymbolicOrConstant(factors[fixed]);
}

static bool read_apply(const reader_t *r, const term_t *term, int *budget, MlirAffineExpr *out) {
  MlirOperation op = strata_def(term->value);
  MlirAffineExpr inputs[STRATA_MAX_DIMS];
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++)
    if (i == STRATA_MAX_DIMS || !read_number(r, strata_term_operand(term, i), budget, &inputs[i]))
      return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  *out = strata_affine_apply(map, 0, inputs, r->a.n_dims, r->a.symbols.count);
  return true;
}

// |term| as an expression of the canonical dims: a number made of dims and sizes alone, in |*budget| steps.
static bool read_number(const reader_t *r, term_t term, int *budget, MlirAffineExpr *out) {
  if ((*budget)-- <= 0)
    return false;
  MlirOperation op = strata_def(term.value);
  if (mlirOperationIsNull(op)) {
    for (int dim = 0; dim < term.nest->n_parallel + term.nest->n_reduction; dim++)
      if (mlirValueEqual(term.nest->dims[dim], term.value)) {
        *out = term.point[dim];
        return true;
      }
    return false;
  }
  int symbol = strata_symbol_of_value(term.value);
  if (symbol >= 0) {
    *out = mlirAffineSymbolExprGet(r->context, symbol);
    return true;
  }
  if (op_is(op, "affine.apply"))
    return read_apply(r, &term, budget, out);
  MlirAttribute value = strata_attr(op, "value");
  if (op_is(op, "arith.constant") && mlirAttributeIsAInteger(value)) {
    *out = mlirAffineConstantExprGet(r->context, mlirIntegerAttrGetValueInt(value));
    return true;
  }
  if (op_is(op, "affine.load"))
    return strata_term_step(r, &term) && read_number(r, term, budget, out);
  if (op_is(op, "arith.index_cast") || op_is(op, "arith.extsi"))
    return read_number(r, strata_term_operand(&term, 0), budget, out);
  MlirAffineExpr parts[2];
  bool is_sum = op_is(op, "arith.addi"), is_product = op_is(op, "arith.muli");
  if ((!is_sum && !is_product && !op_is(op, "arith.subi")) ||
      !read_number(r, strata_term_operand(&term, 0), budget, &parts[0]) ||
      !read_number(r, strata_term_operand(&term, 1), budget, &parts[1]))
    return false;
  if (is_product)
    return read_product(parts, out);
  *out = mlirAffineAddExprGet(
      parts[0], is_sum ? parts[1] : mlirAffineMulExprGet(parts[1], mlirAffineConstantExprGet(r->context, -1)));
  return true;
}

bool strata_term_number(const reader_t *r, const term_t *term, MlirAffineExpr *out) {
  int budget = MAX_STEPS;
  return read_number(r, *term, &budget, out);
}

// What is >= 0 where the comparison of two such numbers holds, or does not.
static bool read_comparison(const reader_t *r, const term_t *truth, bool holds, MlirAffineExpr *out) {
  enum { SLT = 2, SLE, SGT, SGE };
  int budget = MAX_STEPS;
  MlirAffineExpr sides[2], minus_one = mlirAffineConstantExprGet(r->context, -1);
  int64_t predicate = strata_attr_i64(strata_def(truth->value), "predicate", -1);
  if (!strata_term_is(truth, "arith.cmpi") || predicate < SLT || predicate > SGE ||
      !read_number(r, strata_term_operand(truth, 0), &budget, &sides[0]) ||
      !read_number(r, strata_term_operand(truth, 1), &budget, &sides[1]))
    return false;
  bool is_greater = (predicate >= SGT) == holds, is_strict = (predicate == SLT || predicate == SGT) == holds;
  MlirAffineExpr less = mlirAffineMulExprGet(sides[is_greater], minus_one);
  *out = mlirAffineAddExprGet(sides[!is_greater], less);
  if (is_strict)
    *out = mlirAffineAddExprGet(*out, minus_one);
  strata_space_t space = strata_attention_space(&r->a);
  *out = strata_affine_simplify(*out, &space);
  return true;
}

// What a score, or a weight without a softmax, is where it does not count.
static double nothing(const reader_t *r) { return r->a.has_softmax ? -INFINITY : 0; }

// select(condition, kept, nothing), or the other way round; *out_kept is the term that is kept.
static bool match_choice(reader_t *r, const term_t *term, double nothing, term_t *out_kept) {
  if (!strata_term_is(term, "arith.select"))
    return false;
  term_t truth = strata_term_resolve_truth(r, strata_term_operand(term, 0));
  for (int kept = 1; kept <= 2; kept++)
    if (strata_value_is_number(mlirOperationGetOperand(strata_def(term->value), 3 - kept), nothing)) {
      *out_kept = strata_term_resolved_operand(r, term, kept);
      return read_comparison(r, &truth, kept == 1, &r->condition);
    }
  return false;
}

// A condition as 1 or 0.
static bool match_factor(reader_t *r, const term_t *term) {
  term_t one;
  if (strata_term_is(term, "arith.uitofp")) {
    term_t truth = strata_term_resolve_truth(r, strata_term_resolved_operand(r, term, 0));
    return read_comparison(r, &truth, true, &r->condition);
  }
  return match_choice(r, term, 0, &one) && strata_value_is_number(one.value, 1);
}

// The score chosen so; or something that is zero or -inf added to it; a weight without a softmax multiplied by one or
// zero.
static bool match_cut(reader_t *r) {
  term_t zero;
  const term_t *score = &r->a.score;
  if (match_choice(r, score, nothing(r), &r->kept))
    return true;
  for (intptr_t i = 0; i < 2 && strata_term_is(score, r->a.has_softmax ? "arith.addf" : "arith.mulf"); i++) {
    term_t other = strata_term_resolved_operand(r, score, i);
    bool cuts = r->a.has_softmax ? match_choice(r, &other, -INFINITY, &zero) && strata_value_is_number(zero.value, 0)
                                 : match_factor(r, &other);
    if (cuts) {
      r->kept = strata_term_resolved_operand(r, score, 1 - i);
      return true;
    }
  }
  return false;
}

// True if the condition is row + offset - column.
static bool is_causal(const reader_t *r, strata_size_t *out_offset) {
  int64_t row, column;
  if (r->a.has_one_row || !strata_affine_coefficient(r->condition, r->a.row, &row) ||
      !strata_affine_coefficient(r->condition, r->a.column, &column) || row != 1 || column != -1)
    return false;
  MlirAffineExpr rest = mlirAffineAddExprGet(
      r->condition, mlirAffineAddExprGet(mlirAffineDimExprGet(r->context, r->a.column),
                                         mlirAffineMulExprGet(mlirAffineDimExprGet(r->context, r->a.row),
                                                              mlirAffineConstantExprGet(r->context, -1))));
  strata_space_t space = strata_attention_space(&r->a);
  rest = strata_affine_simplify(rest, &space);
  for (int dim = 0; dim < r->a.n_dims; dim++)
    if (strata_affine_expr_uses(rest, dim))
      return false;
  *out_offset = strata_size_of_expr(&r->a.symbols, rest);
  return true;
}

void strata_attention_find_mask(reader_t *r) {
  r->a.is_causal = match_cut(r) && is_causal(r, &r->a.offset);
  if (r->a.is_causal)
    r->a.score = r->kept;
}
