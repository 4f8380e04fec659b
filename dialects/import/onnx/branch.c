// The branches of an If as open loops (dialects/counted_loop.h) of one iteration or none: the first runs the one branch
// if the condition is false, the second the other if it is true, and the results are their states.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/sizes.h"

#include <string.h>

enum { MAX_RESULTS = 64 };

static bool is_empty(const strata_shape_t *shape) {
  for (int i = 0; i < shape->rank; i++)
    if (strata_dim_is(shape->dims[i], 0))
      return true;
  return false;
}

// The larger of two dims at all sizes; null where neither is, or, unless they |may_differ|, where they are never equal.
static strata_dim_t larger(onnx_node_t *n, strata_dim_t a, strata_dim_t b, bool may_differ) {
  strata_dim_t none = {0};
  a = onnx_resolve(n->importer, a);
  b = onnx_resolve(n->importer, b);
  strata_range_t difference = onnx_dim_range(n, strata_dim_sub(a, b));
  if (!may_differ && (difference.min > 0 || difference.max < 0))
    return none;
  return difference.min >= 0 ? a : difference.max <= 0 ? b : none;
}

// The shape that holds either result |index|; false where there is none, or where a node would see what is added. One
// of them may have no elements; else they must be of one size for some sizes.
static bool common_shape(onnx_node_t *n, int index, const onnx_value_t *a, const onnx_value_t *b, strata_shape_t *out) {
  if (a->kind != ONNX_TENSOR || b->kind != ONNX_TENSOR || a->is_unsigned != b->is_unsigned)
    return false;
  strata_shape_t other = onnx_shape(b->tensor);
  *out = onnx_shape(a->tensor);
  bool has_empty = is_empty(out) || is_empty(&other);
  if (out->type != other.type || out->rank != other.rank || out->type == STRATA_TYPE_I1 || out->type == STRATA_TYPE_I4)
    return false;
  for (int i = 0; i < out->rank; i++) {
    if (!strata_dim_equal(out->dims[i], other.dims[i]) && !onnx_is_output_only(n, index))
      return false;
    out->dims[i] = larger(n, out->dims[i], other.dims[i], has_empty);
    if (mlirAffineExprIsNull(out->dims[i]))
      return false;
  }
  return true;
}

static MlirValue enlarged(onnx_node_t *n, MlirValue x, const strata_shape_t *to) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  bool fits = true;
  for (int i = 0; i < shape.rank; i++) {
    low[i] = onnx_dim(n, 0);
    high[i] = strata_dim_sub(onnx_resolve(n->importer, to->dims[i]), onnx_resolve(n->importer, shape.dims[i]));
    fits = fits && strata_dim_is(high[i], 0);
  }
  return fits ? x : strata_build_pad_dims(n->b, x, low, high, 0);
}

typedef struct {
  const char *branch;
  MlirValue limit; // 1 if it runs, 0 if not
  int count;
  const strata_shape_t *shapes;
  MlirValue *states; // before it and after
} branch_t;

static bool import_branch(onnx_node_t *n, void *user) {
  branch_t *b = user;
  MlirValue states[MAX_RESULTS + 1], args[MAX_RESULTS + 1], values[MAX_RESULTS];
  const bool reversed[1] = {false};
  onnx_value_t *results;
  int count;
  states[0] = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1); // the limit alone ends it
  memcpy(states + 1, b->states, (size_t)b->count * sizeof *states);
  strata_loop_builder_t *loop = strata_build_open_loop_begin(n->b, 1, b->limit, b->count + 1, states, args);
  if (!loop)
    return false;
  strata_build_loop_drop_state(loop, 0);
  strata_build_loop_keep_all(loop);
  if (!onnx_import_body(n, b->branch, 0, NULL, &count, &results) || n->importer->has_trial_failed) {
    strata_build_loop_cancel(loop);
    return false;
  }
  for (int i = 0; i < b->count; i++)
    values[i] = enlarged(n, results[i].tensor, &b->shapes[i]);
  return strata_build_loop_end(loop, b->count, values, reversed, b->states);
}

bool onnx_import_branches(onnx_node_t *n, MlirValue condition, const onnx_value_t *then_results,
                          const onnx_value_t *else_results) {
  strata_shape_t shapes[MAX_RESULTS];
  MlirValue states[MAX_RESULTS];
  const char *problem;
  if (n->n_outputs > MAX_RESULTS)
    return false;
  for (int i = 0; i < n->n_outputs; i++) {
    if (!common_shape(n, i, &then_results[i], &else_results[i], &shapes[i]))
      return false;
    states[i] = onnx_splat_dims(n, shapes[i].type, shapes[i].rank, shapes[i].dims, 0);
  }
  MlirValue is_true = onnx_convert(n, onnx_reshape(n, condition, 0, NULL), false, STRATA_TYPE_I64, false);
  MlirValue is_false = onnx_binary(n, STRATA_OP_SUB, onnx_integer(n, is_true, 1), is_true);
  branch_t otherwise = {"else_branch", is_false, n->n_outputs, shapes, states};
  branch_t then = {"then_branch", is_true, n->n_outputs, shapes, states};
  if (onnx_failed(n) || !onnx_try(n, import_branch, &otherwise, &problem) ||
      !onnx_try(n, import_branch, &then, &problem))
    return false;
  for (int i = 0; i < n->n_outputs; i++)
    onnx_set_value(
        n, i, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = then_results[i].is_unsigned, .tensor = states[i]});
  return true;
}
