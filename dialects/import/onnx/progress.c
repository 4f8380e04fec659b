// What is known of integers in a loop's body, and of how often a Loop runs whose body compares such ones.
//
// torch's exporter writes "for i in range(n)" as a Loop without a number of iterations: a state begins as 0, the body
// adds 1 to it and asks whether it is below n. What decides that, a few nodes of the body, is imported on its own.
#include "dialects/import/onnx/loop.h"
#include "dialects/mlir_util.h"

#include <string.h>

//===-- Integers -------------------------------------------------------------------------------------------------===//

static bool is_one_integer(MlirValue value) {
  strata_shape_t shape = onnx_shape(value);
  for (int i = 0; i < shape.rank; i++)
    if (!strata_dim_is(shape.dims[i], 1))
      return false;
  return shape.type == STRATA_TYPE_I64;
}

static bool is_constant(const onnx_number_t *a, int64_t *out) {
  return !a->loop && strata_dim_is_constant(a->first, out);
}

static bool known_number(onnx_node_t *n, MlirValue value, onnx_number_t *out) {
  const int64_t *ints;
  int64_t count;
  *out = (onnx_number_t){.value = value};
  if (!onnx_known_ints(n, value, &ints, &count) || count != 1)
    return onnx_known_dim(n, value, &out->first);
  out->first = onnx_dim(n, ints[0]);
  return true;
}

// a + sign * b.
static bool add(const onnx_number_t *a, const onnx_number_t *b, int sign, onnx_number_t *out) {
  if (a->loop && b->loop && a->loop != b->loop)
    return false;
  out->loop = a->loop ? a->loop : b->loop;
  out->count = a->loop ? a->count : b->count;
  out->first = sign < 0 ? strata_dim_sub(a->first, b->first) : strata_dim_add(a->first, b->first);
  out->step = a->step + sign * b->step;
  if (!out->step)
    out->loop = NULL;
  return true;
}

enum { MAX_DEPTH = 32, MAX_STEP = 1 << 30 };

static bool multiply(const onnx_number_t *a, const onnx_number_t *b, onnx_number_t *out) {
  int64_t factor;
  if (!is_constant(b, &factor) || factor < -MAX_STEP || factor > MAX_STEP || a->step < -MAX_STEP || a->step > MAX_STEP)
    return false;
  out->loop = factor ? a->loop : NULL;
  out->count = a->count;
  out->first = strata_dim_times(a->first, factor);
  out->step = a->step * factor;
  return true;
}

static bool find_course(onnx_node_t *n, MlirValue value, int depth, onnx_number_t *out) {
  MlirOperation op = strata_def(value);
  onnx_number_t a, b;
  if (depth > MAX_DEPTH || !is_one_integer(value))
    return false;
  for (size_t i = n->importer->numbers.count; i-- > 0;)
    if (mlirValueEqual(n->importer->numbers.data[i].value, value)) {
      *out = n->importer->numbers.data[i];
      return true;
    }
  if (mlirOperationIsNull(op))
    return false;
  strata_op_id_t id = strata_op_id(op);
  if (id == STRATA_OP_RESHAPE || id == STRATA_OP_BROADCAST)
    return find_course(n, mlirOperationGetOperand(op, 0), depth + 1, out);
  if (known_number(n, value, out))
    return true;
  if ((id != STRATA_OP_ADD && id != STRATA_OP_SUB && id != STRATA_OP_MUL) ||
      !find_course(n, mlirOperationGetOperand(op, 0), depth + 1, &a) ||
      !find_course(n, mlirOperationGetOperand(op, 1), depth + 1, &b))
    return false;
  if (id == STRATA_OP_MUL)
    return multiply(&a, &b, out) || multiply(&b, &a, out);
  return add(&a, &b, id == STRATA_OP_SUB ? -1 : 1, out);
}

bool onnx_find_course(onnx_node_t *n, MlirValue value, onnx_number_t *out) {
  *out = (onnx_number_t){0};
  bool is_known = find_course(n, value, 0, out);
  out->value = value;
  return is_known;
}

//===-- What decides when a loop ends ----------------------------------------------------------------------------===//

enum { MAX_STATES = 64 };

typedef struct {
  int n_states;
  const onnx_value_t *states;
  const Onnx__GraphProto *body;
  bool needs[MAX_STATES];  // the condition depends on the state
  Onnx__GraphProto part;   // of the body: the nodes that compute the condition and those states
  int results[MAX_STATES]; // in the part's outputs
  MlirValue args[MAX_STATES + 1];
  strata_dim_t *count;
  onnx_progress_t *progress;
} search_t;

