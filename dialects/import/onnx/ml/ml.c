// What the readers of ai.onnx.ml share: lists of attributes, matrices, scores and labels.
#include "dialects/import/onnx/ml/ml.h"

#include <string.h>

//===-- Attributes -----------------------------------------------------------------------------------------------===//

const double *onnx_attr_doubles(onnx_node_t *n, const char *name, int64_t *out_count) {
  const Onnx__AttributeProto *attr = onnx_attr(n, name);
  *out_count = attr ? (int64_t)attr->n_floats : 0;
  if (!attr)
    return NULL;
  double *values = strata_arena_array(n->b->compile->arena, double, *out_count + 1);
  for (int64_t i = 0; i < *out_count; i++)
    values[i] = (double)attr->floats[i];
  return values;
}

const char *const *onnx_attr_strings(onnx_node_t *n, const char *name, int64_t *out_count) {
  const Onnx__AttributeProto *attr = onnx_attr(n, name);
  *out_count = attr ? (int64_t)attr->n_strings : 0;
  if (!attr)
    return NULL;
  const char **values = strata_arena_array(n->b->compile->arena, const char *, *out_count + 1);
  for (int64_t i = 0; i < *out_count; i++)
    values[i] = strata_arena_printf(n->b->compile->arena, "%.*s", (int)attr->strings[i].len,
                                    attr->strings[i].len ? (const char *)attr->strings[i].data : "");
  return values;
}

// The tensor of an attribute; a null value where there is none, or after an error.
static MlirValue tensor_of(onnx_node_t *n, const char *name) {
  const Onnx__AttributeProto *attr = onnx_attr(n, name);
  const char *ignored;
  onnx_value_t value = {0};
  if (!attr || !attr->t)
    return (MlirValue){0};
  strata_status_t status = onnx_import_tensor(n->importer, attr->t, &ignored, &value);
  if (status)
    strata_build_fail(n->b, status);
  return value.tensor;
}

const double *onnx_attr_double_tensor(onnx_node_t *n, const char *name, int64_t *out_count, bool *is_double) {
  MlirValue tensor = tensor_of(n, name);
  double *values = NULL;
  *out_count = 0;
  if (mlirValueIsNull(tensor))
    return NULL;
  strata_type_t type = onnx_shape(tensor).type;
  if (strata_type_info[type].kind != STRATA_TYPE_KIND_FLOAT ||
      !strata_constant_f64s(n->b->compile, tensor, &values, out_count))
    onnx_invalid(n, "attribute '%s': expected a tensor of floats", name);
  *is_double |= type == STRATA_TYPE_F64;
  return values;
}

const int64_t *onnx_attr_int_tensor(onnx_node_t *n, const char *name, int64_t *out_count) {
  MlirValue tensor = tensor_of(n, name);
  int64_t *values = NULL;
  *out_count = 0;
  if (!mlirValueIsNull(tensor) && !strata_constant_i64s(n->b->compile, tensor, &values, out_count))
    onnx_invalid(n, "attribute '%s': expected a tensor of integers", name);
  return values;
}

const double *onnx_attr_numbers(onnx_node_t *n, const char *name, int64_t *out_count, bool *is_double) {
  const char *as_tensor = strata_arena_printf(n->b->compile->arena, "%s_as_tensor", name);
  if (!onnx_has_attr(n, as_tensor))
    return onnx_attr_doubles(n, name, out_count);
  if (onnx_has_attr(n, name))
    onnx_invalid(n, "attributes '%s' and '%s': expected one of them", name, as_tensor);
  return onnx_attr_double_tensor(n, as_tensor, out_count, is_double);
}

bool onnx_expect_count(onnx_node_t *n, const char *name, int64_t count, int64_t expected) {
  if (count != expected && !onnx_failed(n))
    onnx_invalid(n, "attribute '%s': expected %lld values, got %lld", name, (long long)expected, (long long)count);
  return !onnx_failed(n);
}

//===-- Matrices -------------------------------------------------------------------------------------------------===//

MlirValue onnx_float_operand(onnx_node_t *n, int i) {
  MlirValue x = onnx_operand(n, i);
  if (mlirValueIsNull(x))
    return x;
  bool is_double = onnx_shape(x).type == STRATA_TYPE_F64;
  return onnx_convert(n, x, onnx_is_unsigned(n, i), is_double ? STRATA_TYPE_F64 : STRATA_TYPE_F32, false);
}

