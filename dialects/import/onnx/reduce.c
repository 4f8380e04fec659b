// Operators that combine elements along axes: sums and their kin, extremes and where they are, running sums, sorting.
#include "dialects/import/onnx/onnx.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/integers.h"

#include <math.h>

//===-- Reductions -----------------------------------------------------------------------------------------------===//

typedef struct {
  MlirValue x;
  bool axes[STRATA_MAX_RANK], keep_dims;
  strata_dim_t count; // elements that are combined into one
  bool is_nothing;
} reduction_t;

// Axes are an attribute or an operand; none at all means all of them, or with a flag none.
static bool read_reduction(onnx_node_t *n, reduction_t *r) {
  int64_t count;
  *r = (reduction_t){.x = onnx_operand(n, 0), .count = onnx_dim(n, 1), .keep_dims = onnx_attr_int(n, "keepdims", 1)};
  strata_shape_t shape = onnx_shape(r->x);
  const int64_t *axes = onnx_ints(n, "axes", 1, &count);
  onnx_axes(n, axes, count, shape.rank, r->axes);
  r->is_nothing = count == 0 && onnx_attr_int(n, "noop_with_empty_axes", 0);
  for (int i = 0; i < shape.rank; i++) {
    if (count == 0)
      r->axes[i] = !r->is_nothing;
    if (r->axes[i])
      r->count = strata_dim_mul(r->count, shape.dims[i]);
  }
  return !onnx_failed(n);
}

static MlirValue reduce(onnx_node_t *n, const reduction_t *r, strata_combiner_t kind, MlirValue x) {
  return onnx_reduce(n, kind, x, r->axes, r->keep_dims);
}

// Max, Min, Prod and Sum. The extremes of booleans are their disjunction and conjunction.
void onnx_import_reduce(onnx_node_t *n) {
  reduction_t r;
  if (!read_reduction(n, &r))
    return;
  strata_combiner_t kind = (strata_combiner_t)(onnx_is_unsigned(n, 0) ? n->info->unsigned_detail : n->info->detail);
  if (onnx_shape(r.x).type == STRATA_TYPE_I1)
    kind = kind == STRATA_COMBINER_MAX ? STRATA_COMBINER_OR : STRATA_COMBINER_AND;
  onnx_set_like(n, 0, reduce(n, &r, kind, r.x), 0);
}

static MlirValue square(onnx_node_t *n, MlirValue x) { return strata_build_binary(n->b, STRATA_OP_MUL, x, x); }

void onnx_import_reduce_mean(onnx_node_t *n) {
  reduction_t r;
  if (!read_reduction(n, &r))
    return;
  MlirValue sum = reduce(n, &r, STRATA_COMBINER_ADD, onnx_widen(n, r.x));
  strata_op_id_t div = onnx_is_unsigned(n, 0) ? STRATA_OP_DIV_U : STRATA_OP_DIV;
  MlirValue mean = onnx_with_dim(n, div, sum, r.count);
  onnx_set_like(n, 0, onnx_round(n, mean, onnx_shape(r.x).type), 0);
}

void onnx_import_reduce_l1(onnx_node_t *n) {
  reduction_t r;
  if (!read_reduction(n, &r))
    return;
  MlirValue size = onnx_is_unsigned(n, 0) ? r.x : onnx_unary(n, STRATA_OP_ABS, r.x);
  onnx_set_like(n, 0, reduce(n, &r, STRATA_COMBINER_ADD, size), 0);
}

void onnx_import_reduce_sum_square(onnx_node_t *n) {
  reduction_t r;
  if (read_reduction(n, &r))
    onnx_set_like(n, 0, reduce(n, &r, STRATA_COMBINER_ADD, square(n, r.x)), 0);
}

// What is no sum of integers takes the way over floats: the operand on it, and the result back.
static MlirValue as_float(onnx_node_t *n, MlirValue x) {
  return strata_type_is_float(onnx_shape(x).type) ? onnx_widen(n, x)
                                                  : onnx_convert(n, x, onnx_is_unsigned(n, 0), STRATA_TYPE_F64, false);
}

static void set_from_float(onnx_node_t *n, MlirValue result) {
  strata_type_t type = onnx_operand_shape(n, 0).type;
  onnx_set_like(n, 0,
                strata_type_is_float(type) ? onnx_round(n, result, type)
                                           : onnx_convert(n, result, false, type, onnx_is_unsigned(n, 0)),
                0);
}

void onnx_import_reduce_l2(onnx_node_t *n) {
  reduction_t r;
  if (read_reduction(n, &r))
    set_from_float(n, onnx_unary(n, STRATA_OP_SQRT, reduce(n, &r, STRATA_COMBINER_ADD, square(n, as_float(n, r.x)))));
}

