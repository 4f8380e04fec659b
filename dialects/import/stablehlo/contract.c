// Products of matrices and convolutions.
#include "dialects/import/stablehlo/stablehlo.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdlib.h>

//===-- Products -------------------------------------------------------------------------------------------------===//

typedef struct {
  int64_t batch[2][TIR_MAX_RANK], summed[2][TIR_MAX_RANK]; // dims of either operand
  int n_batch, n_summed;
} dot_t;

// "bik,bkj->bij": letters of batch dims, then of summed ones, then of what is left of either operand.
static const char *equation(tir_op_t *o, const dot_t *dot, const int ranks[2]) {
  char letters[2][TIR_MAX_RANK + 1] = {"", ""}, result[3 * TIR_MAX_RANK] = "";
  int next = 0, n_result = 0;
  for (int i = 0; i < dot->n_batch; i++, next++)
    letters[0][dot->batch[0][i]] = letters[1][dot->batch[1][i]] = result[n_result++] = (char)('a' + next);
  for (int i = 0; i < dot->n_summed; i++, next++)
    letters[0][dot->summed[0][i]] = letters[1][dot->summed[1][i]] = (char)('a' + next);
  for (int side = 0; side < 2; side++)
    for (int d = 0; d < ranks[side]; d++)
      if (!letters[side][d])
        letters[side][d] = result[n_result++] = (char)(next < 26 ? 'a' + next : 'A' + next - 26), next++;
  return strata_arena_printf(o->importer->compile->arena, "%.*s,%.*s->%.*s", ranks[0], letters[0], ranks[1], letters[1],
                             n_result, result);
}

static bool are_dims(int count, const int64_t *dims, int rank) {
  for (int i = 0; i < count; i++)
    if (dims[i] < 0 || dims[i] >= rank || tir_holds(i, dims, dims[i]))
      return false;
  return true;
}

static void contract(tir_op_t *o, const dot_t *dot) {
  const char *operands[2] = {tir_in(o, 0), tir_in(o, 1)};
  tir_type_t types[2] = {tir_in_type(o, 0), tir_in_type(o, 1)}, result = tir_out_type(o, 0);
  for (int side = 0; side < 2; side++)
    if (!are_dims(dot->n_batch, dot->batch[side], types[side].rank) ||
        !are_dims(dot->n_summed, dot->summed[side], types[side].rank)) {
      tir_refuse(o, "dot_dimension_numbers: expected dims of the operands, each once");
      return;
    }
  for (int side = 0; side < 2 && types[0].dtype != types[1].dtype; side++)
    operands[side] = tir_cast(o, operands[side], result.dtype);
  graph_node_t *node = graph_node(o->g, "strata.Contract", 2, operands);
  graph_set_string(node, "equation", equation(o, dot, (int[]){types[0].rank, types[1].rank}));
  if (result.dtype != types[0].dtype)
    graph_set_int(node, "to", strata_dtype_info[result.dtype].onnx_type);
  tir_set(o, 0, graph_result(node, NULL));
}

void hlo_read_dot_general(tir_op_t *o) {
  const char *text = hlo_text(o, "dot_dimension_numbers");
  dot_t dot;
  dot.n_batch = hlo_field(text, "lhs_batching_dimensions", TIR_MAX_RANK, dot.batch[0]);
  dot.n_summed = hlo_field(text, "lhs_contracting_dimensions", TIR_MAX_RANK, dot.summed[0]);
  if (hlo_field(text, "rhs_batching_dimensions", TIR_MAX_RANK, dot.batch[1]) != dot.n_batch ||
      hlo_field(text, "rhs_contracting_dimensions", TIR_MAX_RANK, dot.summed[1]) != dot.n_summed)
    tir_refuse(o, "dot_dimension_numbers: expected as many dims of either operand");
  else
    contract(o, &dot);
}

void hlo_read_dot(tir_op_t *o) {
  dot_t dot = {.n_summed = 1, .summed = {{tir_in_type(o, 0).rank - 1}, {0}}};
  contract(o, &dot);
}

//===-- Convolutions ---------------------------------------------------------------------------------------------===//

enum { INPUT, KERNEL, OUTPUT, MAX_SPATIAL = TIR_MAX_RANK - 2 };

