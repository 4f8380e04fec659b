// An exported program of PyTorch as structs: the JSON of a .pt2 checked and in the arena, so that the rest sees neither
// JSON nor the archive's forms of one thing.
#ifndef STRATA_DIALECTS_IMPORT_PT2_PROGRAM_H
#define STRATA_DIALECTS_IMPORT_PT2_PROGRAM_H

#include "dialects/import/pt2/json.h"
#include "dialects/import/string_map.h"
#include "runtime/base/dtype.h"
#include "runtime/base/tensor_file.h"

//===-- Arguments ------------------------------------------------------------------------------------------------===//

typedef enum {
  PT2_NONE,
  PT2_TENSOR, // |name| of a tensor
  PT2_SYMBOL, // |name| of a size, number or truth that is computed
  PT2_INT,
  PT2_FLOAT,
  PT2_BOOL, // |integer| 0 or 1
  PT2_STRING,
  PT2_COMPLEX, // |number| and |imaginary|
  PT2_DTYPE,   // |dtype|
  PT2_GRAPH,
  PT2_OPAQUE,
} pt2_kind_t;

typedef struct {
  pt2_kind_t kind;
  const char *name; // of a value; the text of a string
  int64_t integer;
  double number; // also of an INT and a BOOL
  double imaginary;
  strata_dtype_t dtype;
  const char *dtype_name; // of one that we lack, too
  struct pt2_graph *graph;
} pt2_item_t;

typedef struct {
  const char *name; // as in the operator's schema; "" of results
  bool is_list;
  size_t count; // 1 if it is no list
  pt2_item_t *items;
} pt2_argument_t;

//===-- Graphs ---------------------------------------------------------------------------------------------------===//

// A size: a number, or an expression over symbols as text that symbols_parse reads ("2*s77").
typedef struct {
  int64_t number; // -1 of an expression
  const char *expression;
} pt2_size_t;

typedef struct {
  strata_dtype_t dtype; // NONE: one that we lack
  const char *dtype_name;
  int rank;
  pt2_size_t sizes[STRATA_TENSOR_MAX_RANK], strides[STRATA_TENSOR_MAX_RANK], offset;
  bool is_strided; // not sparse
} pt2_meta_t;

typedef struct {
  const char *target; // "aten.add.Tensor": without "torch.ops."
  const char *name;
  size_t n_inputs, n_outputs;
  pt2_argument_t *inputs, *outputs;
} pt2_call_t;

typedef struct pt2_graph {
  size_t n_inputs, n_outputs, n_calls;
  pt2_argument_t *inputs, *outputs;
  pt2_call_t *calls;
  strata_string_map_t tensors; // pt2_meta_t by name
  strata_string_map_t numbers; // pt2_size_t by name: integers that are computed
} pt2_graph_t;

//===-- The program ----------------------------------------------------------------------------------------------===//

typedef enum {
  PT2_INPUT_USER,
  PT2_INPUT_PARAMETER,
  PT2_INPUT_BUFFER,
  PT2_INPUT_CONSTANT, // a tensor
  PT2_INPUT_LITERAL,  // a number or the like that the graph has in it: no input
  PT2_INPUT_OBJECT,   // of a class of the user's, or a token
} pt2_input_kind_t;

typedef struct {
  pt2_input_kind_t kind;
  const char *target; // "layer.weight"; of what is stored
} pt2_input_spec_t;

typedef enum {
  PT2_OUTPUT_USER,
  PT2_OUTPUT_MUTATION, // the new value of a buffer, parameter or input
  PT2_OUTPUT_OTHER,    // a loss, a gradient
} pt2_output_kind_t;

typedef struct {
  pt2_output_kind_t kind;
  const char *target; // of a mutation
  const char *what;
} pt2_output_spec_t;

typedef struct {
  const char *symbol;
  int64_t min, max;
} pt2_range_t;

typedef struct {
  pt2_graph_t *graph;
  pt2_input_spec_t *inputs;   // one for each input of the graph
  pt2_output_spec_t *outputs; // one for each output
  size_t n_ranges;
  pt2_range_t *ranges;
} pt2_program_t;

// What is stored of one tensor.
typedef struct {
  const char *file;
  bool is_pickled;
  pt2_meta_t meta;
} pt2_payload_t;

// Errors: PARSE, UNSUPPORTED (another version of the schema).
STRATA_MUST_CHECK strata_status_t pt2_read_program(strata_arena_t *arena, const char *file, strata_mapped_file_t bytes,
                                                   pt2_program_t *out_program);
// NULL: nothing is known of it.
const pt2_range_t *pt2_find_range(const pt2_program_t *program, const pt2_size_t *size);
// Adds the payloads by the names of the tensors.
STRATA_MUST_CHECK strata_status_t pt2_read_payloads(strata_arena_t *arena, const char *file, strata_mapped_file_t bytes,
                                                    strata_string_map_t *payloads);

// "Mul(Integer(2), Symbol('s77', integer=True))", as sympy's srepr writes it, as "(2*s77)". NULL: a form we don't know.
const char *pt2_expression_text(strata_arena_t *arena, const char *text);

#endif
