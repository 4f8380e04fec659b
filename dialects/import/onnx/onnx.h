// Inside the ONNX importer: what a reader of one operator sees (onnx_node_t) and the helpers it is written with.
//
// ops.def has a row for each ONNX operator, which names its reader: void onnx_import_<reader>(onnx_node_t *n). A reader
// takes operands and attributes from |n|, builds strata ops with |n->b| and sets the results. Sizes are expressions
// over the symbols of the model (dialects/strata/symbols.h); a reader that needs numbers asks with onnx_sizes, which is
// what it does not support of a model with symbols. The first error sticks: onnx_invalid for a wrong model,
// onnx_unsupported for what we cannot do; after either the helpers give harmless values (null, 0, rank 0), so that a
// reader may go on for a while, and what it sets is ignored.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_H
#define STRATA_DIALECTS_IMPORT_ONNX_H

#include "dialects/import/import.h"
#include "dialects/import/string_map.h"
#include "dialects/strata/strata.h"
#include "runtime/base/dtype.h"

#include <onnx.pb-c.h>

typedef enum {
  ONNX_UNSET,  // a result that the reader has not set
  ONNX_ABSENT, // an omitted operand, or an optional that is empty
  ONNX_TENSOR,
  ONNX_SEQUENCE, // of values known one by one, or of tensors of one shape, as many as a size says (sequence.c)
  ONNX_POISONED, // of an unsupported node: whatever needs it is skipped silently
} onnx_value_kind_t;

typedef struct onnx_value {
  onnx_value_kind_t kind;
  bool is_unsigned; // MLIR's integers do not say
  MlirValue tensor; // of a sequence: its items along dim 0; null: |items| are known one by one
  size_t n_items;
  const struct onnx_value *items;
  const void *collector; // of a sequence in a loop's body: the loop, whose earlier iterations' items are in front
  const char *note;      // what the header says of it where it is an output; NULL: nothing
  const char *alias; // the input of the model that it updates: where it is an output it may have its memory; NULL: none
} onnx_value_t;

// A shape whose sizes are numbers.
typedef struct {
  strata_type_t type;
  int rank;
  int64_t dims[STRATA_MAX_RANK];
} onnx_shape_t;

struct onnx_importer;
struct onnx_scope;

typedef struct onnx_node {
  struct onnx_importer *importer;
  const struct onnx_scope *scope;
  const Onnx__NodeProto *proto;
  const struct onnx_op_info *info;
  const char *name; // of the node; of its first result where it has none
  int opset;
  int n_inputs, n_outputs;
  const onnx_value_t *inputs;
  onnx_value_t *outputs;
  strata_builder_t *b;
} onnx_node_t;

typedef struct onnx_op_info {
  const char *name;
  int since;                      // the first opset whose form the reader knows
  int least, most;                // operands
  const char *operands;           // their element types, a letter each
  int results;                    // at most
  const char *attributes;         // with types and values, as ops.def says
  void (*reader)(onnx_node_t *n); // NULL: not supported, because of |missing|
  int detail, unsigned_detail;    // for readers of several rows: a primitive, composite or combiner
  const char *attrs;              // of composites: "alpha=0.01,gamma=1"
  const char *missing;
} onnx_op_info_t;

#define ONNX_OP(name, since, least, most, operands, results, attributes, reader, ...)                                  \
  void onnx_import_##reader(onnx_node_t *n);
#define ONNX_MISSING(name, reason)
#include "dialects/import/onnx/ops.def"

//===-- Errors ---------------------------------------------------------------------------------------------------===//

void onnx_invalid(onnx_node_t *n, const char *format, ...) STRATA_PRINTF(2, 3);
void onnx_unsupported(onnx_node_t *n, const char *format, ...) STRATA_PRINTF(2, 3);
bool onnx_failed(const onnx_node_t *n);

//===-- Operands and results -------------------------------------------------------------------------------------===//

bool onnx_has(const onnx_node_t *n, int i);         // operand |i| is given
bool onnx_wants(const onnx_node_t *n, int i);       // result |i| is read by a node, or an output
bool onnx_is_unsigned(const onnx_node_t *n, int i); // operand |i|
MlirValue onnx_operand(onnx_node_t *n, int i);      // a tensor, else an error
strata_shape_t onnx_shape(MlirValue value);
strata_shape_t onnx_operand_shape(onnx_node_t *n, int i);
// The same in numbers; UNSUPPORTED where a size is symbolic.
onnx_shape_t onnx_sizes(onnx_node_t *n, MlirValue value);
onnx_shape_t onnx_operand_sizes(onnx_node_t *n, int i);
// An error unless operand |i| is left out, or has the shape, or can be broadcast to it. Sizes that can be equal are
// made so.
void onnx_expect_shape(onnx_node_t *n, int i, int rank, const strata_dim_t *dims);
void onnx_expect_broadcast(onnx_node_t *n, int i, int rank, const strata_dim_t *dims);
void onnx_expect_sizes(onnx_node_t *n, int i, int rank, const int64_t *dims);

