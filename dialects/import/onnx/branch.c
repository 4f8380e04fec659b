// The branches of an If as open loops (dialects/counted_loop.h) of one iteration or none: the first runs the one branch
// if the condition is false, the second the other if it is true, and the results are their states.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/sizes.h"

#include <string.h>

enum { MAX_RESULTS = 64 };

// Enlarges |shape|, of the first of some results, so that it holds |value|, too; false where none holds both.
static bool extend_shape(onnx_node_t *n, const onnx_value_t *first, const onnx_value_t *value, strata_shape_t *shape) {
  if (first->kind != ONNX_TENSOR || value->kind != ONNX_TENSOR || first->is_unsigned != value->is_unsigned)
    return false;
  strata_shape_t other = onnx_shape(value->tensor);
  if (shape->type != other.type || shape->rank != other.rank || other.type == STRATA_TYPE_I1 ||
      other.type == STRATA_TYPE_I4)
    return false;
  for (int i = 0; i < shape->rank; i++)
    shape->dims[i] = onnx_derive(n, STRATA_SYMBOL_MAX, shape->dims[i], other.dims[i]);
  return true;
}

// The shape that holds either result; false where there is none.
static bool common_shape(onnx_node_t *n, const onnx_value_t *a, const onnx_value_t *b, strata_shape_t *out) {
  if (a->kind != ONNX_TENSOR)
    return false;
  *out = onnx_shape(a->tensor);
  return extend_shape(n, a, b, out);
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
  strata_loop_builder_t *loop = strata_build_open_loop_begin(n->b, 1, b->count + 1, states, args);
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
  strata_build_loop_set_limit(loop, b->limit);
  return strata_build_loop_end(loop, b->count, values, reversed, b->states);
}

// Where the results differ in size, the one that |condition| chose has its own.
static void set_result(onnx_node_t *n, int index, MlirValue condition, MlirValue value, const onnx_value_t *a,
                       const onnx_value_t *b) {
  strata_shape_t then = onnx_shape(a->tensor), other = onnx_shape(b->tensor), shape = onnx_shape(value);
  for (int i = 0; i < shape.rank && !onnx_failed(n); i++) {
    if (strata_dim_equal(onnx_resolve(n->importer, then.dims[i]), onnx_resolve(n->importer, other.dims[i])))
      continue;
    MlirValue size = onnx_select(n, condition, strata_build_dim(n->b, then.dims[i], STRATA_TYPE_I64),
                                 strata_build_dim(n->b, other.dims[i], STRATA_TYPE_I64));
    value = onnx_slice_dims(n, value, i, onnx_dim(n, 0), 1, onnx_counted_dim(n, size, shape.dims[i], false));
  }
  onnx_set_value(n, index, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = a->is_unsigned, .tensor = value});
}

bool onnx_choose_result(onnx_node_t *n, int index, MlirValue condition, const onnx_value_t *a, const onnx_value_t *b) {
  strata_shape_t shape;
  if (!common_shape(n, a, b, &shape))
    return false;
  condition = onnx_reshape(n, condition, 0, NULL);
  MlirValue value = onnx_select(n, condition, enlarged(n, a->tensor, &shape), enlarged(n, b->tensor, &shape));
  set_result(n, index, condition, value, a, b);
  return true;
}

// Dim |axis| of each item, [n_items]; null where it is the same of all.
static MlirValue sizes_along(onnx_node_t *n, int axis, size_t n_items, const onnx_value_t *items) {
  strata_dim_t *sizes = strata_arena_array(n->b->compile->arena, strata_dim_t, n_items);
  bool are_equal = true;
  for (size_t i = 0; i < n_items; i++) {
    sizes[i] = onnx_resolve(n->importer, onnx_shape(items[i].tensor).dims[axis]);
    are_equal &= strata_dim_equal(sizes[i], sizes[0]);
  }
  return are_equal ? (MlirValue){0} : strata_build_dims(n->b, (int)n_items, sizes);
}

bool onnx_choose_item(onnx_node_t *n, int index, MlirValue place, size_t n_items, const onnx_value_t *items) {
  strata_shape_t shape;
  MlirValue *rows = strata_arena_array(n->b->compile->arena, MlirValue, n_items);
  if (!common_shape(n, &items[0], &items[0], &shape))
    return false;
  for (size_t i = 1; i < n_items; i++)
    if (!extend_shape(n, &items[0], &items[i], &shape))
      return false;
  for (size_t i = 0; i < n_items; i++)
    rows[i] = onnx_insert_axis(n, enlarged(n, items[i].tensor, &shape), 0);
  onnx_value_t chosen = {.kind = ONNX_TENSOR, .is_unsigned = items[0].is_unsigned};
  chosen.tensor = strata_build_gather(n->b, strata_build_concat(n->b, (int)n_items, rows, 0), place, 0, 0);
  for (int i = 0; i < shape.rank && !onnx_failed(n); i++) {
    MlirValue sizes = sizes_along(n, i, n_items, items);
    if (mlirValueIsNull(sizes))
      continue;
    strata_dim_t size = onnx_counted_dim(n, strata_build_gather(n->b, sizes, place, 0, 0), shape.dims[i], false);
    chosen.tensor = onnx_slice_dims(n, chosen.tensor, i, onnx_dim(n, 0), 1, size);
  }
  onnx_set_value(n, index, chosen);
  return true;
}

bool onnx_import_branches(onnx_node_t *n, MlirValue condition, const onnx_value_t *then_results,
                          const onnx_value_t *else_results) {
  strata_shape_t shapes[MAX_RESULTS];
  MlirValue states[MAX_RESULTS];
  const char *problem;
  if (n->n_outputs > MAX_RESULTS)
    return false;
  for (int i = 0; i < n->n_outputs; i++) {
    if (!common_shape(n, &then_results[i], &else_results[i], &shapes[i]) ||
        strata_shape_is_counted(&n->importer->symbols, &shapes[i]))
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
    set_result(n, i, onnx_reshape(n, condition, 0, NULL), states[i], &then_results[i], &else_results[i]);
  return true;
}
