// Control flow, sequences and optionals, all of it resolved here: conditions and numbers of iterations must be known,
// but that both branches of an If may be computed, and one chosen; a sequence is a list of values.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/loop.h"

static bool has_poison(int count, const onnx_value_t *values) {
  for (int i = 0; i < count; i++)
    if (values[i].kind == ONNX_POISONED)
      return true;
  return false;
}

// |count|: results that the body has for the node's.
static void check_count(onnx_node_t *n, int count) {
  if (!onnx_failed(n) && n->n_outputs > count)
    onnx_invalid(n, "expected %d results, as many as the body gives, got %d", count, n->n_outputs);
}

static void set_all(onnx_node_t *n, int count, const onnx_value_t *values) {
  for (int i = 0; i < count; i++)
    onnx_set_value(n, i, values[i]);
}

// One body gave something unsupported: the node gives nothing.
static void poison_all(onnx_node_t *n) {
  for (int i = 0; i < n->n_outputs; i++)
    n->outputs[i] = (onnx_value_t){.kind = ONNX_POISONED};
}

static bool known_bool(onnx_node_t *n, MlirValue value, bool *out) {
  const int64_t *values;
  int64_t count;
  if (!onnx_known_ints(n, value, &values, &count) || count != 1)
    return false;
  *out = values[0] != 0;
  return true;
}

//===-- If -------------------------------------------------------------------------------------------------------===//

static bool same_type(const onnx_value_t *a, const onnx_value_t *b) {
  return a->kind == ONNX_TENSOR && b->kind == ONNX_TENSOR && a->is_unsigned == b->is_unsigned &&
         mlirTypeEqual(mlirValueGetType(a->tensor), mlirValueGetType(b->tensor));
}

// A condition that is not known: both branches, whose results must then be tensors of one shape.
static void choose(onnx_node_t *n, MlirValue condition) {
  int n_then, n_else;
  onnx_value_t *then_results, *else_results;
  if (!onnx_import_body(n, "then_branch", 0, NULL, &n_then, &then_results) ||
      !onnx_import_body(n, "else_branch", 0, NULL, &n_else, &else_results))
    return;
  if (has_poison(n_then, then_results) || has_poison(n_else, else_results)) {
    poison_all(n);
    return;
  }
  check_count(n, n_then < n_else ? n_then : n_else);
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++) {
    if (!same_type(&then_results[i], &else_results[i])) {
      onnx_unsupported(n, "a condition that is not known at compile time, with results of two kinds or shapes%s",
                       onnx_binding_hint(n, condition));
      return;
    }
    onnx_value_t value = then_results[i];
    value.tensor = onnx_select(n, onnx_reshape(n, condition, 0, NULL), value.tensor, else_results[i].tensor);
    onnx_set_value(n, i, value);
  }
}

void onnx_import_if(onnx_node_t *n) {
  MlirValue condition = onnx_operand(n, 0);
  bool is_true;
  int count;
  onnx_value_t *results;
  if (onnx_failed(n))
    return;
  if (!known_bool(n, condition, &is_true))
    choose(n, condition);
  else if (onnx_import_body(n, is_true ? "then_branch" : "else_branch", 0, NULL, &count, &results)) {
    check_count(n, count);
    set_all(n, count, results);
  }
}

//===-- Loop and Scan --------------------------------------------------------------------------------------------===//

// The values that the iterations of a loop give for one result, joined along a new axis.
typedef STRATA_VECTOR(MlirValue) parts_t;

typedef struct {
  int n_states, n_scans; // values carried from iteration to iteration; results that collect one value an iteration
  onnx_value_t *states;
  parts_t *scans;
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
  loop.scan_unsigned = strata_arena_array(arena, bool, loop.n_scans);
  return loop;
}

