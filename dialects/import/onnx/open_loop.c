// A Loop whose end data decide as a loop of the launch list (dialects/counted_loop.h), which asks before each
// iteration.
//
// States of the loop are the condition, those of the node, the tensors that collect one row an iteration, and the
// number of the iteration; those that never change, or that nobody needs, are taken away once the body is known. A
// limit that data give is a part of the condition, unless that is taken away. What is collected has room for the most
// iterations, and as many rows as there were. Its rows' shapes the body says: where it collects anything it is imported
// twice.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/loop.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STATES = 64 };

typedef struct {
  onnx_node_t *n;
  const onnx_open_loop_t *loop;
  strata_loop_builder_t *building;
  int n_states;  // of the loop
  int n_carried; // of the node's, the loop's from the second on: tensors
  int carried[MAX_STATES];
  int n_collected; // those behind: by the bodies' results without the condition
  int collected[MAX_STATES];
  onnx_value_t rows[MAX_STATES];  // of those, in front of the loop: zeros; null: the body has not said their shapes yet
  strata_shape_t row[MAX_STATES]; // of each
  strata_dim_t most;              // rows
  MlirValue args[MAX_STATES];     // in the body
  MlirValue next[MAX_STATES];     // what the body gives
  onnx_value_t *results;          // the last states of the node, and what it collects
  const char *reason;             // why it cannot be done
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

static bool has_rows(const open_t *o) { return !o->n_collected || !mlirValueIsNull(o->rows[0].tensor); }

// |condition|, and that iteration |number| is one of those that the limit allows.
static MlirValue is_below_limit(const open_t *o, MlirValue condition, MlirValue number) {
  if (mlirValueIsNull(o->loop->limit))
    return condition;
  return onnx_binary(o->n, STRATA_OP_AND, condition, onnx_binary(o->n, STRATA_OP_LT, number, o->loop->limit));
}

static MlirValue initial(const open_t *o, int index) {
  const int64_t zero = 0;
  if (index == 0)
    return is_below_limit(o, o->loop->condition, onnx_ints_constant(o->n, 0, NULL, &zero));
  if (index == o->n_states - 1)
    return onnx_ints_constant(o->n, 0, NULL, &zero);
  return index <= o->n_carried ? o->loop->states[o->carried[index - 1]].tensor
                               : o->rows[index - 1 - o->n_carried].tensor;
}

static bool check_state(open_t *o, int state) {
  if (o->loop->states[state].kind != ONNX_TENSOR)
    return refuse(o, "state '%s' is no tensor, nor a sequence that begins empty", input_name(o, state));
  strata_shape_t shape = onnx_shape(o->loop->states[state].tensor);
  for (int j = 0; j < shape.rank; j++)
    if (strata_dim_is(shape.dims[j], 0))
      return refuse(o, "state '%s' has no elements", input_name(o, state));
  return shape.type != STRATA_TYPE_I4 || refuse(o, "state '%s' has elements of 4 bits", input_name(o, state));
}

// Which of the node's states are the loop's, and what it collects.
static bool sort_states(open_t *o) {
  const onnx_open_loop_t *loop = o->loop;
  const Onnx__AttributeProto *body = onnx_attr(o->n, "body");
  int n_results = body && body->g ? (int)body->g->n_output - 1 : 0;
  if ((n_results > loop->n_states ? n_results : loop->n_states) + 2 > MAX_STATES)
    return refuse(o, "it has more than %d states and results", MAX_STATES - 2);
  for (int i = 0; i < loop->n_states; i++) {
    bool is_collected = onnx_is_empty_sequence(&loop->states[i]);
    if (is_collected)
      o->collected[o->n_collected++] = i;
    else if (check_state(o, i))
      o->carried[o->n_carried++] = i;
    else
      return false;
  }
  for (int i = loop->n_states; i < n_results; i++)
    if (onnx_wants(o->n, i))
      o->collected[o->n_collected++] = i;
  return true;
}

static bool begin(open_t *o) {
  MlirValue states[MAX_STATES];
  o->n_states = 1 + o->n_carried + (has_rows(o) ? o->n_collected : 0) + 1;
  for (int i = 0; i < o->n_states; i++)
    states[i] = initial(o, i);
  o->building = strata_build_open_loop_begin(o->n->b, o->loop->count, o->n_states, states, o->args);
  return o->building || refuse(o, "it cannot be built");
}

static bool import_body(open_t *o, int *out_count, onnx_value_t **out_results) {
  onnx_node_t *n = o->n;
  int n_inputs = 2 + o->loop->n_states;
  onnx_value_t *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, n_inputs);
  inputs[0] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = o->args[o->n_states - 1]};
  inputs[1] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)};
  for (int i = 0; i < o->loop->n_states; i++)
    inputs[2 + i] = onnx_collecting_sequence(o->loop);
  for (int i = 0; i < o->n_carried; i++) {
    inputs[2 + o->carried[i]] = o->loop->states[o->carried[i]];
    inputs[2 + o->carried[i]].tensor = o->args[1 + i];
  }
  return onnx_import_body(n, "body", n_inputs, inputs, out_count, out_results) && !n->importer->has_trial_failed;
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
  for (int i = 0; i < o->n_carried; i++) {
    int state = o->carried[i];
    const onnx_value_t *before = &o->loop->states[state], *after = &results[1 + state];
    if (after->kind != ONNX_TENSOR || after->is_unsigned != before->is_unsigned ||
        !mlirTypeEqual(mlirValueGetType(after->tensor), mlirValueGetType(before->tensor)))
      return refuse(o, "the shape or type of its state '%s' changes ('%s')", input_name(o, state),
                    output_name(o, 1 + state));
    o->next[1 + i] = after->tensor;
  }
  return check_condition(o, &results[0]);
}

