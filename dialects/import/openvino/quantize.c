// FakeQuantize: to one of so many levels between two bounds, and from there to the level between two others.
#include "dialects/import/openvino/openvino.h"

#include <math.h>

// What a QuantizeLinear and a DequantizeLinear do the same with, on 8 bits.
typedef struct {
  int count; // 1: for all; else a number for each place along |axis|
  int axis;  // of the operand
  float *scales;
  uint8_t *zeros; // as i8 or u8
  bool is_signed;
} steps_t;

// The one dim of bounds that differ, lined up with the operand's last: -1 where there are several.
static int bounds_axis(ir_node_t *n, int i, int rank) {
  const ir_port_t *port = ir_port(n, i);
  int axis = 0, n_axes = 0;
  for (int d = 0; port && d < port->rank; d++)
    if (port->dims[d] != 1) {
      axis = d + rank - port->rank;
      n_axes++;
    }
  return n_axes > 1 || axis < 0 ? -1 : axis;
}

// The step and zero point of bounds whose 0 is a level.
static bool find_step(double low, double high, steps_t *steps, int k) {
  double scale = (high - low) / 255, zero = nearbyint(-low / scale);
  if (!(scale > 0) || !isfinite(scale) || fabs(-low / scale - zero) > 1e-3 || zero < 0 || zero > 255)
    return false;
  steps->scales[k] = (float)scale;
  steps->zeros[k] = (uint8_t)((int)zero - (steps->is_signed ? 128 : 0));
  return true;
}

// Whether the bounds of result and operand are the same, known, and have 256 levels between them.
static bool find_steps(ir_node_t *n, steps_t *steps) {
  int64_t levels = ir_attr_int(n, "levels", 256);
  int counts[4], rank = ir_rank(n, 0);
  const double *bounds[4];
  strata_tensor_t tensor;
  for (int i = 0; i < 4; i++)
    if (!ir_find_constant(n, 1 + i, &tensor) || !(bounds[i] = ir_constant_numbers(n, 1 + i, &counts[i])))
      return false;
  steps->axis = bounds_axis(n, 1, rank);
  steps->count = counts[0];
  if (levels != 256 || steps->count < 1 || steps->axis < 0 || n->refusal)
    return false;
  steps->scales = strata_arena_array(graph_arena(n->g), float, steps->count);
  steps->zeros = strata_arena_array(graph_arena(n->g), uint8_t, steps->count);
  steps->is_signed = bounds[0][0] < 0;
  for (int k = 0; k < steps->count; k++)
    if (counts[1] != counts[0] || counts[2] != counts[0] || counts[3] != counts[0] || bounds[0][k] != bounds[2][k] ||
        bounds[1][k] != bounds[3][k] || !find_step(bounds[0][k], bounds[1][k], steps, k))
      return false;
  return true;
}

static graph_node_t *linear(ir_node_t *n, const char *op, const char *x, const steps_t *steps) {
  int rank = steps->count > 1;
  strata_tensor_t scales = {.dtype = STRATA_DTYPE_F32,
                            .rank = rank,
                            .shape = {steps->count},
                            .data = steps->scales,
                            .size = (size_t)steps->count * sizeof(float)};
  strata_tensor_t zeros = {.dtype = steps->is_signed ? STRATA_DTYPE_I8 : STRATA_DTYPE_U8,
                           .rank = rank,
                           .shape = {steps->count},
                           .data = steps->zeros,
                           .size = (size_t)steps->count};
  const char *scale = graph_constant(n->g, graph_fresh(n->g, "scale"), &scales);
  const char *zero = graph_constant(n->g, graph_fresh(n->g, "zero"), &zeros);
  graph_node_t *node = graph_node(n->g, op, GRAPH_VALUES(x, scale, zero));
  graph_set_int(node, "axis", steps->axis);
  return node;
}

// round((min(max(x, low), high) - low) / (high - low) * (levels - 1)) / (levels - 1) * (high' - low') + low'
static void translate_arithmetic(ir_node_t *n) {
  const char *x = ir_operand(n, 0), *low = ir_operand(n, 1), *high = ir_operand(n, 2), *to_low = ir_operand(n, 3);
  const char *steps = ir_number_like(n, 0, (double)ir_attr_int(n, "levels", 256) - 1);
  const char *span = ir_binary(n, "Sub", high, low), *to_span = ir_binary(n, "Sub", ir_operand(n, 4), to_low);
  // The bounds may be given the other way round.
  x = ir_binary(n, "Max", x, ir_binary(n, "Min", low, high));
  x = ir_binary(n, "Min", x, ir_binary(n, "Max", low, high));
  x = ir_binary(n, "Mul", ir_binary(n, "Sub", x, low), ir_binary(n, "Div", steps, span));
  x = ir_binary(n, "Mul", ir_unary(n, "Round", x), ir_binary(n, "Div", to_span, steps));
  ir_set(n, 0, ir_binary(n, "Add", x, to_low));
}

void ir_translate_fake_quantize(ir_node_t *n) {
  steps_t steps = {0};
  if (ir_attr_int(n, "levels", 256) < 2)
    ir_refuse(n, "fewer than 2 levels");
  if (ir_dtype(n, 0) != STRATA_DTYPE_F32 || !find_steps(n, &steps)) {
    translate_arithmetic(n);
    return;
  }
  const char *numbers = graph_result(linear(n, "QuantizeLinear", ir_operand(n, 0), &steps), NULL);
  ir_set_node(n, linear(n, "DequantizeLinear", numbers, &steps));
}
