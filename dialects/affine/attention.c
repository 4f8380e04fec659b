// See attention.h.
//
// The second contraction's operands are followed back through the nests that compute them (attention_term.c), and
// conversions are looked through. The three readers of a row's scores mean one thing if they are the same term.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/simplify.h"

#include <math.h>

typedef strata_term_t term_t;
typedef strata_attention_reader_t reader_t;

static bool is_op(MlirOperation op, const char *name) { return !mlirOperationIsNull(op) && strata_op_is(op, name); }

//===-- Reductions over a row ------------------------------------------------------------------------------------===//

// True if |row| is what |combiner| makes of |element| along all columns, from |start| on.
static bool reduces(const reader_t *r, const term_t *row, const char *combiner, double start, const term_t *element) {
  const strata_nest_t *nest = row->nest;
  MlirOperation loop = strata_def(row->value);
  if (nest->n_reduction != 1 || !is_op(loop, "affine.for") || mlirOperationGetNumResults(loop) != 1 ||
      !strata_size_equal(nest->space.sizes[nest->n_parallel], r->a.sizes[r->a.column]) ||
      !strata_value_is_number(strata_loop_start(nest->loops[0], 0), start))
    return false;
  term_t body = *row;
  body.value = mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0);
  body.point[nest->n_parallel] = mlirAffineDimExprGet(r->context, r->a.column);
  MlirOperation op = strata_def(body.value);
  if (!is_op(op, combiner))
    return false;
  for (intptr_t i = 0; i < 2; i++) {
    term_t added = strata_term_resolved_operand(r, &body, 1 - i);
    if (mlirValueEqual(mlirOperationGetOperand(op, i), mlirBlockGetArgument(nest->inner, 1)) &&
        strata_term_same(&added, element))
      return true;
  }
  return false;
}

// A positive factor between the product and |term|; 0 if there is more between them, or less.
static double find_scale(const reader_t *r, const term_t *term) {
  double factor;
  if (strata_term_same(term, &r->a.product))
    return 1;
  for (intptr_t i = 0; i < 2 && is_op(strata_def(term->value), "arith.mulf"); i++)
    if (strata_value_number(mlirOperationGetOperand(strata_def(term->value), 1 - i), &factor) && factor > 0) {
      term_t scaled = strata_term_resolved_operand(r, term, i);
      return factor * find_scale(r, &scaled);
    }
  return 0;
}

//===-- Softmax --------------------------------------------------------------------------------------------------===//

// Operand |i| of a maximum or a sum is what is made of the row, the other one the sink's part.
static bool match_with_sink(const reader_t *r, const term_t *row, const char *combiner, double start,
                            const term_t *element, term_t *out_other) {
  for (intptr_t i = 0; i < 2 && strata_term_is(row, combiner); i++) {
    term_t own = strata_term_resolved_operand(r, row, i);
    *out_other = strata_term_resolved_operand(r, row, 1 - i);
    if (reduces(r, &own, combiner, start, element))
      return true;
  }
  return false;
}

// A number, or what is read from outside of the kernel for each row.
static bool read_sink(const reader_t *r, const term_t *term, strata_attention_sink_t *out) {
  const strata_access_t *load = strata_term_load(term->nest, strata_def(term->value)), *store;
  strata_space_t space = strata_attention_space(&r->a);
  *out = (strata_attention_sink_t){.exists = true};
  if (strata_value_number(term->value, &out->number))
    return true;
  if (!load || mlirAffineMapIsNull(load->map) || !mlirOperationIsNull(load->guard) || load->in_reduction ||
      strata_kernel_producer(r->a.kernel, load->buffer, &store))
    return false;
  out->read = load;
  out->map = strata_affine_compose(load->map, strata_term_map(r, term), &space);
  return mlirTypeIsAFloat(mlirValueGetType(load->value)) && !(strata_affine_map_dims(out->map) >> r->a.column & 1);
}

