// Operators element by element.
#include "dialects/import/openvino/openvino.h"

#include <math.h>
#include <string.h>

enum { MAX_DECOMPRESSION = 8 }; // steps from weights to numbers

void ir_translate_same(ir_node_t *n) { ir_set_node(n, ir_node_of_all(n, n->op->detail)); }

// "none" only says that the shapes are equal.
void ir_translate_binary(ir_node_t *n) { ir_translate_same(n); }

void ir_translate_pass(ir_node_t *n) { ir_set(n, 0, ir_operand(n, 0)); }

// Of booleans it is the logical operator.
void ir_translate_bitwise(ir_node_t *n) {
  const char *op = n->op->detail;
  bool is_logical = ir_dtype(n, 0) == STRATA_DTYPE_BOOL;
  ir_set_node(n, ir_node_of_all(n, is_logical ? op : strata_arena_printf(graph_arena(n->g), "Bitwise%s", op)));
}

// An integer is what it is rounded to.
void ir_translate_rounding(ir_node_t *n) {
  if (ir_is_float(n, 0))
    ir_translate_same(n);
  else
    ir_translate_pass(n);
}

void ir_translate_round(ir_node_t *n) {
  const char *x = ir_operand(n, 0);
  if (!ir_is_float(n, 0))
    ir_translate_pass(n);
  else if (!ir_attr_is(n, "mode", "half_away_from_zero", false))
    ir_set(n, 0, ir_unary(n, "Round", x));
  else { // sign(x) * floor(|x| + 1/2)
    const char *sum = ir_binary(n, "Add", ir_unary(n, "Abs", x), ir_number_like(n, 0, 0.5));
    ir_set(n, 0, ir_binary(n, "Mul", ir_unary(n, "Sign", x), ir_unary(n, "Floor", sum)));
  }
}

// The bounds of an integer are the integers inside.
void ir_translate_clamp(ir_node_t *n) {
  double min = ir_attr_float(n, "min", -INFINITY), max = ir_attr_float(n, "max", INFINITY);
  bool is_float = ir_is_float(n, 0);
  const char *low = ir_number_like(n, 0, is_float ? min : ceil(min));
  const char *high = ir_number_like(n, 0, is_float ? max : floor(max));
  ir_set(n, 0, graph_op(n->g, "Clip", GRAPH_VALUES(ir_operand(n, 0), low, high)));
}

// An output of |layer| that is made of constants alone, by what decompression is made of, in f32; NULL where it is not.
static const char *in_f32(ir_node_t *n, const ir_layer_t *layer, int depth) {
  const ir_input_t *inputs = layer->inputs;
  bool is_difference = !strcmp(layer->type, "Subtract"), is_product = !strcmp(layer->type, "Multiply");
  if (depth == MAX_DECOMPRESSION)
    return NULL;
  if (!strcmp(layer->type, "Const"))
    return graph_cast(n->g, layer->values[0], STRATA_DTYPE_F32);
  if (!strcmp(layer->type, "Convert") && inputs[0].from && !strcmp(inputs[0].from->type, "Const"))
    return graph_cast(n->g, inputs[0].from->values[0], STRATA_DTYPE_F32);
  if (layer->n_inputs != 2 || !inputs[0].from || !inputs[1].from)
    return NULL;
  const char *x = in_f32(n, inputs[0].from, depth + 1);
  if (x && !strcmp(layer->type, "Reshape") && !strcmp(inputs[1].from->type, "Const")) {
    ir_node_t reshape = *n;
    reshape.layer = (ir_layer_t *)(uintptr_t)layer;
    return ir_binary(n, "Reshape", x, ir_ints_operand(&reshape, 1));
  }
  const char *y = x && (is_difference || is_product) ? in_f32(n, inputs[1].from, depth + 1) : NULL;
  return y ? ir_binary(n, is_difference ? "Sub" : "Mul", x, y) : NULL;
}

// Weights of few bits are decompressed in f32, as OpenVINO does, although the file says f16 and converts the result.
static const char *decompressed(ir_node_t *n, strata_dtype_t to) {
  const ir_port_t *from = ir_port(n, 0);
  const ir_layer_t *layer = n->layer->inputs[0].from;
  bool widens = from->type && from->type->dtype == STRATA_DTYPE_F16 && to == STRATA_DTYPE_F32;
  return widens && strcmp(layer->type, "Const") ? in_f32(n, layer, 0) : NULL;
}

