// Keys and values of which the last few columns lie apart: a concat of what was cached and what is new, which need not
// be put together in memory. See attention_reader.h.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/simplify.h"

typedef strata_term_t term_t;
typedef strata_attention_reader_t reader_t;

// The op that yields |if|'s value in its branch |branch|, 0 where the condition holds.
static MlirValue yielded(MlirOperation op, intptr_t branch) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, branch));
  return mlirBlockIsNull(block) ? (MlirValue){NULL} : mlirOperationGetOperand(mlirBlockGetTerminator(block), 0);
}

static bool is_choice(MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, "affine.if") && mlirOperationGetNumResults(op) == 1;
}

// The load that is |op|'s value where its condition, sign * *out_dim + *out_number >= 0, holds.
static const strata_access_t *read_choice(const strata_nest_t *nest, MlirOperation op, int64_t sign, int *out_dim,
                                          int64_t *out_number) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(op, "condition"));
  const strata_access_t *load = strata_term_load(nest, strata_def(yielded(op, 0)));
  if (!load || mlirAffineMapIsNull(load->map) || !mlirOperationEqual(load->guard, op) ||
      mlirIntegerSetGetNumDims(set) != 1 || mlirIntegerSetGetNumSymbols(set) != 0 ||
      mlirIntegerSetGetNumConstraints(set) != 1 || mlirIntegerSetIsConstraintEq(set, 0))
    return NULL;
  MlirContext context = mlirOperationGetContext(op);
  MlirAffineExpr constraint = mlirIntegerSetGetConstraint(set, 0), dim = mlirAffineDimExprGet(context, 0);
  MlirAffineExpr rest =
      mlirAffineAddExprGet(constraint, mlirAffineMulExprGet(dim, mlirAffineConstantExprGet(context, -sign)));
  const strata_space_t space = {.n_dims = nest->n_parallel, .sizes = nest->space.sizes};
  rest = strata_affine_simplify(rest, &space);
  if (!mlirAffineExprIsAConstant(rest))
    return NULL;
  *out_number = mlirAffineConstantExprGetValue(rest);
  for (*out_dim = 0; *out_dim < nest->n_parallel; ++*out_dim)
    if (mlirValueEqual(nest->dims[*out_dim], mlirOperationGetOperand(op, 0)))
      return load;
  return NULL;
}

// The two parts that |nest| puts together, the first where it is in the result: |*out_first| of them along |*out_dim|.
static bool read_concat(const strata_nest_t *nest, const strata_access_t *store, const strata_access_t **out_parts,
                        int *out_dim, int64_t *out_first) {
  int dims[2];
  int64_t numbers[2];
  if (nest->is_serial || nest->n_reduction || nest->n_accesses != 3 || strata_nest_varies(nest) ||
      mlirAffineMapIsNull(store->map) || !mlirAffineMapIsIdentity(store->map) || !is_choice(store->value))
    return false;
  MlirOperation second = strata_def(store->value);
  if (!is_choice(yielded(second, 1)))
    return false;
  MlirOperation first = strata_def(yielded(second, 1));
  out_parts[0] = read_choice(nest, first, -1, &dims[0], &numbers[0]);
  out_parts[1] = read_choice(nest, second, 1, &dims[1], &numbers[1]);
  *out_dim = dims[0];
  *out_first = numbers[0] + 1;
  return out_parts[0] && out_parts[1] && dims[0] == dims[1] && numbers[1] == -*out_first &&
         mlirAffineMapIsIdentity(out_parts[0]->map);
}

bool strata_attention_read_joined(const reader_t *r, const term_t *factor, strata_attention_operand_t *out) {
  const strata_access_t *store, *parts[2];
  const strata_nest_t *concat = strata_kernel_producer(r->a.kernel, out->read->buffer, &store);
  int place;
  if (!concat || !mlirOperationIsNull(out->read->guard) || mlirAffineMapIsNull(out->read->map) ||
      !read_concat(concat, store, parts, &place, &out->n_first))
    return false;
  strata_space_t space = strata_attention_space(&r->a);
  out->map = strata_affine_compose(out->read->map, strata_term_map(r, factor), &space);
  out->dims = strata_affine_map_dims(out->map);
  out->access = parts[0];
  out->rest = parts[1];
  out->factor = parts[0]->value;
  const strata_access_t *other;
  return !strata_kernel_producer(r->a.kernel, parts[0]->buffer, &other) &&
         !strata_kernel_producer(r->a.kernel, parts[1]->buffer, &other) &&
         mlirAffineExprEqual(mlirAffineMapGetResult(out->map, place), mlirAffineDimExprGet(r->context, r->a.column));
}

int strata_attention_score_place(const strata_attention_t *a, int *out_dim) {
  const strata_nest_t *nest = a->product.nest;
  const strata_access_t *store = strata_nest_only_store(nest);
  MlirContext context = mlirOperationGetContext(nest->op);
  int place = STRATA_NO_DIM;
  *out_dim = STRATA_NO_DIM;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (mlirAffineExprEqual(a->product.point[dim], mlirAffineDimExprGet(context, a->column)))
      *out_dim = dim;
  if (*out_dim == STRATA_NO_DIM || !store || mlirAffineMapIsNull(store->map))
    return STRATA_NO_DIM;
  for (int i = 0; i < (int)mlirAffineMapGetNumResults(store->map); i++) {
    MlirAffineExpr result = mlirAffineMapGetResult(store->map, i);
    if (mlirAffineExprEqual(result, mlirAffineDimExprGet(context, *out_dim)))
      place = i;
    else if (strata_affine_expr_uses(result, *out_dim))
      return STRATA_NO_DIM;
  }
  return place;
}

bool strata_attention_find_joint(reader_t *r) {
  strata_attention_t *a = &r->a;
  const strata_attention_operand_t *q = &a->operands[STRATA_ATTENTION_Q], *k = &a->operands[STRATA_ATTENTION_K],
                                   *v = &a->operands[STRATA_ATTENTION_V];
  r->why = "not all of keys and values are put together alike";
  a->joint = k->rest ? k->n_first : 0;
  if (q->rest || !k->rest != !v->rest || (k->rest && k->n_first != v->n_first))
    return false;
  r->why = "what is put together has a causal mask, or weights that are more than a softmax";
  int column;
  return !k->rest || (strata_attention_score_place(a, &column) != STRATA_NO_DIM && a->has_softmax && !a->is_causal &&
                      !strata_attention_has_factor(a));
}

bool strata_attention_step(const strata_attention_t *attention, strata_attention_term_t *term) {
  const reader_t r = {.a = *attention, .context = mlirOperationGetContext(attention->weighted->op)};
  return strata_term_step(&r, term);
}

bool strata_attention_joins_one(const strata_attention_t *a) {
  return a->joint > 0 && strata_attention_static_extent(a, a->column) - a->joint == 1;
}

void strata_attention_leave_rest(strata_attention_t *a) {
  if (a->joint > 0)
    a->sizes[a->column] = strata_size_constant(a->joint);
}
