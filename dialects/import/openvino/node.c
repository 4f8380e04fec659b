// What a translator sees of its layer.
#include "dialects/import/openvino/openvino.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ir_refuse(ir_node_t *n, const char *format, ...) {
  char reason[512];
  if (n->refusal)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  n->refusal = strata_arena_strdup(graph_arena(n->g), reason);
}

//===-- Operands and results -------------------------------------------------------------------------------------===//

bool ir_has(const ir_node_t *n, int i) { return i >= 0 && i < n->layer->n_inputs && n->layer->inputs[i].from; }

const char *ir_operand(const ir_node_t *n, int i) {
  const ir_input_t *input = ir_has(n, i) ? &n->layer->inputs[i] : NULL;
  return input ? input->from->values[input->output] : "";
}

// All operands, "" for those that are left out.
static int operands_of(const ir_node_t *n, const char *const **out_operands) {
  const char **operands = strata_arena_array(graph_arena(n->g), const char *, n->layer->n_inputs);
  for (int i = 0; i < n->layer->n_inputs; i++)
    operands[i] = ir_operand(n, i);
  *out_operands = operands;
  return n->layer->n_inputs;
}

const ir_port_t *ir_port(const ir_node_t *n, int i) {
  return ir_has(n, i) ? &n->layer->inputs[i].from->outputs[n->layer->inputs[i].output] : NULL;
}

int ir_rank(ir_node_t *n, int i) {
  const ir_port_t *port = ir_port(n, i);
  if (port && port->rank >= 0 && port->rank <= STRATA_MAX_RANK)
    return port->rank;
  ir_refuse(n, "input %d: the number of dimensions must be known and at most %d", i, STRATA_MAX_RANK);
  return 0;
}

strata_dtype_t ir_dtype(ir_node_t *n, int i) {
  const ir_port_t *port = ir_port(n, i);
  if (port && port->type && port->type->dtype != STRATA_DTYPE_NONE)
    return port->type->dtype;
  ir_refuse(n, "input %d: the element type must be known", i);
  return STRATA_DTYPE_F32;
}

bool ir_is_float(ir_node_t *n, int i) { return strata_dtype_info[ir_dtype(n, i)].class_ == STRATA_DTYPE_CLASS_FLOAT; }

bool ir_is_integer(ir_node_t *n, int i) {
  strata_dtype_class_t class_ = strata_dtype_info[ir_dtype(n, i)].class_;
  return class_ == STRATA_DTYPE_CLASS_SIGNED || class_ == STRATA_DTYPE_CLASS_UNSIGNED;
}

bool ir_wants(const ir_node_t *n, int output) { return output < n->layer->n_outputs && n->layer->is_read[output]; }

void ir_set(ir_node_t *n, int output, const char *value) {
  if (output < n->layer->n_outputs)
    n->layer->values[output] = value;
}

void ir_set_node(ir_node_t *n, graph_node_t *node) { ir_set(n, 0, graph_result(node, NULL)); }

graph_node_t *ir_node_of_all(ir_node_t *n, const char *op) {
  const char *const *operands;
  int count = operands_of(n, &operands);
  return graph_node(n->g, op, count, operands);
}

//===-- Attributes -----------------------------------------------------------------------------------------------===//

const char *ir_attr(const ir_node_t *n, const char *name) { return xml_attribute(n->layer->data, name); }

bool ir_attr_is(const ir_node_t *n, const char *name, const char *value, bool otherwise) {
  const char *given = ir_attr(n, name);
  return given ? !strcasecmp(given, value) : otherwise;
}

bool ir_attr_bool(const ir_node_t *n, const char *name, bool otherwise) {
  const char *given = ir_attr(n, name);
  return given ? !strcasecmp(given, "true") || !strcmp(given, "1") : otherwise;
}

int64_t ir_attr_int(ir_node_t *n, const char *name, int64_t otherwise) {
  const char *given = ir_attr(n, name);
  int64_t value = otherwise;
  if (given && ir_parse_ints(given, 1, &value) != 1)
    ir_refuse(n, "attribute '%s': expected an integer, got '%s'", name, given);
  return value;
}

double ir_attr_float(ir_node_t *n, const char *name, double otherwise) {
  const char *given = ir_attr(n, name);
  char *end = NULL;
  double value = given ? strtod(given, &end) : otherwise;
  if (given && (end == given || *end))
    ir_refuse(n, "attribute '%s': expected a number, got '%s'", name, given);
  return value;
}

const int64_t *ir_attr_ints(ir_node_t *n, const char *name, int *out_count) {
  enum { MOST = 64 };
  const char *given = ir_attr(n, name);
  int64_t *values = strata_arena_array(graph_arena(n->g), int64_t, MOST);
  *out_count = given ? ir_parse_ints(given, MOST, values) : 0;
  if (*out_count < 0) {
    ir_refuse(n, "attribute '%s': expected integers with commas between, got '%s'", name, given);
    *out_count = 0;
  }
  return values;
}

strata_dtype_t ir_attr_dtype(ir_node_t *n, const char *name, strata_dtype_t otherwise) {
  const char *given = ir_attr(n, name);
  const ir_type_t *type = given ? ir_type_by_name(given) : NULL;
  if (!given)
    return otherwise;
  if (type && type->dtype != STRATA_DTYPE_NONE && type->table == IR_TABLE_NONE)
    return type->dtype;
  ir_refuse(n, "attribute '%s': elements of type '%s'", name, given);
  return otherwise;
}

//===-- Building -------------------------------------------------------------------------------------------------===//

const char *ir_ints_operand(ir_node_t *n, int i) {
  strata_tensor_t tensor;
  if (ir_find_constant(n, i, &tensor)) {
    int count;
    const int64_t *values = ir_constant_ints(n, i, &count);
    return graph_ints(n->g, count, values);
  }
  const char *value = ir_operand(n, i);
  if (ir_dtype(n, i) != STRATA_DTYPE_I64)
    value = graph_cast(n->g, value, STRATA_DTYPE_I64);
  return ir_rank(n, i) == 1 ? value : graph_reshape(n->g, value, 1, (int64_t[]){-1});
}

int64_t ir_axis(ir_node_t *n, int64_t axis, int rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  ir_refuse(n, "axis %lld of %d dimensions", (long long)axis, rank);
  return 0;
}

const char *ir_number_like(ir_node_t *n, int i, double value) { return graph_number(n->g, ir_dtype(n, i), value); }

const char *ir_binary(ir_node_t *n, const char *op, const char *x, const char *y) {
  return graph_op(n->g, op, GRAPH_VALUES(x, y));
}

const char *ir_reshape(ir_node_t *n, const char *x, int rank, const int64_t *sizes) {
  return ir_binary(n, "Reshape", x, graph_ints(n->g, rank, sizes));
}

const char *ir_unary(ir_node_t *n, const char *op, const char *x) { return graph_op(n->g, op, GRAPH_VALUES(x)); }
