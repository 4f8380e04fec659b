// Sums of products, and windows: structured operations that are one operation of the graph.
#include "dialects/import/linalg/linalg.h"

typedef struct {
  MlirValue value; // in the body
  int input;       // whose element it is; -1: of none
  int64_t mask;    // the loops that it depends on
  strata_dtype_t dtype;
} factor_t;

static int64_t all_loops(const linalg_op_t *l) { return (INT64_C(1) << l->loops.type.rank) - 1; }

static int64_t summed_loops(const linalg_op_t *l) {
  int64_t mask = 0;
  for (int i = 0; i < l->loops.type.rank; i++)
    mask |= (int64_t)l->loops.is_summed[i] << i;
  return mask;
}

static factor_t factor_of(linalg_op_t *l, MlirValue value) {
  return (factor_t){.value = value,
                    .input = linalg_input(l, value),
                    .mask = linalg_mask(&l->loops, value),
                    .dtype = tir_type_of(value).dtype};
}

//===-- Factors --------------------------------------------------------------------------------------------------===//

// The multiplication that gives |element|; null if another operation does.
static MlirOperation multiplication(const linalg_op_t *l, MlirValue element) {
  MlirOperation def = strata_def(element);
  bool is_product = !mlirOperationIsNull(def) && mlirBlockEqual(mlirOperationGetBlock(def), l->body) &&
                    (strata_op_is(def, "arith.mulf") || strata_op_is(def, "arith.muli"));
  return is_product && strata_value_has_one_use(element) ? def : (MlirOperation){0};
}

static bool is_exact(MlirValue value) {
  MlirOperation def = strata_def(value);
  return !mlirOperationIsNull(def) && (strata_op_is(def, "arith.extf") || strata_op_is(def, "arith.extsi"));
}

// Factors that are converted alike to a wider type are multiplied as they are, and summed in that type.
static void take_conversions(linalg_op_t *l, factor_t factors[2]) {
  MlirOperation def[2];
  MlirValue inner[2];
  for (int i = 0; i < 2; i++) {
    if (!is_exact(factors[i].value) || !strata_value_has_one_use(factors[i].value))
      return;
    def[i] = strata_def(factors[i].value);
    inner[i] = mlirOperationGetOperand(def[i], 0);
  }
  strata_dtype_t dtype = tir_type_of(inner[0]).dtype;
  if (dtype != tir_type_of(inner[1]).dtype || dtype == STRATA_DTYPE_BOOL || dtype == STRATA_DTYPE_NONE)
    return;
  for (int i = 0; i < 2; i++) {
    linalg_skip(l, def[i]);
    factors[i] = factor_of(l, inner[i]);
  }
}

static bool has_only_loops(MlirAffineMap map, int *out_loops) {
  int64_t seen = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    if (!linalg_is_loop(mlirAffineMapGetResult(map, i), &out_loops[i]) || seen >> out_loops[i] & 1)
      return false;
    seen |= INT64_C(1) << out_loops[i];
  }
  return true;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static char letter(int loop) { return (char)('a' + loop); }

// |value|, with all loops as dims, without those that are not in |mask|.
static const char *without_ones(linalg_op_t *l, const char *value, int64_t mask) {
  int64_t axes[TIR_MAX_RANK];
  int count = 0;
  for (int i = 0; i < l->loops.type.rank; i++)
    if (!(mask >> i & 1))
      axes[count++] = i;
  return count && mask ? graph_squeeze(l->o->g, value, count, axes) : value;
}

// The tensor of a factor, and the letters of its dims.
static const char *operand(linalg_op_t *l, const factor_t *factor, char *letters) {
  int loops[TIR_MAX_RANK];
  if (factor->input >= 0 && has_only_loops(l->maps[factor->input], loops)) {
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(l->maps[factor->input]); i++)
      *letters++ = letter(loops[i]);
    return tir_in(l->o, factor->input);
  }
  const char *value = factor->input >= 0 ? linalg_arranged(l, factor->input) : tir_name(l->o->importer, factor->value);
  for (int i = 0; i < l->loops.type.rank; i++)
    if (factor->mask >> i & 1)
      *letters++ = letter(i);
  return value ? without_ones(l, value, factor->mask) : NULL;
}

static const char *product(linalg_op_t *l, const factor_t factors[2], strata_dtype_t dtype) {
  char letters[2][TIR_MAX_RANK + 1] = {"", ""}, result[TIR_MAX_RANK + 1] = "", *at = result;
  const char *operands[2] = {operand(l, &factors[0], letters[0]), operand(l, &factors[1], letters[1])};
  if (!operands[0] || !operands[1])
    return "";
  for (int i = 0; i < l->loops.type.rank; i++)
    if (!l->loops.is_summed[i])
      *at++ = letter(i);
  graph_node_t *node = graph_node(l->o->g, "strata.Contract", 2, operands);
  graph_set_string(node, "equation",
                   strata_arena_printf(l->o->importer->compile->arena, "%s,%s->%s", letters[0], letters[1], result));
  if (dtype != factors[0].dtype)
    graph_set_int(node, "to", strata_dtype_info[dtype].onnx_type);
  return graph_result(node, NULL);
}

const char *linalg_contraction(linalg_op_t *l, int r, MlirValue element) {
  MlirOperation times = multiplication(l, element);
  if (mlirOperationIsNull(times))
    return NULL;
  factor_t factors[2] = {factor_of(l, mlirOperationGetOperand(times, 0)),
                         factor_of(l, mlirOperationGetOperand(times, 1))};
  int64_t both = factors[0].mask & factors[1].mask, any = factors[0].mask | factors[1].mask;
  if (summed_loops(l) & ~both || any != all_loops(l))
    return NULL;
  linalg_skip(l, times);
  take_conversions(l, factors);
  if (!linalg_read_body(l))
    return "";
  int inputs[2] = {factors[0].input, factors[1].input};
  const char *value = inputs[0] >= 0 && inputs[1] >= 0 ? linalg_convolution(l, r, inputs) : NULL;
  return value ? value : product(l, factors, tir_type_of(element).dtype);
}

