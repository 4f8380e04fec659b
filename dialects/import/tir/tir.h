// Inside the reader of MLIR modules of tensor dialects (StableHLO, TOSA, linalg): what a reader of one operation sees
// (tir_op_t), and the helpers it is written with.
//
// Each dialect's ops.def has a row for each operation, which names its reader. A reader adds nodes of ONNX's operators
// to o->g (dialects/import/graph) and says with tir_set which value a result is. Scalars are tensors without dims, and
// indices are i64. Sizes that a type does not have are -1 here; the importer of those nodes knows more of them. What
// cannot be done is refused: then all that needs the results is skipped, and the import's error has a line for it.
#ifndef STRATA_DIALECTS_IMPORT_TIR_TIR_H
#define STRATA_DIALECTS_IMPORT_TIR_TIR_H

#include "dialects/import/graph/graph_builder.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"

enum { TIR_MAX_RANK = 16 };

typedef struct {
  strata_dtype_t dtype; // NONE: a type that we lack
  int rank;
  int64_t dims[TIR_MAX_RANK]; // -1: not known
} tir_type_t;

typedef struct {
  strata_compile_t *compile;
  MlirModule module; // as it was read
  const char *text;  // of its file
  size_t text_size;
  strata_pointer_map_t names;        // of MLIR's values, numbers of
  STRATA_VECTOR(const char *) texts; // these
  strata_pointer_map_t imaginary;    // of complex values the imaginary parts' names; |names| has the real ones'
  strata_pointer_map_t named;        // operations whose results have their names already
  const struct linalg_loops *loops;  // of the linalg operation whose body is read; NULL: none
} tir_importer_t;

struct tir_op;

typedef struct tir_op_info {
  const char *name; // with its dialect
  void (*reader)(struct tir_op *o);
  const char *op, *boolean; // for readers of several rows: ONNX's operator, and that of booleans
  const char *missing;      // why it is not supported; NULL: it is
} tir_op_info_t;

typedef struct tir_op {
  tir_importer_t *importer;
  graph_t *g; // of the model, or of a body
  MlirOperation op;
  const tir_op_info_t *info;
  bool is_imaginary; // names of complex operands and results are those of their imaginary parts
} tir_op_t;

//===-- Operands and results -------------------------------------------------------------------------------------===//

int tir_n_operands(const tir_op_t *o);
MlirValue tir_value(const tir_op_t *o, int i); // operand |i|
const char *tir_in(tir_op_t *o, int i);        // its name in the graph
tir_type_t tir_in_type(tir_op_t *o, int i);
tir_type_t tir_out_type(tir_op_t *o, int i);
tir_type_t tir_type_of(MlirValue value);
void tir_set(tir_op_t *o, int i, const char *name); // result |i|
void tir_set_origin(tir_op_t *o); // of the nodes that come: needed where others have been read meanwhile
void tir_refuse(tir_op_t *o, const char *format, ...) STRATA_PRINTF(2, 3);

void tir_set_name(tir_importer_t *importer, MlirValue value, const char *name);
// What |value| is called; "", which no node gives, where it has no name.
const char *tir_name(const tir_importer_t *importer, MlirValue value);

// The one number of a constant, or of one that is the same everywhere.
bool tir_constant_number(MlirValue value, double *out);
// The elements of a constant of integers; false if |value| is none, or of more than |capacity|.
bool tir_constant_ints(MlirValue value, int capacity, int64_t *out, int *out_count);
// The value of an operation that is a constant: dense elements, or a number. The null attribute where it is none.
MlirAttribute tir_constant(MlirOperation op);
// The tensor of it, in the graph; NULL where we lack its form.
const char *tir_constant_value(tir_op_t *o, MlirAttribute value, const tir_type_t *type);

//===-- Complex numbers ------------------------------------------------------------------------------------------===//

// The types of complex values are those of their parts.
bool tir_is_complex(MlirValue value);
// Whether an operand or a result is.
bool tir_has_complex(const tir_op_t *o);
// An operation on complex values: read once for each part, or by a reader of its own; else refused.
void tir_read_complex(tir_op_t *o);

//===-- Attributes -----------------------------------------------------------------------------------------------===//

// An array or dense elements of integers; |count| times |otherwise| where it is missing. False if there are not
// |count|.
bool tir_ints(const tir_op_t *o, const char *name, int count, int64_t otherwise, int64_t *out);
// The same of any number of them; -1 if there are more than |capacity|.
int tir_int_list(const tir_op_t *o, const char *name, int capacity, int64_t *out);
int64_t tir_int(const tir_op_t *o, const char *name, int64_t otherwise);
static inline bool tir_holds(int count, const int64_t *list, int64_t item) {
  for (int i = 0; i < count; i++)
    if (list[i] == item)
      return true;
  return false;
}

//===-- Building -------------------------------------------------------------------------------------------------===//

