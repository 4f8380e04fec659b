// Inside the reader of StableHLO: what a reader of one operation sees (hlo_op_t), and the helpers it is written with.
//
// ops.def has a row for each operation, which names its reader: void hlo_read_<reader>(hlo_op_t *o). A reader adds
// nodes of ONNX's operators to o->g (dialects/import/graph) and says with hlo_set which value a result is. Sizes that a
// type does not have are -1 here; the importer of those nodes knows more of them. What cannot be done is refused: then
// all that needs the results is skipped, and the import's error has a line for it.
#ifndef STRATA_DIALECTS_IMPORT_STABLEHLO_H
#define STRATA_DIALECTS_IMPORT_STABLEHLO_H

#include "dialects/import/graph/graph_builder.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"

enum { HLO_MAX_RANK = 16 };

typedef struct {
  strata_dtype_t dtype; // NONE: a type that we lack
  int rank;
  int64_t dims[HLO_MAX_RANK]; // -1: not known
} hlo_type_t;

typedef struct {
  strata_compile_t *compile;
  MlirModule module;                 // as it was read
  strata_pointer_map_t names;        // of MLIR's values, numbers of
  STRATA_VECTOR(const char *) texts; // these
  strata_pointer_map_t named;        // operations whose results have their names already
} hlo_importer_t;

struct hlo_op;

typedef struct hlo_op_info {
  const char *name; // behind "stablehlo."
  void (*reader)(struct hlo_op *o);
  const char *op, *boolean; // for readers of several rows: ONNX's operator, and that of booleans
} hlo_op_info_t;

typedef struct hlo_op {
  hlo_importer_t *importer;
  graph_t *g; // of the model, or of a body
  MlirOperation op;
  const hlo_op_info_t *info;
} hlo_op_t;

#define HLO_OP(name, reader, ...) void hlo_read_##reader(hlo_op_t *o);
#define HLO_MISSING(name, reason)
#include "dialects/import/stablehlo/ops.def"

//===-- Operands and results -------------------------------------------------------------------------------------===//

int hlo_n_operands(const hlo_op_t *o);
MlirValue hlo_value(const hlo_op_t *o, int i); // operand |i|
const char *hlo_in(hlo_op_t *o, int i);        // its name in the graph
hlo_type_t hlo_in_type(hlo_op_t *o, int i);
hlo_type_t hlo_out_type(hlo_op_t *o, int i);
hlo_type_t hlo_type_of(MlirValue value);
void hlo_set(hlo_op_t *o, int i, const char *name); // result |i|
void hlo_set_origin(hlo_op_t *o); // of the nodes that come: needed where others have been read meanwhile
void hlo_refuse(hlo_op_t *o, const char *format, ...) STRATA_PRINTF(2, 3);

void hlo_set_name(hlo_importer_t *importer, MlirValue value, const char *name);
// What |value| is called; "", which no node gives, where it has no name.
const char *hlo_name(const hlo_importer_t *importer, MlirValue value);

// The one number of a constant, or of one that is the same everywhere.
bool hlo_constant_number(MlirValue value, double *out);
// The elements of a constant of integers; false if |value| is none, or of more than |capacity|.
bool hlo_constant_ints(MlirValue value, int capacity, int64_t *out, int *out_count);

//===-- Attributes -----------------------------------------------------------------------------------------------===//

// An array or dense elements of integers; |count| times |otherwise| where it is missing. False if there are not
// |count|.
bool hlo_ints(const hlo_op_t *o, const char *name, int count, int64_t otherwise, int64_t *out);
// The same of any number of them; -1 if there are more than |capacity|.
int hlo_int_list(const hlo_op_t *o, const char *name, int capacity, int64_t *out);
int64_t hlo_int(const hlo_op_t *o, const char *name, int64_t otherwise);
// The word of #stablehlo<comparison_direction LT>: "LT"; "" where it is missing.
const char *hlo_word(const hlo_op_t *o, const char *name);
// The text of an attribute of the dialect: "dot<lhs_contracting_dimensions = [1], ...>"; "" where it is missing.
const char *hlo_text(const hlo_op_t *o, const char *name);
// The list of |field| in such a text; none where it is missing.
int hlo_field(const char *text, const char *field, int capacity, int64_t *out);
static inline bool hlo_holds(int count, const int64_t *list, int64_t item) {
  for (int i = 0; i < count; i++)
    if (list[i] == item)
      return true;
  return false;
}

//===-- Building -------------------------------------------------------------------------------------------------===//

const char *hlo_cast(hlo_op_t *o, const char *value, strata_dtype_t dtype);
// The sizes as a list of i64: of a type, or of a value where the type does not have all.
const char *hlo_sizes(hlo_op_t *o, const char *value, const hlo_type_t *type);
// One of them, a list of one.
const char *hlo_size(hlo_op_t *o, const char *value, const hlo_type_t *type, int axis);
const char *hlo_reshape(hlo_op_t *o, const char *value, const char *sizes);
const char *hlo_reshape_static(hlo_op_t *o, const char *value, int rank, const int64_t *dims);
const char *hlo_concat(hlo_op_t *o, int axis, int count, const char *const *values);
const char *hlo_transpose(hlo_op_t *o, const char *value, int rank, const int64_t *permutation);
// Elements [start, limit) of each axis, every |step|th.
const char *hlo_slice(hlo_op_t *o, const char *value, int rank, const int64_t *starts, const int64_t *limits,
                      const int64_t *steps);
const char *hlo_slice_axis(hlo_op_t *o, const char *value, int axis, int64_t start, int64_t limit, int64_t step);
// 0, 1, ..., as i64: |size| is a list of one.
const char *hlo_counting(hlo_op_t *o, const char *size);
const char *hlo_number(hlo_op_t *o, strata_dtype_t dtype, double value); // a scalar

//===-- Regions --------------------------------------------------------------------------------------------------===//

MlirBlock hlo_region(const hlo_op_t *o, int i);
MlirOperation hlo_terminator(MlirBlock block); // null where it has none
// The values that the block's terminator gives.
int hlo_n_returned(MlirBlock block);
MlirValue hlo_returned(MlirBlock block, int i);
int hlo_argument_number(MlirBlock block, MlirValue value); // -1: it is none
// Adds the block's operations to |g|, its arguments being |arguments|.
void hlo_read_block(hlo_importer_t *importer, graph_t *g, MlirBlock block, const char *const *arguments);
// The operation ("add") that gives result |i| of a region from elements |i| and |n| + i; "" if it is none alone.
const char *hlo_combiner(MlirBlock block, int i, int n);
bool hlo_op_is(MlirOperation op, const char *name); // "stablehlo." and |name|

//===-- Slices ---------------------------------------------------------------------------------------------------===//

// Where a dynamic_slice, or what JAX makes of it where sizes vary, begins in |dim|; null if it is something else.
MlirValue hlo_start(MlirOperation op, int dim);
bool hlo_is_whole(MlirOperation op, int dim); // the slice has all of the dim

//===-- Functions ------------------------------------------------------------------------------------------------===//

// Puts the bodies of called functions in the place of their calls, everywhere in |func|. Errors: a function that is not
// there, or calls itself.
STRATA_MUST_CHECK strata_status_t hlo_inline_calls(strata_compile_t *compile, MlirModule module, MlirOperation func);
// Whether an operation of its own stands for the composite, so that it is not inlined.
bool hlo_knows_composite(MlirOperation op);

#endif
