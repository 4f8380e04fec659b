// Loop and Scan: a loop on the launch list (loop.h), or unrolled.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/loop.h"

//===-- Unrolled loops --------------------------------------------------------------------------------------------===//

// The values that the iterations of a loop give for one result, joined along a new axis.
typedef STRATA_VECTOR(MlirValue) parts_t;

typedef struct {
  int n_states, n_scans; // values carried from iteration to iteration; results that collect one value an iteration
  onnx_value_t *states;
  parts_t *scans;
  MlirValue *empty; // of a loop without iterations: what the body would give for each of |scans|
  bool *scan_unsigned;
} loop_t;

// |n_other|: results of the body before the states.
static loop_t create_loop(onnx_node_t *n, int n_states, const onnx_value_t *states, int n_other) {
  strata_arena_t *arena = n->b->compile->arena;
  const Onnx__AttributeProto *body = onnx_attr(n, "body");
  int n_results = body && body->g ? (int)body->g->n_output - n_other : 0;
  loop_t loop = {.n_states = n_states, .n_scans = n_results > n_states ? n_results - n_states : 0};
  loop.states = strata_arena_copy(arena, states, (size_t)n_states * sizeof *states);
  loop.scans = strata_arena_array(arena, parts_t, loop.n_scans);
  loop.empty = strata_arena_array(arena, MlirValue, loop.n_scans);
  loop.scan_unsigned = strata_arena_array(arena, bool, loop.n_scans);
  return loop;
}

// Takes over what an iteration gave: states, then scan values.
static bool step_loop(onnx_node_t *n, loop_t *loop, int count, const onnx_value_t *results) {
  if (onnx_has_poison(count, results)) {
    onnx_poison_all(n);
    return false;
  }
  if (count != loop->n_states + loop->n_scans)
    onnx_invalid(n, "the body has %d results, expected %d", count, loop->n_states + loop->n_scans);
  for (int i = 0; i < loop->n_states && !onnx_failed(n); i++)
    loop->states[i] = results[i];
  for (int i = 0; i < loop->n_scans && !onnx_failed(n); i++) {
    const onnx_value_t *value = &results[loop->n_states + i];
    if (value->kind != ONNX_TENSOR)
      onnx_invalid(n, "result %d of the body is not a tensor", loop->n_states + i);
    *strata_vector_push(n->b->compile->arena, &loop->scans[i]) = value->tensor;
    loop->scan_unsigned[i] = value->is_unsigned;
  }
  return !onnx_failed(n);
}

// Notes what one iteration would give, for a loop that has none.
static void note_empty(loop_t *loop, const loop_t *probe) {
  for (int i = 0; i < loop->n_scans; i++) {
    loop->empty[i] = probe->scans[i].data[0];
    loop->scan_unsigned[i] = probe->scan_unsigned[i];
  }
}

// The values of all iterations along |axis|, the last first if |is_reversed|.
static MlirValue join_parts(onnx_node_t *n, const parts_t *parts, MlirValue empty, int64_t axis, bool is_reversed) {
  strata_shape_t shape = onnx_shape(parts->count ? parts->data[0] : empty);
  int at = onnx_axis(n, axis, shape.rank + 1);
  if (onnx_failed(n))
    return empty;
  if (!parts->count) {
    strata_dim_t dims[STRATA_MAX_RANK + 1];
    for (int i = 0; i <= shape.rank; i++)
      dims[i] = i == at ? onnx_dim(n, 0) : shape.dims[i - (i > at)];
    return onnx_splat_dims(n, shape.type, shape.rank + 1, dims, 0);
  }
  MlirValue *xs = strata_arena_array(n->b->compile->arena, MlirValue, parts->count);
  for (size_t k = 0; k < parts->count; k++)
    xs[is_reversed ? parts->count - 1 - k : k] = onnx_insert_axis(n, parts->data[k], at);
  return strata_build_concat(n->b, (int)parts->count, xs, at);
}

