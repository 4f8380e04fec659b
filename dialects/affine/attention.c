// See attention.h.
//
// The second contraction's operands are followed back through the nests that compute them: a load of what another nest
// of the kernel stores is that nest's value at the inverse of its store, and conversions are looked through. Two terms
// are the same number if they are the same value at the same point; that is how the three readers of a row's scores are
// known to mean one thing.
#include "dialects/affine/attention.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>

typedef strata_attention_term_t term_t;

typedef struct {
  strata_attention_t a;
  MlirContext context;
  bool finds_product; // a product has been met
  term_t kept;        // what the score is where |condition| >= 0; elsewhere it is -inf
  MlirAffineExpr condition;
  const char *why;
} reader_t;

static int n_dims_of(const strata_nest_t *nest) { return nest->n_parallel + nest->n_reduction; }

//===-- Terms ----------------------------------------------------------------------------------------------------===//

static bool is_op(MlirOperation op, const char *name) { return !mlirOperationIsNull(op) && strata_op_is(op, name); }

static term_t operand_of(const term_t *term, intptr_t i) {
  term_t operand = *term;
  operand.value = mlirOperationGetOperand(strata_def(term->value), i);
  return operand;
}

static MlirAffineMap map_at(const reader_t *r, const term_t *term) {
  return mlirAffineMapGet(r->context, r->a.n_dims, 0, n_dims_of(term->nest), (MlirAffineExpr *)(uintptr_t)term->point);
}

static const strata_access_t *load_of(const strata_nest_t *nest, MlirOperation op) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store && mlirOperationEqual(nest->accesses[i].op, op))
      return &nest->accesses[i];
  return NULL;
}

// What another nest of the kernel stored and |term| loads; false if it comes from outside.
static bool step_to_producer(const reader_t *r, term_t *term) {
  const strata_access_t *load = load_of(term->nest, strata_def(term->value)), *store;
  if (!load || mlirAffineMapIsNull(load->map))
    return false;
  const strata_nest_t *producer = strata_kernel_producer(r->a.kernel, load->buffer, &store);
  if (!producer || producer->is_serial || mlirAffineMapIsNull(store->map))
    return false;
  MlirAffineMap at = strata_affine_compose(load->map, map_at(r, term), r->a.extents);
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int64_t sizes[STRATA_MAX_DIMS], extents[STRATA_MAX_DIMS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(at); i++)
    coordinates[i] = mlirAffineMapGetResult(at, i);
  for (int i = 0; i < n_dims_of(producer); i++)
    extents[i] = i < producer->n_parallel ? producer->extents[i] : 1;
  strata_memref_sizes(load->buffer, sizes);
  term_t next = {.nest = producer, .value = store->value};
  if (!strata_affine_invert(store->map, extents, sizes, coordinates, r->a.n_dims, r->a.extents, next.point))
    return false;
  *term = next;
  return true;
}

static bool is_rounding(MlirOperation op) { return is_op(op, "arith.extf") || is_op(op, "arith.truncf"); }

// Looks through conversions and what is stored and loaded again.
static term_t resolve(const reader_t *r, term_t term) {
  for (;;) {
    MlirOperation op = strata_def(term.value);
    if (is_rounding(op))
      term.value = mlirOperationGetOperand(op, 0);
    else if (!is_op(op, "affine.load") || !step_to_producer(r, &term))
      return term;
  }
}

static term_t resolved_operand(const reader_t *r, const term_t *term, intptr_t i) {
  return resolve(r, operand_of(term, i));
}

static bool is_same(const term_t *a, const term_t *b) {
  bool same = a->nest == b->nest && mlirValueEqual(a->value, b->value);
  for (int i = 0; same && i < a->nest->n_parallel; i++)
    same = mlirAffineExprEqual(a->point[i], b->point[i]);
  return same;
}

static bool is_constant(MlirValue value, double *out_number) {
  MlirOperation op = strata_def(value);
  if (!is_op(op, "arith.constant") || !mlirAttributeIsAFloat(strata_attr(op, "value")))
    return false;
  *out_number = mlirFloatAttrGetValueDouble(strata_attr(op, "value"));
  return true;
}

