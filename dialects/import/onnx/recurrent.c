// RNN, GRU and LSTM: one product for the inputs of all steps, then step by step the product with the state, in a loop;
// a few steps are unrolled.
#include "dialects/import/onnx/activation.h"
#include "dialects/import/onnx/loop.h"

#include <string.h>

enum { MAX_FUNCTIONS = 3, MAX_STEPS = 4096 /* unrolled */ };

//===-- Activations ----------------------------------------------------------------------------------------------===//

static onnx_activation_t find_function(onnx_node_t *n, const char *name, size_t length) {
  onnx_activation_t found = {0};
  if (!onnx_find_activation(name, length, &found)) {
    onnx_invalid(n, "attribute 'activations': there is no '%.*s'", (int)length, name);
    onnx_find_activation("Tanh", strlen("Tanh"), &found);
  }
  return found;
}

// All functions of all directions; alphas and betas are given in the order of the functions that have them.
static void read_functions(onnx_node_t *n, int count, int n_functions, const char *const *defaults,
                           onnx_activation_t *out) {
  const Onnx__AttributeProto *names = onnx_attr(n, "activations");
  const Onnx__AttributeProto *alphas = onnx_attr(n, "activation_alpha"), *betas = onnx_attr(n, "activation_beta");
  size_t alpha = 0, beta = 0;
  if (names && (int)names->n_strings != count) {
    onnx_invalid(n, "activations: expected %d, got %zu", count, names->n_strings);
    return;
  }
  for (int i = 0; i < count; i++) {
    const char *name = names ? (const char *)names->strings[i].data : defaults[i % n_functions];
    out[i] = find_function(n, name, names ? names->strings[i].len : strlen(name));
    if (onnx_activation_parameters(&out[i]) > 0 && alphas && alpha < alphas->n_floats)
      out[i].alpha = (double)alphas->floats[alpha++];
    if (onnx_activation_parameters(&out[i]) > 1 && betas && beta < betas->n_floats)
      out[i].beta = (double)betas->floats[beta++];
  }
}

//===-- Cells ----------------------------------------------------------------------------------------------------===//

// One direction of a layer.
typedef struct {
  onnx_node_t *n;
  int n_gates;
  int64_t hidden;
  double clip; // 0: none
  strata_type_t type;
  const onnx_activation_t *functions;
  MlirValue inputs;         // [steps, batch, gates * hidden]: x W + bias of W
  MlirValue recurrence;     // [gates * hidden, width of the state]
  MlirValue recurrent_bias; // [gates * hidden], or null
  MlirValue peepholes;      // [3 * hidden], or null
  MlirValue projection;     // of what a step gives, [width of the state, hidden], or null
} cell_t;

typedef struct {
  MlirValue h, c;
} state_t;

typedef state_t (*step_fn)(const cell_t *cell, MlirValue input, state_t state);

static MlirValue add(const cell_t *cell, MlirValue x, MlirValue y) { return onnx_binary(cell->n, STRATA_OP_ADD, x, y); }
static MlirValue mul(const cell_t *cell, MlirValue x, MlirValue y) { return onnx_binary(cell->n, STRATA_OP_MUL, x, y); }

// Columns [first, first + count) * hidden of the last dim.
static MlirValue part(const cell_t *cell, MlirValue x, int first, int count) {
  return onnx_slice_axis(cell->n, x, onnx_shape(x).rank - 1, first * cell->hidden, 1, count * cell->hidden);
}

static MlirValue activate(const cell_t *cell, int function, MlirValue x) {
  if (cell->clip > 0)
    x = onnx_with_number(cell->n, STRATA_OP_MIN, onnx_with_number(cell->n, STRATA_OP_MAX, x, -cell->clip), cell->clip);
  return onnx_activate(cell->n, &cell->functions[function], x);
}

static MlirValue project(const cell_t *cell, MlirValue h, MlirValue rows) {
  return onnx_contract(cell->n, "bk,nk->bn", h, rows, cell->type, "matmul");
}

