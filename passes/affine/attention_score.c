// See attention_score.h. What the score is computed of, down to the product, is copied op by op; what is used twice is
// written once.
#include "passes/affine/attention_score.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"

typedef strata_attention_term_t term_t;

typedef struct {
  term_t term;
  MlirValue value;
} written_t;

typedef struct {
  strata_arena_t *arena;
  const strata_score_place_t *place;
  STRATA_VECTOR(written_t) written;
} writer_t;

static MlirValue insert(const writer_t *w, MlirOperation op) {
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(w->place->before), w->place->before, op);
  return mlirOperationGetResult(op, 0);
}

// |map|, of the dims of the term's nest, at the place.
static MlirAffineMap map_there(const writer_t *w, const term_t *term, MlirAffineMap map) {
  const strata_attention_t *a = w->place->attention;
  strata_space_t space = strata_attention_space(a);
  MlirAffineMap point = mlirAffineMapGet(mlirAffineMapGetContext(map), a->n_dims, a->symbols.count,
                                         strata_nest_n_dims(term->nest), (MlirAffineExpr *)(uintptr_t)term->point);
  return strata_affine_compose(strata_affine_compose(map, point, &space), w->place->point, &space);
}

// An affine.load or affine.apply.
static MlirValue write_mapped(const writer_t *w, const term_t *term, MlirOperation op) {
  MlirAffineMap map = map_there(w, term, strata_nest_map(term->nest, op));
  MlirOperation copy = mlirOperationClone(op);
  MlirValue value = insert(w, copy);
  strata_nest_set_map(copy, map, w->place->dims);
  return value;
}

// A dim of the term's nest.
static MlirValue write_dim(const writer_t *w, const term_t *term) {
  MlirContext context = mlirOperationGetContext(term->nest->op);
  MlirAffineExpr dim = mlirAffineDimExprGet(context, (intptr_t)mlirBlockArgumentGetArgNumber(term->value));
  MlirAffineMap map = map_there(w, term, mlirAffineMapGet(context, strata_nest_n_dims(term->nest), 0, 1, &dim));
  MlirType index = mlirIndexTypeGet(context);
  strata_named_attr_t attr = {"map", mlirAffineMapAttrGet(map)};
  MlirOperation op = strata_op_create(mlirOperationGetLocation(w->place->before), "affine.apply",
                                      (int)mlirAffineMapGetNumDims(map), w->place->dims, 1, &index, 1, &attr, 0, NULL);
  MlirValue value = insert(w, op);
  strata_nest_set_map(op, map, w->place->dims);
  return value;
}

static MlirValue write(writer_t *w, term_t term);

static MlirValue write_op(writer_t *w, const term_t *term, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirValue *operands = strata_arena_array(w->arena, MlirValue, (size_t)n);
  for (intptr_t i = 0; i < n; i++) {
    term_t operand = *term;
    operand.value = mlirOperationGetOperand(op, i);
    operands[i] = write(w, operand);
  }
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationSetOperands(copy, n, operands);
  return insert(w, copy);
}

static MlirValue write_new(writer_t *w, const term_t *term) {
  MlirOperation op = strata_def(term->value);
  term_t stored = *term;
  if (mlirOperationIsNull(op))
    return write_dim(w, term);
  if (strata_op_is(op, "affine.for"))
    return w->place->product;
  if (strata_op_is(op, "affine.load") && strata_attention_step(w->place->attention, &stored))
    return write(w, stored);
  if (strata_op_is(op, "affine.load") || strata_op_is(op, "affine.apply"))
    return write_mapped(w, term, op);
  return write_op(w, term, op);
}

static MlirValue write(writer_t *w, term_t term) {
  for (size_t i = 0; i < w->written.count; i++)
    if (strata_term_same(&w->written.data[i].term, &term))
      return w->written.data[i].value;
  MlirValue value = write_new(w, &term);
  *strata_vector_push(w->arena, &w->written) = (written_t){term, value};
  return value;
}

MlirValue strata_attention_write_score(strata_arena_t *arena, const strata_score_place_t *place) {
  writer_t w = {.arena = arena, .place = place};
  return write(&w, place->attention->score);
}