static bool is_number(MlirValue value, double number) {
  double found;
  return is_constant(value, &found) && found == number;
}

//===-- Reductions over a row ------------------------------------------------------------------------------------===//

// True if |row| is what |combiner| makes of |element| along all columns, from |start| on.
static bool reduces(const reader_t *r, const term_t *row, const char *combiner, double start, const term_t *element) {
  const strata_nest_t *nest = row->nest;
  MlirOperation loop = strata_def(row->value);
  if (nest->n_reduction != 1 || !is_op(loop, "affine.for") || mlirOperationGetNumResults(loop) != 1 ||
      nest->extents[nest->n_parallel] != r->a.extents[r->a.column] ||
      !is_number(mlirOperationGetOperand(nest->loops[0], 0), start))
    return false;
  term_t body = *row;
  body.value = mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0);
  body.point[nest->n_parallel] = mlirAffineDimExprGet(r->context, r->a.column);
  MlirOperation op = strata_def(body.value);
  if (!is_op(op, combiner))
    return false;
  for (intptr_t i = 0; i < 2; i++) {
    term_t added = resolved_operand(r, &body, 1 - i);
    if (mlirValueEqual(mlirOperationGetOperand(op, i), mlirBlockGetArgument(nest->inner, 1)) &&
        is_same(&added, element))
      return true;
  }
  return false;
}

//===-- The chain on scores --------------------------------------------------------------------------------------===//

enum { MAX_CHAIN = 64 };

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  bool is_math = name.length > 6 && (!strncmp(name.data, "arith.", 6) || !strncmp(name.data, "math.", 5));
  return (is_math || strata_op_is(op, "affine.apply")) && mlirOperationGetNumRegions(op) == 0;
}

// The sum of the first contraction: met once, or again at the same point.
static bool take_product(reader_t *r, const term_t *term) {
  strata_contraction_t contraction;
  if (term->nest->n_reduction != 1 || !strata_nest_contraction(term->nest, &contraction))
    return false;
  if (r->finds_product)
    return is_same(term, &r->a.product);
  r->finds_product = true;
  r->a.product = *term;
  return true;
}

