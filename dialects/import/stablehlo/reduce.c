// Reductions, windows and sorting: what their regions do with elements is looked up among what is known.
#include "dialects/import/stablehlo/stablehlo.h"

#include <math.h>

typedef struct {
  const char *name;          // of the region's operation
  const char *reduce, *kind; // ONNX's reduction; of our own operators
  const char *combine;       // two tensors
  const char *reduce_booleans, *combine_booleans;
  double neutral, neutral_boolean;
} combiner_t;

static const combiner_t combiners[] = {
    {"add", "ReduceSum", "add", "Add", "ReduceMax", "Or", 0, 0},
    {"multiply", "ReduceProd", "mul", "Mul", "ReduceMin", "And", 1, 1},
    {"maximum", "ReduceMax", "max", "Max", "ReduceMax", "Or", -INFINITY, 0},
    {"minimum", "ReduceMin", "min", "Min", "ReduceMin", "And", INFINITY, 1},
    {"and", NULL, "and", "BitwiseAnd", "ReduceMin", "And", -1, 1},
    {"or", NULL, "or", "BitwiseOr", "ReduceMax", "Or", 0, 0},
    {"xor", NULL, "xor", "BitwiseXor", NULL, "Xor", 0, 0},
};

static const combiner_t *find_combiner(const char *name) {
  for (size_t i = 0; i < sizeof combiners / sizeof *combiners; i++)
    if (!strcmp(combiners[i].name, name))
      return &combiners[i];
  return NULL;
}

// Whether an initial value changes nothing: it is the neutral element, or, of extremes, the last that the type has.
static bool is_neutral(const combiner_t *c, strata_dtype_t dtype, MlirValue initial) {
  double value;
  if (!tir_constant_number(initial, &value))
    return false;
  if (dtype == STRATA_DTYPE_BOOL)
    return value == c->neutral_boolean;
  bool is_unsigned = strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_UNSIGNED;
  bool is_float = strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_FLOAT;
  int bits = strata_dtype_info[dtype].bits;
  if (is_float || !isinf(c->neutral))
    return value == (c->neutral == -1 && is_unsigned ? ldexp(1, bits) - 1 : c->neutral);
  double lowest = is_unsigned ? 0 : -ldexp(1, bits - 1), highest = ldexp(1, is_unsigned ? bits : bits - 1) - 1;
  return value == (c->neutral < 0 ? lowest : highest);
}

//===-- Reductions -----------------------------------------------------------------------------------------------===//

typedef struct {
  int count;
  int64_t axes[TIR_MAX_RANK];
} axes_t;

static const char *reduced(tir_op_t *o, const char *op, const char *x, const axes_t *axes) {
  graph_node_t *node = graph_node(o->g, op, GRAPH_VALUES(x, graph_ints(o->g, axes->count, axes->axes)));
  graph_set_int(node, "keepdims", 0);
  return graph_result(node, NULL);
}

static const char *reduced_bits(tir_op_t *o, const char *kind, const char *x, const axes_t *axes) {
  graph_node_t *node = graph_node(o->g, "strata.Reduce", GRAPH_VALUES(x));
  graph_set_ints(node, "axes", axes->count, axes->axes);
  graph_set_string(node, "kind", kind);
  return graph_result(node, NULL);
}

// Result |i| of |n|, which no other operand has a part in.
static bool read_one_reduction(tir_op_t *o, int i, int n, const axes_t *axes) {
  const combiner_t *c = find_combiner(hlo_combiner(tir_region(o, 0), i, n));
  strata_dtype_t dtype = tir_in_type(o, i).dtype;
  bool is_boolean = dtype == STRATA_DTYPE_BOOL;
  const char *op = !c ? NULL : is_boolean ? c->reduce_booleans : c->reduce, *x = tir_in(o, i);
  if (!c || dtype == STRATA_DTYPE_NONE || (is_boolean && !op))
    return false;
  if (axes->count > 0)
    x = op ? reduced(o, op, x, axes) : reduced_bits(o, c->kind, x, axes);
  if (!is_neutral(c, dtype, tir_value(o, n + i)))
    x = graph_op(o->g, is_boolean ? c->combine_booleans : c->combine, GRAPH_VALUES(x, tir_in(o, n + i)));
  tir_set(o, i, x);
  return true;
}