MlirValue onnx_matrix(onnx_node_t *n, int i, int64_t *out_columns) {
  MlirValue x = onnx_float_operand(n, i);
  strata_shape_t shape = onnx_shape(x);
  *out_columns = 1;
  if (onnx_failed(n) || mlirValueIsNull(x))
    return x;
  if (shape.rank < 1 || shape.rank > 2)
    onnx_invalid(n, "operand %d: expected 1 or 2 dimensions, got %d", i, shape.rank);
  else if (!strata_dim_is_constant(shape.dims[shape.rank - 1], out_columns))
    onnx_unsupported(n, "operand %d: its number of columns must be known", i);
  else if (*out_columns < 1)
    onnx_invalid(n, "operand %d: it has no columns", i);
  return shape.rank == 1 ? onnx_insert_axis(n, x, 0) : x;
}

MlirValue onnx_row(onnx_node_t *n, strata_type_t type, int64_t count, const double *values) {
  return onnx_floats(n, type, 2, (int64_t[]){1, count}, values);
}

MlirValue onnx_columns(onnx_node_t *n, MlirValue x, int64_t first, int64_t count) {
  return onnx_slice_axis(n, x, 1, first, 1, count);
}

//===-- Scores ---------------------------------------------------------------------------------------------------===//

onnx_post_t onnx_post_of(onnx_node_t *n) {
  static const char *const names[] = {
#define POST_TRANSFORM(id, name) name,
#include "dialects/import/onnx/ml/post.def"
  };
  const char *given = onnx_attr_string(n, "post_transform", "NONE");
  for (int i = 0; i < ONNX_POST_COUNT; i++)
    if (!strcmp(given, names[i]))
      return (onnx_post_t)i;
  onnx_invalid(n, "attribute 'post_transform': there is no '%s'", given);
  return ONNX_POST_NONE;
}

static MlirValue binary(onnx_node_t *n, strata_op_id_t op, MlirValue x, MlirValue y) {
  return strata_build_binary(n->b, op, x, y);
}

static MlirValue times(onnx_node_t *n, MlirValue x, double factor) {
  return onnx_with_number(n, STRATA_OP_MUL, x, factor);
}

// The softmax of what is not 0; zeros stay.
static MlirValue softmax_zero(onnx_node_t *n, MlirValue x) {
  const double least = 0.0000001;
  const bool axes[2] = {false, true};
  strata_shape_t shape = onnx_shape(x);
  MlirValue most = onnx_reduce(n, STRATA_COMBINER_MAX, x, axes, true);
  most = onnx_broadcast_dims(n, most, shape.rank, shape.dims);
  MlirValue counts = onnx_with_number(n, STRATA_OP_GT, onnx_unary(n, STRATA_OP_ABS, x), least);
  MlirValue power = onnx_unary(n, STRATA_OP_EXP, binary(n, STRATA_OP_SUB, x, most));
  MlirValue small = binary(n, STRATA_OP_MUL, x, onnx_unary(n, STRATA_OP_EXP, onnx_unary(n, STRATA_OP_NEG, most)));
  power = onnx_select(n, counts, power, small);
  MlirValue sum = onnx_reduce(n, STRATA_COMBINER_ADD, power, axes, true);
  sum = onnx_broadcast_dims(n, sum, shape.rank, shape.dims);
  MlirValue is_none = onnx_with_number(n, STRATA_OP_EQ, sum, 0);
  return binary(n, STRATA_OP_DIV, power, onnx_select(n, is_none, onnx_number(n, sum, 1), sum));
}

// sqrt(2) erfinv(2 x - 1), by Winitzki's formula for the inverse of the error function.
static MlirValue probit(onnx_node_t *n, MlirValue x) {
  const double a = 0.147, pi = 3.14159265358979323846, sqrt2 = 1.41421356237309504880;
  MlirValue y = onnx_with_number(n, STRATA_OP_SUB, times(n, x, 2), 1);
  MlirValue one = onnx_number(n, y, 1), zero = onnx_number(n, y, 0);
  MlirValue sign = onnx_select(n, binary(n, STRATA_OP_LT, y, zero), onnx_number(n, y, -1), one);
  MlirValue squares = binary(n, STRATA_OP_MUL, binary(n, STRATA_OP_SUB, one, y), binary(n, STRATA_OP_ADD, one, y));
  MlirValue log = onnx_unary(n, STRATA_OP_LOG, squares);
  MlirValue v = onnx_with_number(n, STRATA_OP_ADD, times(n, log, 0.5), 2 / (pi * a));
  MlirValue w = binary(n, STRATA_OP_SUB, binary(n, STRATA_OP_MUL, v, v), times(n, log, 1 / a));
  MlirValue root = binary(n, STRATA_OP_SUB, onnx_unary(n, STRATA_OP_SQRT, w), v);
  return times(n, binary(n, STRATA_OP_MUL, sign, onnx_unary(n, STRATA_OP_SQRT, root)), sqrt2);
}