// Follows everything that |term| is computed of, with |*budget| steps.
static bool follow_chain(reader_t *r, term_t term, int *budget) {
  if ((*budget)-- <= 0)
    return false;
  MlirOperation op = strata_def(term.value);
  if (mlirOperationIsNull(op) || strata_op_is(op, "arith.constant"))
    return true; // a dim of the nest
  if (strata_op_is(op, "affine.for"))
    return take_product(r, &term);
  if (strata_op_is(op, "affine.load"))
    return step_to_producer(r, &term) ? follow_chain(r, term, budget) : load_of(term.nest, op) != NULL;
  if (!is_elementwise(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!follow_chain(r, operand_of(&term, i), budget))
      return false;
  return true;
}

// A positive factor between the product and |term|; 0 if there is more between them, or less.
static double find_scale(const reader_t *r, const term_t *term) {
  double factor;
  if (is_same(term, &r->a.product))
    return 1;
  for (intptr_t i = 0; i < 2 && is_op(strata_def(term->value), "arith.mulf"); i++)
    if (is_constant(mlirOperationGetOperand(strata_def(term->value), 1 - i), &factor) && factor > 0) {
      term_t scaled = resolved_operand(r, term, i);
      return factor * find_scale(r, &scaled);
    }
  return 0;
}

//===-- Causal masks ---------------------------------------------------------------------------------------------===//

// A truth value, kept as a number between nests: what it is in the end.
static term_t resolve_truth(const reader_t *r, term_t term) {
  MlirOperation op = strata_def(term.value);
  if (!is_op(op, "arith.cmpi"))
    return term;
  MlirOperation zero = strata_def(mlirOperationGetOperand(op, 1));
  enum { PREDICATE_NE = 1 };
  if (strata_attr_i64(op, "predicate", -1) != PREDICATE_NE || !is_op(zero, "arith.constant") ||
      !strata_attr_is_zero(strata_attr(zero, "value")))
    return term;
  term_t stored = resolved_operand(r, &term, 0);
  return is_op(strata_def(stored.value), "arith.extui") ? operand_of(&stored, 0) : term;
}

// |term| as an expression of the canonical dims: a number made of dims alone, in |*budget| steps.
static bool read_number(const reader_t *r, term_t term, int *budget, MlirAffineExpr *out) {
  if ((*budget)-- <= 0)
    return false;
  MlirOperation op = strata_def(term.value);
  if (mlirOperationIsNull(op)) {
    for (int dim = 0; dim < n_dims_of(term.nest); dim++)
      if (mlirValueEqual(term.nest->dims[dim], term.value)) {
        *out = term.point[dim];
        return true;
      }
    return false;
  }
  MlirAttribute value = strata_attr(op, "value");
  if (is_op(op, "arith.constant") && mlirAttributeIsAInteger(value)) {
    *out = mlirAffineConstantExprGet(r->context, mlirIntegerAttrGetValueInt(value));
    return true;
  }
  if (is_op(op, "affine.load"))
    return step_to_producer(r, &term) && read_number(r, term, budget, out);
  if (is_op(op, "arith.index_cast") || is_op(op, "arith.extsi"))
    return read_number(r, operand_of(&term, 0), budget, out);
  MlirAffineExpr parts[2];
  bool is_sum = is_op(op, "arith.addi");
  if ((!is_sum && !is_op(op, "arith.subi")) || !read_number(r, operand_of(&term, 0), budget, &parts[0]) ||
      !read_number(r, operand_of(&term, 1), budget, &parts[1]))
    return false;
  *out = mlirAffineAddExprGet(
      parts[0], is_sum ? parts[1] : mlirAffineMulExprGet(parts[1], mlirAffineConstantExprGet(r->context, -1)));
  return true;
}

// What is >= 0 where the comparison of two such numbers holds, or does not.
static bool read_comparison(const reader_t *r, const term_t *truth, bool holds, MlirAffineExpr *out) {
  enum { SLT = 2, SLE, SGT, SGE };
  int budget = MAX_CHAIN;
  MlirAffineExpr sides[2], minus_one = mlirAffineConstantExprGet(r->context, -1);
  int64_t predicate = strata_attr_i64(strata_def(truth->value), "predicate", -1);
  if (!is_op(strata_def(truth->value), "arith.cmpi") || predicate < SLT || predicate > SGE ||
      !read_number(r, operand_of(truth, 0), &budget, &sides[0]) ||
      !read_number(r, operand_of(truth, 1), &budget, &sides[1]))
    return false;
  bool is_greater = (predicate >= SGT) == holds, is_strict = (predicate == SLT || predicate == SGT) == holds;
  MlirAffineExpr less = mlirAffineMulExprGet(sides[is_greater], minus_one);
  *out = mlirAffineAddExprGet(sides[!is_greater], less);
  if (is_strict)
    *out = mlirAffineAddExprGet(*out, minus_one);
  *out = strata_affine_simplify(*out, r->a.n_dims, r->a.extents);
  return true;
}

// select(condition, kept, -inf), or the other way round; *out_kept is the term that is kept.
static bool match_choice(reader_t *r, const term_t *term, term_t *out_kept) {
  if (!is_op(strata_def(term->value), "arith.select"))
    return false;
  term_t truth = resolve_truth(r, operand_of(term, 0));
  for (int kept = 1; kept <= 2; kept++)
    if (is_number(mlirOperationGetOperand(strata_def(term->value), 3 - kept), -INFINITY)) {
      *out_kept = resolved_operand(r, term, kept);
      return read_comparison(r, &truth, kept == 1, &r->condition);
    }
  return false;
}

// The score chosen so, or something that is zero or -inf added to it.
static bool match_cut(reader_t *r) {
  term_t zero;
  const term_t *score = &r->a.score;
  if (match_choice(r, score, &r->kept))
    return true;
  for (intptr_t i = 0; i < 2 && is_op(strata_def(score->value), "arith.addf"); i++) {
    term_t added = resolved_operand(r, score, i);
    if (match_choice(r, &added, &zero) && is_number(zero.value, 0)) {
      r->kept = resolved_operand(r, score, 1 - i);
      return true;
    }
  }
  return false;
}

// True if the condition is row + offset - column.
static bool is_causal(const reader_t *r, int64_t *out_offset) {
  int64_t row, column;
  if (!strata_affine_coefficient(r->condition, r->a.row, &row) ||
      !strata_affine_coefficient(r->condition, r->a.column, &column) || row != 1 || column != -1)
    return false;
  MlirAffineExpr rest = mlirAffineAddExprGet(
      r->condition, mlirAffineAddExprGet(mlirAffineDimExprGet(r->context, r->a.column),
                                         mlirAffineMulExprGet(mlirAffineDimExprGet(r->context, r->a.row),
                                                              mlirAffineConstantExprGet(r->context, -1))));
  rest = strata_affine_simplify(rest, r->a.n_dims, r->a.extents);
  if (!mlirAffineExprIsAConstant(rest))
    return false;
  *out_offset = mlirAffineConstantExprGetValue(rest);
  return true;
}

//===-- Softmax --------------------------------------------------------------------------------------------------===//

// exp(score - max of the row).
static bool match_exponential(reader_t *r, const term_t *exponential) {
  if (!is_op(strata_def(exponential->value), "math.exp"))
    return false;
  term_t difference = resolved_operand(r, exponential, 0);
  if (!is_op(strata_def(difference.value), "arith.subf"))
    return false;
  r->a.score = resolved_operand(r, &difference, 0);
  term_t max = resolved_operand(r, &difference, 1);
  int budget = MAX_CHAIN;
  r->why = "a softmax that is not of a contraction's elements";
  if (!reduces(r, &max, "arith.maximumf", -INFINITY, &r->a.score) || !follow_chain(r, r->a.score, &budget) ||
      !r->finds_product)
    return false;
  r->why = "its scores are not f32";
  return mlirTypeIsAF32(mlirValueGetType(r->a.score.value)) && mlirTypeIsAF32(mlirValueGetType(r->a.product.value));
}

// exponential / sum of the row.
static bool match_quotient(reader_t *r, const term_t *exponential, const term_t *sum) {
  return match_exponential(r, exponential) && reduces(r, sum, "arith.addf", 0, exponential);
}

static bool match_softmax(reader_t *r, const term_t *term) {
  MlirOperation op = strata_def(term->value);
  if (is_op(op, "arith.divf")) {
    term_t exponential = resolved_operand(r, term, 0), sum = resolved_operand(r, term, 1);
    return match_quotient(r, &exponential, &sum);
  }
  for (intptr_t i = 0; i < 2 && is_op(op, "arith.mulf"); i++) {
    term_t exponential = resolved_operand(r, term, i), inverse = resolved_operand(r, term, 1 - i);
    if (!is_op(strata_def(inverse.value), "arith.divf") ||
        !is_number(mlirOperationGetOperand(strata_def(inverse.value), 0), 1))
      continue;
    term_t sum = resolved_operand(r, &inverse, 1);
    return match_quotient(r, &exponential, &sum);
  }
  return false;
}

// select(x is NaN, 0, x): *term becomes x. A row of weights is NaN as a whole or not at all, but for what infinite
// scores make of it.
static bool strip_nan_test(const reader_t *r, term_t *term) {
  enum { PREDICATE_UNO = 14 };
  if (!is_op(strata_def(term->value), "arith.select") ||
      !is_number(mlirOperationGetOperand(strata_def(term->value), 1), 0))
    return false;
  term_t truth = resolve_truth(r, operand_of(term, 0)), otherwise = resolved_operand(r, term, 2);
  MlirOperation test = strata_def(truth.value);
  if (!is_op(test, "arith.cmpf") || strata_attr_i64(test, "predicate", -1) != PREDICATE_UNO)
    return false;
  term_t tested[2] = {resolved_operand(r, &truth, 0), resolved_operand(r, &truth, 1)};
  if (!is_same(&tested[0], &tested[1]) || !is_same(&tested[0], &otherwise))
    return false;
  *term = otherwise;
  return true;
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

static MlirValue narrowed(MlirValue factor) {
  MlirOperation op = strata_def(factor);
  return is_op(op, "arith.extf") ? mlirOperationGetOperand(op, 0) : factor;
}

// A factor of a contraction at |at|, which is read as it is from outside of the kernel; false if it is not.
static bool read_operand(const reader_t *r, const term_t *factor, strata_attention_operand_t *out) {
  const strata_access_t *store;
  *out = (strata_attention_operand_t){.factor = narrowed(factor->value)};
  out->access = load_of(factor->nest, strata_def(out->factor));
  if (!out->access || !mlirOperationIsNull(out->access->guard) || mlirAffineMapIsNull(out->access->map) ||
      strata_kernel_producer(r->a.kernel, out->access->buffer, &store))
    return false;
  out->map = strata_affine_compose(out->access->map, map_at(r, factor), r->a.extents);
  out->dims = strata_affine_map_dims(out->map);
  return true;
}

// The two factors of a contraction whose sum |sum| is; its reduction dim is at |step|.
static void factors_of(const reader_t *r, const term_t *sum, int step, term_t *out_factors) {
  term_t yielded = *sum;
  yielded.value = mlirOperationGetOperand(mlirBlockGetTerminator(sum->nest->inner), 0);
  yielded.point[sum->nest->n_parallel] = mlirAffineDimExprGet(r->context, step);
  bool sum_first =
      mlirValueEqual(mlirOperationGetOperand(strata_def(yielded.value), 0), mlirBlockGetArgument(sum->nest->inner, 1));
  term_t product = operand_of(&yielded, sum_first ? 1 : 0);
  for (intptr_t i = 0; i < 2; i++)
    out_factors[i] = operand_of(&product, i);
}

static bool has(uint32_t dims, int dim) { return dims >> dim & 1; }

static bool read_queries_and_keys(reader_t *r) {
  strata_attention_operand_t found[2];
  term_t factors[2];
  const strata_nest_t *nest = r->a.product.nest;
  r->a.head = r->a.n_dims - 1;
  r->a.extents[r->a.head] = nest->extents[nest->n_parallel];
  factors_of(r, &r->a.product, r->a.head, factors);
  r->why = "queries or keys are computed on their way";
  if (!read_operand(r, &factors[0], &found[0]) || !read_operand(r, &factors[1], &found[1]))
    return false;
  int keys = has(found[1].dims, r->a.column);
  r->a.operands[STRATA_ATTENTION_Q] = found[1 - keys];
  r->a.operands[STRATA_ATTENTION_K] = found[keys];
  return true;
}

// The dims that tiles span: of rows, the longest; values have one of their own.
static bool find_dims(reader_t *r) {
  strata_attention_t *a = &r->a;
  uint32_t q = a->operands[STRATA_ATTENTION_Q].dims, k = a->operands[STRATA_ATTENTION_K].dims,
           v = a->operands[STRATA_ATTENTION_V].dims;
  a->row = a->value = STRATA_NO_DIM;
  r->why = "its dims are not those of rows, columns, values and batches";
  for (int dim = 0; dim < a->weighted->n_parallel; dim++) {
    if (a->extents[dim] == 1)
      continue;
    if (has(v, dim) && !has(q, dim) && !has(k, dim)) {
      if (a->value != STRATA_NO_DIM)
        return false;
      a->value = dim;
    } else if (has(q, dim) && !has(k, dim) && !has(v, dim)) {
      if (a->row == STRATA_NO_DIM || a->extents[dim] > a->extents[a->row])
        a->row = dim;
    }
  }
  return a->row != STRATA_NO_DIM && a->value != STRATA_NO_DIM && !has(q, a->column) && has(k, a->column) &&
         has(v, a->column) && has(q, a->head) && has(k, a->head) && !has(v, a->head);
}

// What is to be done with the product, once it is known which dims are rows and columns.
static void find_score(reader_t *r) {
  r->a.is_causal = match_cut(r) && is_causal(r, &r->a.offset);
  if (r->a.is_causal)
    r->a.score = r->kept;
  r->a.scale = find_scale(r, &r->a.score);
}

static bool find_type(reader_t *r) {
  for (int i = 0; i < STRATA_N_ATTENTION_OPERANDS; i++) {
    MlirType type = mlirValueGetType(r->a.operands[i].factor);
    if (i == 0)
      r->a.type = type;
    r->why = "its operands are not all f16 or all bf16";
    if (!mlirTypeEqual(type, r->a.type) || (!mlirTypeIsAF16(type) && !mlirTypeIsABF16(type)))
      return false;
  }
  return true;
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static void init_dims(reader_t *r, const strata_nest_t *nest) {
  strata_attention_t *a = &r->a;
  a->n_dims = nest->n_parallel + 2;
  a->column = nest->n_parallel;
  for (int dim = 0; dim <= nest->n_parallel; dim++)
    a->extents[dim] = nest->extents[dim];
  a->extents[nest->n_parallel + 1] = 1; // the head dim, until it is known
}

// What the second contraction multiplies by the weights.
static bool read_weighted(reader_t *r, const term_t *weights, const term_t *values) {
  term_t term = resolve(r, *weights);
  r->a.replaces_nan = strip_nan_test(r, &term);
  r->finds_product = false;
  r->why = NULL;
  if (!match_softmax(r, &term))
    return false;
  r->why = "values are computed on their way";
  return read_operand(r, values, &r->a.operands[STRATA_ATTENTION_V]) && read_queries_and_keys(r) && find_dims(r) &&
         find_type(r);
}

// No other reductions, and nothing but arithmetic.
static bool has_others(const reader_t *r) {
  int n_reductions = 0;
  for (int i = 0; i < r->a.kernel->n_nests; i++) {
    if (!strata_nest_is_vectorizable(&r->a.kernel->nests[i]))
      return true;
    n_reductions += r->a.kernel->nests[i].n_reduction > 0;
  }
  return n_reductions != 4; // product, maximum, sum, weighted sum
}

static bool read_at(reader_t *r, const strata_nest_t *nest, const strata_contraction_t *contraction) {
  term_t sum = {.nest = nest, .value = mlirOperationGetResult(nest->loops[0], 0)}, factors[2];
  r->a.weighted = nest;
  r->a.store = contraction->store;
  init_dims(r, nest);
  for (int dim = 0; dim < nest->n_parallel; dim++)
    sum.point[dim] = mlirAffineDimExprGet(r->context, dim);
  factors_of(r, &sum, r->a.column, factors);
  for (int i = 0; i < 2; i++) {
    if (!read_weighted(r, &factors[i], &factors[1 - i]))
      continue;
    r->why = "there are other reductions";
    find_score(r);
    return !has_others(r);
  }
  return false;
}

bool strata_attention_read(const strata_kernel_t *kernel, strata_attention_t *out, const char **out_why) {
  *out_why = NULL;
  for (int i = kernel->n_nests; i-- > 0;) {
    const strata_nest_t *nest = &kernel->nests[i];
    strata_contraction_t contraction;
    if (nest->n_reduction != 1 || nest->n_parallel + 2 > STRATA_MAX_DIMS ||
        !strata_nest_contraction(nest, &contraction))
      continue;
    reader_t r = {.a.kernel = kernel, .context = mlirOperationGetContext(nest->op)};
    if (read_at(&r, nest, &contraction)) {
      *out = r.a;
      return true;
    }
    if (r.why)
      *out_why = r.why;
  }
  return false;
}

int64_t strata_attention_batch(const strata_attention_t *attention) {
  int64_t batch = 1;
  for (int dim = 0; dim < attention->weighted->n_parallel; dim++)
    batch *= dim == attention->row || dim == attention->value ? 1 : attention->extents[dim];
  return batch;
}

// The one switch.
enum { SKIPS_BLOCKS = 1 };

bool strata_attention_skips(const strata_attention_t *a, int64_t rows, int64_t columns) {
  int64_t row_tiles = strata_ceil_div(a->extents[a->row], rows),
          blocks = strata_ceil_div(a->extents[a->column], columns);
  return SKIPS_BLOCKS && a->is_causal && a->offset >= 0 && blocks > 1 &&
         row_tiles * rows + a->offset <= blocks * columns;
}