//===-- Dims -----------------------------------------------------------------------------------------------------===//

strata_dim_t onnx_dim(const onnx_node_t *n, int64_t size);
const char *onnx_dim_text(const onnx_node_t *n, strata_dim_t dim);
strata_range_t onnx_dim_range(const onnx_node_t *n, strata_dim_t dim);
// max, min, quotient or remainder of two dims.
strata_dim_t onnx_derive(onnx_node_t *n, strata_symbol_op_t op, strata_dim_t lhs, strata_dim_t rhs);
// A size that the library finds when it runs, |value|, an i64 of rank 0: at most |bound|, or the first |bound| count of
// what |may_exceed| it.
strata_dim_t onnx_counted_dim(onnx_node_t *n, MlirValue value, strata_dim_t bound, bool may_exceed);
// Sizes that depend on data become their bounds; |value| is behind what there is.
MlirValue onnx_fill_up(onnx_node_t *n, MlirValue x, double value);
// Makes the two one size; false where they cannot be.
bool onnx_agree(onnx_node_t *n, strata_dim_t a, strata_dim_t b);
// The same of the dims of two values that meet elementwise, right aligned, neither of which is 1. What does not fit is
// left to who builds with them.
void onnx_agree_pair(onnx_node_t *n, MlirValue x, MlirValue y);

// The elements of an operand that must be known at compile time; NULL and an error where it is not. An omitted operand
// has no elements, NULL, and is an error only if the operator requires it (ops.def).
const int64_t *onnx_constant_ints(onnx_node_t *n, int i, int64_t *out_count);
const double *onnx_constant_floats(onnx_node_t *n, int i, int64_t *out_count);
// The same of integers that sizes may be part of.
const strata_dim_t *onnx_dims(onnx_node_t *n, int i, int64_t *out_count);
bool onnx_known_dim(onnx_node_t *n, MlirValue value, strata_dim_t *out); // of one element, in a model with symbols
// |value|, integers, as the sizes that they are, if all are known and not all are numbers: sizes are computed exactly
// as the model says, while a kernel may put other roundings in front of a floor.
MlirValue onnx_as_sizes(onnx_node_t *n, MlirValue value);
// Operand |i|, of one element that data decide, as a size with a bound: what --bound says, else an assumed one, or an
// error where that is not given.
bool onnx_data_dim(onnx_node_t *n, int i, strata_dim_t *out);
bool onnx_given_data_dim(onnx_node_t *n, int i, strata_dim_t *out);
// The same of one that is an error beyond |most|.
strata_dim_t onnx_limited_data_dim(onnx_node_t *n, int i, strata_dim_t most);
// The same of how many elements the first result has, an i64 of rank 0; --bound names the result.
bool onnx_elements_dim(onnx_node_t *n, MlirValue count, strata_dim_t *out);
// |value|, an i64 of rank 0 made of operand |i|, which data decide, as a size that is at most |whole| times what
// --bound says of the operand, or an error.
bool onnx_scaled_data_dim(onnx_node_t *n, int i, MlirValue value, strata_dim_t whole, strata_dim_t *out);
// Those of |dims|, the elements of operand |i|, that are null become such sizes. False and an error where they cannot,
// or |dims| is NULL.
bool onnx_bound_dims(onnx_node_t *n, int i, int64_t count, strata_dim_t *dims);
const strata_dim_t *onnx_dims_or_attr(onnx_node_t *n, const char *attr, int i, int64_t *out_count); // as onnx_ints
// The same, of which those that depend on data are null.
const strata_dim_t *onnx_place_dims(onnx_node_t *n, const char *attr, int i, int64_t *out_count);
// Whether data decide some of the sizes of parts that operand 1 lists, and the parts of operand 0 along |axis|.
bool onnx_has_data_parts(onnx_node_t *n);
const MlirValue *onnx_parts_by_data(onnx_node_t *n, int64_t axis, int64_t *out_count);
// Of operand |i|, of one dim or none, with rank 0: as an i64, or of the type that it has.
MlirValue onnx_element(onnx_node_t *n, int i, int64_t index);
MlirValue onnx_plain_element(onnx_node_t *n, int i, int64_t index);
const strata_dim_t *onnx_required_dims(onnx_node_t *n, const char *attr, int i, int64_t *out_count);
int64_t onnx_constant_int(onnx_node_t *n, int i, int64_t otherwise); // one element
// The name of the model's input that a value is, be it in another shape; NULL where it is computed.
const char *onnx_input_name(const onnx_node_t *n, MlirValue value);
// What to say of a value that would have to be known: that it is an input of the model and can be bound, "" of any
// other.
const char *onnx_binding_hint(const onnx_node_t *n, MlirValue value);
// The same for a value of any origin, with no error where it is not known.
bool onnx_is_known(onnx_node_t *n, MlirValue value);
// The same of operand |i|, or numbers that sizes are part of, but do not change, as the number of dims of a shape: what
// onnx_constant_floats gives.
bool onnx_is_constant(onnx_node_t *n, int i);
bool onnx_known_ints(onnx_node_t *n, MlirValue value, const int64_t **out_values, int64_t *out_count);

