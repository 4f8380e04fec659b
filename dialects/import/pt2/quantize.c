// Numbers of 8 bits for floats: q = round(x / scale) + zero point, within a range, and back.
#include "dialects/import/pt2/convert.h"

#include <string.h>

// The argument that the row calls the |i|-th: one for all, or one for each place along an axis.
static const char *parameter(pt2_node_t *n, int i, const pt2_value_t *input) {
  const char *name = n->info->detail;
  int64_t axes[STRATA_TENSOR_MAX_RANK];
  int count = 0, length = (int)strcspn(name, " ");
  name = i ? name + length + 1 : strata_arena_printf(n->arena, "%.*s", length, name);
  const char *value = pt2_operand(n, name, STRATA_DTYPE_F32);
  int64_t axis = pt2_has(n, "axis") ? pt2_axis(n, "axis", input->rank) : input->rank;
  for (; axis + 1 + count < input->rank; count++)
    axes[count] = count + 1;
  return n->has_failed || !count ? value : graph_unsqueeze(n->g, value, count, axes);
}

// PyTorch multiplies by the reciprocal.
void pt2_import_quantize(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  const char *x = pt2_cast(n, &input, STRATA_DTYPE_F32), *scale = parameter(n, 0, &input);
  const char *factor = pt2_op(n, "Div", GRAPH_VALUES(pt2_number_value(n, STRATA_DTYPE_F32, 1), scale));
  x = pt2_op(n, "Round", GRAPH_VALUES(pt2_op(n, "Mul", GRAPH_VALUES(x, factor))));
  x = pt2_op(n, "Add", GRAPH_VALUES(x, parameter(n, 1, &input)));
  const char *least = pt2_operand(n, "quant_min", STRATA_DTYPE_F32),
             *most = pt2_operand(n, "quant_max", STRATA_DTYPE_F32);
  pt2_set_as(n, 0, pt2_op(n, "Clip", GRAPH_VALUES(x, least, most)), STRATA_DTYPE_F32);
}

void pt2_import_dequantize(pt2_node_t *n) {
  pt2_value_t input = pt2_tensor(n, "input");
  const char *x = pt2_cast(n, &input, STRATA_DTYPE_F32);
  x = pt2_op(n, "Sub", GRAPH_VALUES(x, parameter(n, 1, &input)));
  pt2_set_as(n, 0, pt2_op(n, "Mul", GRAPH_VALUES(x, parameter(n, 0, &input))), STRATA_DTYPE_F32);
}
