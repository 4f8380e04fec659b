// What prepares features for a model: scaling, missing values, codes of categories, columns side by side.
#include "dialects/import/onnx/ml/ml.h"

#include <math.h>
#include <string.h>

// |count| values, one of all columns or one each, of which there are |columns|, as a tensor of one dim.
static MlirValue per_column(onnx_node_t *n, strata_type_t type, const char *name, int64_t columns, int64_t count,
                            const double *values) {
  if (count != 1)
    onnx_expect_count(n, name, count, columns);
  return onnx_failed(n) ? (MlirValue){0} : onnx_floats(n, type, 1, &count, values);
}

// The size of the last dim, which must be a number.
static int64_t last_size(onnx_node_t *n, MlirValue x) {
  strata_shape_t shape = onnx_shape(x);
  int64_t columns = 1;
  if (onnx_failed(n) || mlirValueIsNull(x))
    return 1;
  if (!shape.rank || !strata_dim_is_constant(shape.dims[shape.rank - 1], &columns))
    onnx_unsupported(n, "the last dimension of operand 0 must be known");
  return columns;
}

void onnx_import_scaler(onnx_node_t *n) {
  int64_t n_offsets, n_scales;
  MlirValue x = onnx_float_operand(n, 0);
  int64_t columns = last_size(n, x);
  const double *offsets = onnx_attr_doubles(n, "offset", &n_offsets),
               *scales = onnx_attr_doubles(n, "scale", &n_scales);
  if (onnx_failed(n))
    return;
  strata_type_t type = onnx_shape(x).type;
  if (n_offsets)
    x = onnx_binary(n, STRATA_OP_SUB, x, per_column(n, type, "offset", columns, n_offsets, offsets));
  if (n_scales && !onnx_failed(n))
    x = onnx_binary(n, STRATA_OP_MUL, x, per_column(n, type, "scale", columns, n_scales, scales));
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_convert(n, x, false, STRATA_TYPE_F32, false));
}

static MlirValue imputed_ints(onnx_node_t *n, MlirValue x, int64_t columns, MlirValue *out_missing) {
  int64_t count;
  const int64_t *values = onnx_attr_ints(n, "imputed_value_int64s", &count);
  if (count != 1)
    onnx_expect_count(n, "imputed_value_int64s", count, columns);
  if (onnx_failed(n))
    return x;
  *out_missing =
      strata_build_binary(n->b, STRATA_OP_EQ, x, onnx_integer(n, x, onnx_attr_int(n, "replaced_value_int64", 0)));
  return onnx_convert(n, onnx_ints_constant(n, 1, &count, values), false, onnx_shape(x).type, false);
}

static MlirValue imputed_floats(onnx_node_t *n, MlirValue x, int64_t columns, MlirValue *out_missing) {
  int64_t count;
  const double *values = onnx_attr_doubles(n, "imputed_value_floats", &count);
  double replaced = onnx_attr_float(n, "replaced_value_float", 0);
  MlirValue imputed = per_column(n, onnx_shape(x).type, "imputed_value_floats", columns, count, values);
  if (onnx_failed(n))
    return x;
  *out_missing = isnan(replaced) ? onnx_unary(n, STRATA_OP_IS_NAN, x) : onnx_with_number(n, STRATA_OP_EQ, x, replaced);
  return imputed;
}

void onnx_import_imputer(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), missing;
  int64_t columns = last_size(n, x);
  if (onnx_failed(n))
    return;
  bool is_float = strata_type_info[onnx_shape(x).type].kind == STRATA_TYPE_KIND_FLOAT;
  MlirValue imputed = (is_float ? imputed_floats : imputed_ints)(n, x, columns, &missing);
  if (!onnx_failed(n))
    onnx_set_like(n, 0, onnx_select(n, missing, imputed, x), 0);
}

void onnx_import_normalizer(onnx_node_t *n) {
  int64_t columns;
  const bool axes[2] = {false, true};
  int rank = onnx_shape(onnx_operand(n, 0)).rank;
  MlirValue x = onnx_matrix(n, 0, &columns), size;
  if (onnx_failed(n))
    return;
  if (onnx_attr_is(n, "norm", "L1"))
    size = onnx_reduce(n, STRATA_COMBINER_ADD, onnx_unary(n, STRATA_OP_ABS, x), axes, true);
  else if (onnx_attr_is(n, "norm", "L2"))
    size = onnx_unary(n, STRATA_OP_SQRT,
                      onnx_reduce(n, STRATA_COMBINER_ADD, strata_build_binary(n->b, STRATA_OP_MUL, x, x), axes, true));
  else
    size = onnx_reduce(n, STRATA_COMBINER_MAX, x, axes, true);
  if (onnx_failed(n))
    return;
  size = onnx_select(n, onnx_with_number(n, STRATA_OP_EQ, size, 0), onnx_number(n, size, 1), size);
  x = onnx_binary(n, STRATA_OP_DIV, x, size);
  x = rank == 1 && !onnx_failed(n) ? onnx_remove_axis(n, x, 0) : x;
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_convert(n, x, false, STRATA_TYPE_F32, false));
}