//===-- What is collected ----------------------------------------------------------------------------------------===//

// The row of an iteration; NULL where the body does anything else with a sequence than to append one.
static const onnx_value_t *row_of(open_t *o, int index, const onnx_value_t *results) {
  int result = o->collected[index];
  const onnx_value_t *row = &results[1 + result];
  if (result < o->loop->n_states)
    row = onnx_appended_item(row, o->loop);
  if (!row || row->kind != ONNX_TENSOR)
    refuse(o, "its body does not give one tensor an iteration ('%s')", output_name(o, 1 + result));
  return o->reason ? NULL : row;
}

// The most iterations, as far as anything says.
static bool find_most(open_t *o) {
  o->most = o->loop->most;
  if (!mlirAffineExprIsNull(o->most))
    return true;
  if (mlirValueIsNull(o->loop->limit))
    return refuse(o, "it collects values, one an iteration ('%s'), and nothing says how many at most",
                  output_name(o, 1 + o->collected[0]));
  return onnx_given_data_dim(o->n, 0, &o->most);
}

// Memory for the rows of the most iterations.
static bool make_rows(open_t *o) {
  onnx_node_t *n = o->n;
  if (!find_most(o))
    return false;
  strata_dim_t room = strata_dim_bound(n->b->compile->arena, &n->importer->symbols, o->most);
  for (int i = 0; i < o->n_collected; i++) {
    strata_shape_t *row = &o->row[i], whole = {.type = row->type, .rank = row->rank + 1, .dims = {room}};
    if (whole.rank > STRATA_MAX_RANK || row->type == STRATA_TYPE_I4 ||
        strata_shape_is_counted(&n->importer->symbols, row))
      return refuse(o, "it collects tensors whose sizes data decide, or of elements of 4 bits ('%s')",
                    output_name(o, 1 + o->collected[i]));
    memcpy(whole.dims + 1, row->dims, (size_t)row->rank * sizeof *row->dims);
    o->rows[i].tensor = onnx_splat_dims(n, whole.type, whole.rank, whole.dims, 0);
  }
  return !onnx_failed(n);
}

// |rows| with |row| at the number of the iteration.
static MlirValue put_row(open_t *o, MlirValue rows, MlirValue row) {
  onnx_node_t *n = o->n;
  strata_shape_t shape = onnx_shape(rows);
  strata_dim_t ones[STRATA_MAX_RANK], whole[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    ones[i] = i ? onnx_dim(n, 1) : shape.dims[0];
    whole[i] = i ? shape.dims[i] : onnx_dim(n, 1);
  }
  MlirValue places = onnx_iota_dims(n, STRATA_TYPE_I64, shape.rank, ones, 0);
  MlirValue is_here = onnx_binary(n, STRATA_OP_EQ, places, o->args[o->n_states - 1]);
  return onnx_select(n, is_here, onnx_reshape_dims(n, row, shape.rank, whole), rows);
}

