// Loop and Scan with a known number of iterations as one loop (dialects/counted_loop.h): the body is imported once. Not
// every body can be: shapes may change, or an operand must be known that differs from iteration to iteration. Then
// nothing is said, all is as before, and the loop is unrolled.
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/importer.h"

enum { MAX_VALUES = 128 };

static bool is_tensor(const onnx_value_t *value) {
  return value->kind == ONNX_TENSOR && !mlirValueIsNull(value->tensor);
}

// The states, then the tensors that are walked, as the loop takes them; false if some value is no tensor.
static bool read_operands(const onnx_loop_t *loop, MlirValue *out_states) {
  for (int i = 0; i < loop->n_states; i++) {
    if (!is_tensor(&loop->states[i]))
      return false;
    out_states[i] = loop->states[i].tensor;
  }
  return loop->n_states + loop->n_inputs + loop->n_outputs < MAX_VALUES;
}

// What the body's nodes see: the iteration and the condition of a Loop, the states, the rows.
static onnx_value_t *body_inputs(onnx_node_t *n, const onnx_loop_t *loop, const MlirValue *args, int *out_count) {
  onnx_value_t *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, loop->n_states + loop->n_inputs + 2);
  int count = 0, n_rows = loop->n_inputs;
  if (loop->has_counter) {
    inputs[count++] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = args[loop->n_states + --n_rows]};
    inputs[count++] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)};
  }
  for (int i = 0; i < loop->n_states + n_rows; i++) {
    bool is_state = i < loop->n_states;
    inputs[count++] = (onnx_value_t){.kind = ONNX_TENSOR,
                                     .is_unsigned = is_state ? loop->states[i].is_unsigned
                                                             : loop->inputs_unsigned[i - loop->n_states],
                                     .tensor = args[i]};
  }
  *out_count = count;
  return inputs;
}

static bool is_true(onnx_node_t *n, const onnx_value_t *condition) {
  const int64_t *values;
  int64_t count;
  return is_tensor(condition) && onnx_known_ints(n, condition->tensor, &values, &count) && count == 1 && values[0];
}

static bool results_fit(onnx_node_t *n, const onnx_loop_t *loop, int count, const onnx_value_t *results) {
  if (count != loop->has_counter + loop->n_states + loop->n_outputs)
    return false;
  if (loop->has_counter && !loop->is_condition_known && !is_true(n, results))
    return false;
  for (int i = loop->has_counter; i < count; i++) {
    int state = i - loop->has_counter;
    if (!is_tensor(&results[i]) ||
        (state < loop->n_states && results[i].is_unsigned != loop->states[state].is_unsigned))
      return false;
  }
  return true;
}

typedef struct {
  const onnx_loop_t *loop;
  onnx_value_t *results;
} trial_t;

static bool import_once(onnx_node_t *n, void *user) {
  const onnx_loop_t *loop = ((trial_t *)user)->loop;
  onnx_value_t *out_results = ((trial_t *)user)->results;
  MlirValue states[MAX_VALUES], args[MAX_VALUES], values[MAX_VALUES];
  onnx_value_t *results;
  int n_inputs, count;
  if (!read_operands(loop, states))
    return false;
  strata_loop_builder_t *building = strata_build_loop_begin(n->b, loop->count, loop->n_states, states, loop->n_inputs,
                                                            loop->inputs, loop->reversed, args);
  if (!building)
    return false;
  const onnx_value_t *inputs = body_inputs(n, loop, args, &n_inputs);
  if (!onnx_import_body(n, "body", n_inputs, inputs, &count, &results) || n->importer->has_trial_failed ||
      !results_fit(n, loop, count, results)) {
    strata_build_loop_cancel(building);
    return false;
  }
  count -= loop->has_counter;
  for (int i = 0; i < count; i++)
    values[i] = results[loop->has_counter + i].tensor;
  if (!strata_build_loop_end(building, count, values, loop->reversed + loop->n_inputs, values))
    return false;
  for (int i = 0; i < count; i++)
    out_results[i] = (onnx_value_t){
        .kind = ONNX_TENSOR, .is_unsigned = results[loop->has_counter + i].is_unsigned, .tensor = values[i]};
  return true;
}

bool onnx_try(onnx_node_t *n, bool (*import)(onnx_node_t *n, void *user), void *user, const char **out_problem) {
  onnx_importer_t *importer = n->importer;
  size_t n_nodes = importer->n_nodes;
  bool outer = importer->is_trial, outer_failed = importer->has_trial_failed;
  const char *outer_problem = importer->trial_problem;
  importer->is_trial = true;
  importer->has_trial_failed = false;
  importer->trial_problem = NULL;
  bool done = import(n, user);
  *out_problem = n->b->status ? strata_arena_strdup(n->b->compile->arena, strata_status_message(n->b->status))
                              : importer->trial_problem;
  importer->is_trial = outer;
  importer->has_trial_failed = outer_failed;
  importer->trial_problem = outer_problem;
  if (!done) {
    strata_status_free(n->b->status);
    n->b->status = NULL;
    importer->n_nodes = n_nodes;
  }
  return done;
}

// A few iterations are better unrolled; how many a size means is not known.
static bool is_counted(const onnx_loop_t *loop) {
  int64_t count;
  return !strata_dim_is_constant(loop->count, &count) || (count > ONNX_MAX_UNROLLED && count <= ONNX_MAX_COUNT);
}

bool onnx_import_counted_loop(onnx_node_t *n, const onnx_loop_t *loop, onnx_value_t *out_results) {
  const char *problem;
  return !onnx_failed(n) && is_counted(loop) && onnx_try(n, import_once, &(trial_t){loop, out_results}, &problem);
}
