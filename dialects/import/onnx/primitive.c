// The domain "strata": primitives of the dialect that no operator of ONNX is, for front ends of other formats.
#include "dialects/import/onnx/onnx.h"

#include <string.h>

// The combiner that the attribute "kind" names; for unsigned integers the one of their order.
static strata_combiner_t combiner(onnx_node_t *n) {
  const char *name = onnx_attr_string(n, "kind", "add");
  if (onnx_is_unsigned(n, 0) && (!strcmp(name, "max") || !strcmp(name, "min")))
    name = strata_arena_printf(n->b->compile->arena, "%s_u", name);
  return strata_combiner_from_name(mlirStringRefCreate(name, strlen(name)));
}

static strata_type_t wanted_type(onnx_node_t *n, strata_type_t otherwise, bool *out_is_unsigned) {
  strata_type_t type = otherwise;
  *out_is_unsigned = false;
  if (onnx_has_attr(n, "to") && !onnx_element_type(onnx_attr_int(n, "to", 0), &type, out_is_unsigned))
    onnx_invalid(n, "to: expected an element type, got %s", onnx_data_type_name(onnx_attr_int(n, "to", 0)));
  return type;
}

// The bits of the operand as another type of the same size: a boolean is a byte, 0 or 1.
void onnx_import_bit_cast(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  bool is_unsigned;
  strata_type_t from = onnx_shape(x).type, to = wanted_type(n, from, &is_unsigned);
  strata_type_t bits = from == STRATA_TYPE_I1 ? STRATA_TYPE_I8 : from;
  strata_type_t wanted = to == STRATA_TYPE_I1 ? STRATA_TYPE_I8 : to;
  if (!onnx_failed(n) && strata_type_info[bits].bits != strata_type_info[wanted].bits)
    onnx_unsupported(n, "the bits of %s as %s", onnx_type_name(from, onnx_is_unsigned(n, 0)),
                     onnx_type_name(to, is_unsigned));
  if (onnx_failed(n))
    return;
  MlirValue result = x;
  if (from != to) {
    result = from == bits ? x : onnx_convert(n, x, false, bits, false);
    result = bits == wanted ? result : strata_build_convert(n->b, STRATA_OP_BITCAST, result, wanted);
    result = to == wanted ? result : onnx_with_number(n, STRATA_OP_NE, result, 0);
  }
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = result});
}

// Sums of products, accumulated in the result's type: f32 of f16 if "to" says so.
void onnx_import_contract(onnx_node_t *n) {
  MlirValue lhs = onnx_operand(n, 0), rhs = onnx_operand(n, 1);
  bool is_unsigned;
  strata_type_t type = wanted_type(n, onnx_shape(lhs).type, &is_unsigned);
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_contract(n, onnx_attr_string(n, "equation", ""), lhs, rhs, type, "matmul"));
}

// Indices outside are clamped; after |batch_dims| dims that both operands share, |axis| becomes those of the indices.
void onnx_import_clamped_gather(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), indices = onnx_operand(n, 1);
  int64_t batch_dims = onnx_attr_int(n, "batch_dims", 0);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), onnx_operand_shape(n, 0).rank);
  indices = onnx_convert(n, indices, onnx_is_unsigned(n, 1), STRATA_TYPE_I64, false);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_gather(n->b, x, indices, axis, batch_dims), 0);
}

// Rows of |updates| combined with rows of the first operand, in order; those of places outside are dropped.
void onnx_import_scatter_rows(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), updates = onnx_operand(n, 2);
  MlirValue rows = onnx_convert(n, onnx_operand(n, 1), onnx_is_unsigned(n, 1), STRATA_TYPE_I64, false);
  const char *kind = onnx_attr_string(n, "kind", "none");
  if (strcmp(kind, "none"))
    kind = onnx_failed(n) ? kind : strata_combiner_info[combiner(n)].name;
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_scatter(n->b, kind, x, rows, updates), 0);
}

void onnx_import_cumulate(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), onnx_operand_shape(n, 0).rank);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_scan(n->b, combiner(n), x, axis, false, onnx_attr_int(n, "reverse", 0)), 0);
}

void onnx_import_reduce_integers(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int rank = onnx_operand_shape(n, 0).rank;
  bool axes[STRATA_MAX_RANK] = {false};
  int64_t count;
  const int64_t *list = onnx_attr_ints(n, "axes", &count);
  onnx_axes(n, list, list ? count : 0, rank, axes);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, onnx_reduce(n, combiner(n), x, axes, false), 0);
}

// Padding counts as the neutral element. All lists have an entry a dimension; pads as ONNX has them, the low ones
// first.
void onnx_import_window(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  int rank = onnx_operand_shape(n, 0).rank;
  int64_t window[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], dilations[STRATA_MAX_RANK], pads[2 * STRATA_MAX_RANK];
  if (onnx_failed(n))
    return;
  onnx_attr_ints_or(n, "kernel_shape", rank, 1, window);
  onnx_attr_ints_or(n, "strides", rank, 1, strides);
  onnx_attr_ints_or(n, "dilations", rank, 1, dilations);
  onnx_attr_ints_or(n, "pads", 2 * rank, 0, pads);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, strata_build_window(n->b, combiner(n), x, window, strides, dilations, pads, pads + rank), 0);
}