static bool is_needed(const strata_string_map_t *names, const char *name) {
  return *name && strata_string_map_get(names, name);
}

// Adds what |node| reads, if it computes something that is needed; whether it does.
static bool need_operands(strata_arena_t *arena, strata_string_map_t *names, const Onnx__NodeProto *node) {
  bool is_read = false;
  for (size_t i = 0; i < node->n_output; i++)
    is_read |= is_needed(names, node->output[i]);
  for (size_t i = 0; i < node->n_input && is_read; i++)
    strata_string_map_put(arena, names, node->input[i], node->input[i]);
  return is_read;
}

static bool has_body(const Onnx__NodeProto *node) {
  for (size_t i = 0; i < node->n_attribute; i++)
    if (node->attribute[i]->g)
      return true;
  return false;
}

// The names that the condition depends on in all iterations.
static void find_names(strata_arena_t *arena, search_t *s, strata_string_map_t *names) {
  const Onnx__GraphProto *body = s->body;
  strata_string_map_put(arena, names, onnx_text(body->output[0]->name), s);
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (size_t i = body->n_node; i-- > 0;)
      need_operands(arena, names, body->node[i]);
    for (int i = 0; i < s->n_states; i++)
      if (!s->needs[i] && is_needed(names, onnx_text(body->input[2 + i]->name))) {
        s->needs[i] = has_grown = true;
        strata_string_map_put(arena, names, onnx_text(body->output[1 + i]->name), s);
      }
  }
}

// Cuts the part out of the body; false where it has bodies of its own, or is the whole.
static bool cut_part(strata_arena_t *arena, search_t *s) {
  strata_string_map_t names = {0};
  const Onnx__GraphProto *body = s->body;
  find_names(arena, s, &names);
  s->part = *body;
  s->part.node = strata_arena_array(arena, Onnx__NodeProto *, body->n_node);
  s->part.output = strata_arena_array(arena, Onnx__ValueInfoProto *, s->n_states + 1);
  s->part.n_node = 0;
  s->part.n_output = 1;
  s->part.output[0] = body->output[0];
  for (size_t i = 0; i < body->n_node; i++) {
    if (!need_operands(arena, &names, body->node[i]))
      continue;
    if (has_body(body->node[i]))
      return false;
    s->part.node[s->part.n_node++] = body->node[i];
  }
  for (int i = 0; i < s->n_states; i++)
    if (s->needs[i]) {
      s->results[i] = (int)s->part.n_output;
      s->part.output[s->part.n_output++] = body->output[1 + i];
    }
  return s->part.n_node > 0;
}

// What is added to |from| to get |value|: a number, or false.
static bool find_step(onnx_node_t *n, MlirValue value, MlirValue from, int64_t *out) {
  size_t count = n->importer->numbers.count;
  onnx_number_t course;
  *strata_vector_push(n->b->compile->arena, &n->importer->numbers) =
      (onnx_number_t){.value = from, .loop = out, .first = onnx_dim(n, 0), .step = 1};
  bool is_known = onnx_find_course(n, value, &course) && course.loop == out && course.step == 1 &&
                  strata_dim_is_constant(course.first, out);
  n->importer->numbers.count = count;
  return is_known && *out >= -MAX_STEP && *out <= MAX_STEP;
}

// left - right of a comparison that has to hold, as left - right >= |least|.
static bool read_comparison(onnx_node_t *n, MlirValue condition, onnx_number_t *out_difference, int64_t *out_least) {
  MlirOperation op = strata_def(condition);
  onnx_number_t left, right;
  while (!mlirOperationIsNull(op) && strata_op_id(op) == STRATA_OP_RESHAPE)
    op = strata_def(mlirOperationGetOperand(op, 0));
  strata_op_id_t id = mlirOperationIsNull(op) ? STRATA_OP_COUNT : strata_op_id(op);
  bool is_less = id == STRATA_OP_LT || id == STRATA_OP_LE;
  if ((!is_less && id != STRATA_OP_GT && id != STRATA_OP_GE) ||
      !onnx_find_course(n, mlirOperationGetOperand(op, is_less), &left) ||
      !onnx_find_course(n, mlirOperationGetOperand(op, !is_less), &right))
    return false;
  *out_least = id == STRATA_OP_LT || id == STRATA_OP_GT;
  *out_difference = (onnx_number_t){.value = condition};
  return add(&left, &right, -1, out_difference);
}

