// Loop and Scan with a known number of iterations as one loop (dialects/counted_loop.h): the body is imported once. Not
// every body can be: shapes may change, or an operand must be known that differs from iteration to iteration. Then
// nothing is said, all is as before, and the loop is unrolled.
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/control.h"

enum { MAX_VALUES = 128 };

static bool is_tensor(const onnx_value_t *value) {
  return value->kind == ONNX_TENSOR && !mlirValueIsNull(value->tensor);
}

// What becomes of a state of the node: a state of the loop; a sequence, a scan output; or a number of iterations' own.
typedef enum { CARRIED, COLLECTED, COUNTED, UNFIT } state_kind_t;

static state_kind_t kind_of(const onnx_loop_t *loop, int state) {
  if (loop->progress && !mlirAffineExprIsNull(loop->progress[state].first))
    return COUNTED;
  if (onnx_is_empty_sequence(&loop->states[state]))
    return COLLECTED;
  return is_tensor(&loop->states[state]) ? CARRIED : UNFIT;
}

typedef struct {
  onnx_node_t *n;
  const onnx_loop_t *loop;
  int n_carried, n_collected;
  MlirValue args[MAX_VALUES];   // of the body: carried states, then rows
  MlirValue values[MAX_VALUES]; // carried states, then outputs, then what is collected: of the body, then of the loop
  bool is_unsigned[MAX_VALUES]; // of those
  bool reversed[MAX_VALUES];    // outputs, and what is collected
  onnx_value_t *results;
} trial_t;

// The carried states as the loop takes them; false if some state is neither that nor collected nor counted.
static bool read_states(trial_t *t, MlirValue *out_states) {
  const onnx_loop_t *loop = t->loop;
  if (2 * loop->n_states + loop->n_inputs + loop->n_outputs >= MAX_VALUES)
    return false;
  for (int i = 0; i < loop->n_states; i++) {
    state_kind_t kind = kind_of(loop, i);
    if (kind == UNFIT)
      return false;
    if (kind == CARRIED)
      out_states[t->n_carried++] = loop->states[i].tensor;
    t->n_collected += kind == COLLECTED;
  }
  return true;
}

// |progress| where the number of the iteration is |number|, in the shape of |like|.
static MlirValue counted_value(onnx_node_t *n, const onnx_progress_t *progress, MlirValue number, MlirValue like) {
  strata_shape_t shape = onnx_shape(like);
  if (progress->step != 1)
    number = onnx_binary(n, STRATA_OP_MUL, number, onnx_integer(n, number, progress->step));
  if (!strata_dim_is(progress->first, 0))
    number = onnx_with_dim(n, STRATA_OP_ADD, number, progress->first);
  return onnx_reshape_dims(n, number, shape.rank, shape.dims);
}

// The numbers of the iterations, where the body has them.
static MlirValue number_of(const trial_t *t) { return t->args[t->n_carried + t->loop->n_inputs - 1]; }

// What the body's nodes see: the iteration and the condition of a Loop, the states, the rows.
static onnx_value_t *body_inputs(const trial_t *t, int *out_count) {
  const onnx_loop_t *loop = t->loop;
  onnx_value_t *inputs = strata_arena_array(t->n->b->compile->arena, onnx_value_t, loop->n_states + loop->n_inputs + 2);
  int count = 0, n_rows = loop->n_inputs, carried = 0;
  if (loop->has_counter) {
    n_rows--;
    inputs[count++] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = number_of(t)};
    inputs[count++] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(t->n, STRATA_TYPE_I1, 0, NULL, 1)};
  }
  for (int i = 0; i < loop->n_states; i++) {
    state_kind_t kind = kind_of(loop, i);
    onnx_value_t value = {.kind = ONNX_TENSOR, .is_unsigned = loop->states[i].is_unsigned};
    if (kind == COLLECTED)
      value = onnx_collecting_sequence(loop);
    else if (kind == COUNTED)
      value.tensor = counted_value(t->n, &loop->progress[i], number_of(t), loop->states[i].tensor);
    else
      value.tensor = t->args[carried++];
    inputs[count++] = value;
  }
  for (int i = 0; i < n_rows; i++)
    inputs[count++] = (onnx_value_t){
        .kind = ONNX_TENSOR, .is_unsigned = loop->inputs_unsigned[i], .tensor = t->args[t->n_carried + i]};
  *out_count = count;
  return inputs;
}

