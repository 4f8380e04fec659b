// Loops that are not unrolled: for the readers of Loop and Scan.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_LOOP_H
#define STRATA_DIALECTS_IMPORT_ONNX_LOOP_H

#include "dialects/import/onnx/onnx.h"

enum {
  ONNX_MAX_UNROLLED = 4,    // iterations: so few are unrolled in any case
  ONNX_MAX_COUNT = 1 << 20, // so many are no loop
};

typedef struct {
  int64_t count;
  bool has_counter; // the body has iteration and condition as its first inputs, and the condition as its first result;
                    // the last of |inputs| is the iterations' numbers
  int n_states, n_inputs, n_outputs;
  const onnx_value_t *states;
  const MlirValue *inputs; // walked along dim 0
  const bool *inputs_unsigned;
  const bool *reversed; // of each input, then each output
} onnx_loop_t;

// Imports the body once; *out_results gets the last states and the outputs, along dim 0. False where it cannot be done:
// then nothing has changed.
bool onnx_import_counted_loop(onnx_node_t *n, const onnx_loop_t *loop, onnx_value_t *out_results);

#endif