// Sets the results of node: states, then the scan values along |axes[i]|, the last first if |reversed[i]|.
static void finish_loop(onnx_node_t *n, const loop_t *loop, const int64_t *axes, const int64_t *reversed) {
  onnx_check_count(n, loop->n_states + loop->n_scans);
  onnx_set_all(n, loop->n_states, loop->states);
  for (int i = 0; i < loop->n_scans && !onnx_failed(n); i++)
    onnx_set_value(n, loop->n_states + i,
                   (onnx_value_t){.kind = ONNX_TENSOR,
                                  .is_unsigned = loop->scan_unsigned[i],
                                  .tensor = join_parts(n, &loop->scans[i], loop->empty[i], axes[i], reversed[i])});
}

static int64_t *zeros(onnx_node_t *n, int count) { return strata_arena_array(n->b->compile->arena, int64_t, count); }

static int n_loop_states(const onnx_node_t *n) { return n->n_inputs > 2 ? n->n_inputs - 2 : 0; }

static bool *falses(onnx_node_t *n, int count) { return strata_arena_array(n->b->compile->arena, bool, count); }

//===-- Loop -----------------------------------------------------------------------------------------------------===//

// A Loop of so many iterations; false where it must be unrolled. |is_condition_known|: the body's is true until then.
// |progress|: of the states; NULL: nothing is known.
static bool import_counted(onnx_node_t *n, strata_dim_t count, bool is_condition_known,
                           const onnx_progress_t *progress) {
  loop_t states = create_loop(n, n_loop_states(n), n->inputs + 2, 1);
  int64_t known;
  if (strata_dim_is_constant(count, &known) && (known <= ONNX_MAX_UNROLLED || known > ONNX_MAX_COUNT))
    return false;
  MlirValue numbers = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &count, 0);
  onnx_loop_t loop = {.count = count,
                      .is_condition_known = is_condition_known,
                      .has_counter = true,
                      .n_states = states.n_states,
                      .n_inputs = 1,
                      .n_outputs = states.n_scans,
                      .states = states.states,
                      .progress = progress,
                      .inputs = &numbers,
                      .inputs_unsigned = falses(n, 1),
                      .reversed = falses(n, 1 + states.n_scans)};
  onnx_value_t *results = strata_arena_array(n->b->compile->arena, onnx_value_t, loop.n_states + loop.n_outputs);
  bool done = onnx_import_counted_loop(n, &loop, results);
  if (done)
    onnx_set_all(n, loop.n_states + loop.n_outputs, results);
  return done;
}

// What decides when a Loop ends.
typedef struct {
  int64_t count;       // the most iterations; INT64_MAX: the model does not say
  MlirValue limit;     // the same, where it is not known: i64 of rank 0; else null
  strata_dim_t most;   // the same, where it is a number or a size; else null
  strata_dim_t size;   // where it is a size and the first condition is known; else null
  MlirValue condition; // i1 of rank 0
  bool begins;         // known: whether there is an iteration
  bool is_known;       // |count|, and the condition before the first iteration
} loop_end_t;

// Operand |i|, one element of |type|, as a scalar.
static MlirValue scalar_operand(onnx_node_t *n, int i, strata_type_t type) {
  MlirValue value = onnx_operand(n, i);
  onnx_shape_t shape = onnx_sizes(n, value);
  int64_t count = 1;
  for (int j = 0; j < shape.rank; j++)
    count *= shape.dims[j];
  if (!onnx_failed(n) && (count != 1 || shape.type != type))
    onnx_invalid(n, "operand %d ('%s'): expected one element of %s", i, n->proto->input[i],
                 onnx_type_name(type, false));
  return onnx_failed(n) ? (MlirValue){0} : onnx_reshape(n, value, 0, NULL);
}