// Takes over what an iteration gave: states, then scan values.
static bool step_loop(onnx_node_t *n, loop_t *loop, int count, const onnx_value_t *results) {
  if (has_poison(count, results)) {
    poison_all(n);
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

// Sets the results of node: states, then the scan values of all iterations along |axes[i]|, the last first if
// |reversed[i]|.
static void finish_loop(onnx_node_t *n, const loop_t *loop, const int64_t *axes, const int64_t *reversed) {
  check_count(n, loop->n_states + loop->n_scans);
  set_all(n, loop->n_states, loop->states);
  for (int i = 0; i < loop->n_scans && !onnx_failed(n); i++) {
    const parts_t *parts = &loop->scans[i];
    MlirValue *xs = strata_arena_array(n->b->compile->arena, MlirValue, parts->count);
    if (!parts->count) {
      onnx_unsupported(n, "a loop without iterations that collects values");
      return;
    }
    int axis = onnx_axis(n, axes[i], onnx_shape(parts->data[0]).rank + 1);
    for (size_t k = 0; k < parts->count; k++)
      xs[reversed[i] ? parts->count - 1 - k : k] = onnx_insert_axis(n, parts->data[k], axis);
    onnx_value_t value = {.kind = ONNX_TENSOR, .is_unsigned = loop->scan_unsigned[i]};
    value.tensor = strata_build_concat(n->b, (int)parts->count, xs, axis);
    onnx_set_value(n, loop->n_states + i, value);
  }
}

static int64_t *zeros(onnx_node_t *n, int count) { return strata_arena_array(n->b->compile->arena, int64_t, count); }

static bool *falses(onnx_node_t *n, int count) { return strata_arena_array(n->b->compile->arena, bool, count); }

// A Loop of so many iterations; false where it must be unrolled.
static bool import_counted(onnx_node_t *n, int64_t count, const loop_t *states) {
  if (count <= ONNX_MAX_UNROLLED || count > ONNX_MAX_COUNT)
    return false;
  MlirValue numbers = onnx_iota(n, STRATA_TYPE_I64, 1, &count, 0);
  onnx_loop_t loop = {.count = count,
                      .has_counter = true,
                      .n_states = states->n_states,
                      .n_inputs = 1,
                      .n_outputs = states->n_scans,
                      .states = states->states,
                      .inputs = &numbers,
                      .inputs_unsigned = falses(n, 1),
                      .reversed = falses(n, 1 + states->n_scans)};
  onnx_value_t *results = strata_arena_array(n->b->compile->arena, onnx_value_t, loop.n_states + loop.n_outputs);
  bool done = onnx_import_counted_loop(n, &loop, results);
  if (done)
    set_all(n, loop.n_states + loop.n_outputs, results);
  return done;
}

enum { MAX_ITERATIONS = 4096 }; // of a loop without a count, which may have no end

// In a loop, or unrolled: then the condition must be known before each iteration.
void onnx_import_loop(onnx_node_t *n) {
  int64_t limit = onnx_has(n, 0) ? onnx_constant_int(n, 0, 0) : INT64_MAX;
  int n_states = n->n_inputs > 2 ? n->n_inputs - 2 : 0, count;
  bool condition = true;
  if (onnx_failed(n))
    return;
  if (onnx_has(n, 1) && !known_bool(n, onnx_operand(n, 1), &condition)) {
    onnx_unsupported(n, "whether it runs at all is decided by data ('%s')%s", n->proto->input[1],
                     onnx_binding_hint(n, onnx_operand(n, 1)));
    return;
  }
  onnx_value_t *results, *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, n_states + 2);
  loop_t loop = create_loop(n, n_states, n->inputs + 2, 1);
  if (condition && import_counted(n, limit, &loop))
    return;
  for (int64_t i = 0; i < limit && condition; i++) {
    if (i == MAX_ITERATIONS && !onnx_has(n, 0)) {
      onnx_unsupported(n, "without a number of iterations, it goes on after %d", MAX_ITERATIONS);
      return;
    }
    inputs[0] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_ints_constant(n, 0, NULL, &i)};
    inputs[1] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)};
    for (int s = 0; s < n_states; s++)
      inputs[s + 2] = loop.states[s];
    if (!onnx_import_body(n, "body", n_states + 2, inputs, &count, &results))
      return;
    if (count < 1)
      onnx_invalid(n, "the body has no results");
    if (onnx_failed(n) || !step_loop(n, &loop, count - 1, results + 1))
      return;
    if (results[0].kind != ONNX_TENSOR || !known_bool(n, results[0].tensor, &condition)) {
      onnx_unsupported(n, "after %lld iterations data decide whether it goes on ('%s')", (long long)i + 1,
                       onnx_text(onnx_attr(n, "body")->g->output[0]->name));
      return;
    }
  }
  finish_loop(n, &loop, zeros(n, loop.n_scans), zeros(n, loop.n_scans));
}

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
                         const int64_t *reversed, int64_t length) {
  strata_arena_t *arena = n->b->compile->arena;
  int64_t *out_axes = scan_attr(n, "scan_output_axes", states->n_scans);
  int64_t *out_reversed = scan_attr(n, "scan_output_directions", states->n_scans);
  MlirValue *inputs = strata_arena_array(arena, MlirValue, n_inputs);
  bool *is_unsigned = falses(n, n_inputs), *is_reversed = falses(n, n_inputs + states->n_scans);
  if (onnx_failed(n) || length <= ONNX_MAX_UNROLLED)
    return false;
  for (int i = 0; i < n_inputs; i++) {
    MlirValue x = onnx_operand(n, first + states->n_states + i);
    onnx_shape_t shape = onnx_shape(x);
    int axis = onnx_axis(n, axes[i], shape.rank);
    if (onnx_failed(n) || shape.dims[axis] != length)
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
  set_all(n, loop.n_states + loop.n_outputs, results);
  return true;
}

// |inputs|: states, then the tensors that are walked. In a loop, or unrolled.
static void scan(onnx_node_t *n, int first, int n_scan_inputs) {
  int n_states = n->n_inputs - first - n_scan_inputs, count;
  int64_t *axes = scan_attr(n, "scan_input_axes", n_scan_inputs);
  int64_t *reversed = scan_attr(n, n->opset < 9 ? "directions" : "scan_input_directions", n_scan_inputs);
  loop_t loop = create_loop(n, n_states, n->inputs + first, 0);
  onnx_shape_t walked = onnx_operand_shape(n, first + n_states);
  int axis = onnx_axis(n, axes[0], walked.rank);
  if (!onnx_failed(n) && scan_counted(n, first, n_scan_inputs, &loop, axes, reversed, walked.dims[axis]))
    return;
  onnx_value_t *results, *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, n_states + n_scan_inputs);
  for (int64_t step = 0; !onnx_failed(n) && step < walked.dims[axis]; step++) {
    for (int s = 0; s < n_states; s++)
      inputs[s] = loop.states[s];
    slice_scan_inputs(n, first + n_states, n_scan_inputs, axes, reversed, walked.dims[axis], step, inputs + n_states);
    if (onnx_failed(n) || !onnx_import_body(n, "body", n_states + n_scan_inputs, inputs, &count, &results) ||
        !step_loop(n, &loop, count, results))
      return;
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
    onnx_shape_t shape = onnx_operand_shape(n, i);
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

//===-- Sequences ------------------------------------------------------------------------------------------------===//

enum { MAX_ITEMS = 4096 }; // every change copies the list

static void set_sequence(onnx_node_t *n, int i, size_t n_items, const onnx_value_t *items) {
  if (n_items > MAX_ITEMS)
    onnx_unsupported(n, "a sequence of more than %d items", MAX_ITEMS);
  onnx_set_value(n, i, (onnx_value_t){.kind = ONNX_SEQUENCE, .n_items = n_items, .items = items});
}

static const onnx_value_t *sequence(onnx_node_t *n, int i) {
  static const onnx_value_t empty = {.kind = ONNX_SEQUENCE};
  if (onnx_has(n, i) && n->inputs[i].kind == ONNX_SEQUENCE)
    return &n->inputs[i];
  onnx_invalid(n, "operand %d: expected a sequence", i);
  return &empty;
}

// The place that operand |i| means, counted from the end if negative; at most |last|.
static size_t place(onnx_node_t *n, int i, size_t n_items, size_t last) {
  int64_t at = onnx_constant_int(n, i, (int64_t)last);
  if (at < 0)
    at += (int64_t)n_items;
  if (!onnx_failed(n) && (at < 0 || (uint64_t)at > last))
    onnx_invalid(n, "place %lld is outside a sequence of %zu", (long long)at, n_items);
  return onnx_failed(n) ? 0 : (size_t)at;
}

void onnx_import_sequence_construct(onnx_node_t *n) { set_sequence(n, 0, (size_t)n->n_inputs, n->inputs); }

void onnx_import_sequence_empty(onnx_node_t *n) { set_sequence(n, 0, 0, NULL); }

void onnx_import_sequence_at(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  size_t at = onnx_failed(n) ? 0 : place(n, 1, s->n_items, s->n_items - 1);
  if (!onnx_failed(n))
    onnx_set_value(n, 0, s->items[at]);
}

void onnx_import_sequence_insert(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  size_t at = place(n, 2, s->n_items, s->n_items);
  if (onnx_failed(n) || n->n_inputs < 2)
    return;
  onnx_value_t *items = strata_arena_array(n->b->compile->arena, onnx_value_t, s->n_items + 1);
  for (size_t i = 0; i <= s->n_items; i++)
    items[i] = i < at ? s->items[i] : i == at ? n->inputs[1] : s->items[i - 1];
  set_sequence(n, 0, s->n_items + 1, items);
}

void onnx_import_sequence_erase(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  size_t at = onnx_failed(n) ? 0 : place(n, 1, s->n_items, s->n_items - 1);
  if (onnx_failed(n))
    return;
  onnx_value_t *items = strata_arena_array(n->b->compile->arena, onnx_value_t, s->n_items);
  for (size_t i = 0; i + 1 < s->n_items; i++)
    items[i] = s->items[i < at ? i : i + 1];
  set_sequence(n, 0, s->n_items - 1, items);
}

void onnx_import_sequence_length(onnx_node_t *n) {
  int64_t length = (int64_t)sequence(n, 0)->n_items;
  onnx_set(n, 0, onnx_ints_constant(n, 0, NULL, &length));
}

void onnx_import_concat_from_sequence(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  bool new_axis = onnx_attr_int(n, "new_axis", 0);
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, s->n_items);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  int axis = 0;
  for (size_t i = 0; i < s->n_items && !onnx_failed(n); i++) {
    if (s->items[i].kind != ONNX_TENSOR)
      onnx_invalid(n, "item %zu is not a tensor", i);
    parts[i] = s->items[i].tensor;
    axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), onnx_shape(parts[i]).rank + new_axis);
    if (new_axis && !onnx_failed(n))
      parts[i] = onnx_insert_axis(n, parts[i], axis);
  }
  if (onnx_failed(n))
    return;
  onnx_value_t value = s->items[0];
  value.tensor = strata_build_concat(n->b, (int)s->n_items, parts, axis);
  onnx_set_value(n, 0, value);
}