static bool collect(open_t *o, const onnx_value_t *results) {
  for (int i = 0; i < o->n_collected && !onnx_failed(o->n); i++) {
    const onnx_value_t *row = row_of(o, i, results);
    int state = 1 + o->n_carried + i;
    if (!row)
      return false;
    o->row[i] = onnx_shape(row->tensor);
    o->rows[i].is_unsigned = row->is_unsigned;
    if (has_rows(o))
      o->next[state] = put_row(o, o->args[state], row->tensor);
  }
  return !onnx_failed(o->n);
}

// What was collected, in as many rows as there were iterations: |rows|, of which there is room for more.
static void set_collected(open_t *o, int index, MlirValue rows, MlirValue count) {
  int result = o->collected[index];
  bool is_unsigned = o->rows[index].is_unsigned;
  strata_dim_t room = onnx_shape(rows).dims[0];
  rows = onnx_slice_dims(o->n, rows, 0, onnx_dim(o->n, 0), 1,
                         onnx_counted_dim(o->n, count, room, !strata_dim_equal(room, o->most)));
  o->results[result] = (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = rows};
  if (result < o->loop->n_states)
    o->results[result] = onnx_sequence_of_rows(rows, is_unsigned);
}

//===-- Its end --------------------------------------------------------------------------------------------------===//

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
  bool has_limit = !mlirValueIsNull(o->loop->limit), asks = !never_asks(o);
  if (has_limit && asks)
    o->next[0] = is_below_limit(o, o->next[0], onnx_with_number(o->n, STRATA_OP_ADD, o->args[o->n_states - 1], 1));
  drop_states(o, is_kept);
  if (has_limit && !asks)
    strata_build_loop_set_limit(o->building, o->loop->limit);
  for (int i = 0; i < o->n_states; i++)
    if (is_kept[i])
      kept[n_kept++] = o->next[i];
  if (!strata_build_loop_end(o->building, n_kept, kept, &(bool){false}, kept))
    return refuse(o, "it cannot be built, or uses too many values of the graph around it");
  MlirValue count = kept[n_kept - 1]; // of the iterations, if anything is collected
  n_kept = is_kept[0];
  for (int i = 0; i < o->n_carried; i++) {
    onnx_value_t *result = &o->results[o->carried[i]];
    *result = o->loop->states[o->carried[i]];
    result->tensor = is_kept[1 + i] ? kept[n_kept++] : o->next[1 + i];
  }
  for (int i = 0; i < o->n_collected; i++)
    set_collected(o, i, kept[n_kept++], count);
  return true;
}

static bool import_once(onnx_node_t *n, void *user) {
  open_t *o = user;
  onnx_value_t *results;
  int count;
  if (!begin(o))
    return false;
  bool fits = import_body(o, &count, &results) && take_results(o, count, results) && collect(o, results);
  if (fits && never_asks(o) && mlirValueIsNull(o->loop->limit) && o->loop->count == INT64_MAX)
    fits = refuse(o, "it never ends");
  bool is_ready = has_rows(o);
  if (fits && is_ready && !can_be_known(o) && !onnx_failed(n))
    return end(o);
  fits = fits && !is_ready && !can_be_known(o) && !onnx_failed(n);
  strata_build_loop_cancel(o->building);
  return fits && make_rows(o) && import_once(n, o);
}

bool onnx_import_open_loop(onnx_node_t *n, const onnx_open_loop_t *loop, onnx_value_t *out_results,
                           const char **out_reason) {
  const char *problem = NULL;
  open_t *o = strata_arena_new(n->b->compile->arena, open_t);
  *o = (open_t){.n = n, .loop = loop, .results = out_results};
  bool done = !onnx_failed(n) && sort_states(o) && onnx_try(n, import_once, o, &problem);
  *out_reason = o->reason ? o->reason : done ? NULL : problem;
  return done;
}