void onnx_set(onnx_node_t *n, int i, MlirValue value);                   // signed, boolean or float
void onnx_set_like(onnx_node_t *n, int i, MlirValue value, int operand); // signed or not as the operand is
void onnx_set_value(onnx_node_t *n, int i, onnx_value_t value);

//===-- Attributes -----------------------------------------------------------------------------------------------===//

const Onnx__AttributeProto *onnx_attr(const onnx_node_t *n, const char *name); // NULL where there is none
bool onnx_has_attr(const onnx_node_t *n, const char *name);
int64_t onnx_attr_int(const onnx_node_t *n, const char *name, int64_t otherwise);
double onnx_attr_float(const onnx_node_t *n, const char *name, double otherwise);
const char *onnx_attr_string(const onnx_node_t *n, const char *name, const char *otherwise);
bool onnx_attr_is(const onnx_node_t *n, const char *name, const char *value); // a string attribute that has this value
const int64_t *onnx_attr_ints(const onnx_node_t *n, const char *name, int64_t *out_count); // NULL where there is none
// |count| integers, |otherwise| for each where the attribute is missing; an error if their number is another.
void onnx_attr_ints_or(onnx_node_t *n, const char *name, int count, int64_t otherwise, int64_t *out);
// Integers that were an attribute before they became operand |i|; NULL where neither is given.
const int64_t *onnx_ints(onnx_node_t *n, const char *attr, int i, int64_t *out_count);
// The same; neither is an error, so that NULL is always one.
const int64_t *onnx_required_ints(onnx_node_t *n, const char *attr, int i, int64_t *out_count);

// |axis| counted from the end if negative; an error if outside.
int onnx_axis(onnx_node_t *n, int64_t axis, int rank);
// Marks the axes in |out|, which has |rank| entries; an error if one is outside or given twice.
void onnx_axes(onnx_node_t *n, const int64_t *axes, int64_t count, int rank, bool *out);
// The axes in their order; NULL: all |rank|, which |count| must be. Returns their number, 0 after an error.
int onnx_axis_list(onnx_node_t *n, const int64_t *axes, int64_t count, int rank, int *out);

//===-- Element types --------------------------------------------------------------------------------------------===//

// The type of a TensorProto.DataType, the cast of an operand to which is an error where there is none.
bool onnx_element_type(int64_t data_type, strata_type_t *out_type, bool *out_is_unsigned);
strata_type_t onnx_dtype_element_type(strata_dtype_t dtype, bool *out_is_unsigned);
const char *onnx_data_type_name(int64_t data_type);
const char *onnx_type_name(strata_type_t type, bool is_unsigned); // as in "f32" and "u8"

//===-- Building -------------------------------------------------------------------------------------------------===//

// Operands broadcast to their common shape.
MlirValue onnx_binary(onnx_node_t *n, strata_op_id_t op, MlirValue x, MlirValue y);
MlirValue onnx_select(onnx_node_t *n, MlirValue condition, MlirValue x, MlirValue y);
MlirValue onnx_unary(onnx_node_t *n, strata_op_id_t op, MlirValue x);
// x op number.
MlirValue onnx_with_number(onnx_node_t *n, strata_op_id_t op, MlirValue x, double number);
MlirValue onnx_number(onnx_node_t *n, MlirValue like, double number); // everywhere, shape and type of |like|
MlirValue onnx_integer(onnx_node_t *n, MlirValue like, int64_t number);
MlirValue onnx_splat(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims, double number);
// A conversion by the signedness of source and result.
MlirValue onnx_convert(onnx_node_t *n, MlirValue x, bool from_unsigned, strata_type_t type, bool to_unsigned);
MlirValue onnx_to_float(onnx_node_t *n, MlirValue x); // a float as f32, but f64 as it is
// f16 and bf16 as the f32 that they are computed in, all else as it is; and the way back to |type|. Between the two are
// intermediates that the model does not see: sums, squares, counts.
MlirValue onnx_widen(onnx_node_t *n, MlirValue x);
MlirValue onnx_round(onnx_node_t *n, MlirValue x, strata_type_t type);
MlirValue onnx_composite(onnx_node_t *n, strata_composite_id_t id, MlirValue x);