static bool is_true(onnx_node_t *n, const onnx_value_t *condition) {
  const int64_t *values;
  int64_t count;
  return is_tensor(condition) && onnx_known_ints(n, condition->tensor, &values, &count) && count == 1 && values[0];
}

static bool take(trial_t *t, int index, const onnx_value_t *value) {
  if (!value || !is_tensor(value))
    return false;
  t->values[index] = value->tensor;
  t->is_unsigned[index] = value->is_unsigned;
  return true;
}

// The body's results as those of the loop; false where they do not fit.
static bool take_results(trial_t *t, int count, const onnx_value_t *results) {
  const onnx_loop_t *loop = t->loop;
  if (count != loop->has_counter + loop->n_states + loop->n_outputs)
    return false;
  if (loop->has_counter && !loop->is_condition_known && !is_true(t->n, results))
    return false;
  results += loop->has_counter;
  int carried = 0, collected = t->n_carried + loop->n_outputs;
  bool fits = true;
  for (int i = 0; i < loop->n_states && fits; i++) {
    state_kind_t kind = kind_of(loop, i);
    if (kind == CARRIED)
      fits = results[i].is_unsigned == loop->states[i].is_unsigned && take(t, carried++, &results[i]);
    else if (kind == COLLECTED)
      fits = take(t, collected++, onnx_appended_item(&results[i], loop));
  }
  for (int i = 0; i < loop->n_outputs && fits; i++)
    fits = take(t, t->n_carried + i, &results[loop->n_states + i]);
  return fits;
}

// The loop's results as those of the node.
static void set_results(trial_t *t) {
  const onnx_loop_t *loop = t->loop;
  int carried = 0, collected = t->n_carried + loop->n_outputs;
  for (int i = 0; i < loop->n_states; i++) {
    state_kind_t kind = kind_of(loop, i);
    int at = kind == COLLECTED ? collected++ : kind == CARRIED ? carried++ : 0;
    if (kind == COLLECTED)
      t->results[i] = onnx_sequence_of_rows(t->values[at], t->is_unsigned[at]);
    else
      t->results[i] = (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = loop->states[i].is_unsigned};
    if (kind == CARRIED)
      t->results[i].tensor = t->values[at];
    else if (kind == COUNTED)
      t->results[i].tensor = counted_value(
          t->n, &loop->progress[i], strata_build_dim(t->n->b, loop->count, STRATA_TYPE_I64), loop->states[i].tensor);
  }
  for (int i = 0; i < loop->n_outputs; i++)
    t->results[loop->n_states + i] = (onnx_value_t){
        .kind = ONNX_TENSOR, .is_unsigned = t->is_unsigned[t->n_carried + i], .tensor = t->values[t->n_carried + i]};
}

// The body, in which the number of the iteration is known to be one.
static bool import_loop_body(trial_t *t) {
  onnx_node_t *n = t->n;
  size_t n_numbers = n->importer->numbers.count;
  if (t->loop->has_counter)
    *strata_vector_push(n->b->compile->arena, &n->importer->numbers) =
        (onnx_number_t){number_of(t), t->loop, onnx_dim(n, 0), t->loop->count, 1};
  onnx_value_t *results;
  int n_inputs, count;
  const onnx_value_t *inputs = body_inputs(t, &n_inputs);
  bool done = onnx_import_body(n, "body", n_inputs, inputs, &count, &results) && !n->importer->has_trial_failed &&
              take_results(t, count, results);
  n->importer->numbers.count = n_numbers;
  return done;
}

static bool import_once(onnx_node_t *n, void *user) {
  trial_t *t = user;
  const onnx_loop_t *loop = t->loop;
  MlirValue states[MAX_VALUES];
  if (!read_states(t, states))
    return false;
  strata_loop_builder_t *building = strata_build_loop_begin(n->b, loop->count, t->n_carried, states, loop->n_inputs,
                                                            loop->inputs, loop->reversed, t->args);
  if (!building)
    return false;
  if (!import_loop_body(t)) {
    strata_build_loop_cancel(building);
    return false;
  }
  for (int i = 0; i < loop->n_outputs; i++)
    t->reversed[i] = loop->reversed[loop->n_inputs + i];
  if (!strata_build_loop_end(building, t->n_carried + loop->n_outputs + t->n_collected, t->values, t->reversed,
                             t->values))
    return false;
  set_results(t);
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
  trial_t trial = {.n = n, .loop = loop, .results = out_results};
  return !onnx_failed(n) && is_counted(loop) && onnx_try(n, import_once, &trial, &problem);
}