static loop_end_t read_end(onnx_node_t *n) {
  loop_end_t end = {.count = INT64_MAX, .begins = true, .is_known = true};
  MlirValue count = onnx_has(n, 0) ? scalar_operand(n, 0, STRATA_TYPE_I64) : (MlirValue){0};
  end.condition = onnx_has(n, 1) ? scalar_operand(n, 1, STRATA_TYPE_I1) : onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1);
  const int64_t *known;
  int64_t n_known;
  if (onnx_failed(n))
    return end;
  if (onnx_has(n, 0) && onnx_known_ints(n, count, &known, &n_known))
    end.count = known[0] < 0 ? 0 : known[0];
  else
    end.limit = count;
  bool is_condition_known = onnx_known_bool(n, end.condition, &end.begins);
  end.is_known = is_condition_known && mlirValueIsNull(end.limit);
  if (end.count <= ONNX_MAX_COUNT)
    end.most = onnx_dim(n, end.count);
  else if (!mlirValueIsNull(end.limit) && onnx_known_dim(n, count, &end.most))
    end.size = is_condition_known ? end.most : (strata_dim_t){0};
  end.begins &= end.count > 0;
  return end;
}

// As a loop that asks before each iteration whether there is another; see onnx_import_open_loop.
static bool import_open(onnx_node_t *n, const loop_end_t *end, bool is_forced, const char **out_reason) {
  int n_states = n_loop_states(n), n_results = n_states + create_loop(n, n_states, n->inputs + 2, 1).n_scans;
  onnx_open_loop_t loop = {.count = end->count,
                           .limit = end->limit,
                           .most = end->most,
                           .condition = end->condition,
                           .is_forced = is_forced,
                           .n_states = n_states,
                           .states = n->inputs + 2};
  onnx_value_t *results = strata_arena_array(n->b->compile->arena, onnx_value_t, n_results);
  bool done = onnx_import_open_loop(n, &loop, results, out_reason);
  if (done) {
    onnx_check_count(n, n_results);
    onnx_set_all(n, n_results, results);
  }
  return done;
}

// Imports the body for iteration |i|.
static bool import_iteration(onnx_node_t *n, loop_t *loop, int64_t i, onnx_value_t *out_condition) {
  onnx_value_t *results, *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, loop->n_states + 2);
  int count;
  inputs[0] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_ints_constant(n, 0, NULL, &i)};
  inputs[1] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)};
  for (int s = 0; s < loop->n_states; s++)
    inputs[s + 2] = loop->states[s];
  if (!onnx_import_body(n, "body", loop->n_states + 2, inputs, &count, &results))
    return false;
  if (count < 1)
    onnx_invalid(n, "the body has no results");
  if (onnx_failed(n) || !step_loop(n, loop, count - 1, results + 1))
    return false;
  *out_condition = results[0];
  return true;
}

enum { MAX_ITERATIONS = 4096 }; // that are unrolled of a loop without a count, which may have no end

// The condition must be known before each iteration, else the loop has to be an open one. False if there is nothing
// left to do.
static bool unroll(onnx_node_t *n, const loop_end_t *end, loop_t *loop, int64_t *out_count) {
  const char *reason;
  bool goes_on = end->begins;
  int64_t i = 0;
  for (; i < end->count && goes_on; i++) {
    onnx_value_t condition;
    if (i == MAX_ITERATIONS && import_open(n, end, true, &reason))
      return false;
    if (i == MAX_ITERATIONS && end->count == INT64_MAX) {
      onnx_unsupported(n, "without a number of iterations, it goes on after %d%s%s", MAX_ITERATIONS,
                       reason ? ", and cannot be a loop: " : "", reason ? reason : "");
      return false;
    }
    if (!import_iteration(n, loop, i, &condition))
      return false;
    if (condition.kind == ONNX_TENSOR && onnx_known_bool(n, condition.tensor, &goes_on))
      continue;
    if (!import_open(n, end, true, &reason))
      onnx_unsupported(n, "after %lld iterations data decide whether it goes on ('%s')%s%s", (long long)i + 1,
                       onnx_text(onnx_attr(n, "body")->g->output[0]->name), reason ? ", and it cannot be a loop: " : "",
                       reason ? reason : "");
    return false;
  }
  *out_count = i;
  return true;
}

