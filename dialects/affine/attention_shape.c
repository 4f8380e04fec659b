// What tiles and kernels of an attention that was read (attention.c) have: sides, steps, places.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"

bool strata_attention_has_factor(const strata_attention_t *a) {
  return a->has_softmax && !strata_term_same(&a->weight, &a->softmax);
}

int64_t strata_attention_staged_side(int64_t extent) {
  return strata_max(strata_power_of_two_from(extent), STRATA_ATTENTION_STAGED_SIDE);
}

int64_t strata_attention_head_steps(const strata_attention_t *attention, bool is_staged) {
  int64_t steps = strata_round_up(strata_attention_static_extent(attention, attention->head), STRATA_ATTENTION_STEP);
  return is_staged ? strata_attention_staged_side(steps) : steps;
}

int64_t strata_attention_value_columns(const strata_attention_t *attention, bool is_staged) {
  int64_t columns =
      strata_round_up(strata_attention_static_extent(attention, attention->value), STRATA_ATTENTION_COLUMN);
  return is_staged ? strata_attention_staged_side(columns) : columns;
}

static int step_dim(const strata_attention_t *a, int operand) {
  return operand == STRATA_ATTENTION_V ? a->column : a->head;
}

bool strata_attention_is_crossed(const strata_attention_t *a, int operand) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  int inner = strata_memref_sizes(a->operands[operand].access->buffer, sizes) - 1;
  while (inner > 0 && strata_size_is_one(sizes[inner]))
    inner--;
  return inner >= 0 &&
         !strata_affine_expr_uses(mlirAffineMapGetResult(a->operands[operand].map, inner), step_dim(a, operand));
}

static MlirAffineExpr remainder_of(MlirAffineExpr expr, strata_size_t extent, const strata_space_t *space) {
  MlirAffineExpr by = strata_size_expr(mlirAffineExprGetContext(expr), extent);
  return strata_affine_simplify(mlirAffineModExprGet(expr, by), space);
}

bool strata_attention_ends(const strata_attention_t *a, int operand) {
  enum { UNIT = 8 }; // elements of 16 bytes, at which rows begin for the copy engine
  if (operand == STRATA_ATTENTION_V && a->operands[operand].page) // pages behind the last one are none
    return true;
  int64_t coefficient;
  strata_size_t sizes[STRATA_MAX_DIMS], extent = a->sizes[step_dim(a, operand)];
  MlirAffineMap map = a->operands[operand].map;
  MlirContext context = mlirAffineMapGetContext(map);
  int rank = strata_memref_sizes(a->operands[operand].access->buffer, sizes), place = STRATA_NO_DIM;
  for (int i = 0; i < rank; i++)
    if (strata_affine_expr_uses(mlirAffineMapGetResult(map, i), step_dim(a, operand)))
      place = i;
  if (place == STRATA_NO_DIM)
    return false;
  MlirAffineExpr at = mlirAffineMapGetResult(map, place);
  if (!strata_affine_coefficient(at, step_dim(a, operand), &coefficient) || coefficient != 1)
    return false;
  MlirAffineExpr step = mlirAffineDimExprGet(context, step_dim(a, operand));
  MlirAffineExpr rest = mlirAffineAddExprGet(at, mlirAffineMulExprGet(step, mlirAffineConstantExprGet(context, -1)));
  strata_space_t space = strata_attention_space(a);
  rest = strata_affine_simplify(rest, &space);
  if (strata_expr_is_zero(rest))
    return true;
  bool are_rows = strata_expr_is_zero(remainder_of(strata_size_expr(context, sizes[place]), extent, &space)) &&
                  (strata_size_divides(UNIT, extent) || place < rank - 1);
  return are_rows && strata_expr_is_zero(remainder_of(rest, extent, &space));
}

strata_size_t strata_attention_rows(const strata_attention_t *attention) {
  return attention->has_one_row ? strata_size_constant(1) : attention->sizes[attention->row];
}

strata_size_t strata_attention_batches(const strata_attention_t *attention) {
  strata_size_t batch = strata_size_constant(1);
  for (int dim = 0; dim < attention->weighted->n_parallel; dim++)
    if (strata_attention_is_batch(attention, dim))
      batch = strata_size_product(batch, attention->sizes[dim]);
  return batch;
}

bool strata_attention_may_split(const strata_attention_t *a, int64_t rows, int64_t columns, int64_t parts) {
  for (int dim = 0; dim < a->n_dims; dim++)
    if (dim != a->column && strata_size_varies(a->sizes[dim]))
      return false;
  return a->has_softmax && parts <= strata_ceil_div(strata_size_max(a->sizes[a->column]), columns) &&
         !strata_attention_skips(a, rows, columns);
}

int64_t strata_attention_batch(const strata_attention_t *attention) {
  return strata_attention_likely(attention, strata_attention_batches(attention));
}

// The one switch.
enum { SKIPS_BLOCKS = 1 };

bool strata_attention_skips(const strata_attention_t *a, int64_t rows, int64_t columns) {
  strata_size_t all = strata_attention_rows(a), ends = a->sizes[a->column];
  if (!SKIPS_BLOCKS || !a->is_causal || strata_size_min(a->offset) < 0 || strata_size_max(ends) <= columns)
    return false;
  int64_t n_rows, n_columns, offset;
  if (!strata_size_is_constant(all, &n_rows) || !strata_size_is_constant(ends, &n_columns) ||
      !strata_size_is_constant(a->offset, &offset))
    return a->sees_columns;
  return strata_round_up(n_rows, rows) + offset <= strata_round_up(n_columns, columns);
}
