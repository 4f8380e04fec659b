// A Loop whose end data decide as a loop of the launch list (dialects/counted_loop.h), which asks before each
// iteration.
//
// States of the loop are the condition, those of the node, and the number of the iteration; those that never change, or
// that nobody needs, are taken away once the body is known.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/loop.h"
#include "dialects/mlir_util.h"

#include <stdio.h>

enum { MAX_STATES = 64 };

typedef struct {
  onnx_node_t *n;
  const onnx_open_loop_t *loop;
  strata_loop_builder_t *building;
  int n_states;               // of the loop: two more than of the node
  MlirValue args[MAX_STATES]; // in the body
  MlirValue next[MAX_STATES]; // what the body gives
  bool is_unsigned[MAX_STATES];
  onnx_value_t *results; // the last states of the node
  const char *reason;    // why it cannot be done
} open_t;

static bool refuse(open_t *o, const char *format, ...) STRATA_PRINTF(2, 3);

static bool refuse(open_t *o, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  o->reason = strata_arena_strdup(o->n->b->compile->arena, text);
  return false;
}

static const char *input_name(const open_t *o, int state) { return o->n->proto->input[2 + state]; }

static const char *output_name(const open_t *o, int result) {
  return onnx_text(onnx_attr(o->n, "body")->g->output[result]->name);
}

static MlirValue initial(const open_t *o, int index) {
  if (index == 0)
    return o->loop->condition;
  int64_t zero = 0;
  return index == o->n_states - 1 ? onnx_ints_constant(o->n, 0, NULL, &zero) : o->loop->states[index - 1].tensor;
}

static bool begin(open_t *o) {
  MlirValue states[MAX_STATES];
  if (o->n_states > MAX_STATES)
    return refuse(o, "it has more than %d states", MAX_STATES - 2);
  for (int i = 0; i < o->loop->n_states; i++) {
    if (o->loop->states[i].kind != ONNX_TENSOR)
      return refuse(o, "state '%s' is no tensor", input_name(o, i));
    strata_shape_t shape = onnx_shape(o->loop->states[i].tensor);
    for (int j = 0; j < shape.rank; j++)
      if (strata_dim_is(shape.dims[j], 0))
        return refuse(o, "state '%s' has no elements", input_name(o, i));
    if (shape.type == STRATA_TYPE_I4)
      return refuse(o, "state '%s' has elements of 4 bits", input_name(o, i));
  }
  for (int i = 0; i < o->n_states; i++)
    states[i] = initial(o, i);
  o->building = strata_build_open_loop_begin(o->n->b, o->loop->count, o->loop->limit, o->n_states, states, o->args);
  return o->building || refuse(o, "it cannot be built");
}

static bool import_body(open_t *o, int *out_count, onnx_value_t **out_results) {
  onnx_node_t *n = o->n;
  onnx_value_t *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, o->n_states);
  inputs[0] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = o->args[o->n_states - 1]};
  inputs[1] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)};
  for (int i = 0; i < o->loop->n_states; i++) {
    inputs[2 + i] = o->loop->states[i];
    inputs[2 + i].tensor = o->args[1 + i];
  }
  return onnx_import_body(n, "body", o->n_states, inputs, out_count, out_results) && !n->importer->has_trial_failed;
}

static bool check_condition(open_t *o, const onnx_value_t *result) {
  onnx_shape_t shape = {.type = STRATA_TYPE_COUNT};
  if (result->kind == ONNX_TENSOR)
    shape = onnx_sizes(o->n, result->tensor);
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++)
    count *= shape.dims[i];
  if (shape.type != STRATA_TYPE_I1 || count != 1)
    return refuse(o, "its condition '%s' is not one boolean", output_name(o, 0));
  o->next[0] = onnx_reshape(o->n, result->tensor, 0, NULL);
  return true;
}

// The body's results become the next states.
static bool take_results(open_t *o, int count, const onnx_value_t *results) {
  if (count < 1 + o->loop->n_states)
    return refuse(o, "its body has %d results, expected %d or more", count, 1 + o->loop->n_states);
  for (int i = 0; i < o->loop->n_states; i++) {
    const onnx_value_t *before = &o->loop->states[i], *after = &results[1 + i];
    if (after->kind != ONNX_TENSOR || after->is_unsigned != before->is_unsigned ||
        !mlirTypeEqual(mlirValueGetType(after->tensor), mlirValueGetType(before->tensor)))
      return refuse(o, "the shape or type of its state '%s' changes ('%s')", input_name(o, i), output_name(o, 1 + i));
    o->next[1 + i] = after->tensor;
    o->is_unsigned[1 + i] = after->is_unsigned;
  }
  return check_condition(o, &results[0]);
}