// A loop without iterations: false after an error.
static bool probe_loop(onnx_node_t *n, loop_t *loop) {
  loop_t probe = create_loop(n, loop->n_states, loop->states, 1);
  onnx_value_t condition;
  if (!loop->n_scans)
    return true;
  if (!import_iteration(n, &probe, 0, &condition))
    return false;
  note_empty(loop, &probe);
  return true;
}

// Data decide how often it runs, and it cannot be a loop.
static void refuse_open(onnx_node_t *n, const loop_end_t *end, const char *reason) {
  int i = mlirValueIsNull(end->limit) ? 1 : 0; // the operand
  onnx_unsupported(n, "%s is decided by data ('%s')%s%s%s", i ? "whether it runs at all" : "how often it runs",
                   n->proto->input[i], reason ? ", and it cannot be a loop: " : "", reason ? reason : "",
                   onnx_binding_hint(n, onnx_operand(n, i)));
}

// A Loop whose body compares a number that it counts up with a size.
static bool import_counting(onnx_node_t *n, const loop_end_t *end) {
  bool has_size = !mlirAffineExprIsNull(end->size);
  int n_states = n_loop_states(n);
  onnx_progress_t *progress = strata_arena_array(n->b->compile->arena, onnx_progress_t, n_states);
  strata_dim_t count;
  if ((!end->is_known && !has_size) || !end->begins || !onnx_find_count(n, n_states, n->inputs + 2, &count, progress))
    return false;
  if (has_size || end->count < INT64_MAX)
    count = onnx_derive(n, STRATA_SYMBOL_MIN, count, has_size ? end->size : onnx_dim(n, end->count));
  return import_counted(n, count, true, progress);
}

// A loop, or unrolled.
void onnx_import_loop(onnx_node_t *n) {
  const char *reason = NULL;
  loop_end_t end = read_end(n);
  if (onnx_failed(n) || (end.is_known && end.begins && import_counted(n, onnx_dim(n, end.count), false, NULL)))
    return;
  if (!mlirAffineExprIsNull(end.size) && end.begins && import_counted(n, end.size, false, NULL))
    return;
  if (import_counting(n, &end) || (end.begins && import_open(n, &end, false, &reason)))
    return;
  if (!end.is_known && end.begins) {
    refuse_open(n, &end, reason);
    return;
  }
  int64_t count;
  loop_t loop = create_loop(n, n_loop_states(n), n->inputs + 2, 1);
  if (!unroll(n, &end, &loop, &count) || import_counted(n, onnx_dim(n, count), true, NULL))
    return;
  if (!count && !probe_loop(n, &loop))
    return;
  finish_loop(n, &loop, zeros(n, loop.n_scans), zeros(n, loop.n_scans));
}

//===-- Scan -----------------------------------------------------------------------------------------------------===//

// Attributes with one integer a scan input or output, zeros where they are missing.
static int64_t *scan_attr(onnx_node_t *n, const char *name, int count) {
  int64_t got, *values = zeros(n, count);
  const int64_t *given = onnx_attr_ints(n, name, &got);
  if (given && got != count)
    onnx_invalid(n, "attribute '%s': expected %d integers, got %lld", name, count, (long long)got);
  for (int i = 0; given && i < count && !onnx_failed(n); i++)
    values[i] = given[i];
  return values;
}

// Element |step| of the scan inputs along their axes.
static void slice_scan_inputs(onnx_node_t *n, int first, int n_scan_inputs, const int64_t *axes,
                              const int64_t *reversed, int64_t length, int64_t step, onnx_value_t *out) {
  for (int i = 0; i < n_scan_inputs && !onnx_failed(n); i++) {
    MlirValue x = onnx_operand(n, first + i);
    int axis = onnx_axis(n, axes[i], onnx_shape(x).rank);
    out[i] = (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = onnx_is_unsigned(n, first + i)};
    out[i].tensor =
        onnx_remove_axis(n, onnx_slice_axis(n, x, axis, reversed[i] ? length - 1 - step : step, 1, 1), axis);
  }
}