// True where |value| counts along |axis|, from 0.
static bool is_counting(MlirValue value, int64_t axis) {
  MlirOperation def = strata_def(value);
  if (mlirOperationIsNull(def))
    return false;
  if (hlo_op_is(def, "iota") || hlo_op_is(def, "dynamic_iota"))
    return strata_attr_i64(def, "iota_dimension", -1) == axis;
  return false;
}

// The first comparison of elements |a| and |b| in the block by size: "GT", "LT", ...; "" if there is none.
static const char *comparison(tir_op_t *o, MlirBlock block, int a, int b) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!hlo_op_is(op, "compare") || tir_argument_number(block, mlirOperationGetOperand(op, 0)) != a ||
        tir_argument_number(block, mlirOperationGetOperand(op, 1)) != b)
      continue;
    tir_op_t inner = {.importer = o->importer, .g = o->g, .op = op};
    const char *word = hlo_word(&inner, "comparison_direction");
    if (*word == 'G' || *word == 'L')
      return word;
  }
  return "";
}

// The greatest or least element and where it is: of values and their numbers, the greater value's pair.
static bool read_arg_reduction(tir_op_t *o, const axes_t *axes) {
  const char *word = comparison(o, tir_region(o, 0), 0, 2);
  tir_type_t place = tir_out_type(o, 1);
  if (!*word || axes->count != 1 || !is_counting(tir_value(o, 1), axes->axes[0]) ||
      tir_in_type(o, 0).dtype == STRATA_DTYPE_BOOL || place.dtype == STRATA_DTYPE_NONE)
    return false;
  bool is_greatest = *word == 'G';
  tir_set(o, 0, reduced(o, is_greatest ? "ReduceMax" : "ReduceMin", tir_in(o, 0), axes));
  graph_node_t *node = graph_node(o->g, is_greatest ? "ArgMax" : "ArgMin", GRAPH_VALUES(tir_in(o, 0)));
  graph_set_int(node, "axis", axes->axes[0]);
  graph_set_int(node, "keepdims", 0);
  tir_set(o, 1, tir_cast(o, graph_result(node, NULL), place.dtype));
  return true;
}

void hlo_read_reduce(tir_op_t *o) {
  axes_t axes;
  int n = tir_n_operands(o) / 2;
  axes.count = tir_int_list(o, "dimensions", TIR_MAX_RANK, axes.axes);
  if (axes.count < 0 || n < 1 || tir_n_returned(tir_region(o, 0)) != n) {
    tir_refuse(o, "expected operands with initial values and dimensions");
    return;
  }
  if (n == 2 && read_arg_reduction(o, &axes))
    return;
  for (int i = 0; i < n; i++)
    if (!read_one_reduction(o, i, n, &axes)) {
      tir_refuse(o, "a region that is neither a sum, product, extreme, and, or, xor, nor the place of an extreme");
      return;
    }
}

//===-- Windows --------------------------------------------------------------------------------------------------===//

typedef struct {
  int rank;
  int64_t sizes[TIR_MAX_RANK], strides[TIR_MAX_RANK], dilations[TIR_MAX_RANK], pads[2 * TIR_MAX_RANK];
} window_t;

static bool read_window(tir_op_t *o, window_t *w) {
  int64_t pads[2 * TIR_MAX_RANK], enlarged[TIR_MAX_RANK];
  if (!tir_ints(o, "window_dimensions", w->rank, 1, w->sizes) ||
      !tir_ints(o, "window_strides", w->rank, 1, w->strides) ||
      !tir_ints(o, "window_dilations", w->rank, 1, w->dilations) || !tir_ints(o, "padding", 2 * w->rank, 0, pads) ||
      !tir_ints(o, "base_dilations", w->rank, 1, enlarged))
    return false;
  for (int i = 0; i < w->rank; i++) {
    w->pads[i] = pads[2 * i];
    w->pads[w->rank + i] = pads[2 * i + 1];
    if (enlarged[i] != 1 || w->pads[i] < 0 || w->pads[w->rank + i] < 0)
      return false;
  }
  return true;
}

