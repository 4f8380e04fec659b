// See attention_reader.h.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"

typedef strata_term_t term_t;
typedef strata_attention_reader_t reader_t;

//===-- Terms ----------------------------------------------------------------------------------------------------===//

static bool is_op(MlirOperation op, const char *name) { return !mlirOperationIsNull(op) && strata_op_is(op, name); }

bool strata_term_is(const term_t *term, const char *op) { return is_op(strata_def(term->value), op); }

term_t strata_term_operand(const term_t *term, intptr_t i) {
  term_t operand = *term;
  operand.value = mlirOperationGetOperand(strata_def(term->value), i);
  return operand;
}

MlirAffineMap strata_term_map(const reader_t *r, const term_t *term) {
  return mlirAffineMapGet(r->context, r->a.n_dims, r->a.symbols.count, strata_nest_n_dims(term->nest),
                          (MlirAffineExpr *)(uintptr_t)term->point);
}

const strata_access_t *strata_term_load(const strata_nest_t *nest, MlirOperation op) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store && mlirOperationEqual(nest->accesses[i].op, op))
      return &nest->accesses[i];
  return NULL;
}

bool strata_term_step(const reader_t *r, term_t *term) {
  const strata_access_t *load = strata_term_load(term->nest, strata_def(term->value)), *store;
  if (!load || mlirAffineMapIsNull(load->map))
    return false;
  const strata_nest_t *producer = strata_kernel_producer(r->a.kernel, load->buffer, &store);
  if (!producer || producer->is_serial || mlirAffineMapIsNull(store->map))
    return false;
  strata_space_t space = strata_attention_space(&r->a);
  MlirAffineMap at = strata_affine_compose(load->map, strata_term_map(r, term), &space);
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS], results[STRATA_MAX_DIMS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(at); i++)
    coordinates[i] = mlirAffineMapGetResult(at, i);
  strata_space_t producer_space = strata_nest_results(producer, results);
  strata_memref_sizes(load->buffer, sizes);
  term_t next = {.nest = producer, .value = store->value};
  if (!strata_affine_invert(store->map, &producer_space, sizes, coordinates, &space, next.point))
    return false;
  *term = next;
  return true;
}

static bool is_rounding(MlirOperation op) { return is_op(op, "arith.extf") || is_op(op, "arith.truncf"); }

term_t strata_term_resolve(const reader_t *r, term_t term) {
  for (;;) {
    MlirOperation op = strata_def(term.value);
    if (is_rounding(op))
      term.value = mlirOperationGetOperand(op, 0);
    else if (!is_op(op, "affine.load") || !strata_term_step(r, &term))
      return term;
  }
}

term_t strata_term_resolved_operand(const reader_t *r, const term_t *term, intptr_t i) {
  return strata_term_resolve(r, strata_term_operand(term, i));
}

term_t strata_term_resolve_truth(const reader_t *r, term_t term) {
  MlirOperation op = strata_def(term.value);
  if (!is_op(op, "arith.cmpi"))
    return term;
  MlirOperation zero = strata_def(mlirOperationGetOperand(op, 1));
  enum { PREDICATE_NE = 1 };
  if (strata_attr_i64(op, "predicate", -1) != PREDICATE_NE || !is_op(zero, "arith.constant") ||
      !strata_attr_is_zero(strata_attr(zero, "value")))
    return term;
  term_t stored = strata_term_resolved_operand(r, &term, 0);
  return strata_term_is(&stored, "arith.extui") ? strata_term_operand(&stored, 0) : term;
}

bool strata_term_same(const term_t *a, const term_t *b) {
  bool same = a->nest == b->nest && mlirValueEqual(a->value, b->value);
  for (int i = 0; same && i < a->nest->n_parallel; i++)
    same = mlirAffineExprEqual(a->point[i], b->point[i]);
  return same;
}

//===-- The chain ------------------------------------------------------------------------------------------------===//

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  bool is_math = name.length > 6 && (!strncmp(name.data, "arith.", 6) || !strncmp(name.data, "math.", 5));
  return (is_math || strata_op_is(op, "affine.apply")) && mlirOperationGetNumRegions(op) == 0;
}

// The sum of the first contraction: met once, or again at the same point.
static bool take_product(reader_t *r, const term_t *term) {
  strata_contraction_t contraction;
  if (r->finds_product)
    return strata_term_same(term, &r->a.product);
  if (!strata_nest_contraction(term->nest, &contraction) || term->nest->n_reduction != 1)
    return false;
  r->finds_product = true;
  r->a.product = *term;
  return true;
}