// h R for some gates, with their bias.
static MlirValue recur(const cell_t *cell, MlirValue h, int first, int count) {
  onnx_node_t *n = cell->n;
  MlirValue rows = onnx_slice_axis(n, cell->recurrence, 0, first * cell->hidden, 1, count * cell->hidden);
  MlirValue product = project(cell, h, rows);
  return mlirValueIsNull(cell->recurrent_bias) ? product
                                               : add(cell, product, part(cell, cell->recurrent_bias, first, count));
}

static state_t step_rnn(const cell_t *cell, MlirValue input, state_t state) {
  return (state_t){.h = activate(cell, 0, add(cell, input, recur(cell, state.h, 0, 1)))};
}

static MlirValue one_minus(const cell_t *cell, MlirValue x) {
  return onnx_binary(cell->n, STRATA_OP_SUB, onnx_number(cell->n, x, 1), x);
}

// Gates z, r, h.
static state_t step_gru(const cell_t *cell, MlirValue input, state_t state) {
  MlirValue gates = add(cell, part(cell, input, 0, 2), recur(cell, state.h, 0, 2));
  MlirValue z = activate(cell, 0, part(cell, gates, 0, 1)), r = activate(cell, 0, part(cell, gates, 1, 1));
  MlirValue recurrent = onnx_attr_int(cell->n, "linear_before_reset", 0) ? mul(cell, r, recur(cell, state.h, 2, 1))
                                                                         : recur(cell, mul(cell, r, state.h), 2, 1);
  MlirValue h = activate(cell, 1, add(cell, part(cell, input, 2, 1), recurrent));
  return (state_t){.h = add(cell, mul(cell, one_minus(cell, z), h), mul(cell, z, state.h))};
}

static MlirValue peep(const cell_t *cell, MlirValue gate, int which, MlirValue c) {
  return mlirValueIsNull(cell->peepholes) ? gate : add(cell, gate, mul(cell, part(cell, cell->peepholes, which, 1), c));
}

// Gates i, o, f, c; peepholes i, o, f.
static state_t step_lstm(const cell_t *cell, MlirValue input, state_t state) {
  MlirValue gates = add(cell, input, recur(cell, state.h, 0, 4));
  MlirValue i = activate(cell, 0, peep(cell, part(cell, gates, 0, 1), 0, state.c));
  MlirValue f = onnx_attr_int(cell->n, "input_forget", 0)
                    ? one_minus(cell, i)
                    : activate(cell, 0, peep(cell, part(cell, gates, 2, 1), 2, state.c));
  MlirValue c = add(cell, mul(cell, f, state.c), mul(cell, i, activate(cell, 1, part(cell, gates, 3, 1))));
  MlirValue o = activate(cell, 0, peep(cell, part(cell, gates, 1, 1), 1, c));
  MlirValue h = mul(cell, o, onnx_activate(cell->n, &cell->functions[2], c));
  bool is_projected = !mlirValueIsNull(cell->projection);
  return (state_t){.h = is_projected ? project(cell, h, cell->projection) : h, .c = c};
}

//===-- Layers ---------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name;
  int n_gates, n_functions;
  bool has_c;
  const char *defaults[MAX_FUNCTIONS];
  step_fn step;
} kind_t;

static const kind_t kinds[] = {
    {"RNN", 1, 1, false, {"Tanh"}, step_rnn},
    {"GRU", 3, 2, false, {"Sigmoid", "Tanh"}, step_gru},
    {"LSTM", 4, 3, true, {"Sigmoid", "Tanh", "Tanh"}, step_lstm},
    {"strata.ProjectedLSTM", 4, 3, true, {"Sigmoid", "Tanh", "Tanh"}, step_lstm},
};

static const kind_t *find_kind(const char *name) {
  const kind_t *kind = kinds;
  while (strcmp(kind->name, name) != 0)
    kind++;
  return kind;
}

enum { X, W, R, B, LENGTHS, INITIAL_H, INITIAL_C, PEEPHOLES, PROJECTION };

