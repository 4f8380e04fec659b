// The state of one import and the walk over graphs; readers of operators need only onnx.h.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_IMPORTER_H
#define STRATA_DIALECTS_IMPORT_ONNX_IMPORTER_H

#include "dialects/import/mapped_file.h"
#include "dialects/import/onnx/made_model.h"
#include "dialects/import/onnx/onnx.h"
#include "dialects/strata/counted.h"
#include "runtime/base/tensor_file.h"
#include "runtime/base/tensor_proto.h"

typedef struct {
  const char *op;
  size_t n_nodes;
} onnx_unsupported_op_t;

// An element of a value that is a size: as often as it is read, one symbol.
typedef struct {
  MlirValue value;
  int64_t index;
  strata_dim_t dim;
  const char *name, *problem; // of a size whose bound is assumed: the value's, and what to say where nobody would see
                              // that it is larger; else NULL
} onnx_data_size_t;

// An integer of one element in the body of a loop: |first| + |step| times the number of the iteration, of which there
// are |count|; that is null where it is not known. |loop|: which loop's; NULL: the same in all iterations, |first|.
typedef struct {
  MlirValue value;
  const void *loop;
  strata_dim_t first, count;
  int64_t step;
} onnx_number_t;

typedef struct onnx_importer {
  strata_compile_t *compile;
  const strata_import_options_t *options;
  const char *path;
  const Onnx__ModelProto *model;
  const onnx_made_model_t *made; // the same, if a front end made it; NULL: it was read from a file
  strata_builder_t builder;
  strata_string_map_t ops;            // by name, rows of ops.def
  strata_string_map_t functions;      // by domain and name, the model's own
  strata_string_map_t external_files; // by location, mapped
  strata_symbols_t symbols;           // of the dims so far; by number: what each is known to be, or null (sizes.h)
  STRATA_VECTOR(strata_dim_t) known;
  strata_counts_t counts;      // of the symbols that depend on data
  strata_counting_t counting;  // for the builder
  strata_string_map_t bounded; // values that needed a bound; in |bounded_names| once more
  STRATA_VECTOR(const char *) bounded_names;
  STRATA_VECTOR(onnx_data_size_t) data_sizes;
  STRATA_VECTOR(onnx_number_t) numbers; // of the loops whose bodies are being built
  bool has_known_quotients;             // the ranges of symbols leave some but one number
  strata_string_map_t dims, inputs;     // what the options may name; in |names| once more, in the model's order
  STRATA_VECTOR(const char *) dim_names, input_names;
  STRATA_VECTOR(const char *) open_options; // that would give what is not known
  strata_string_map_t outputs;              // those seen
  MlirValue seed_input;                     // --seed-input; null: there is none
  strata_string_map_t seeded;               // random operators with a seed: how many copies of each were imported
  uint32_t n_unseeded;                      // and how many without one
  strata_string_map_t reads;                // names of values that a node reads, or that are results
  MlirBlock main;                           // of @main; the builder may be in a loop's body
  STRATA_VECTOR(MlirAttribute) argument_attrs;
  strata_tensor_proto_t *weights; // for each initializer: with a name if it is to be an input; NULL: none is
  strata_string_map_t seen_problems;
  STRATA_VECTOR(const char *) problems; // what is unsupported or has to be given, a line each
  STRATA_VECTOR(onnx_unsupported_op_t) unsupported;
  size_t n_nodes, max_nodes;       // imported so far, counting every copy of an unrolled one
  int depth;                       // of nested bodies
  bool is_trial, has_trial_failed; // while a loop's body is tried: a problem is not noted, but ends the trial
  const char *trial_problem;       // the first; NULL: there was none
} onnx_importer_t;

// The values that a graph's nodes see by name. The body of a subgraph sees the enclosing graph's too, that of a
// function only its own.
typedef struct onnx_scope {
  const struct onnx_scope *parent;
  const onnx_node_t *caller; // of the function whose body this is
  size_t n_defaults;         // of the function's attributes
  Onnx__AttributeProto **defaults;
  int opset;
  strata_string_map_t values; // onnx_value_t
} onnx_scope_t;