void onnx_import_binarizer(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  if (onnx_failed(n) || mlirValueIsNull(x))
    return;
  MlirValue above = onnx_with_number(n, STRATA_OP_GT, x, onnx_attr_float(n, "threshold", 0));
  onnx_set_like(n, 0, onnx_convert(n, above, false, onnx_shape(x).type, false), 0);
}

//===-- Columns --------------------------------------------------------------------------------------------------===//

// Columns of an operand, cut or filled up with zeros.
static MlirValue fitted(onnx_node_t *n, int i, int64_t wanted) {
  int64_t columns;
  MlirValue x = onnx_matrix(n, i, &columns);
  if (wanted < 1 && !onnx_failed(n))
    onnx_invalid(n, "attribute 'inputdimensions': expected sizes, got %lld", (long long)wanted);
  if (!onnx_failed(n) && columns > wanted)
    x = onnx_columns(n, x, 0, wanted);
  if (!onnx_failed(n) && columns < wanted)
    x = onnx_pad_axis(n, x, 1, 0, wanted - columns, 0);
  return onnx_failed(n) ? x : onnx_convert(n, x, false, STRATA_TYPE_F32, false);
}

void onnx_import_feature_vectorizer(onnx_node_t *n) {
  int64_t count;
  const int64_t *sizes = onnx_attr_ints(n, "inputdimensions", &count);
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, n->n_inputs);
  if (!onnx_expect_count(n, "inputdimensions", count, n->n_inputs))
    return;
  for (int i = 0; i < n->n_inputs && !onnx_failed(n); i++) {
    parts[i] = fitted(n, i, sizes[i]);
    if (i && !onnx_failed(n))
      onnx_agree(n, onnx_shape(parts[i]).dims[0], onnx_shape(parts[0]).dims[0]);
  }
  if (!onnx_failed(n))
    onnx_set(n, 0, strata_build_concat(n->b, n->n_inputs, parts, 1));
}

void onnx_import_array_feature_extractor(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), places = onnx_operand(n, 1);
  int64_t columns = last_size(n, x), count;
  if (onnx_failed(n))
    return;
  strata_shape_t shape = onnx_shape(places);
  if ((count = strata_shape_count(&shape)) < 1) {
    onnx_invalid(n, "operand 1: expected some places");
    return;
  }
  const int64_t *known;
  bool is_known = onnx_known_ints(n, places, &known, &count);
  for (int64_t i = 0; is_known && i < count && !onnx_failed(n); i++)
    if (known[i] < 0 || known[i] >= columns)
      onnx_invalid(n, "operand 1: there is no column %lld: operand 0 has %lld", (long long)known[i],
                   (long long)columns);
  places = onnx_reshape(n, places, 1, &count);
  int rank = onnx_shape(x).rank;
  if (onnx_failed(n))
    return;
  x = strata_build_gather(n->b, x, places, rank - 1, 0);
  onnx_set_like(n, 0, rank == 1 ? onnx_insert_axis(n, x, 0) : x, 0);
}

//===-- Categories -----------------------------------------------------------------------------------------------===//

// [..., count]: where an element of |x|, [...], is the number.
static MlirValue matches(onnx_node_t *n, MlirValue x, MlirValue keys) {
  return onnx_binary(n, STRATA_OP_EQ, onnx_insert_axis(n, x, onnx_shape(x).rank), keys);
}

// Another category is an error where there are to be no zeros; a library has none, and says so by what is no number.
static MlirValue without_others(onnx_node_t *n, MlirValue found, MlirValue codes) {
  bool last[STRATA_MAX_RANK] = {false};
  int rank = onnx_shape(found).rank;
  if (onnx_failed(n) || rank < 1)
    return codes;
  last[rank - 1] = true;
  MlirValue any = onnx_reduce(n, STRATA_COMBINER_OR, found, last, true);
  return onnx_select(n, any, codes, onnx_number(n, codes, NAN));
}

void onnx_import_one_hot_encoder(onnx_node_t *n) {
  int64_t count;
  MlirValue x = onnx_operand(n, 0);
  const int64_t *categories = onnx_attr_ints(n, "cats_int64s", &count);
  if (onnx_has_attr(n, "cats_strings") || !count)
    onnx_unsupported(n, "categories that are no numbers");
  if (onnx_failed(n))
    return;
  x = onnx_convert(n, x, onnx_is_unsigned(n, 0), STRATA_TYPE_I64, false);
  MlirValue found = matches(n, x, onnx_ints_constant(n, 1, &count, categories));
  MlirValue codes = onnx_convert(n, found, false, STRATA_TYPE_F32, false);
  onnx_set(n, 0, onnx_attr_int(n, "zeros", 1) ? codes : without_others(n, found, codes));
}