typedef struct {
  onnx_node_t *n;
  const kind_t *kind;
  int n_directions;
  strata_dim_t steps, batch;
  int64_t hidden, width; // of c and the gates, and of h, which is as wide unless it is projected
  bool batch_first;
  strata_type_t type;
  MlirValue x, lengths; // [steps, batch, in]; null: all steps
  MlirValue running;    // [steps, batch]; null: always
} layer_t;

// Entry |direction| of dim 0.
static MlirValue of_direction(onnx_node_t *n, MlirValue x, int direction) {
  return onnx_remove_axis(n, onnx_slice_axis(n, x, 0, direction, 1, 1), 0);
}

static MlirValue initial_state(const layer_t *layer, int operand, int64_t width, int direction) {
  onnx_node_t *n = layer->n;
  if (!onnx_has(n, operand))
    return onnx_splat_dims(n, layer->type, 2, (strata_dim_t[]){layer->batch, onnx_dim(n, width)}, 0);
  MlirValue states = onnx_operand(n, operand);
  return of_direction(n, layer->batch_first ? onnx_move_axis(n, states, 1, 0) : states, direction);
}

static cell_t create_cell(const layer_t *layer, int direction, const onnx_activation_t *all_functions) {
  onnx_node_t *n = layer->n;
  cell_t cell = {.n = n, .n_gates = layer->kind->n_gates, .hidden = layer->hidden, .type = layer->type};
  cell.clip = onnx_attr_float(n, "clip", 0);
  cell.functions = all_functions + direction * layer->kind->n_functions;
  cell.recurrence = of_direction(n, onnx_operand(n, R), direction);
  cell.inputs =
      onnx_contract(n, "tbk,nk->tbn", layer->x, of_direction(n, onnx_operand(n, W), direction), layer->type, "matmul");
  if (onnx_has(n, B)) {
    MlirValue bias = of_direction(n, onnx_operand(n, B), direction);
    cell.inputs = add(&cell, cell.inputs, part(&cell, bias, 0, cell.n_gates));
    cell.recurrent_bias = part(&cell, bias, cell.n_gates, cell.n_gates);
  }
  if (layer->kind->has_c && onnx_has(n, PEEPHOLES))
    cell.peepholes = of_direction(n, onnx_operand(n, PEEPHOLES), direction);
  if (onnx_has(n, PROJECTION))
    cell.projection = of_direction(n, onnx_operand(n, PROJECTION), direction);
  return cell;
}

// [steps, batch]: whether an entry's sequence has not ended yet; null where none has lengths.
static MlirValue running_steps(const layer_t *layer) {
  onnx_node_t *n = layer->n;
  if (mlirValueIsNull(layer->lengths))
    return layer->lengths;
  const strata_dim_t dims[2] = {layer->steps, layer->batch};
  MlirValue steps = onnx_iota_dims(n, onnx_shape(layer->lengths).type, 2, dims, 0);
  return onnx_binary(n, STRATA_OP_GT, layer->lengths, steps);
}

// What holds of a batch entry whose sequence has ended: the state stays, the output is 0. |running|: [batch], or null.
static MlirValue while_running(onnx_node_t *n, MlirValue running, MlirValue value, MlirValue otherwise) {
  if (mlirValueIsNull(running) || mlirValueIsNull(value))
    return value;
  return onnx_select(n, onnx_insert_axis(n, running, 1), value, otherwise);
}

// One step; returns the output. |row|: the step's of the cell's inputs.
static MlirValue run_step(const layer_t *layer, const cell_t *cell, MlirValue row, MlirValue running, state_t *state) {
  onnx_node_t *n = layer->n;
  state_t next = layer->kind->step(cell, row, *state);
  state->h = while_running(n, running, next.h, state->h);
  state->c = while_running(n, running, next.c, state->c);
  return while_running(n, running, next.h, onnx_number(n, next.h, 0));
}

static MlirValue row_of(onnx_node_t *n, MlirValue x, int64_t step) {
  return mlirValueIsNull(x) ? x : onnx_remove_axis(n, onnx_slice_axis(n, x, 0, step, 1, 1), 0);
}