// A Scan of more than a few iterations as a loop; false where it must be unrolled.
static bool scan_counted(onnx_node_t *n, int first, int n_inputs, const loop_t *states, const int64_t *axes,
                         const int64_t *reversed, strata_dim_t length) {
  strata_arena_t *arena = n->b->compile->arena;
  int64_t *out_axes = scan_attr(n, "scan_output_axes", states->n_scans);
  int64_t *out_reversed = scan_attr(n, "scan_output_directions", states->n_scans);
  MlirValue *inputs = strata_arena_array(arena, MlirValue, n_inputs);
  bool *is_unsigned = falses(n, n_inputs), *is_reversed = falses(n, n_inputs + states->n_scans);
  int64_t known;
  if (onnx_failed(n) || (strata_dim_is_constant(length, &known) && known <= ONNX_MAX_UNROLLED))
    return false;
  for (int i = 0; i < n_inputs; i++) {
    MlirValue x = onnx_operand(n, first + states->n_states + i);
    strata_shape_t shape = onnx_shape(x);
    int axis = onnx_axis(n, axes[i], shape.rank);
    if (onnx_failed(n) || !onnx_agree(n, shape.dims[axis], length))
      return false;
    inputs[i] = onnx_move_axis(n, x, axis, 0);
    is_unsigned[i] = onnx_is_unsigned(n, first + states->n_states + i);
    is_reversed[i] = reversed[i] != 0;
  }
  for (int i = 0; i < states->n_scans; i++)
    is_reversed[n_inputs + i] = out_reversed[i] != 0;
  onnx_loop_t loop = {.count = length,
                      .n_states = states->n_states,
                      .n_inputs = n_inputs,
                      .n_outputs = states->n_scans,
                      .states = states->states,
                      .inputs = inputs,
                      .inputs_unsigned = is_unsigned,
                      .reversed = is_reversed};
  onnx_value_t *results = strata_arena_array(arena, onnx_value_t, loop.n_states + loop.n_outputs);
  if (!onnx_import_counted_loop(n, &loop, results))
    return false;
  for (int i = 0; i < states->n_scans && !onnx_failed(n); i++) {
    onnx_value_t *value = &results[loop.n_states + i];
    value->tensor = onnx_move_axis(n, value->tensor, 0, onnx_axis(n, out_axes[i], onnx_shape(value->tensor).rank));
  }
  onnx_set_all(n, loop.n_states + loop.n_outputs, results);
  return true;
}

// Zeros in their place, where there are none.
static void empty_scan_inputs(onnx_node_t *n, int first, int n_scan_inputs, const int64_t *axes, onnx_value_t *out) {
  for (int i = 0; i < n_scan_inputs && !onnx_failed(n); i++) {
    onnx_shape_t shape = onnx_sizes(n, onnx_operand(n, first + i));
    int axis = onnx_axis(n, axes[i], shape.rank);
    for (int j = axis; j + 1 < shape.rank; j++)
      shape.dims[j] = shape.dims[j + 1];
    out[i] = (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = onnx_is_unsigned(n, first + i)};
    if (!onnx_failed(n))
      out[i].tensor = onnx_splat(n, shape.type, shape.rank - 1, shape.dims, 0);
  }
}

// Imports the body; |inputs|: the states, which are set here, then the scan inputs.
static bool scan_iteration(onnx_node_t *n, loop_t *loop, int n_scan_inputs, onnx_value_t *inputs) {
  onnx_value_t *results;
  int count, n_inputs = loop->n_states + n_scan_inputs;
  for (int i = 0; i < loop->n_states; i++)
    inputs[i] = loop->states[i];
  return !onnx_failed(n) && onnx_import_body(n, "body", n_inputs, inputs, &count, &results) &&
         step_loop(n, loop, count, results);
}