// Pieces of the given sizes; of one size, the last smaller; or of one element, without the dim unless it is kept.
void onnx_import_split_to_sequence(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_shape(x);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  int64_t count, start = 0;
  const int64_t *sizes = onnx_constant_ints(n, 1, &count);
  bool is_list = sizes && onnx_operand_shape(n, 1).rank == 1, drop = !sizes && !onnx_attr_int(n, "keepdims", 1);
  STRATA_VECTOR(onnx_value_t) items = {0};
  if (onnx_failed(n))
    return;
  for (int64_t i = 0; is_list ? i < count : start < shape.dims[axis]; i++) {
    int64_t left = shape.dims[axis] - start, size = is_list ? sizes[i] : sizes ? sizes[0] : 1;
    size = !is_list && size > left ? left : size;
    if (size < !is_list || size > left) {
      onnx_invalid(n, "split: the sizes do not add up to %lld", (long long)shape.dims[axis]);
      return;
    }
    MlirValue part = onnx_slice_axis(n, x, axis, size ? start : 0, 1, size);
    *strata_vector_push(n->b->compile->arena, &items) =
        (onnx_value_t){.kind = ONNX_TENSOR,
                       .is_unsigned = onnx_is_unsigned(n, 0),
                       .tensor = drop ? onnx_remove_axis(n, part, axis) : part};
    start += size;
  }
  set_sequence(n, 0, items.count, items.data);
}