// Returns the outputs of all steps, [steps, batch, hidden].
static MlirValue run_unrolled(const layer_t *layer, const cell_t *cell, int64_t steps, bool reverse, state_t *state) {
  onnx_node_t *n = layer->n;
  MlirValue *outputs = strata_arena_array(n->b->compile->arena, MlirValue, steps);
  for (int64_t i = 0; i < steps && !onnx_failed(n); i++) {
    int64_t step = reverse ? steps - 1 - i : i;
    MlirValue output = run_step(layer, cell, row_of(n, cell->inputs, step), row_of(n, layer->running, step), state);
    outputs[step] = onnx_insert_axis(n, output, 0);
  }
  return onnx_failed(n) ? (MlirValue){0} : strata_build_concat(n->b, (int)steps, outputs, 0);
}

// The same; a null value where it cannot be a loop.
static MlirValue run_loop(const layer_t *layer, const cell_t *cell, bool reverse, state_t *state) {
  strata_builder_t *b = layer->n->b;
  const int n_states = layer->kind->has_c ? 2 : 1, n_inputs = mlirValueIsNull(layer->running) ? 1 : 2;
  const MlirValue states[2] = {state->h, state->c}, inputs[2] = {cell->inputs, layer->running};
  const bool reversed[2] = {reverse, reverse};
  MlirValue args[4], results[3];
  strata_loop_builder_t *loop =
      strata_build_loop_begin(b, layer->steps, n_states, states, n_inputs, inputs, reversed, args);
  if (!loop)
    return (MlirValue){0};
  state_t inside = {.h = args[0], .c = n_states > 1 ? args[1] : (MlirValue){0}};
  MlirValue running = n_inputs > 1 ? args[n_states + 1] : (MlirValue){0};
  results[n_states] = run_step(layer, cell, args[n_states], running, &inside);
  results[0] = inside.h;
  if (n_states > 1)
    results[1] = inside.c;
  if (!strata_build_loop_end(loop, n_states + 1, results, reversed, results))
    return (MlirValue){0};
  *state = (state_t){.h = results[0], .c = n_states > 1 ? results[1] : (MlirValue){0}};
  return results[n_states];
}

// Runs one direction.
static MlirValue run(const layer_t *layer, const cell_t *cell, int direction, bool reverse, state_t *out_state) {
  onnx_node_t *n = layer->n;
  *out_state = (state_t){.h = initial_state(layer, INITIAL_H, layer->width, direction)};
  if (layer->kind->has_c)
    out_state->c = initial_state(layer, INITIAL_C, layer->hidden, direction);
  MlirValue outputs = {0};
  int64_t steps;
  bool is_known = strata_dim_is_constant(layer->steps, &steps);
  if (!is_known || steps > ONNX_MAX_UNROLLED)
    outputs = run_loop(layer, cell, reverse, out_state);
  if (mlirValueIsNull(outputs) && (!is_known || steps > MAX_STEPS))
    onnx_unsupported(n, "a sequence of %s steps of constants", onnx_dim_text(n, layer->steps));
  return mlirValueIsNull(outputs) && !onnx_failed(n) ? run_unrolled(layer, cell, steps, reverse, out_state) : outputs;
}

// Every operand that is there has the shape that input, number of directions and hidden size give it.
static void check_shapes(const layer_t *layer, strata_dim_t input_size) {
  onnx_node_t *n = layer->n;
  strata_dim_t directions = onnx_dim(n, layer->n_directions), batch = layer->batch, hidden = onnx_dim(n, layer->hidden);
  strata_dim_t gates = onnx_dim(n, layer->kind->n_gates * layer->hidden), width = onnx_dim(n, layer->width);
  strata_dim_t first = layer->batch_first ? batch : directions, second = layer->batch_first ? directions : batch;
  const struct {
    int operand, rank;
    strata_dim_t dims[3];
  } expected[] = {
      {W, 3, {directions, gates, input_size}},
      {R, 3, {directions, gates, width}},
      {B, 2, {directions, strata_dim_times(gates, 2)}},
      {LENGTHS, 1, {batch}},
      {INITIAL_H, 3, {first, second, width}},
      {INITIAL_C, 3, {first, second, hidden}},
      {PEEPHOLES, 2, {directions, strata_dim_times(hidden, 3)}},
      {PROJECTION, 3, {directions, width, hidden}},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected && !onnx_failed(n); i++)
    onnx_expect_shape(n, expected[i].operand, expected[i].rank, expected[i].dims);
}

