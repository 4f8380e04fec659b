// Inside the reader of OpenVINO's IR: what the translator of one operator sees (ir_node_t) and what it is written with.
//
// ops.def has a row for each operator and version, which names its translator: void ir_translate_<name>(ir_node_t *n).
// It builds ONNX nodes in |n->g| and says which of their results are the layer's. What it cannot do it refuses: after
// that it may go on, and what it sets is ignored.
#ifndef STRATA_DIALECTS_IMPORT_OPENVINO_H
#define STRATA_DIALECTS_IMPORT_OPENVINO_H

#include "dialects/import/graph/graph_builder.h"
#include "dialects/import/mapped_file.h"
#include "dialects/import/openvino/document.h"
#include "dialects/import/string_map.h"
#include "dialects/strata/strata.h"

typedef struct ir_importer {
  strata_compile_t *compile;
  const char *path;
  const char *weights_path;
  strata_mapped_file_t weights;
  bool has_weights;
  strata_string_map_t names;     // of inputs, constants and outputs
  strata_string_map_t variables; // by name, their values when a call begins
} ir_importer_t;

typedef struct ir_node {
  ir_importer_t *importer;
  graph_t *g;
  ir_layer_t *layer;
  const struct ir_op *op;
  const char *label; // the operator in errors
  int version;
  const char *refusal; // the first
} ir_node_t;

typedef struct ir_op {
  const char *type;
  int since;       // the first opset with this form
  int least, most; // inputs
  int results;     // at most
  const char *attributes;
  void (*translate)(ir_node_t *n); // NULL: not supported, because of |detail|
  const char *detail;              // for translators of several rows: an ONNX operator
} ir_op_t;

#define IR_OP(type, since, least, most, results, attributes, translator, detail)                                       \
  void ir_translate_##translator(ir_node_t *n);
#define IR_MISSING(type, reason)
#include "dialects/import/openvino/ops.def"

//===-- Errors ---------------------------------------------------------------------------------------------------===//

void ir_refuse(ir_node_t *n, const char *format, ...) STRATA_PRINTF(2, 3);

//===-- Operands and results -------------------------------------------------------------------------------------===//

bool ir_has(const ir_node_t *n, int i);
const char *ir_operand(const ir_node_t *n, int i);   // "" for one that is left out
const ir_port_t *ir_port(const ir_node_t *n, int i); // what operand |i| comes from; NULL
int ir_rank(ir_node_t *n, int i);                    // refuses, and gives 0, where it is not known
strata_dtype_t ir_dtype(ir_node_t *n, int i);
bool ir_is_float(ir_node_t *n, int i);
bool ir_is_integer(ir_node_t *n, int i);
bool ir_wants(const ir_node_t *n, int output); // whether a layer that is reached reads it
void ir_set(ir_node_t *n, int output, const char *value);
void ir_set_node(ir_node_t *n, graph_node_t *node); // the only result
// ONNX's |op| of all operands, or of some.
graph_node_t *ir_node_of_all(ir_node_t *n, const char *op);

//===-- Constants ------------------------------------------------------------------------------------------------===//

// A constant operand, or a conversion of one, as it is in the file; false where it is none.
bool ir_find_constant(ir_node_t *n, int i, strata_tensor_t *out_tensor);
// The elements of an operand that must be a constant of integers, or of numbers; refuses, and gives NULL, where it is
// not.
const int64_t *ir_constant_ints(ir_node_t *n, int i, int *out_count);
const double *ir_constant_numbers(ir_node_t *n, int i, int *out_count);
int64_t ir_constant_int(ir_node_t *n, int i, int64_t otherwise); // the one element; |otherwise| if it is left out
double ir_constant_number(ir_node_t *n, int i, double otherwise);
// The tensor of a Const layer, in the file.
const char *ir_read_constant(ir_importer_t *importer, const ir_layer_t *layer, strata_tensor_t *out_tensor,
                             const ir_type_t **out_type);

//===-- Attributes -----------------------------------------------------------------------------------------------===//

const char *ir_attr(const ir_node_t *n, const char *name); // NULL
bool ir_attr_is(const ir_node_t *n, const char *name, const char *value, bool otherwise);
bool ir_attr_bool(const ir_node_t *n, const char *name, bool otherwise);
int64_t ir_attr_int(ir_node_t *n, const char *name, int64_t otherwise);
double ir_attr_float(ir_node_t *n, const char *name, double otherwise);
const int64_t *ir_attr_ints(ir_node_t *n, const char *name, int *out_count);
strata_dtype_t ir_attr_dtype(ir_node_t *n, const char *name, strata_dtype_t otherwise);

//===-- Building -------------------------------------------------------------------------------------------------===//

// The axes of an operand as ONNX wants them; |i| may be a scalar.
const char *ir_ints_operand(ir_node_t *n, int i);              // i64, of one dimension
int64_t ir_axis(ir_node_t *n, int64_t axis, int rank);         // from 0 on; refuses what is outside
const char *ir_number_like(ir_node_t *n, int i, double value); // a scalar of the type of operand |i|
const char *ir_binary(ir_node_t *n, const char *op, const char *x, const char *y);
const char *ir_reshape(ir_node_t *n, const char *x, int rank, const int64_t *sizes);
const char *ir_unary(ir_node_t *n, const char *op, const char *x);

//===-- Graphs ---------------------------------------------------------------------------------------------------===//

// Translates the layers of |graph| that are reached into |g|; values of its parameters are set already.
STRATA_MUST_CHECK strata_status_t ir_translate_layers(ir_importer_t *importer, graph_t *g, ir_graph_t *graph);
// The value of operand 0 of a Result of a body.
const char *ir_result_value(const ir_layer_t *result);

#endif