void ir_translate_convert(ir_node_t *n) {
  const char *name = ir_attr(n, "destination_type");
  strata_dtype_t to = ir_attr_dtype(n, "destination_type", STRATA_DTYPE_NONE);
  const ir_port_t *from = ir_port(n, 0);
  if (!name && !n->refusal)
    ir_refuse(n, "attribute 'destination_type' is missing");
  const char *wide = n->refusal ? NULL : decompressed(n, to);
  if (wide)
    ir_set(n, 0, wide);
  else if (!n->refusal)
    ir_set(n, 0,
           from && from->type && from->type->table == IR_TABLE_NONE && from->type->dtype == to
               ? ir_operand(n, 0)
               : graph_cast(n->g, ir_operand(n, 0), to));
}

// Both, in a type that holds both; the file has it.
void ir_translate_convert_promoted(ir_node_t *n) {
  for (int i = 0; i < 2; i++) {
    const ir_port_t *result = i < n->layer->n_outputs ? &n->layer->outputs[i] : NULL;
    if (!result || !result->type || result->type->dtype == STRATA_DTYPE_NONE)
      ir_refuse(n, "a result of an unknown element type");
    else
      ir_set(n, i, graph_cast(n->g, ir_operand(n, i), result->type->dtype));
  }
}

// Scaled, as numbers of 8 bits, and back.
void ir_translate_fake_convert(ir_node_t *n) {
  bool is_e5m2 = ir_attr_is(n, "destination_type", "f8e5m2", false);
  const char *x = ir_binary(n, "Mul", ir_operand(n, 0), ir_operand(n, 1));
  if (ir_has(n, 2))
    x = ir_binary(n, "Sub", x, ir_operand(n, 2));
  x = graph_cast(n->g, graph_cast(n->g, x, is_e5m2 ? STRATA_DTYPE_E5M2 : STRATA_DTYPE_E4M3), ir_dtype(n, 0));
  if (ir_has(n, 2))
    x = ir_binary(n, "Add", x, ir_operand(n, 2));
  ir_set(n, 0, ir_binary(n, "Div", x, ir_operand(n, 1)));
}

void ir_translate_shift(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, n->op->detail);
  if (!strcmp(n->op->detail, "BitShift"))
    graph_set_string(node, "direction", "LEFT");
  ir_set_node(n, node);
}

void ir_translate_convert_like(ir_node_t *n) { ir_set_node(n, ir_node_of_all(n, "CastLike")); }

// x - floor(x / y) * y, the sign of which is that of y.
static const char *floor_mod(ir_node_t *n) {
  const char *x = ir_operand(n, 0), *y = ir_operand(n, 1);
  if (!ir_is_float(n, 0))
    return ir_binary(n, "Mod", x, y);
  return ir_binary(n, "Sub", x, ir_binary(n, "Mul", ir_unary(n, "Floor", ir_binary(n, "Div", x, y)), y));
}

void ir_translate_floor_mod(ir_node_t *n) { ir_set(n, 0, floor_mod(n)); }

void ir_translate_mod(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, "Mod");
  graph_set_int(node, "fmod", 1);
  ir_set_node(n, node);
}

// Whether the operand is a size or made of sizes: no such is negative.
static bool is_size(const ir_layer_t *layer, int depth) {
  static const char *const sizes[] = {"Gather", "Convert", "Squeeze", "Unsqueeze", "Reshape", "Slice", "StridedSlice"};
  if (!layer || depth == 16)
    return false;
  if (!strcmp(layer->type, "ShapeOf"))
    return true;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if (!strcmp(layer->type, sizes[i]))
      return layer->n_inputs && is_size(layer->inputs[0].from, depth + 1);
  return false;
}

// Whether all elements of a constant operand are positive.
static bool is_positive(ir_node_t *n, int i) {
  strata_tensor_t tensor;
  if (!ir_find_constant(n, i, &tensor))
    return false;
  for (int64_t k = 0; k < strata_tensor_count(&tensor); k++)
    if (!(strata_dtype_load(tensor.dtype, tensor.data, (size_t)k) > 0))
      return false;
  return true;
}