const char *tir_cast(tir_op_t *o, const char *value, strata_dtype_t dtype);
// The sizes as a list of i64: of a type, or of a value where the type does not have all.
const char *tir_sizes(tir_op_t *o, const char *value, const tir_type_t *type);
// One of them, a list of one.
const char *tir_size(tir_op_t *o, const char *value, const tir_type_t *type, int axis);
const char *tir_reshape(tir_op_t *o, const char *value, const char *sizes);
const char *tir_reshape_static(tir_op_t *o, const char *value, int rank, const int64_t *dims);
const char *tir_concat(tir_op_t *o, int axis, int count, const char *const *values);
const char *tir_transpose(tir_op_t *o, const char *value, int rank, const int64_t *permutation);
// Elements [start, limit) of each axis, every |step|th.
const char *tir_slice(tir_op_t *o, const char *value, int rank, const int64_t *starts, const int64_t *limits,
                      const int64_t *steps);
const char *tir_slice_axis(tir_op_t *o, const char *value, int axis, int64_t start, int64_t limit, int64_t step);
// Complex numbers as ONNX has them: two values of |rank| dims in a further one, or the real one alone; and their parts.
const char *tir_pair(tir_op_t *o, int rank, const char *real, const char *imaginary);
const char *tir_part(tir_op_t *o, const char *pair, int rank, int part);
// 0, 1, ..., as i64: |size| is a list of one.
const char *tir_counting(tir_op_t *o, const char *size);
// The same along dim |axis| of |rank|.
const char *tir_counting_along(tir_op_t *o, const char *size, int axis, int rank);
const char *tir_number(tir_op_t *o, strata_dtype_t dtype, double value); // a scalar
const char *tir_scalar(tir_op_t *o, const char *list_of_one);
const char *tir_list_of_one(tir_op_t *o, const char *scalar); // of i64
const char *tir_unary(tir_op_t *o, const char *op, const char *x);
const char *tir_binary(tir_op_t *o, const char *op, const char *x, const char *y);
const char *tir_select(tir_op_t *o, const char *condition, const char *yes, const char *no);
const char *tir_bit_cast(tir_op_t *o, const char *value, strata_dtype_t dtype); // to a type of the same size
const char *tir_expand(tir_op_t *o, const char *value, const char *sizes);
// The number of zeros above the highest bit that is set, of an integer.
const char *tir_leading_zeros(tir_op_t *o, const char *x, strata_dtype_t dtype);
// To the nearest, halves away from zero.
const char *tir_round_away(tir_op_t *o, const char *x, strata_dtype_t dtype);

//===-- Readers that several dialects have -----------------------------------------------------------------------===//

void tir_read_constant(tir_op_t *o);
// One node of the row's operator, or of that of booleans, of all operands.
void tir_read_node(tir_op_t *o);
void tir_read_same(tir_op_t *o); // results are the operands
void tir_read_nothing(tir_op_t *o);
void tir_read_cbrt(tir_op_t *o);
void tir_read_is_finite(tir_op_t *o);
void tir_read_leading_zeros(tir_op_t *o);
void tir_read_population(tir_op_t *o);
void tir_read_remainder(tir_op_t *o); // with the sign of the dividend
void tir_read_round_away(tir_op_t *o);
void tir_read_shift_left(tir_op_t *o);
void tir_read_sign(tir_op_t *o);
void tir_read_trailing_zeros(tir_op_t *o);

//===-- Regions --------------------------------------------------------------------------------------------------===//

MlirBlock tir_region(const tir_op_t *o, int i);
MlirOperation tir_terminator(MlirBlock block); // null where it has none
// The values that the block's terminator gives.
int tir_n_returned(MlirBlock block);
MlirValue tir_returned(MlirBlock block, int i);
int tir_argument_number(MlirBlock block, MlirValue value); // -1: it is none
// Adds the block's operations to |g|, its arguments being |arguments|.
void tir_read_block(tir_importer_t *importer, graph_t *g, MlirBlock block, const char *const *arguments);

// A result of a body, and an input, whose name begins with |hint|.
void tir_give(tir_op_t *o, graph_t *body, const char *value);
const char *tir_body_input(tir_op_t *o, graph_t *body, const char *hint);

// Branches, regions 0 and 1, whose blocks get |arguments|.
void tir_branch(tir_op_t *o, const char *condition, const char *const *arguments);

typedef struct {
  int n;                     // states that the body gets
  MlirBlock condition, body; // the body gives what the condition's block gets
  MlirValue outcome;         // of the condition's block
  const MlirValue *passed;   // what it gives the body, and the results; NULL: what it got
} tir_while_t;

void tir_loop_while(tir_op_t *o, const tir_while_t *w, const char *const *first);

// What the block gets in front of the |n| states, of the number of the iteration.
typedef const char *tir_counter_t(tir_op_t *o, const char *iteration, void *user);
void tir_loop_count(tir_op_t *o, const char *count, MlirBlock block, int n, const char *const *first,
                    tir_counter_t *counter, void *user);

//===-- Functions ------------------------------------------------------------------------------------------------===//

// The functions that a module of one model has: @main, or the only one that others can see. Null if there is none.
MlirOperation tir_main(MlirModule module);
// Puts the bodies of called functions in the place of their calls, everywhere in |func|. Errors: a function that is not
// there, or calls itself.
STRATA_MUST_CHECK strata_status_t tir_inline_calls(strata_compile_t *compile, MlirModule module, MlirOperation func);

#endif