// After iteration t the condition holds while first + step t >= least, step < 0: one iteration, and as many more.
static bool count_iterations(onnx_node_t *n, search_t *s, MlirValue condition) {
  onnx_number_t difference;
  int64_t least;
  if (!read_comparison(n, condition, &difference, &least) || !difference.loop || difference.step >= 0)
    return false;
  strata_dim_t more = strata_dim_floordiv(strata_dim_plus(difference.first, -least), -difference.step);
  more = onnx_derive(n, STRATA_SYMBOL_MAX, strata_dim_plus(more, 1), onnx_dim(n, 0));
  *s->count = strata_dim_plus(more, 1);
  return true;
}

// The states whose progress is known, from the part's results.
static bool find_progress(onnx_node_t *n, search_t *s, const onnx_value_t *results) {
  for (int i = 0; i < s->n_states; i++) {
    onnx_number_t first;
    if (!s->needs[i])
      continue;
    if (results[s->results[i]].kind != ONNX_TENSOR || !known_number(n, s->states[i].tensor, &first) ||
        !find_step(n, results[s->results[i]].tensor, s->args[1 + i], &s->progress[i].step))
      return false;
    s->progress[i].first = first.first;
  }
  for (int i = 0; i < s->n_states; i++)
    if (s->needs[i])
      *strata_vector_push(n->b->compile->arena, &n->importer->numbers) =
          (onnx_number_t){s->args[1 + i], s, s->progress[i].first, {0}, s->progress[i].step};
  return true;
}

static bool import_part(onnx_node_t *n, search_t *s) {
  onnx_value_t *inputs = strata_arena_array(n->b->compile->arena, onnx_value_t, s->n_states + 2);
  onnx_value_t *results = strata_arena_array(n->b->compile->arena, onnx_value_t, s->part.n_output);
  inputs[0] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = s->args[0]};
  inputs[1] = (onnx_value_t){.kind = ONNX_TENSOR, .tensor = onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)};
  for (int i = 0; i < s->n_states; i++)
    inputs[2 + i] = s->needs[i] ? (onnx_value_t){.kind = ONNX_TENSOR, .tensor = s->args[1 + i]}
                                : (onnx_value_t){.kind = ONNX_ABSENT};
  size_t n_numbers = n->importer->numbers.count;
  *strata_vector_push(n->b->compile->arena, &n->importer->numbers) =
      (onnx_number_t){s->args[0], s, onnx_dim(n, 0), {0}, 1};
  bool done = onnx_import_graph(n, &s->part, s->n_states + 2, inputs, results) && !n->importer->has_trial_failed &&
              results[0].kind == ONNX_TENSOR && find_progress(n, s, results) &&
              count_iterations(n, s, results[0].tensor);
  n->importer->numbers.count = n_numbers;
  return done;
}

// Builds the part in a body that nothing calls, and forgets it.
static bool search(onnx_node_t *n, void *user) {
  search_t *s = user;
  const int64_t zero = 0;
  MlirValue first = onnx_ints_constant(n, 0, NULL, &zero), states[MAX_STATES + 1];
  states[0] = first;
  for (int i = 0; i < s->n_states; i++)
    states[1 + i] = s->needs[i] ? s->states[i].tensor : first;
  strata_loop_builder_t *body =
      strata_build_loop_begin(n->b, onnx_dim(n, 1), s->n_states + 1, states, 0, NULL, NULL, s->args);
  bool done = body && import_part(n, s);
  if (body)
    strata_build_loop_cancel(body);
  return done;
}

bool onnx_find_count(onnx_node_t *n, int n_states, const onnx_value_t *states, strata_dim_t *out_count,
                     onnx_progress_t *out_progress) {
  const Onnx__AttributeProto *body = onnx_attr(n, "body");
  search_t s = {.n_states = n_states, .states = states, .count = out_count, .progress = out_progress};
  const char *problem;
  if (onnx_failed(n) || !body || !body->g || n_states > MAX_STATES || body->g->n_input != (size_t)n_states + 2 ||
      body->g->n_output < (size_t)n_states + 1)
    return false;
  s.body = body->g;
  if (!cut_part(n->b->compile->arena, &s))
    return false;
  for (int i = 0; i < n_states; i++)
    if (s.needs[i] && (states[i].kind != ONNX_TENSOR || states[i].is_unsigned || !is_one_integer(states[i].tensor)))
      return false;
  return onnx_try(n, search, &s, &problem);
}