MlirValue onnx_post(onnx_node_t *n, onnx_post_t post, MlirValue scores) {
  const strata_attr_value_t last = {.n_i64s = 1, .i64s = (const int64_t[]){1}};
  if (onnx_failed(n))
    return scores;
  switch (post) {
  case ONNX_POST_SOFTMAX:
    return strata_build_composite(n->b, STRATA_COMPOSITE_SOFTMAX, 1, &scores, 1, &last);
  case ONNX_POST_LOGISTIC:
    return onnx_composite(n, STRATA_COMPOSITE_SIGMOID, scores);
  case ONNX_POST_SOFTMAX_ZERO:
    return softmax_zero(n, scores);
  case ONNX_POST_PROBIT:
    return probit(n, scores);
  default:
    return scores;
  }
}

MlirValue onnx_two_scores(onnx_node_t *n, onnx_post_t post, MlirValue score, bool is_probability) {
  bool is_logistic = post == ONNX_POST_LOGISTIC;
  if (onnx_failed(n))
    return score;
  MlirValue other = onnx_unary(n, STRATA_OP_NEG, score);
  if (is_probability && !is_logistic)
    other = onnx_with_number(n, STRATA_OP_ADD, other, 1);
  MlirValue both = strata_build_concat(n->b, 2, (MlirValue[]){other, score}, 1);
  return is_logistic || post == ONNX_POST_PROBIT ? onnx_post(n, post, both) : both;
}

//===-- Labels ---------------------------------------------------------------------------------------------------===//

bool onnx_labels_read(onnx_node_t *n, const char *ints, const char *strings, onnx_labels_t *out) {
  int64_t n_numbers, n_strings;
  *out = (onnx_labels_t){.numbers = onnx_attr_ints(n, ints, &n_numbers),
                         .strings = onnx_attr_strings(n, strings, &n_strings)};
  if (n_numbers && n_strings)
    onnx_invalid(n, "attributes '%s' and '%s': expected one of them", ints, strings);
  else if (!n_numbers && !n_strings)
    onnx_invalid(n, "there are no labels: expected attribute '%s' or '%s'", ints, strings);
  out->count = n_numbers + n_strings;
  out->numbers = n_numbers ? out->numbers : NULL;
  out->strings = n_strings ? out->strings : NULL;
  return !onnx_failed(n);
}

// The first labels and their numbers, as far as a line has room.
static const char *labels_note(onnx_node_t *n, const onnx_labels_t *labels) {
  enum { ROOM = 400 };
  strata_arena_t *arena = n->b->compile->arena;
  const char *text = "the numbers of labels";
  int64_t i = 0;
  for (; i < labels->count && strlen(text) < ROOM; i++)
    text = strata_arena_printf(arena, "%s%s %lld '%.64s'", text, i ? "," : ":", (long long)i, labels->strings[i]);
  return i < labels->count ? strata_arena_printf(arena, "%s, ... of %lld", text, (long long)labels->count) : text;
}

void onnx_set_labels(onnx_node_t *n, int i, const onnx_labels_t *labels, MlirValue classes) {
  onnx_value_t value = {.kind = ONNX_TENSOR, .tensor = classes};
  if (labels->numbers)
    value.tensor = strata_build_gather(n->b, onnx_ints_constant(n, 1, &labels->count, labels->numbers), classes, 0, 0);
  else
    value.note = labels_note(n, labels);
  onnx_set_value(n, i, value);
}

MlirValue onnx_greatest(onnx_node_t *n, MlirValue scores) {
  return strata_build_arg_reduce(n->b, STRATA_COMBINER_MAX, scores, 1, false);
}