// exp(sink - max) of the sink in |r|, be it read again.
static bool is_of_sink(const reader_t *r, const term_t *term, const term_t *max) {
  const strata_attention_sink_t *sink = &r->a.sink;
  strata_attention_sink_t own;
  if (!strata_term_is(term, "math.exp"))
    return false;
  term_t difference = strata_term_resolved_operand(r, term, 0);
  if (!strata_term_is(&difference, "arith.subf"))
    return false;
  term_t from = strata_term_resolved_operand(r, &difference, 0), less = strata_term_resolved_operand(r, &difference, 1);
  if (!strata_term_same(&less, max) || !read_sink(r, &from, &own) || !own.read != !sink->read)
    return false;
  return own.read ? mlirValueEqual(own.read->buffer, sink->read->buffer) && mlirAffineMapEqual(own.map, sink->map)
                  : own.number == sink->number;
}

// exp(score - max of the row).
static bool match_exponential(reader_t *r, const term_t *exponential, term_t *out_max) {
  if (!is_op(strata_def(exponential->value), "math.exp"))
    return false;
  term_t difference = strata_term_resolved_operand(r, exponential, 0);
  if (!is_op(strata_def(difference.value), "arith.subf"))
    return false;
  r->a.score = strata_term_resolved_operand(r, &difference, 0);
  term_t max = strata_term_resolved_operand(r, &difference, 1), sink;
  r->why = "a softmax that is not of a contraction's elements";
  *out_max = max;
  r->a.sink = (strata_attention_sink_t){0};
  bool is_max =
      reduces(r, &max, "arith.maximumf", -INFINITY, &r->a.score) ||
      (match_with_sink(r, &max, "arith.maximumf", -INFINITY, &r->a.score, &sink) && read_sink(r, &sink, &r->a.sink));
  return is_max && strata_attention_follow(r, &r->a.score);
}

// exponential / sum of the row.
static bool match_quotient(reader_t *r, const term_t *exponential, const term_t *sum) {
  term_t max, other;
  if (!match_exponential(r, exponential, &max))
    return false;
  r->why = "exponentials are not divided by their row's sum";
  if (r->a.sink.exists)
    return match_with_sink(r, sum, "arith.addf", 0, exponential, &other) && is_of_sink(r, &other, &max);
  return reduces(r, sum, "arith.addf", 0, exponential);
}

// What a softmax is made of; false if |term| is no softmax.
static bool match_softmax(reader_t *r, const term_t *term) {
  MlirOperation op = strata_def(term->value);
  if (is_op(op, "arith.divf")) {
    term_t exponential = strata_term_resolved_operand(r, term, 0), sum = strata_term_resolved_operand(r, term, 1);
    return match_quotient(r, &exponential, &sum);
  }
  for (intptr_t i = 0; i < 2 && is_op(op, "arith.mulf"); i++) {
    term_t exponential = strata_term_resolved_operand(r, term, i),
           inverse = strata_term_resolved_operand(r, term, 1 - i);
    if (!is_op(strata_def(inverse.value), "arith.divf") ||
        !strata_value_is_number(mlirOperationGetOperand(strata_def(inverse.value), 0), 1))
      continue;
    term_t sum = strata_term_resolved_operand(r, &inverse, 1);
    return match_quotient(r, &exponential, &sum);
  }
  return false;
}