void onnx_import_reduce_log_sum(onnx_node_t *n) {
  reduction_t r;
  if (read_reduction(n, &r))
    set_from_float(n, onnx_unary(n, STRATA_OP_LOG, reduce(n, &r, STRATA_COMBINER_ADD, as_float(n, r.x))));
}

// log(sum(exp(x))) around the greatest element, which must be finite to be subtracted.
void onnx_import_reduce_log_sum_exp(onnx_node_t *n) {
  reduction_t r;
  if (!read_reduction(n, &r))
    return;
  MlirValue x = as_float(n, r.x), greatest = onnx_reduce(n, STRATA_COMBINER_MAX, x, r.axes, true);
  MlirValue center = onnx_select(n, onnx_unary(n, STRATA_OP_IS_INF, greatest), onnx_number(n, greatest, 0), greatest);
  MlirValue terms = onnx_unary(n, STRATA_OP_EXP, onnx_binary(n, STRATA_OP_SUB, x, center));
  MlirValue sum = onnx_reduce(n, STRATA_COMBINER_ADD, terms, r.axes, true);
  MlirValue result = onnx_binary(n, STRATA_OP_ADD, onnx_unary(n, STRATA_OP_LOG, sum), center);
  for (int i = onnx_shape(r.x).rank - 1; i >= 0 && !r.keep_dims; i--)
    if (r.axes[i])
      result = onnx_remove_axis(n, result, i);
  set_from_float(n, result);
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

// Unsigned integers compare as signed ones after the sign bit is flipped.
static MlirValue comparable(onnx_node_t *n, MlirValue x) {
  if (!onnx_is_unsigned(n, 0))
    return x;
  int bits = strata_type_info[onnx_shape(x).type].bits;
  return strata_build_binary(n->b, STRATA_OP_XOR, x, onnx_integer(n, x, (int64_t)(UINT64_C(1) << (bits - 1))));
}

void onnx_import_arg_reduce(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), onnx_shape(x).rank);
  if (onnx_failed(n))
    return;
  MlirValue place = strata_build_arg_reduce(n->b, (strata_combiner_t)n->info->detail, comparable(n, x), axis,
                                            onnx_attr_int(n, "select_last_index", 0));
  onnx_set(n, 0, onnx_attr_int(n, "keepdims", 1) ? onnx_insert_axis(n, place, axis) : place);
}

// The k first of the sorted elements; k is an attribute before opset 10.
void onnx_import_top_k(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), positions;
  strata_shape_t shape = onnx_shape(x);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", -1), shape.rank);
  int64_t count = 1;
  const strata_dim_t *ks = onnx_has_attr(n, "k") ? NULL : onnx_place_dims(n, "k", 1, &count);
  if (!onnx_failed(n) && count != 1)
    onnx_invalid(n, "operand 1: expected one element, got %lld", (long long)count);
  strata_dim_t k = ks && !onnx_failed(n) ? ks[0] : onnx_dim(n, onnx_attr_int(n, "k", 0));
  if (mlirAffineExprIsNull(k) && !onnx_failed(n))
    k = onnx_limited_data_dim(n, 1, shape.dims[axis]);
  if (!onnx_failed(n) &&
      (onnx_dim_range(n, k).max < 0 || !onnx_require(n->importer, shape.dims[axis], k, 0, INT64_MAX)))
    onnx_invalid(n, "k: expected 0 to %s, got %s", onnx_dim_text(n, shape.dims[axis]), onnx_dim_text(n, k));
  if (onnx_failed(n))
    return;
  MlirValue sorted =
      strata_build_sort(n->b, x, axis, onnx_attr_int(n, "largest", 1), onnx_is_unsigned(n, 0), &positions);
  onnx_set_like(n, 0, onnx_slice_dims(n, sorted, axis, onnx_dim(n, 0), 1, k), 0);
  onnx_set(n, 1, onnx_slice_dims(n, positions, axis, onnx_dim(n, 0), 1, k));
}

// |detail|: how they are combined.
void onnx_import_cumulated(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int axis = onnx_axis(n, onnx_constant_int(n, 1, 0), onnx_shape(x).rank);
  bool exclusive = onnx_attr_int(n, "exclusive", 0), reverse = onnx_attr_int(n, "reverse", 0);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_scan(n->b, (strata_combiner_t)n->info->detail, x, axis, exclusive, reverse), 0);
}

//===-- Softmax --------------------------------------------------------------------------------------------------===//