// The body for each item of the first sequence, with the items of the others at the same place and the tensors as they
// are.
void onnx_import_sequence_map(onnx_node_t *n) {
  strata_arena_t *arena = n->b->compile->arena;
  size_t length = sequence(n, 0)->n_items;
  onnx_value_t **items = strata_arena_array(arena, onnx_value_t *, n->n_outputs);
  onnx_value_t *results, *inputs = strata_arena_array(arena, onnx_value_t, n->n_inputs);
  for (int i = 0; i < n->n_outputs; i++)
    items[i] = strata_arena_array(arena, onnx_value_t, length);
  for (size_t k = 0; k < length && !onnx_failed(n); k++) {
    for (int i = 0; i < n->n_inputs; i++) {
      bool is_sequence = n->inputs[i].kind == ONNX_SEQUENCE;
      if (is_sequence && n->inputs[i].n_items != length)
        onnx_invalid(n, "the sequences have %zu and %zu items", length, n->inputs[i].n_items);
      inputs[i] = is_sequence && !onnx_failed(n) ? n->inputs[i].items[k] : n->inputs[i];
    }
    int count;
    if (onnx_failed(n) || !onnx_import_body(n, "body", n->n_inputs, inputs, &count, &results))
      return;
    if (has_poison(count, results)) {
      poison_all(n);
      return;
    }
    for (int i = 0; i < n->n_outputs && i < count; i++)
      items[i][k] = results[i];
  }
  for (int i = 0; i < n->n_outputs; i++)
    set_sequence(n, i, length, items[i]);
}

//===-- Optionals ------------------------------------------------------------------------------------------------===//

void onnx_import_optional(onnx_node_t *n) {
  onnx_set_value(n, 0, n->n_inputs > 0 ? n->inputs[0] : (onnx_value_t){.kind = ONNX_ABSENT});
}

void onnx_import_optional_get_element(onnx_node_t *n) {
  if (onnx_has(n, 0))
    onnx_set_value(n, 0, n->inputs[0]);
  else
    onnx_invalid(n, "the optional is empty");
}

void onnx_import_optional_has_element(onnx_node_t *n) {
  onnx_set(n, 0, onnx_splat(n, STRATA_TYPE_I1, 0, NULL, onnx_has(n, 0)));
}