// select(x is NaN, 0, x): *term becomes x. A row of weights is NaN as a whole or not at all, but for what infinite
// scores make of it.
static bool strip_nan_test(const reader_t *r, term_t *term) {
  enum { PREDICATE_UNO = 14 };
  if (!is_op(strata_def(term->value), "arith.select") ||
      !strata_value_is_number(mlirOperationGetOperand(strata_def(term->value), 1), 0))
    return false;
  term_t truth = strata_term_resolve_truth(r, strata_term_operand(term, 0)),
         otherwise = strata_term_resolved_operand(r, term, 2);
  MlirOperation test = strata_def(truth.value);
  if (!is_op(test, "arith.cmpf") || strata_attr_i64(test, "predicate", -1) != PREDICATE_UNO)
    return false;
  term_t tested[2] = {strata_term_resolved_operand(r, &truth, 0), strata_term_resolved_operand(r, &truth, 1)};
  if (!strata_term_same(&tested[0], &tested[1]) || !strata_term_same(&tested[0], &otherwise))
    return false;
  *term = otherwise;
  return true;
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

static MlirValue narrowed(MlirValue factor) {
  MlirOperation op = strata_def(factor);
  return is_op(op, "arith.extf") ? mlirOperationGetOperand(op, 0) : factor;
}

// A factor whose pages another nest of the kernel gathers.
static bool read_gathered(const reader_t *r, const term_t *factor, strata_attention_operand_t *out) {
  term_t term = *factor;
  term.value = out->factor;
  return mlirOperationIsNull(out->read->guard) && strata_term_step(r, &term) &&
         strata_attention_read_pages(r, &term, out);
}

// A factor of a contraction at |at|, which is read as it is from outside of the kernel; false if it is not.
static bool read_operand(const reader_t *r, const term_t *factor, strata_attention_operand_t *out) {
  const strata_access_t *store;
  *out = (strata_attention_operand_t){.factor = narrowed(factor->value)};
  out->read = out->access = strata_term_load(factor->nest, strata_def(out->factor));
  if (out->read && strata_kernel_producer(r->a.kernel, out->read->buffer, &store))
    return strata_attention_read_widened(r, factor, out) || strata_attention_read_joined(r, factor, out) ||
           read_gathered(r, factor, out);
  if (!out->access || !mlirOperationIsNull(out->access->guard) || mlirAffineMapIsNull(out->access->map))
    return false;
  strata_space_t space = strata_attention_space(&r->a);
  out->map = strata_affine_compose(out->access->map, strata_term_map(r, factor), &space);
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
  term_t product = strata_term_operand(&yielded, sum_first ? 1 : 0);
  for (intptr_t i = 0; i < 2; i++)
    out_factors[i] = strata_term_operand(&product, i);
}

static bool has(uint32_t dims, int dim) { return dims >> dim & 1; }

static bool read_queries_and_keys(reader_t *r) {
  strata_attention_operand_t found[2];
  term_t factors[2];
  const strata_nest_t *nest = r->a.product.nest;
  r->a.sizes[r->a.head] = nest->space.sizes[nest->n_parallel];
  factors_of(r, &r->a.product, r->a.head, factors);
  r->why = "queries or keys are computed on their way";
  if (!read_operand(r, &factors[0], &found[0]) || !read_operand(r, &factors[1], &found[1]))
    return false;
  int keys = has(found[1].dims, r->a.column);
  r->a.operands[STRATA_ATTENTION_Q] = found[1 - keys];
  r->a.operands[STRATA_ATTENTION_K] = found[keys];
  return true;
}

static int single_row(const strata_attention_t *a) { return a->n_dims - 1; }

bool strata_attention_has_rows(const strata_attention_t *a) { return a->row != single_row(a); }

// What varies may be the longest.
static bool is_longer(const strata_attention_t *a, int dim, int other) {
  bool varies = strata_size_varies(a->sizes[dim]), other_varies = strata_size_varies(a->sizes[other]);
  if (varies != other_varies)
    return varies;
  return strata_attention_likely(a, a->sizes[dim]) > strata_attention_likely(a, a->sizes[other]);
}

// The dims that tiles span: of rows, the longest, or the one that no nest has; values have one of their own.
static bool find_dims(reader_t *r) {
  strata_attention_t *a = &r->a;
  uint32_t q = a->operands[STRATA_ATTENTION_Q].dims, k = a->operands[STRATA_ATTENTION_K].dims,
           v = a->operands[STRATA_ATTENTION_V].dims;
  a->row = a->value = STRATA_NO_DIM;
  a->has_one_row = false;
  r->why = "its dims are not those of rows, columns, values and batches";
  for (int dim = 0; dim < a->weighted->n_parallel; dim++) {
    if (strata_size_is_one(a->sizes[dim]))
      continue;
    if (has(v, dim) && !has(q, dim) && !has(k, dim)) {
      if (a->value != STRATA_NO_DIM)
        return false;
      a->value = dim;
    } else if (has(q, dim) && !has(k, dim) && !has(v, dim)) {
      if (a->row == STRATA_NO_DIM || is_longer(a, dim, a->row))
        a->row = dim;
    }
  }
  if (a->row == STRATA_NO_DIM)
    a->row = single_row(a);
  if (a->value != STRATA_NO_DIM && (strata_size_varies(a->sizes[a->head]) || strata_size_varies(a->sizes[a->value]))) {
    r->why = "a head dim that varies";
    return false;
  }
  return a->value != STRATA_NO_DIM && !has(q, a->column) && has(k, a->column) && has(v, a->column) && has(q, a->head) &&
         has(k, a->head) && !has(v, a->head);
}

void strata_attention_row_of_batches(strata_attention_t *a) {
  uint32_t dims = a->operands[STRATA_ATTENTION_Q].dims & a->operands[STRATA_ATTENTION_K].dims &
                  a->operands[STRATA_ATTENTION_V].dims;
  for (int dim = 0; dim < a->weighted->n_parallel && (!strata_attention_has_rows(a) || a->has_one_row); dim++)
    if (!strata_size_is_one(a->sizes[dim]) && has(dims, dim)) {
      a->row = dim;
      a->has_one_row = true;
    }
}

// Of what is causal.
static bool sees_columns(const strata_attention_t *a) {
  MlirContext context = mlirTypeGetContext(a->type);
  MlirAffineExpr end =
      mlirAffineAddExprGet(strata_size_expr(context, strata_attention_rows(a)), strata_size_expr(context, a->offset));
  MlirAffineExpr left = mlirAffineAddExprGet(strata_size_expr(context, a->sizes[a->column]),
                                             mlirAffineMulExprGet(end, mlirAffineConstantExprGet(context, -1)));
  strata_space_t space = strata_attention_space(a);
  return strata_affine_is_nonnegative(left, &space);
}

// What is to be done with the product, once it is known which dims are rows and columns.
static void find_score(reader_t *r) {
  strata_attention_count(r);
  strata_attention_find_mask(r);
  r->a.sees_columns = r->a.is_causal && sees_columns(&r->a);
  r->a.scale = r->a.has_softmax ? find_scale(r, &r->a.score) : 0;
}

static bool is_half(MlirType type) { return mlirTypeIsAF16(type) || mlirTypeIsABF16(type); }

bool strata_attention_is_half(const strata_attention_t *a) { return is_half(a->type); }

static bool find_type(reader_t *r) {
  MlirType score = mlirValueGetType(r->a.score.value);
  r->why = "its products are not summed up in f32";
  if (!mlirTypeIsAF32(mlirValueGetType(r->a.product.value)) || !(mlirTypeIsAF32(score) || is_half(score)))
    return false;
  r->a.type = mlirValueGetType(r->a.operands[STRATA_ATTENTION_Q].factor);
  r->why = "its operands are not all of one type: f32, f16 or bf16";
  for (int i = 0; i < STRATA_N_ATTENTION_OPERANDS; i++)
    if (!mlirTypeEqual(mlirValueGetType(r->a.operands[i].factor), r->a.type))
      return false;
  return is_half(r->a.type) || mlirTypeIsAF32(r->a.type);
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static void init_dims(reader_t *r, const strata_nest_t *nest) {
  strata_attention_t *a = &r->a;
  enum { COLUMN, HEAD, SINGLE_ROW, N_OTHERS };
  a->n_dims = nest->n_parallel + N_OTHERS;
  a->column = nest->n_parallel + COLUMN;
  a->head = nest->n_parallel + HEAD;
  for (int dim = 0; dim <= nest->n_parallel; dim++)
    a->sizes[dim] = nest->space.sizes[dim];
  a->sizes[a->head] = strata_size_constant(1); // until it is known
  a->symbols = strata_nest_symbols(nest);
  a->sizes[nest->n_parallel + SINGLE_ROW] = strata_size_constant(1);
}

// The softmax that |term| is, or is in proportion to: multiplied by what comes from outside, or zero where that says
// so. Such steps, |n_steps| at most, may as well be taken before the division. Who chooses means rows without a column,
// too, whose weights are NaN.
static bool find_softmax(reader_t *r, term_t term, int n_steps) {
  term_t stripped = term;
  bool replaces_nan = strip_nan_test(r, &stripped);
  if (match_softmax(r, &stripped)) {
    r->a.replaces_nan = replaces_nan;
    r->a.softmax = term;
    return true;
  }
  bool is_choice = strata_term_is(&term, "arith.select"), is_quotient = strata_term_is(&term, "arith.divf");
  if (n_steps == 0 || !(is_choice || is_quotient || strata_term_is(&term, "arith.mulf")))
    return false;
  for (intptr_t i = 0; i < (is_quotient ? 1 : 2); i++) {
    term_t other = strata_term_operand(&term, is_choice ? 0 : 1 - i);
    if (is_choice && !strata_value_is_number(mlirOperationGetOperand(strata_def(term.value), 2 - i), 0))
      continue;
    if (!find_softmax(r, strata_term_resolved_operand(r, &term, i + is_choice), n_steps - 1))
      continue;
    r->a.replaces_nan |= is_choice;
    return strata_attention_is_outside(r, &other);
  }
  return false;
}

// A softmax of what is made of the first product, or that itself.
static bool read_weights(reader_t *r, const term_t *weights) {
  enum { MOST_STEPS = 4 };
  const char *why = "what lies between is not made of a product's elements one by one";
  r->why = NULL;
  r->a.weight = strata_term_resolve(r, *weights);
  r->a.has_softmax = find_softmax(r, r->a.weight, MOST_STEPS);
  if (r->a.has_softmax)
    return true;
  why = r->why ? r->why : why;
  r->a.replaces_nan = false;
  r->a.score = strata_term_resolve(r, *weights);
  if (strata_attention_follow(r, &r->a.score))
    return true;
  r->why = why;
  return false;
}

// What the second contraction multiplies by the weights.
static bool read_weighted(reader_t *r, const term_t *weights, const term_t *values) {
  if (!read_weights(r, weights))
    return false;
  r->why = "values are computed on their way";
  return read_operand(r, values, &r->a.operands[STRATA_ATTENTION_V]) && read_queries_and_keys(r) && find_dims(r) &&
         find_type(r);
}

// Nothing but arithmetic, and these reductions: product and weighted sum, maximum and sum of a softmax.
static bool has_others(const reader_t *r) {
  int n_reductions = 0;
  for (int i = 0; i < r->a.kernel->n_nests; i++) {
    if (!strata_nest_is_vectorizable(&r->a.kernel->nests[i]) &&
        !strata_attention_gathers(&r->a, &r->a.kernel->nests[i]))
      return true;
    n_reductions += r->a.kernel->nests[i].n_reduction > 0;
  }
  return n_reductions != (r->a.has_softmax ? 4 : 2);
}

// *out_why: of the factor that comes nearest.
static bool read_at(reader_t *r, const strata_nest_t *nest, const strata_contraction_t *contraction) {
  term_t sum = {.nest = nest, .value = mlirOperationGetResult(nest->loops[0], 0)}, factors[2];
  const char *why = NULL;
  r->a.weighted = nest;
  r->a.store = contraction->store;
  init_dims(r, nest);
  for (int dim = 0; dim < nest->n_parallel; dim++)
    sum.point[dim] = mlirAffineDimExprGet(r->context, dim);
  factors_of(r, &sum, r->a.column, factors);
  for (int i = 0; i < 2; i++) {
    if (!read_weighted(r, &factors[i], &factors[1 - i])) {
      why = r->finds_product || !why ? r->why : why;
      continue;
    }
    r->why = "there are other reductions";
    find_score(r);
    return !has_others(r) && strata_attention_find_joint(r);
  }
  r->why = why;
  return false;
}

bool strata_attention_read(const strata_kernel_t *kernel, strata_attention_t *out, const char **out_why) {
  reader_t *r = strata_arena_new(kernel->arena, reader_t);
  strata_attention_chain_t *chain = strata_arena_new(kernel->arena, strata_attention_chain_t);
  *out_why = "the second product is summed up along several dims";
  for (int i = kernel->n_nests; i-- > 0;) {
    const strata_nest_t *nest = &kernel->nests[i];
    strata_contraction_t contraction;
    if (!strata_nest_contraction(nest, &contraction))
      continue;
    if (nest->n_reduction != 1 || nest->n_parallel + 3 > STRATA_MAX_DIMS)
      return false;
    *r = (reader_t){.a.kernel = kernel, .context = mlirOperationGetContext(nest->op), .chain = chain};
    if (read_at(r, nest, &contraction)) {
      *out = r->a;
      return true;
    }
    *out_why = r->why;
    return false; // what comes before is the first product, or none
  }
  return false;
}