static bool is_signed(ir_node_t *n, int i) {
  return strata_dtype_info[ir_dtype(n, i)].class_ == STRATA_DTYPE_CLASS_SIGNED;
}

// Of integers it is rounded down, as Python does, where ONNX rounds to 0: (x - mod) / y is exact.
void ir_translate_divide(ir_node_t *n) {
  const char *x = ir_operand(n, 0);
  bool is_floor = is_signed(n, 0) && ir_attr_bool(n, "m_pythondiv", true) &&
                  !(is_size(n->layer->inputs[0].from, 0) && is_positive(n, 1));
  if (is_floor)
    x = ir_binary(n, "Sub", x, floor_mod(n));
  ir_set(n, 0, ir_binary(n, "Div", x, ir_operand(n, 1)));
}

void ir_translate_not_equal(ir_node_t *n) {
  ir_set(n, 0, ir_unary(n, "Not", ir_binary(n, "Equal", ir_operand(n, 0), ir_operand(n, 1))));
}

void ir_translate_squared_difference(ir_node_t *n) {
  const char *difference = ir_binary(n, "Sub", ir_operand(n, 0), ir_operand(n, 1));
  ir_set(n, 0, ir_binary(n, "Mul", difference, difference));
}

void ir_translate_elu(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, "Elu");
  graph_set_float(node, "alpha", ir_attr_float(n, "alpha", 1));
  ir_set_node(n, node);
}

void ir_translate_gelu(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, "Gelu");
  graph_set_string(node, "approximate", ir_attr_is(n, "approximation_mode", "tanh", false) ? "tanh" : "none");
  ir_set_node(n, node);
}

// HSigmoid is min(max(x + 3, 0), 6) / 6.
void ir_translate_hard_sigmoid(ir_node_t *n) {
  bool has_operands = n->layer->n_inputs == 3;
  graph_node_t *node = graph_node(n->g, "HardSigmoid", GRAPH_VALUES(ir_operand(n, 0)));
  graph_set_float(node, "alpha", has_operands ? ir_constant_number(n, 1, 0) : 1.0 / 6);
  graph_set_float(node, "beta", has_operands ? ir_constant_number(n, 2, 0) : 0.5);
  ir_set_node(n, node);
}

void ir_translate_selu(ir_node_t *n) {
  graph_node_t *node = graph_node(n->g, "Selu", GRAPH_VALUES(ir_operand(n, 0)));
  graph_set_float(node, "alpha", ir_constant_number(n, 1, 0));
  graph_set_float(node, "gamma", ir_constant_number(n, 2, 0));
  ir_set_node(n, node);
}

// x * sigmoid(beta * x)
void ir_translate_swish(ir_node_t *n) {
  const char *x = ir_operand(n, 0);
  if (ir_has(n, 1))
    x = ir_binary(n, "Mul", x, ir_operand(n, 1));
  ir_set(n, 0, ir_binary(n, "Mul", ir_operand(n, 0), ir_unary(n, "Sigmoid", x)));
}

// A slope of one dimension goes along the channels, dimension 1.
void ir_translate_prelu(ir_node_t *n) {
  const char *slope = ir_operand(n, 1);
  const ir_port_t *port = ir_port(n, 1);
  int rank = ir_rank(n, 0);
  int64_t dims[STRATA_MAX_RANK];
  for (int i = 0; i < rank - 1; i++)
    dims[i] = i ? 1 : -1;
  if (ir_rank(n, 1) == 1 && port->dims[0] != 1 && rank > 2)
    slope = graph_reshape(n->g, slope, rank - 1, dims);
  ir_set(n, 0, ir_binary(n, "PRelu", ir_operand(n, 0), slope));
}

void ir_translate_is_inf(ir_node_t *n) {
  graph_node_t *node = ir_node_of_all(n, "IsInf");
  graph_set_int(node, "detect_negative", ir_attr_bool(n, "detect_negative", true));
  graph_set_int(node, "detect_positive", ir_attr_bool(n, "detect_positive", true));
  ir_set_node(n, node);
}

void ir_translate_is_finite(ir_node_t *n) {
  const char *x = ir_operand(n, 0);
  ir_set(n, 0, ir_unary(n, "Not", ir_binary(n, "Or", ir_unary(n, "IsInf", x), ir_unary(n, "IsNaN", x))));
}