typedef struct {
  int n; // spatial dims
  // Where the dims lie: of the first two batch and channels, output and input channels; then the spatial ones.
  int64_t places[3][TIR_MAX_RANK];
  int64_t strides[MAX_SPATIAL], pads[2 * MAX_SPATIAL], enlarged[MAX_SPATIAL], dilations[MAX_SPATIAL];
  int64_t kernel[MAX_SPATIAL]; // its sizes
  int64_t groups;
} conv_t;

// "[b, 0, 1, f]": which dim is at each place.
static const char *read_places(const char *at, const char *first_two, int n, int64_t *places) {
  int rank = 0;
  at = at ? strchr(at, '[') : NULL;
  for (at = at ? at + 1 : NULL; at && *at && *at != ']' && rank < n + 2; rank++) {
    const char *named = strchr(first_two, *at);
    int64_t dim = named && *named ? named - first_two : 2 + strtoll(at, NULL, 10);
    if (dim >= n + 2)
      return NULL;
    places[dim] = rank;
    at += strcspn(at, ",]");
    at += strspn(at, ", ");
  }
  return at && *at == ']' && rank == n + 2 ? at + 1 : NULL;
}

// A window that is read from its end is the kernel reversed.
static bool reverse_windows(tir_op_t *o, const conv_t *c, const char **kernel) {
  MlirAttribute attr = strata_attr(o->op, "window_reversal");
  if (mlirAttributeIsNull(attr))
    return true;
  bool is_array = mlirAttributeIsADenseBoolArray(attr);
  if (!is_array && (!mlirAttributeIsADenseElements(attr) || mlirElementsAttrGetNumElements(attr) != c->n))
    return false;
  if (is_array && mlirDenseArrayGetNumElements(attr) != c->n)
    return false;
  for (int i = 0; i < c->n; i++)
    if (is_array ? mlirDenseBoolArrayGetElement(attr, i) : mlirDenseElementsAttrGetBoolValue(attr, i))
      *kernel = tir_slice_axis(o, *kernel, 2 + i, -1, INT64_MIN, -1);
  return true;
}

static bool read_convolution(tir_op_t *o, conv_t *c) {
  int64_t pads[2 * MAX_SPATIAL];
  tir_type_t kernel = tir_in_type(o, 1);
  c->n = kernel.rank - 2;
  c->groups = tir_int(o, "feature_group_count", 1);
  const char *at = hlo_text(o, "dimension_numbers");
  if (c->n < 1 || tir_in_type(o, 0).rank != kernel.rank || c->groups < 1)
    return false;
  at = read_places(at, "bf", c->n, c->places[INPUT]);
  at = read_places(at, "oi", c->n, c->places[KERNEL]);
  if (!read_places(at, "bf", c->n, c->places[OUTPUT]))
    return false;
  if (!tir_ints(o, "window_strides", c->n, 1, c->strides) || !tir_ints(o, "padding", 2 * c->n, 0, pads) ||
      !tir_ints(o, "lhs_dilation", c->n, 1, c->enlarged) || !tir_ints(o, "rhs_dilation", c->n, 1, c->dilations))
    return false;
  for (int i = 0; i < c->n; i++) {
    c->pads[i] = pads[2 * i];
    c->pads[c->n + i] = pads[2 * i + 1];
    c->kernel[i] = kernel.dims[c->places[KERNEL][2 + i]];
    if (c->kernel[i] < 1 || c->strides[i] < 1 || c->enlarged[i] < 1 || c->dilations[i] < 1)
      return false;
  }
  return true;
}

static bool is_enlarged(const conv_t *c) {
  for (int i = 0; i < c->n; i++)
    if (c->enlarged[i] != 1)
      return true;
  return false;
}

// Padding that ONNX's operators do not take: negative ones cut the input.
static const char *cut(tir_op_t *o, conv_t *c, const char *x) {
  int64_t pads[2 * TIR_MAX_RANK] = {0};
  bool is_cut = false;
  for (int i = 0; i < 2 * c->n; i++)
    if (c->pads[i] < 0) {
      pads[i < c->n ? 2 + i : 4 + i] = c->pads[i];
      c->pads[i] = 0;
      is_cut = true;
    }
  return is_cut ? graph_op(o->g, "Pad", GRAPH_VALUES(x, graph_ints(o->g, 2 * (c->n + 2), pads))) : x;
}

static void set_windows(graph_node_t *node, const conv_t *c, const int64_t *strides, const int64_t *pads) {
  graph_set_ints(node, "kernel_shape", c->n, c->kernel);
  graph_set_ints(node, "strides", c->n, strides);
  graph_set_ints(node, "dilations", c->n, c->dilations);
  graph_set_ints(node, "pads", 2 * c->n, pads);
  graph_set_int(node, "group", c->groups);
}