// Since opset 13 the work is along one axis, before along all from |axis| on.
static int softmax_axes(onnx_node_t *n, int64_t *out) {
  int rank = onnx_operand_shape(n, 0).rank, count = 0;
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", n->opset < 13 ? 1 : -1), rank),
      end = n->opset < 13 ? rank : axis + 1;
  for (int i = axis; i < end; i++)
    out[count++] = i;
  return count;
}

void onnx_import_softmax(onnx_node_t *n) {
  int64_t axes[STRATA_MAX_RANK];
  MlirValue x = onnx_operand(n, 0);
  strata_attr_value_t attr = {.n_i64s = softmax_axes(n, axes), .i64s = axes};
  if (!onnx_failed(n))
    onnx_set(n, 0, strata_build_composite(n->b, (strata_composite_id_t)n->info->detail, 1, &x, 1, &attr));
}

// 1 at the first greatest element.
void onnx_import_hardmax(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x), flat = shape;
  int64_t axes[STRATA_MAX_RANK];
  int count = softmax_axes(n, axes);
  if (onnx_failed(n) || count == 0)
    return;
  int axis = (int)axes[0];
  for (int i = axis + 1; i < axis + count; i++)
    flat.dims[axis] = strata_dim_mul(flat.dims[axis], shape.dims[i]);
  flat.rank = shape.rank - count + 1;
  x = onnx_reshape_dims(n, x, flat.rank, flat.dims);
  MlirValue place = onnx_insert_axis(n, strata_build_arg_reduce(n->b, STRATA_COMBINER_MAX, x, axis, false), axis);
  MlirValue hot = onnx_binary(n, STRATA_OP_EQ, onnx_iota_dims(n, STRATA_TYPE_I64, flat.rank, flat.dims, axis), place);
  onnx_set(n, 0, onnx_reshape_dims(n, onnx_convert(n, hot, false, shape.type, false), shape.rank, shape.dims));
}

//===-- Norms ----------------------------------------------------------------------------------------------------===//

// x / ‖x‖ along an axis, 0 where the norm is 0.
void onnx_import_lp_normalization(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  bool axes[STRATA_MAX_RANK] = {false};
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", -1), onnx_shape(x).rank);
  int64_t p = onnx_attr_int(n, "p", 2);
  if (!onnx_failed(n) && p != 1 && p != 2)
    onnx_invalid(n, "p: expected 1 or 2, got %lld", (long long)p);
  if (onnx_failed(n))
    return;
  axes[axis] = true;
  strata_type_t type = onnx_shape(x).type;
  x = onnx_widen(n, x);
  MlirValue norm =
      onnx_reduce(n, STRATA_COMBINER_ADD, p == 1 ? onnx_unary(n, STRATA_OP_ABS, x) : square(n, x), axes, true);
  if (p == 2)
    norm = onnx_unary(n, STRATA_OP_SQRT, norm);
  MlirValue is_zero = onnx_with_number(n, STRATA_OP_EQ, norm, 0);
  MlirValue scaled = onnx_binary(n, STRATA_OP_DIV, x, onnx_select(n, is_zero, onnx_number(n, norm, 1), norm));
  onnx_set(n, 0, onnx_convert(n, scaled, false, type, false));
}

// The sum of |x|^p over all spatial dims, and its root.
void onnx_import_global_lp_pool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  bool axes[STRATA_MAX_RANK];
  double p = n->opset < 2 ? onnx_attr_float(n, "p", 2) : (double)onnx_attr_int(n, "p", 2);
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    axes[i] = i >= 2;
  MlirValue powers = onnx_with_number(n, STRATA_OP_POW, onnx_unary(n, STRATA_OP_ABS, onnx_widen(n, x)), p);
  MlirValue sum = onnx_reduce(n, STRATA_COMBINER_ADD, powers, axes, true);
  onnx_set(n, 0, onnx_round(n, onnx_with_number(n, STRATA_OP_POW, sum, 1 / p), onnx_shape(x).type));
}

// Mean or maximum over all spatial dims.
void onnx_import_global_pool(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  bool axes[STRATA_MAX_RANK];
  strata_dim_t count = onnx_dim(n, 1);
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    axes[i] = i >= 2;
  for (int i = 2; i < shape.rank; i++)
    count = strata_dim_mul(count, shape.dims[i]);
  bool is_mean = n->info->detail == STRATA_COMBINER_ADD;
  MlirValue pooled = onnx_reduce(n, (strata_combiner_t)n->info->detail, is_mean ? onnx_widen(n, x) : x, axes, true);
  if (is_mean)
    pooled = onnx_round(n, onnx_with_dim(n, STRATA_OP_DIV, pooled, count), shape.type);
  onnx_set(n, 0, pooled);
}