// Fills |reads| of the whole model.
void onnx_collect_reads(onnx_importer_t *importer);
// The name of a node, or of its first result where it has none.
const char *onnx_node_name(const Onnx__NodeProto *proto);

// Errors start with "(node NAME): " where they are one's. Unsupported nodes are no error here: they are noted in
// |problems|.
STRATA_MUST_CHECK strata_status_t onnx_import_nodes(onnx_importer_t *importer, onnx_scope_t *scope, size_t n_nodes,
                                                    Onnx__NodeProto **nodes);
// Decides which initializers of the main graph are inputs.
STRATA_MUST_CHECK strata_status_t onnx_select_weights(onnx_importer_t *importer, const Onnx__GraphProto *graph);
STRATA_MUST_CHECK strata_status_t onnx_import_initializers(onnx_importer_t *importer, onnx_scope_t *scope,
                                                           const Onnx__GraphProto *graph);
// Adds the arguments of @main: the graph's inputs, the one of --seed-input, weights that are inputs.
STRATA_MUST_CHECK strata_status_t onnx_import_inputs(onnx_importer_t *importer, onnx_scope_t *scope,
                                                     const Onnx__GraphProto *graph);
// Notes a problem for each --bound that no value was found for, when all nodes are imported.
void onnx_check_bounds(onnx_importer_t *importer);
// Whether a dimension has a size in the file. Writers without a better way say -1 or 0 for one that is not known.
bool onnx_dim_has_size(const Onnx__TensorShapeProto__Dimension *dim);
// The attributes of the argument or result of @main that is |value|.
MlirAttribute onnx_port_attrs(onnx_importer_t *importer, const char *name, const onnx_value_t *value);

// Checks the results, attributes and operands' element types of a node against its row of ops.def. False after an
// error.
bool onnx_check_signature(onnx_node_t *n);

// Adds a line unless it is there already; whether it was not.
bool onnx_add_problem(onnx_importer_t *importer, const char *format, ...) STRATA_PRINTF(2, 3);

// The version of the default domain's operators among |imports|; 1 if it is missing, as in the first models.
int64_t onnx_default_opset(size_t n_imports, Onnx__OperatorSetIdProto **imports);

STRATA_MUST_CHECK strata_status_t onnx_define(onnx_importer_t *importer, onnx_scope_t *scope, const char *name,
                                              onnx_value_t value);
const onnx_value_t *onnx_lookup(const onnx_scope_t *scope, const char *name); // NULL if there is none

// The tensor that a TensorProto of the model stands for.
STRATA_MUST_CHECK strata_status_t onnx_parse_tensor(onnx_importer_t *importer, const Onnx__TensorProto *stub,
                                                    strata_tensor_proto_t *out_proto);
// A constant of |tensor|, whose data outlives the compile.
STRATA_MUST_CHECK strata_status_t onnx_tensor_constant(onnx_importer_t *importer, const char *name,
                                                       const strata_tensor_t *tensor, onnx_value_t *out_value);
// The constant of a TensorProto. A tensor of a type that we lack is poisoned and a problem.
STRATA_MUST_CHECK strata_status_t onnx_import_tensor(onnx_importer_t *importer, const Onnx__TensorProto *stub,
                                                     const char **out_name, onnx_value_t *out_value);
STRATA_MUST_CHECK strata_status_t onnx_import_sparse_tensor(onnx_importer_t *importer,
                                                            const Onnx__SparseTensorProto *sparse,
                                                            const char **out_name, onnx_value_t *out_value);

// The order in which every node comes after those it depends on; the given one where that is valid. An error names a
// node of the cycle.
STRATA_MUST_CHECK strata_status_t onnx_sort_nodes(strata_arena_t *arena, size_t n_nodes, Onnx__NodeProto **nodes,
                                                  size_t **out_order);

// A text field of protobuf-c, "" where it is missing.
static inline const char *onnx_text(const char *text) { return text ? text : ""; }

#endif