static const char *plain(tir_op_t *o, conv_t *c, const char *x, const char *kernel) {
  x = cut(o, c, x);
  graph_node_t *node = graph_node(o->g, "Conv", GRAPH_VALUES(x, kernel));
  set_windows(node, c, c->strides, c->pads);
  return graph_result(node, NULL);
}

// A transposed convolution: the kernel reversed, its groups' channels exchanged; what is left of the padding around a
// kernel that lies inside once is that of the result.
static const char *transposed(tir_op_t *o, const conv_t *c, const char *x, const char *kernel,
                              const tir_type_t *kernel_type) {
  int64_t split[TIR_MAX_RANK + 1], joined[TIR_MAX_RANK], exchange[TIR_MAX_RANK + 1], pads[2 * MAX_SPATIAL];
  int64_t outer[2 * TIR_MAX_RANK] = {0};
  int64_t outputs = kernel_type->dims[c->places[KERNEL][0]], inputs = kernel_type->dims[c->places[KERNEL][1]];
  split[0] = c->groups, split[1] = outputs / c->groups, split[2] = inputs;
  joined[0] = c->groups * inputs, joined[1] = outputs / c->groups;
  exchange[0] = 0, exchange[1] = 2, exchange[2] = 1;
  bool is_padded = false;
  for (int i = 0; i < c->n; i++) {
    kernel = tir_slice_axis(o, kernel, 2 + i, -1, INT64_MIN, -1);
    split[3 + i] = joined[2 + i] = c->kernel[i];
    exchange[3 + i] = 3 + i;
    for (int side = 0; side < 2; side++) {
      int64_t left = (c->kernel[i] - 1) * c->dilations[i] - c->pads[side * c->n + i];
      pads[side * c->n + i] = left > 0 ? left : 0;
      outer[side * (c->n + 2) + 2 + i] = left < 0 ? -left : 0;
      is_padded |= left < 0;
    }
  }
  kernel = tir_reshape_static(o, kernel, c->n + 3, split);
  kernel = tir_reshape_static(o, tir_transpose(o, kernel, c->n + 3, exchange), c->n + 2, joined);
  graph_node_t *node = graph_node(o->g, "ConvTranspose", GRAPH_VALUES(x, kernel));
  set_windows(node, c, c->enlarged, pads);
  const char *result = graph_result(node, NULL);
  return is_padded ? graph_op(o->g, "Pad", GRAPH_VALUES(result, graph_ints(o->g, 2 * (c->n + 2), outer))) : result;
}

static bool has_strides(const conv_t *c) {
  for (int i = 0; i < c->n; i++)
    if (c->strides[i] != 1)
      return true;
  return false;
}

void hlo_read_convolution(tir_op_t *o) {
  conv_t c = {0};
  tir_type_t types[2] = {tir_in_type(o, 0), tir_in_type(o, 1)}, result = tir_out_type(o, 0);
  const char *operands[2] = {tir_in(o, 0), tir_in(o, 1)};
  if (tir_int(o, "batch_group_count", 1) != 1) {
    tir_refuse(o, "groups of batches, which gradients have");
    return;
  }
  if (!read_convolution(o, &c)) {
    tir_refuse(o, "dimension numbers or windows that are not those of a convolution");
    return;
  }
  if (is_enlarged(&c) && has_strides(&c)) {
    tir_refuse(o, "an enlarged input and strides at once");
    return;
  }
  for (int side = 0; side < 2; side++) {
    if (types[side].dtype != result.dtype)
      operands[side] = tir_cast(o, operands[side], result.dtype);
    operands[side] = tir_transpose(o, operands[side], types[side].rank, c.places[side]);
  }
  if (!reverse_windows(o, &c, &operands[1])) {
    tir_refuse(o, "window_reversal: expected %d booleans", c.n);
    return;
  }
  const char *y =
      is_enlarged(&c) ? transposed(o, &c, operands[0], operands[1], &types[1]) : plain(o, &c, operands[0], operands[1]);
  int64_t back[TIR_MAX_RANK];
  for (int i = 0; i < result.rank; i++)
    back[c.places[OUTPUT][i]] = i;
  tir_set(o, 0, tir_transpose(o, y, result.rank, back));
}