// The axis along which every window begins, or ends, with the axis itself: -1 if there is none.
static int running_axis(const window_t *w, const tir_type_t *type, bool *out_from_end) {
  int axis = -1;
  for (int i = 0; i < w->rank; i++) {
    if (w->strides[i] != 1 || w->dilations[i] != 1)
      return -1;
    if (w->sizes[i] == 1 && w->pads[i] == 0 && w->pads[w->rank + i] == 0)
      continue;
    int64_t rest = w->sizes[i] - 1, low = w->pads[i], high = w->pads[w->rank + i];
    if (axis >= 0 || type->dims[i] != w->sizes[i] || !((low == rest && high == 0) || (low == 0 && high == rest)))
      return -1;
    axis = i;
    *out_from_end = high == rest && rest > 0;
  }
  return axis;
}

static bool read_one_window(tir_op_t *o, int i, int n, const window_t *w) {
  const combiner_t *c = find_combiner(hlo_combiner(tir_region(o, 0), i, n));
  tir_type_t type = tir_in_type(o, i);
  if (!c || !c->reduce || type.dtype == STRATA_DTYPE_NONE || !is_neutral(c, type.dtype, tir_value(o, n + i)))
    return false;
  bool is_boolean = type.dtype == STRATA_DTYPE_BOOL, from_end = false;
  const char *x = is_boolean ? tir_cast(o, tir_in(o, i), STRATA_DTYPE_U8) : tir_in(o, i);
  const char *kind = !is_boolean ? c->kind : c->neutral_boolean == 0 ? "max" : "min";
  int axis = running_axis(w, &type, &from_end);
  graph_node_t *node = graph_node(o->g, axis >= 0 ? "strata.Cumulate" : "strata.Window", GRAPH_VALUES(x));
  graph_set_string(node, "kind", kind);
  if (axis >= 0) {
    graph_set_int(node, "axis", axis);
    graph_set_int(node, "reverse", from_end);
  } else {
    graph_set_ints(node, "kernel_shape", w->rank, w->sizes);
    graph_set_ints(node, "strides", w->rank, w->strides);
    graph_set_ints(node, "dilations", w->rank, w->dilations);
    graph_set_ints(node, "pads", 2 * w->rank, w->pads);
  }
  const char *result = graph_result(node, NULL);
  tir_set(o, i, is_boolean ? tir_cast(o, result, STRATA_DTYPE_BOOL) : result);
  return true;
}

void hlo_read_reduce_window(tir_op_t *o) {
  int n = tir_n_operands(o) / 2;
  window_t w = {.rank = tir_in_type(o, 0).rank};
  if (n < 1 || tir_n_returned(tir_region(o, 0)) != n || !read_window(o, &w)) {
    tir_refuse(o, "windows with negative padding or an enlarged operand");
    return;
  }
  for (int i = 0; i < n; i++)
    if (!read_one_window(o, i, n, &w)) {
      tir_refuse(o, "a region that is neither a sum, product nor extreme from its neutral element on");
      return;
    }
}

//===-- Sorting --------------------------------------------------------------------------------------------------===//

// Marks the block's arguments that |value| depends on.
static void mark_arguments(MlirBlock block, MlirValue value, int depth, int n, bool *marked) {
  int argument = tir_argument_number(block, value);
  if (argument >= 0 && argument < n)
    marked[argument] = true;
  MlirOperation def = argument < 0 ? strata_def(value) : (MlirOperation){0};
  if (mlirOperationIsNull(def) || depth == 0 || !mlirBlockEqual(mlirOperationGetBlock(def), block))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(def); i++)
    mark_arguments(block, mlirOperationGetOperand(def, i), depth - 1, n, marked);
}

enum { MAX_DEPTH = 12 }; // of what a comparator makes of its elements