static bool read_layer(onnx_node_t *n, layer_t *layer) {
  *layer = (layer_t){.n = n, .kind = find_kind(n->info->name), .x = onnx_operand(n, X), .n_directions = 1};
  layer->batch_first = onnx_attr_int(n, "layout", 0);
  strata_shape_t x = onnx_shape(layer->x), r = onnx_operand_shape(n, R);
  if (!onnx_failed(n) && (x.rank != 3 || r.rank != 3))
    onnx_invalid(n, "expected an input and a recurrence of 3 dimensions, got %d and %d", x.rank, r.rank);
  if (onnx_failed(n))
    return false;
  if (layer->batch_first)
    layer->x = onnx_move_axis(n, layer->x, 1, 0);
  layer->type = x.type;
  layer->steps = x.dims[layer->batch_first];
  layer->batch = x.dims[!layer->batch_first];
  if (!strata_dim_is_constant(r.dims[2], &layer->width)) {
    onnx_unsupported(n, "a hidden size of %s, which must be a number", onnx_dim_text(n, r.dims[2]));
    return false;
  }
  layer->hidden = onnx_has(n, PROJECTION) ? onnx_attr_int(n, "hidden_size", 0) : layer->width;
  if (onnx_attr_int(n, "hidden_size", layer->hidden) != layer->hidden)
    onnx_invalid(n, "attribute 'hidden_size': it is %lld, that of the recurrence %lld",
                 (long long)onnx_attr_int(n, "hidden_size", 0), (long long)layer->hidden);
  if (onnx_attr_is(n, "direction", "bidirectional"))
    layer->n_directions = 2;
  if (onnx_has(n, LENGTHS))
    layer->lengths = onnx_operand(n, LENGTHS);
  check_shapes(layer, x.dims[2]);
  if (strata_dim_is(layer->steps, 0))
    onnx_unsupported(n, "a sequence without steps");
  return !onnx_failed(n);
}

// [directions, batch, hidden] of the directions' states, or with the batch first.
static void set_state(const layer_t *layer, int i, const MlirValue *states) {
  onnx_node_t *n = layer->n;
  MlirValue parts[2] = {{0}};
  for (int d = 0; d < layer->n_directions; d++)
    parts[d] = onnx_insert_axis(n, states[d], 0);
  MlirValue joined = strata_build_concat(n->b, layer->n_directions, parts, 0);
  onnx_set(n, i, layer->batch_first ? onnx_move_axis(n, joined, 0, 1) : joined);
}

void onnx_import_recurrent(onnx_node_t *n) {
  layer_t layer;
  onnx_activation_t all_functions[2 * MAX_FUNCTIONS];
  if (!read_layer(n, &layer))
    return;
  int n_functions = layer.kind->n_functions;
  read_functions(n, layer.n_directions * n_functions, n_functions, layer.kind->defaults, all_functions);
  MlirValue h[2], c[2], directions[2];
  layer.running = running_steps(&layer);
  for (int d = 0; d < layer.n_directions && !onnx_failed(n); d++) {
    cell_t cell = create_cell(&layer, d, all_functions);
    state_t state;
    MlirValue all = run(&layer, &cell, d, d == 1 || onnx_attr_is(n, "direction", "reverse"), &state);
    directions[d] = onnx_failed(n) ? all : onnx_insert_axis(n, all, 1);
    h[d] = state.h;
    c[d] = state.c;
  }
  if (onnx_failed(n))
    return;
  MlirValue y = strata_build_concat(n->b, layer.n_directions, directions, 1);
  onnx_set(n, 0, layer.batch_first ? strata_build_transpose(n->b, y, (int64_t[]){2, 0, 1, 3}) : y);
  set_state(&layer, 1, h);
  if (layer.kind->has_c)
    set_state(&layer, 2, c);
}