static bool collects_nothing(open_t *o, int count) {
  for (int i = 1 + o->loop->n_states; i < count; i++)
    if (onnx_wants(o->n, i - 1))
      return refuse(o, "it collects values, one an iteration ('%s'), so that their number is not known",
                    output_name(o, i));
  return true;
}

static bool is_known_true(open_t *o, MlirValue value) {
  bool is_true;
  return onnx_known_bool(o->n, value, &is_true) && is_true;
}

static bool never_asks(open_t *o) { return is_known_true(o, o->loop->condition) && is_known_true(o, o->next[0]); }

// True if unrolling can tell when it ends.
static bool can_be_known(open_t *o) {
  bool begins;
  if (o->loop->is_forced || !mlirValueIsNull(o->loop->limit) || !onnx_known_bool(o->n, o->loop->condition, &begins))
    return false;
  if (never_asks(o))
    return o->loop->count <= ONNX_MAX_COUNT;
  MlirValue next[MAX_STATES];
  memcpy(next, o->next, sizeof next);
  next[o->n_states - 1] = o->args[o->n_states - 1]; // the number of the iteration depends on nothing else
  return strata_build_loop_is_decided(o->building, next, next[0]);
}

static bool is_argument(const open_t *o, int index) {
  for (int i = 0; i < o->n_states; i++)
    if (mlirValueEqual(o->next[i], o->args[index]))
      return true;
  return false;
}

// The number of the iteration, if somebody reads it.
static bool count_iterations(open_t *o) {
  int last = o->n_states - 1;
  if (!strata_value_has_uses(o->args[last]) && !is_argument(o, last))
    return false;
  o->next[last] = onnx_with_number(o->n, STRATA_OP_ADD, o->args[last], 1);
  return true;
}

// A state that is the same in all iterations is what it was in front of the loop.
static bool is_same(open_t *o, int index) {
  if (!mlirValueEqual(o->next[index], o->args[index]))
    return false;
  MlirValue value = initial(o, index);
  mlirValueReplaceAllUsesOfWith(o->args[index], value);
  for (int i = 0; i < o->n_states; i++)
    if (mlirValueEqual(o->next[i], o->args[index]))
      o->next[i] = value;
  return true;
}

// Takes away the states that are not needed, the last first; |is_kept|: the others.
static void drop_states(open_t *o, bool *is_kept) {
  for (int i = o->n_states - 1; i >= 0; i--) {
    bool is_dropped = i == 0 ? never_asks(o) : i == o->n_states - 1 ? !count_iterations(o) : is_same(o, i);
    is_kept[i] = !is_dropped;
    if (is_dropped)
      strata_build_loop_drop_state(o->building, i);
  }
}

static bool end(open_t *o) {
  bool is_kept[MAX_STATES];
  MlirValue kept[MAX_STATES];
  int n_kept = 0;
  drop_states(o, is_kept);
  for (int i = 0; i < o->n_states; i++)
    if (is_kept[i])
      kept[n_kept++] = o->next[i];
  if (!strata_build_loop_end(o->building, n_kept, kept, &(bool){false}, kept))
    return refuse(o, "it cannot be built, or uses too many values of the graph around it");
  n_kept = is_kept[0];
  for (int i = 0; i < o->loop->n_states; i++) {
    o->results[i] = o->loop->states[i];
    o->results[i].tensor = is_kept[1 + i] ? kept[n_kept++] : o->next[1 + i];
  }
  return true;
}

static bool import_once(onnx_node_t *n, void *user) {
  open_t *o = user;
  onnx_value_t *results;
  int count;
  if (!begin(o))
    return false;
  bool fits = import_body(o, &count, &results) && take_results(o, count, results);
  if (fits && never_asks(o) && mlirValueIsNull(o->loop->limit) && o->loop->count == INT64_MAX)
    fits = refuse(o, "it never ends");
  if (!fits || can_be_known(o) || !collects_nothing(o, count) || onnx_failed(n)) {
    strata_build_loop_cancel(o->building);
    return false;
  }
  return end(o);
}

bool onnx_import_open_loop(onnx_node_t *n, const onnx_open_loop_t *loop, onnx_value_t *out_states,
                           const char **out_reason) {
  const char *problem;
  open_t o = {.n = n, .loop = loop, .n_states = loop->n_states + 2, .results = out_states};
  bool done = !onnx_failed(n) && onnx_try(n, import_once, &o, &problem);
  *out_reason = o.reason ? o.reason : done ? NULL : problem;
  return done;
}