//===-- Windows --------------------------------------------------------------------------------------------------===//

// dim, or dim * constant.
static bool is_scaled(MlirAffineExpr expr, int *out_loop, int64_t *out_factor) {
  *out_factor = 1;
  if (linalg_is_loop(expr, out_loop))
    return true;
  if (!mlirAffineExprIsAMul(expr) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr)))
    return false;
  *out_factor = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(expr));
  return *out_factor > 0 && *out_factor < 1 << 30 && linalg_is_loop(mlirAffineBinaryOpExprGetLHS(expr), out_loop);
}

bool linalg_is_place(const linalg_op_t *l, MlirAffineExpr expr, linalg_place_t *out) {
  int loops[2];
  int64_t factors[2];
  if (!mlirAffineExprIsAAdd(expr) || !is_scaled(mlirAffineBinaryOpExprGetLHS(expr), &loops[0], &factors[0]) ||
      !is_scaled(mlirAffineBinaryOpExprGetRHS(expr), &loops[1], &factors[1]))
    return false;
  int inner = l->loops.is_summed[loops[0]] ? 0 : 1;
  *out = (linalg_place_t){loops[1 - inner], loops[inner], factors[1 - inner], factors[inner]};
  return l->loops.is_summed[out->inner] && !l->loops.is_summed[out->outer] && l->loops.type.dims[out->inner] > 0;
}

const char *linalg_trim(linalg_op_t *l, const char *x, const tir_type_t *type, int axis, const linalg_place_t *place) {
  int64_t outer = l->loops.type.dims[place->outer], inner = l->loops.type.dims[place->inner];
  int64_t reached = (outer - 1) * place->stride + (inner - 1) * place->dilation + 1;
  if (outer < 1 || type->dims[axis] < reached + place->stride)
    return x;
  return tir_slice_axis(l->o, x, axis, 0, reached, 1);
}

typedef struct {
  int64_t sizes[TIR_MAX_RANK], strides[TIR_MAX_RANK], dilations[TIR_MAX_RANK];
  int order[TIR_MAX_RANK]; // the loop that is left of each dim
} window_t;

// Whether all loops that are summed move the windows' elements alone.
static bool read_window(linalg_op_t *l, int input, window_t *w, linalg_place_t *places, bool *is_place) {
  MlirAffineMap map = l->maps[input];
  int64_t inner = 0, seen = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    is_place[i] = linalg_is_place(l, mlirAffineMapGetResult(map, i), &places[i]);
    if (!is_place[i] && !linalg_is_loop(mlirAffineMapGetResult(map, i), &w->order[i]))
      return false;
    w->order[i] = is_place[i] ? places[i].outer : w->order[i];
    w->sizes[i] = is_place[i] ? l->loops.type.dims[places[i].inner] : 1;
    w->strides[i] = is_place[i] ? places[i].stride : 1;
    w->dilations[i] = is_place[i] ? places[i].dilation : 1;
    if (seen >> w->order[i] & 1 || (is_place[i] && inner >> places[i].inner & 1))
      return false;
    seen |= INT64_C(1) << w->order[i];
    inner |= is_place[i] ? INT64_C(1) << places[i].inner : 0;
  }
  return inner != 0 && inner == summed_loops(l) && (seen | inner) == all_loops(l);
}

static const char *window_node(linalg_op_t *l, const linalg_combiner_t *c, const char *x, int rank, const window_t *w) {
  graph_node_t *node = graph_node(l->o->g, "strata.Window", GRAPH_VALUES(x));
  graph_set_string(node, "kind", c->kind);
  graph_set_ints(node, "kernel_shape", rank, w->sizes);
  graph_set_ints(node, "strides", rank, w->strides);
  graph_set_ints(node, "dilations", rank, w->dilations);
  return graph_result(node, NULL);
}

const char *linalg_window(linalg_op_t *l, const linalg_combiner_t *c, MlirValue element) {
  MlirValue inner = linalg_converted(element);
  int input = linalg_input(l, mlirValueIsNull(inner) ? element : inner);
  strata_dtype_t from = input < 0 ? STRATA_DTYPE_NONE : tir_in_type(l->o, input).dtype, to = tir_type_of(element).dtype;
  window_t w;
  linalg_place_t places[TIR_MAX_RANK];
  bool is_place[TIR_MAX_RANK];
  MlirOperation def = strata_def(element);
  bool is_signed = mlirValueIsNull(inner) || (!strata_op_is(def, "arith.extui") && !strata_op_is(def, "arith.uitofp"));
  if (input < 0 || !c->reduce || c->is_unsigned || from == STRATA_DTYPE_BOOL || to == STRATA_DTYPE_BOOL || !is_signed ||
      !read_window(l, input, &w, places, is_place))
    return NULL;
  tir_type_t type = tir_in_type(l->o, input);
  const char *x = tir_in(l->o, input);
  int64_t permutation[TIR_MAX_RANK];
  int n = 0;
  for (int i = 0; i < type.rank; i++)
    x = is_place[i] ? linalg_trim(l, x, &type, i, &places[i]) : x;
  x = window_node(l, c, from == to ? x : tir_cast(l->o, x, to), type.rank, &w);
  for (int loop = 0; loop < l->loops.type.rank; loop++)
    for (int i = 0; i < type.rank; i++)
      if (w.order[i] == loop)
        permutation[n++] = i;
  return tir_transpose(l->o, x, type.rank, permutation);
}