// The only argument that |value| depends on; -1 if there are others or none.
static int only_argument(MlirBlock block, MlirValue value, int n) {
  bool marked[64] = {false};
  int found = -1;
  if (n > 64)
    return -1;
  mark_arguments(block, value, MAX_DEPTH, n, marked);
  for (int i = 0; i < n; i++)
    if (marked[i]) {
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}

// Which operand a comparator orders by, and how: an element, perhaps with zeros and NaNs made one, beside the other's.
static bool read_comparator(tir_op_t *o, int n, int *out_key, bool *out_descending) {
  MlirBlock block = tir_region(o, 0);
  MlirOperation compare = tir_n_returned(block) == 1 ? strata_def(tir_returned(block, 0)) : (MlirOperation){0};
  if (mlirOperationIsNull(compare) || !hlo_op_is(compare, "compare"))
    return false;
  tir_op_t inner = {.importer = o->importer, .g = o->g, .op = compare};
  const char *word = hlo_word(&inner, "comparison_direction");
  int left = only_argument(block, mlirOperationGetOperand(compare, 0), 2 * n);
  int right = only_argument(block, mlirOperationGetOperand(compare, 1), 2 * n);
  if (left < 0 || right < 0 || left / 2 != right / 2 || left == right || (*word != 'L' && *word != 'G'))
    return false;
  *out_key = left / 2;
  *out_descending = (*word == 'G') == (left < right);
  return true;
}

typedef struct {
  const char *values, *places;
} sorted_t;

static sorted_t sort(tir_op_t *o, const char *x, const char *size, int64_t axis, bool is_descending) {
  graph_node_t *node = graph_node(o->g, "TopK", GRAPH_VALUES(x, size));
  graph_set_int(node, "axis", axis);
  graph_set_int(node, "largest", is_descending);
  sorted_t result = {.values = graph_result(node, NULL)};
  result.places = graph_result(node, NULL);
  return result;
}

void hlo_read_sort(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t axis = tir_int(o, "dimension", -1);
  int n = tir_n_operands(o), key;
  bool is_descending;
  axis += axis < 0 ? type.rank : 0;
  if (axis < 0 || axis >= type.rank || !read_comparator(o, n, &key, &is_descending)) {
    tir_refuse(o, "a comparator that is not the order of one operand");
    return;
  }
  const char *x = tir_in(o, key);
  bool is_boolean = tir_in_type(o, key).dtype == STRATA_DTYPE_BOOL;
  x = is_boolean ? tir_cast(o, x, STRATA_DTYPE_U8) : x;
  sorted_t sorted = sort(o, x, tir_size(o, x, &type, (int)axis), axis, is_descending);
  for (int i = 0; i < n; i++) {
    graph_node_t *node =
        i == key ? NULL : graph_node(o->g, "GatherElements", GRAPH_VALUES(tir_in(o, i), sorted.places));
    if (node)
      graph_set_int(node, "axis", axis);
    const char *result = node ? graph_result(node, NULL) : sorted.values;
    tir_set(o, i, i == key && is_boolean ? tir_cast(o, result, STRATA_DTYPE_BOOL) : result);
  }
}

// The k greatest along the last axis.
void hlo_read_top_k(tir_op_t *o) {
  MlirAttribute attrs = strata_attr(o->op, "composite_attributes");
  MlirAttribute nested = !mlirAttributeIsNull(attrs) && mlirAttributeIsADictionary(attrs)
                             ? mlirDictionaryAttrGetElementByName(attrs, strata_str("k"))
                             : (MlirAttribute){0};
  int64_t k = !mlirAttributeIsNull(nested) && mlirAttributeIsAInteger(nested) ? mlirIntegerAttrGetValueInt(nested)
                                                                              : tir_int(o, "k", -1);
  tir_type_t type = tir_in_type(o, 0), place = tir_out_type(o, 1);
  if (k < 0 || type.rank < 1 || place.dtype == STRATA_DTYPE_NONE) {
    tir_refuse(o, "expected a number k and an operand of dims");
    return;
  }
  sorted_t sorted = sort(o, tir_in(o, 0), graph_ints(o->g, 1, &k), type.rank - 1, true);
  tir_set(o, 0, sorted.values);
  tir_set(o, 1, tir_cast(o, sorted.places, place.dtype));
}
