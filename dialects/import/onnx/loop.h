// Loops that are not unrolled: for the readers of Loop and Scan.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_LOOP_H
#define STRATA_DIALECTS_IMPORT_ONNX_LOOP_H

#include "dialects/import/onnx/importer.h"

enum {
  ONNX_MAX_UNROLLED = 4,    // iterations: so few are unrolled in any case
  ONNX_MAX_COUNT = 1 << 20, // so many are no loop
};

// A value that is |first| + |step| times the number of the iteration; not known to be so where |first| is null.
typedef struct {
  strata_dim_t first;
  int64_t step;
} onnx_progress_t;

// How often a Loop runs of which a comparison in the body says so: of sizes and states that each iteration adds a
// number to. False where it is anything else. The loop has one iteration or more. |out_progress|: of the node's states.
bool onnx_find_count(onnx_node_t *n, int n_states, const onnx_value_t *states, strata_dim_t *out_count,
                     onnx_progress_t *out_progress);

// What is known of an integer in the body of a loop that is being built; |value| of the result is |value|.
bool onnx_find_course(onnx_node_t *n, MlirValue value, onnx_number_t *out);

typedef struct {
  strata_dim_t count;
  bool is_condition_known; // that of the body's: true before each of the iterations, so that it does not matter
  bool has_counter; // the body has iteration and condition as its first inputs, and the condition as its first result;
                    // the last of |inputs| is the iterations' numbers
  int n_states, n_inputs, n_outputs;
  const onnx_value_t *states;      // a sequence without items is what the iterations append to it
  const onnx_progress_t *progress; // of the states; NULL: nothing is known
  const MlirValue *inputs;         // walked along dim 0
  const bool *inputs_unsigned;
  const bool *reversed; // of each input, then each output
} onnx_loop_t;

// Imports the body once; *out_results gets the last states, as they are given, and the outputs, along dim 0. False
// where it cannot be done: then nothing has changed.
bool onnx_import_counted_loop(onnx_node_t *n, const onnx_loop_t *loop, onnx_value_t *out_results);

// A Loop of which data decide when it ends.
typedef struct {
  int64_t count;       // the most iterations; INT64_MAX: the model does not say
  MlirValue limit;     // the same, known when it runs: i64 of rank 0; null: there is none
  strata_dim_t most;   // the same, as a size; null: it is none
  MlirValue condition; // before the first iteration: i1 of rank 0
  bool is_forced;      // a loop, even if its end could be known
  int n_states;
  const onnx_value_t *states; // a sequence without items is what the iterations append to it
} onnx_open_loop_t;

// Imports the body, and builds it once; *out_results gets what the node's results are: the last states, and what it
// collects where somebody reads that, as many rows as there are iterations, a size that depends on data. False where it
// cannot be done: then nothing has changed, and *out_reason says why, or is NULL if unrolling can tell when the loop
// ends.
bool onnx_import_open_loop(onnx_node_t *n, const onnx_open_loop_t *loop, onnx_value_t *out_results,
                           const char **out_reason);

// Tries to import a body: false if nothing has been built. A problem in it ends the trial and is not noted;
// *out_problem gets its text, or NULL.
bool onnx_try(onnx_node_t *n, bool (*import)(onnx_node_t *n, void *user), void *user, const char **out_problem);

#endif