// False for a term that is in the chain already, or if there are too many.
static bool add_term(reader_t *r, const term_t *term, bool *out_is_new) {
  strata_attention_chain_t *chain = r->chain;
  *out_is_new = true;
  for (int i = 0; i < chain->n && *out_is_new; i++)
    *out_is_new = !strata_term_same(&chain->terms[i], term);
  if (*out_is_new && chain->n == STRATA_CHAIN_TERMS)
    return false;
  if (*out_is_new)
    chain->terms[chain->n++] = *term;
  return true;
}

static bool comes_from_outside(const reader_t *r, const term_t *term) {
  const strata_access_t *load = strata_term_load(term->nest, strata_def(term->value)), *store;
  return load && !strata_kernel_producer(r->a.kernel, load->buffer, &store);
}

static bool follow(reader_t *r, term_t term) {
  bool is_new;
  MlirOperation op = strata_def(term.value);
  if (mlirOperationIsNull(op) || strata_op_is(op, "arith.constant") || strata_op_is(op, STRATA_SIZE))
    return true; // a dim of the nest, or a number for all points
  if (strata_op_is(op, "affine.for"))
    return take_product(r, &term);
  if (!add_term(r, &term, &is_new) || !is_new)
    return !is_new;
  if (strata_op_is(op, "affine.load"))
    return strata_term_step(r, &term) ? follow(r, term) : comes_from_outside(r, &term);
  if (!is_elementwise(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!follow(r, strata_term_operand(&term, i)))
      return false;
  return true;
}

bool strata_attention_follow(reader_t *r, const term_t *term) {
  r->finds_product = false;
  r->chain->n = 0;
  return follow(r, *term) && r->finds_product;
}

bool strata_attention_is_outside(reader_t *r, const term_t *term) {
  strata_attention_chain_t *chain = r->chain;
  bool finds_product = r->finds_product;
  strata_term_t product = r->a.product;
  r->chain = strata_arena_new(r->a.kernel->arena, strata_attention_chain_t);
  r->finds_product = false;
  bool is_outside = follow(r, *term) && !r->finds_product;
  r->chain = chain;
  r->finds_product = finds_product;
  r->a.product = product;
  return is_outside;
}

// True if the term differs from row to row and from column to column.
static bool is_of_scores(const reader_t *r, MlirAffineMap point) {
  uint32_t dims = strata_affine_map_dims(point);
  return dims >> r->a.row & 1 && dims >> r->a.column & 1;
}

// What code an op becomes: plain operations, and functions that a GPU has a unit for. Others of arith are one of the
// former, of math one of the latter.
static const struct {
  const char *name;
  int64_t operations, functions;
} op_parts[] = {
    {"arith.extf", 0, 0}, {"arith.truncf", 0, 0}, {"arith.constant", 0, 0}, {"arith.divf", 1, 1}, {"math.absf", 1, 0},
    {"math.floor", 1, 0}, {"math.ceil", 1, 0},    {"math.copysign", 1, 0},  {"math.tanh", 4, 2},  {"math.erf", 24, 2},
    {"math.expm1", 8, 1}, {"math.log1p", 8, 1},   {"math.powf", 8, 2},      {"math.isnan", 1, 0},
};

static void count_op(reader_t *r, MlirOperation op) {
  for (size_t i = 0; i < sizeof op_parts / sizeof *op_parts; i++)
    if (strata_op_is(op, op_parts[i].name)) {
      r->a.score_operations += op_parts[i].operations;
      r->a.score_functions += op_parts[i].functions;
      return;
    }
  bool is_math = !strncmp(strata_op_name(op).data, "math.", 5);
  r->a.score_functions += is_math;
  r->a.score_operations += !is_math;
}

void strata_attention_count(reader_t *r) {
  r->a.score_bytes = r->a.score_operations = r->a.score_functions = 0;
  r->a.has_known_scores = true;
  strata_space_t space = strata_attention_space(&r->a);
  for (int i = 0; i < r->chain->n; i++) {
    const term_t *term = &r->chain->terms[i];
    MlirOperation op = strata_def(term->value);
    MlirAffineMap at = strata_term_map(r, term);
    const strata_access_t *load = strata_term_load(term->nest, op), *store;
    if (load && strata_kernel_producer(r->a.kernel, load->buffer, &store))
      continue;
    if (load && !mlirAffineMapIsNull(load->map))
      at = strata_affine_compose(load->map, at, &space);
    if (!is_of_scores(r, at))
      continue;
    if (load) {
      r->a.score_bytes += strata_element_bytes(mlirValueGetType(term->value));
      r->a.has_known_scores &= !strata_type_is_symbolic(mlirValueGetType(load->buffer));
    } else
      count_op(r, op);
  }
}
