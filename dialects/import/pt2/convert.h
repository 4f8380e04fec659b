// Inside the .pt2 reader: what the reader of one operator sees (pt2_node_t), and the helpers it is written with.
//
// ops.def has a row for each operator of ATen's, whatever its overloads: their arguments have names. A reader takes
// arguments from |n|, adds ONNX nodes to |n->g| and sets the results. Values are ONNX's, by name. Element types and
// sizes of arguments and results are those that the file says. The first error sticks: pt2_refuse for what we cannot
// do; after it the helpers give harmless values and add no more nodes.
#ifndef STRATA_DIALECTS_IMPORT_PT2_CONVERT_H
#define STRATA_DIALECTS_IMPORT_PT2_CONVERT_H

#include "dialects/import/graph/graph_builder.h"
#include "dialects/import/pt2/program.h"

// What a name of the program is bound to.
typedef struct pt2_value {
  const char *name;     // the ONNX value; "": none, after an error
  strata_dtype_t dtype; // NONE: one that we lack
  int rank;
  const pt2_size_t *sizes;
  struct pt2_value *root;             // whose memory it has in PyTorch; itself: its own
  struct pt2_value *base;             // what |view| was made of
  const struct pt2_op_info *view_row; // of |view|
  const pt2_call_t *view; // that made it a part of |base|, or another shape of it; NULL: it is all of |root|
  const char *changed_by; // the node that changed |root| after this was made of it; NULL: none
  const char *next;       // its value after a change under way
} pt2_value_t;

struct pt2_converter;

typedef struct pt2_node {
  struct pt2_converter *converter;
  const pt2_call_t *call;
  const struct pt2_op_info *info;
  graph_t *g;
  strata_arena_t *arena;
  bool has_failed;
  int n_results;
  const char **results; // names of the program
} pt2_node_t;

// What the memory of a result is in PyTorch.
typedef enum {
  PT2_MEMORY_NEW,  // its own
  PT2_MEMORY_SAME, // that of the first argument, unless the element types differ
  PT2_MEMORY_VIEW, // it may be a part of the first argument's
} pt2_memory_t;

typedef struct pt2_op_info {
  const char *name; // "aten.add"
  pt2_memory_t memory;
  const char *arguments; // as ops.def says
  void (*reader)(pt2_node_t *n);
  const char *detail;
} pt2_op_info_t;

#define PT2_OP(name, memory, arguments, reader, ...) void pt2_import_##reader(pt2_node_t *n);
#include "dialects/import/pt2/ops.def"

//===-- Errors ---------------------------------------------------------------------------------------------------===//

void pt2_refuse(pt2_node_t *n, const char *format, ...) STRATA_PRINTF(2, 3);

//===-- Arguments ------------------------------------------------------------------------------------------------===//

bool pt2_has(const pt2_node_t *n, const char *name); // it is given, or has a default, and is not None
const pt2_item_t *pt2_items(pt2_node_t *n, const char *name, int *out_count); // none where it is not given
pt2_value_t pt2_tensor(pt2_node_t *n, const char *name);
pt2_value_t pt2_item_tensor(pt2_node_t *n, const pt2_item_t *item);
bool pt2_is_tensor(const pt2_node_t *n, const char *name);
// What the file says of a tensor; NULL where it says nothing.
const pt2_meta_t *pt2_argument_meta(pt2_node_t *n, const char *name);
int64_t pt2_int(pt2_node_t *n, const char *name); // a number, no symbol
double pt2_number(pt2_node_t *n, const char *name);
bool pt2_bool(pt2_node_t *n, const char *name);
const char *pt2_string(pt2_node_t *n, const char *name, const char *otherwise);
// A list of numbers; one that is given for all is repeated up to |count| (-1: as many as there are). NULL after an
// error.
const int64_t *pt2_ints(pt2_node_t *n, const char *name, int *count);
// An axis of |rank| dims, counted from the front.
int64_t pt2_axis(pt2_node_t *n, const char *name, int rank);
int64_t pt2_normal_axis(pt2_node_t *n, int64_t axis, int rank);

//===-- As values ------------------------------------------------------------------------------------------------===//

// A tensor, number or symbol, of element type |dtype|.
const char *pt2_operand(pt2_node_t *n, const char *name, strata_dtype_t dtype);
const char *pt2_item_value(pt2_node_t *n, const pt2_item_t *item, strata_dtype_t dtype);
// A list of sizes, or one: i64, of one dimension.
const char *pt2_sizes(pt2_node_t *n, const char *name);
const char *pt2_items_value(pt2_node_t *n, int count, const pt2_item_t *items);
// |whole| with |part| in the place that |n|, a slice or select, names.
const char *pt2_put_slice(pt2_node_t *n, const pt2_value_t *whole, const char *part);
// Of each element of a result of repeat_interleave which of those of |n| it is, where the numbers of times are data.
const char *pt2_repeated_places(pt2_node_t *n);
// Whether the first argument's elements are side by side in its order.
bool pt2_is_row_major(pt2_node_t *n);
// Whether |n|, a reshape to these sizes, is another shape of its argument's memory, or a copy where its strides do not
// fit.
typedef enum { PT2_SHARES, PT2_COPIES, PT2_MAY_SHARE } pt2_sharing_t;
pt2_sharing_t pt2_reshape_sharing(pt2_node_t *n, int rank, const pt2_size_t *sizes);
const char *pt2_cast(pt2_node_t *n, const pt2_value_t *value, strata_dtype_t dtype);
// The sizes of |value| from dim |start| up to |end|.
const char *pt2_shape(pt2_node_t *n, const char *value, int start, int end);
// That of dim |axis|, a scalar.
const char *pt2_dim(pt2_node_t *n, const char *value, int64_t axis);
// The element type that ATen computes arguments of these names in, separated by blanks.
strata_dtype_t pt2_promoted(pt2_node_t *n, const char *names);
bool pt2_is_float(strata_dtype_t dtype);

//===-- Nodes and results ----------------------------------------------------------------------------------------===//

const char *pt2_op(pt2_node_t *n, const char *op, int n_operands, const char *const *operands);
graph_node_t *pt2_node(pt2_node_t *n, const char *op, int n_operands, const char *const *operands);
// A node with the attribute "axis".
const char *pt2_along(pt2_node_t *n, const char *op, int n_operands, const char *const *operands, int64_t axis);
const char *pt2_number_value(pt2_node_t *n, strata_dtype_t dtype, double value);
// A formula over the arguments: "Add(self, Mul(other, alpha))"; names in ONNX's operators, numbers, and attributes
// behind ';' ("Gelu(self; approximate=\"tanh\")"). All are of element type |dtype|.
const char *pt2_formula(pt2_node_t *n, strata_dtype_t dtype, const char *text);

const pt2_meta_t *pt2_result(const pt2_node_t *n, int i); // what the file says; NULL: not a tensor, or nothing
strata_dtype_t pt2_result_dtype(pt2_node_t *n);           // of the first; NONE and an error where we lack it
bool pt2_wants(const pt2_node_t *n, int i);               // it is read
void pt2_set(pt2_node_t *n, int i, const char *value);
// Of |dtype|, cast to what the result is.
void pt2_set_as(pt2_node_t *n, int i, const char *value, strata_dtype_t dtype);

void pt2_set_symbol(pt2_node_t *n, const char *value, strata_dtype_t dtype); // the only result

// Converts |graph| into |g|, whose inputs are |operands|, and returns its results; NULL: one that is no tensor.
const char **pt2_inline(pt2_node_t *n, graph_t *g, const pt2_graph_t *graph, int count, const pt2_value_t *operands);

#endif