// Keys or values of a table, a 1-d tensor; a null value where there are none.
static MlirValue table_of(onnx_node_t *n, const char *what, int64_t *out_count) {
  strata_arena_t *arena = n->b->compile->arena;
  const char *ints = strata_arena_printf(arena, "%s_int64s", what),
             *floats = strata_arena_printf(arena, "%s_floats", what),
             *tensor = strata_arena_printf(arena, "%s_tensor", what);
  const Onnx__AttributeProto *attr = onnx_attr(n, tensor);
  const char *ignored;
  onnx_value_t value = {0};
  if (onnx_has_attr(n, ints))
    value.tensor =
        onnx_ints_constant(n, 1, (int64_t[]){(int64_t)onnx_attr(n, ints)->n_ints}, onnx_attr_ints(n, ints, out_count));
  else if (onnx_has_attr(n, floats)) {
    const double *values = onnx_attr_doubles(n, floats, out_count);
    value.tensor = onnx_floats(n, STRATA_TYPE_F32, 1, out_count, values);
  } else if (attr && attr->t) {
    strata_status_t status = onnx_import_tensor(n->importer, attr->t, &ignored, &value);
    if (status)
      strata_build_fail(n->b, status);
  } else {
    onnx_unsupported(n, "%s that are no numbers", what);
  }
  strata_shape_t shape = onnx_shape(value.tensor);
  *out_count = mlirValueIsNull(value.tensor) || shape.rank != 1 ? 0 : strata_shape_count(&shape);
  if (*out_count < 1 && !onnx_failed(n))
    onnx_invalid(n, "expected a list of %s", what);
  return value.tensor;
}

// What elements become that are no key, of the type of |values|.
static MlirValue default_of(onnx_node_t *n, MlirValue values) {
  const Onnx__AttributeProto *attr = onnx_attr(n, "default_tensor");
  const char *ignored;
  onnx_value_t value = {0};
  strata_type_t type = onnx_shape(values).type;
  if (attr && attr->t) {
    strata_status_t status = onnx_import_tensor(n->importer, attr->t, &ignored, &value);
    if (status)
      strata_build_fail(n->b, status);
    return onnx_failed(n) ? values : onnx_reshape(n, onnx_convert(n, value.tensor, false, type, false), 0, NULL);
  }
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT)
    return onnx_splat(n, type, 0, NULL, onnx_attr_float(n, "default_float", -0.0));
  MlirValue zero = onnx_splat(n, type, 0, NULL, 0);
  return onnx_integer(n, zero, onnx_attr_int(n, "default_int64", -1));
}

// The first key that is equal; NaN is equal to NaN.
void onnx_import_label_encoder(onnx_node_t *n) {
  int64_t n_keys, n_values;
  MlirValue x = onnx_operand(n, 0);
  if (onnx_has_attr(n, "classes_strings"))
    onnx_unsupported(n, "classes that are texts");
  if (onnx_failed(n))
    return;
  MlirValue keys = table_of(n, "keys", &n_keys), values = onnx_failed(n) ? x : table_of(n, "values", &n_values);
  if (onnx_failed(n) || !onnx_expect_count(n, "values_*", n_values, n_keys))
    return;
  strata_type_t type = onnx_shape(x).type;
  if (type != onnx_shape(keys).type) {
    onnx_invalid(n, "operand 0 is %s, but the keys are %s", onnx_type_name(type, onnx_is_unsigned(n, 0)),
                 onnx_type_name(onnx_shape(keys).type, false));
    return;
  }
  MlirValue found = matches(n, x, keys);
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT && !onnx_failed(n)) {
    MlirValue is_nan = onnx_insert_axis(n, onnx_unary(n, STRATA_OP_IS_NAN, x), onnx_shape(x).rank);
    MlirValue both = onnx_binary(n, STRATA_OP_AND, is_nan, onnx_unary(n, STRATA_OP_IS_NAN, keys));
    found = onnx_binary(n, STRATA_OP_OR, found, both);
  }
  if (onnx_failed(n))
    return;
  const int last = onnx_shape(x).rank;
  MlirValue number = onnx_convert(n, found, false, STRATA_TYPE_I32, false);
  MlirValue at = strata_build_arg_reduce(n->b, STRATA_COMBINER_MAX, number, last, false);
  bool axes[STRATA_MAX_RANK] = {false};
  axes[last] = true;
  MlirValue any = onnx_with_number(n, STRATA_OP_GT, onnx_reduce(n, STRATA_COMBINER_MAX, number, axes, false), 0);
  MlirValue otherwise = default_of(n, values);
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_select(n, any, strata_build_gather(n->b, values, at, 0, 0), otherwise));
}

// Its result would be a sequence of maps from labels to probabilities; the tensor of probabilities says the same.
void onnx_import_zip_map(onnx_node_t *n) {
  onnx_set_value(n, 0,
                 (onnx_value_t){.kind = ONNX_TENSOR,
                                .tensor = onnx_operand(n, 0),
                                .note = "a column for each label, where the model has maps from labels (ZipMap)"});
}