// |inputs|: states, then the tensors that are walked. In a loop, or unrolled.
static void scan(onnx_node_t *n, int first, int n_scan_inputs) {
  int n_states = n->n_inputs - first - n_scan_inputs;
  int64_t *axes = scan_attr(n, "scan_input_axes", n_scan_inputs);
  int64_t *reversed = scan_attr(n, n->opset < 9 ? "directions" : "scan_input_directions", n_scan_inputs);
  loop_t loop = create_loop(n, n_states, n->inputs + first, 0);
  strata_shape_t walked = onnx_operand_shape(n, first + n_states);
  int axis = onnx_axis(n, axes[0], walked.rank);
  if (!onnx_failed(n) && scan_counted(n, first, n_scan_inputs, &loop, axes, reversed, walked.dims[axis]))
    return;
  int64_t length = 0;
  if (!onnx_failed(n) && !strata_dim_is_constant(onnx_shape(onnx_operand(n, first + n_states)).dims[axis], &length))
    onnx_unsupported(n, "%s iterations of a body whose shapes change, or that needs a number which differs",
                     onnx_dim_text(n, walked.dims[axis]));
  onnx_value_t *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, n_states + n_scan_inputs);
  for (int64_t step = 0; !onnx_failed(n) && step < length; step++) {
    slice_scan_inputs(n, first + n_states, n_scan_inputs, axes, reversed, length, step, inputs + n_states);
    if (!scan_iteration(n, &loop, n_scan_inputs, inputs))
      return;
  }
  if (!length && loop.n_scans && !onnx_failed(n)) {
    loop_t probe = create_loop(n, n_states, loop.states, 0);
    empty_scan_inputs(n, first + n_states, n_scan_inputs, axes, inputs + n_states);
    if (!scan_iteration(n, &probe, n_scan_inputs, inputs))
      return;
    note_empty(&loop, &probe);
  }
  int64_t *out_axes = scan_attr(n, "scan_output_axes", loop.n_scans);
  int64_t *out_reversed = scan_attr(n, "scan_output_directions", loop.n_scans);
  if (!onnx_failed(n))
    finish_loop(n, &loop, out_axes, out_reversed);
}

// Before opset 9 every operand has a batch dim, of which we take one of size 1, and the lengths come first.
static void scan_8(onnx_node_t *n, int n_scan_inputs) {
  onnx_value_t *inputs = strata_arena_copy(n->b->compile->arena, n->inputs, (size_t)n->n_inputs * sizeof *inputs);
  if (onnx_has(n, 0))
    onnx_unsupported(n, "sequence lengths");
  for (int i = 1; i < n->n_inputs && !onnx_failed(n); i++) {
    onnx_shape_t shape = onnx_operand_sizes(n, i);
    if (shape.rank < 1 || shape.dims[0] != 1)
      onnx_unsupported(n, "a batch of more than one");
    else
      inputs[i].tensor = onnx_remove_axis(n, inputs[i].tensor, 0);
  }
  if (onnx_failed(n))
    return;
  onnx_node_t single = *n;
  single.inputs = inputs;
  scan(&single, 1, n_scan_inputs);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++)
    if (n->outputs[i].kind == ONNX_TENSOR)
      n->outputs[i].tensor = onnx_insert_axis(n, n->outputs[i].tensor, 0);
}

void onnx_import_scan(onnx_node_t *n) {
  int64_t n_scan_inputs = onnx_attr_int(n, "num_scan_inputs", 0);
  int first = n->opset < 9;
  if (!onnx_failed(n) && (n_scan_inputs < 1 || n_scan_inputs > n->n_inputs - first))
    onnx_invalid(n, "num_scan_inputs: expected 1 to %d, got %lld", n->n_inputs - first, (long long)n_scan_inputs);
  if (onnx_failed(n))
    return;
  if (first)
    scan_8(n, (int)n_scan_inputs);
  else
    scan(n, 0, (int)n_scan_inputs);
}
