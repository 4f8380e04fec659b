// Graphs of other formats as ONNX models in memory. A front end says what each of its operators is in ONNX's, and the
// ONNX importer does the rest: shapes, sizes that vary, element types, constants, loops, errors.
//
//   graph_t *g = graph_create(arena);
//   graph_input(g, "x", STRATA_DTYPE_F32, 2, (graph_dim_t[]){{.size = -1, .name = "batch"}, {.size = 64}});
//   graph_origin(g, "Linear", "layer 1");      // errors say "(node layer 1): Linear is not supported: ..."
//   graph_node_t *node = graph_node(g, "MatMul", GRAPH_VALUES("x", graph_constant(g, "w", &weights)));
//   graph_output(g, "y", graph_result(node, NULL));
//   STRATA_TRY(graph_import(g, compile, path, options));
//
// Values are strings, unique in the model; "" is an operand that is left out. Strings and tensors must live as long as
// the arena; lists are copied. ONNX's rules are those of opset GRAPH_OPSET. Operators outside the default domain are
// called "com.microsoft.Gelu". Nodes may be added in any order.
#ifndef STRATA_DIALECTS_IMPORT_GRAPH_BUILDER_H
#define STRATA_DIALECTS_IMPORT_GRAPH_BUILDER_H

#include "dialects/import/import.h"
#include "runtime/base/tensor_file.h"

enum { GRAPH_OPSET = 25 };

typedef struct graph graph_t; // that of the model, or a body
typedef struct graph_node graph_node_t;

graph_t *graph_create(strata_arena_t *arena);
// The body of a node, which sees the values of |outer|.
graph_t *graph_create_body(graph_t *outer);
strata_arena_t *graph_arena(const graph_t *g);

// What is added from here on, in any graph of the model, is made for the node |name| of operator |op|.
void graph_origin(graph_t *g, const char *op, const char *name);

//===-- Inputs and outputs ---------------------------------------------------------------------------------------===//

typedef struct {
  int64_t size;     // -1: it varies
  const char *name; // of one that varies; NULL: INPUT.AXIS. Equal names are equal sizes
  int64_t min, max; // what it varies within; max 0: anything
} graph_dim_t;

void graph_input(graph_t *g, const char *name, strata_dtype_t dtype, int rank, const graph_dim_t *dims);
void graph_body_input(graph_t *body, const char *name); // as the operator says
void graph_output(graph_t *g, const char *name, const char *value);

//===-- Constants ------------------------------------------------------------------------------------------------===//

// Each returns the value. Bytes of tensors are used where they lie.
const char *graph_constant(graph_t *g, const char *name, const strata_tensor_t *tensor);
const char *graph_ints(graph_t *g, int count, const int64_t *values); // i64, of one dimension
const char *graph_int(graph_t *g, int64_t value);                     // i64, a scalar
const char *graph_number(graph_t *g, strata_dtype_t dtype, double value);

//===-- Nodes ----------------------------------------------------------------------------------------------------===//

#define GRAPH_VALUES(...)                                                                                              \
  (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)), (const char *[]) { __VA_ARGS__ }

graph_node_t *graph_node(graph_t *g, const char *op, int n_operands, const char *const *operands);
// The next result; |name| NULL: it gets a name of its own, "": it is left out.
const char *graph_result(graph_node_t *node, const char *name);
// The only result of a node without attributes.
const char *graph_op(graph_t *g, const char *op, int n_operands, const char *const *operands);

void graph_set_int(graph_node_t *node, const char *name, int64_t value);
void graph_set_float(graph_node_t *node, const char *name, double value);
void graph_set_string(graph_node_t *node, const char *name, const char *value);
void graph_set_ints(graph_node_t *node, const char *name, int count, const int64_t *values);
void graph_set_strings(graph_node_t *node, const char *name, int count, const char *const *values);
void graph_set_body(graph_node_t *node, const char *name, graph_t *body);

// A node that is not supported, for the reason given; what needs its results is skipped. The import goes on, and its
// error has a line for every such node.
graph_node_t *graph_refuse(graph_t *g, const char *format, ...) STRATA_PRINTF(2, 3);
// The number of nodes, and the way back to it: for what turns out not to be supported halfway.
size_t graph_mark(const graph_t *g);
void graph_roll_back(graph_t *g, size_t mark);

//===-- Values ---------------------------------------------------------------------------------------------------===//

// Where |value|, a number that data decide, is a size it is at most |most|, unless --bound says otherwise.
void graph_bound(graph_t *g, const char *value, int64_t most);
// A name that no other value has.
const char *graph_fresh(graph_t *g, const char *hint);
const char *graph_cast(graph_t *g, const char *value, strata_dtype_t dtype);
const char *graph_reshape(graph_t *g, const char *value, int rank,
                          const int64_t *dims); // -1: what is left; 0: as it is
const char *graph_transpose(graph_t *g, const char *value, int rank, const int64_t *permutation);
const char *graph_count_to(graph_t *g, const char *end); // i64: 0, 1, ..., as many as the scalar |end| says
const char *graph_unsqueeze(graph_t *g, const char *value, int count, const int64_t *axes);
const char *graph_squeeze(graph_t *g, const char *value, int count, const int64_t *axes);
// The Fourier transform of |length| elements along |axis| of a value whose last dim is the parts, one or two;
// |is_half|: of the half of a spectrum that a real signal has.
const char *graph_dft(graph_t *g, const char *value, int64_t axis, int64_t length, bool is_inverse, bool is_half);

// Imports the model into compile->module; |path| is where it comes from. Errors: as those of strata_import_onnx.
STRATA_MUST_CHECK strata_status_t graph_import(graph_t *g, strata_compile_t *compile, const char *path,
                                               const strata_import_options_t *options);

#endif