MlirValue onnx_reshape(onnx_node_t *n, MlirValue x, int rank, const int64_t *dims);
MlirValue onnx_broadcast_to(onnx_node_t *n, MlirValue x, int rank, const int64_t *dims);
// The same, of sizes that need not be numbers.
MlirValue onnx_reshape_dims(onnx_node_t *n, MlirValue x, int rank, const strata_dim_t *dims);
MlirValue onnx_broadcast_dims(onnx_node_t *n, MlirValue x, int rank, const strata_dim_t *dims);
MlirValue onnx_splat_dims(onnx_node_t *n, strata_type_t type, int rank, const strata_dim_t *dims, double number);
MlirValue onnx_iota_dims(onnx_node_t *n, strata_type_t type, int rank, const strata_dim_t *dims, int axis);
MlirValue onnx_slice_dims(onnx_node_t *n, MlirValue x, int axis, strata_dim_t start, int64_t step, strata_dim_t size);
// x op dim, which is converted to the type of |x|.
MlirValue onnx_with_dim(onnx_node_t *n, strata_op_id_t op, MlirValue x, strata_dim_t dim);
// Elements [start, start + size) of |axis|, by |step|.
MlirValue onnx_slice_axis(onnx_node_t *n, MlirValue x, int axis, int64_t start, int64_t step, int64_t size);
MlirValue onnx_pad_axis(onnx_node_t *n, MlirValue x, int axis, int64_t low, int64_t high, double value);
// The elements of |axis| at places known here: a slice, a repetition, or a gather.
MlirValue onnx_take(onnx_node_t *n, MlirValue x, int axis, int64_t count, const int64_t *indices);
// Moves dim |from| to place |to|.
MlirValue onnx_move_axis(onnx_node_t *n, MlirValue x, int from, int to);
// Puts a dim of size 1 at |axis|, or removes it.
MlirValue onnx_insert_axis(onnx_node_t *n, MlirValue x, int axis);
MlirValue onnx_remove_axis(onnx_node_t *n, MlirValue x, int axis);
// The 1-d |x| lined up with |axis| of a tensor of |rank| dims: dims of size 1 elsewhere.
MlirValue onnx_along_axis(onnx_node_t *n, MlirValue x, int axis, int rank);
// 0, 1, 2, ... along |axis| of the shape.
MlirValue onnx_iota(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims, int axis);
// Elements computed here; |values| is copied.
MlirValue onnx_floats(onnx_node_t *n, strata_type_t type, int rank, const int64_t *dims, const double *values);
MlirValue onnx_ints_constant(onnx_node_t *n, int rank, const int64_t *dims, const int64_t *values);
MlirValue onnx_reduce(onnx_node_t *n, strata_combiner_t kind, MlirValue x, const bool *axes, bool keep_dims);
strata_dim_t onnx_count_along(onnx_node_t *n, MlirValue x, const bool *axes); // elements of a sum
MlirValue onnx_mean(onnx_node_t *n, MlirValue x, const bool *axes, bool keep_dims);
// Sum of lhs * rhs by letters, "bmk,bnk->bmn", accumulated in |type|; |origin| as of strata.contract.
MlirValue onnx_contract(onnx_node_t *n, const char *letters, MlirValue lhs, MlirValue rhs, strata_type_t type,
                        const char *origin);

//===-- Graphs ---------------------------------------------------------------------------------------------------===//

// Imports the body of an attribute once, with its inputs bound to |inputs|; the results are in the arena. False after
// an error. Poisoned results are no error.
bool onnx_import_body(onnx_node_t *n, const char *attr, int n_inputs, const onnx_value_t *inputs, int *out_count,
                      onnx_value_t **out_results);
// The same of a graph; |results| has room for its outputs.
bool onnx_import_graph(onnx_node_t *n, const Onnx__GraphProto *graph, int n_inputs, const onnx_value_t *inputs,
                       onnx_value_t *results);

#endif
