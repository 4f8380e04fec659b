// Operators that make tensors out of attributes and sizes.
#include "dialects/import/onnx/importer.h"

#include <math.h>
#include <string.h>

//===-- Constant -------------------------------------------------------------------------------------------------===//

static MlirValue float_list(onnx_node_t *n, const Onnx__AttributeProto *attr) {
  double *values = strata_arena_array(n->b->compile->arena, double, attr->n_floats);
  for (size_t i = 0; i < attr->n_floats; i++)
    values[i] = (double)attr->floats[i];
  return onnx_floats(n, STRATA_TYPE_F32, 1, (int64_t[]){(int64_t)attr->n_floats}, values);
}

// A tensor of an attribute; its errors become the node's.
static void set_tensor(onnx_node_t *n, const Onnx__TensorProto *dense, const Onnx__SparseTensorProto *sparse) {
  const char *name;
  onnx_value_t value;
  strata_status_t status = dense ? onnx_import_tensor(n->importer, dense, &name, &value)
                                 : onnx_import_sparse_tensor(n->importer, sparse, &name, &value);
  if (status)
    strata_build_fail(n->b, status);
  else
    onnx_set_value(n, 0, value);
}

void onnx_import_constant(onnx_node_t *n) {
  const Onnx__AttributeProto *attr;
  int64_t count;
  if ((attr = onnx_attr(n, "value")) && attr->t)
    set_tensor(n, attr->t, NULL);
  else if ((attr = onnx_attr(n, "sparse_value")) && attr->sparse_tensor)
    set_tensor(n, NULL, attr->sparse_tensor);
  else if ((attr = onnx_attr(n, "value_int")))
    onnx_set(n, 0, onnx_ints_constant(n, 0, NULL, &attr->i));
  else if ((attr = onnx_attr(n, "value_ints")))
    onnx_set(n, 0,
             onnx_ints_constant(n, 1, (int64_t[]){(int64_t)attr->n_ints}, onnx_attr_ints(n, "value_ints", &count)));
  else if ((attr = onnx_attr(n, "value_float")))
    onnx_set(n, 0, onnx_floats(n, STRATA_TYPE_F32, 0, NULL, (double[]){(double)attr->f}));
  else if ((attr = onnx_attr(n, "value_floats")))
    onnx_set(n, 0, float_list(n, attr));
  else
    onnx_unsupported(n, "a constant that is no tensor of numbers");
}

// The attribute 'value' is a tensor of one element, which is repeated.
void onnx_import_constant_of_shape(onnx_node_t *n) {
  int64_t rank, known;
  const strata_dim_t *dims = onnx_dims(n, 0, &rank);
  const Onnx__AttributeProto *attr = onnx_attr(n, "value");
  if (rank > STRATA_MAX_RANK)
    onnx_unsupported(n, "expected at most %d dimensions", STRATA_MAX_RANK);
  for (int64_t i = 0; i < rank && !onnx_failed(n); i++)
    if (strata_dim_is_constant(dims[i], &known) && known < 0)
      onnx_invalid(n, "shape: got a size of %lld", (long long)known);
  if (onnx_failed(n))
    return;
  if (attr && attr->t)
    set_tensor(n, attr->t, NULL);
  else
    onnx_set(n, 0, onnx_splat(n, STRATA_TYPE_F32, 0, NULL, 0));
  onnx_value_t *value = n->n_outputs ? &n->outputs[0] : NULL;
  if (onnx_failed(n) || !value || value->kind != ONNX_TENSOR)
    return;
  MlirValue element = onnx_reshape(n, value->tensor, 0, NULL);
  const int64_t *ints;
  double *floats;
  int64_t count;
  strata_type_t type = onnx_shape(element).type;
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT &&
      strata_constant_f64s(n->b->compile, element, &floats, &count))
    value->tensor = onnx_splat_dims(n, type, (int)rank, dims, floats[0]);
  else if (onnx_known_ints(n, element, &ints, &count))
    value->tensor = onnx_integer(n, onnx_splat_dims(n, type, (int)rank, dims, 0), ints[0]);
  else
    value->tensor = onnx_broadcast_dims(n, element, (int)rank, dims);
}

//===-- Sequences of numbers -------------------------------------------------------------------------------------===//

// The number of elements of a range of numbers, which must be known.
static bool count_numbers(onnx_node_t *n, strata_dim_t *out) {
  int64_t n_start, n_limit, n_delta;
  const double *from = onnx_constant_floats(n, 0, &n_start), *to = onnx_constant_floats(n, 1, &n_limit);
  const double *by = onnx_constant_floats(n, 2, &n_delta);
  if (onnx_failed(n))
    return false;
  if (n_start != 1 || n_limit != 1 || n_delta != 1 || by[0] == 0) {
    onnx_invalid(n, "expected three numbers and a delta that is not 0");
    return false;
  }
  double count = ceil((to[0] - from[0]) / by[0]);
  if (!(count < (double)((int64_t)1 << 40))) {
    onnx_invalid(n, "the range is too long");
    return false;
  }
  *out = onnx_dim(n, count > 0 ? (int64_t)count : 0);
  return true;
}

// The elements from |start| to before |limit|.
static strata_dim_t steps_between(onnx_node_t *n, strata_dim_t start, strata_dim_t limit, int64_t step) {
  strata_dim_t distance = onnx_derive(n, STRATA_SYMBOL_MAX, strata_dim_sub(limit, start), onnx_dim(n, 0));
  return strata_dim_floordiv(strata_dim_plus(distance, step - 1), step);
}

// The same of sizes, in steps that are a number; false where it is another range.
static bool count_sizes(onnx_node_t *n, strata_dim_t *out) {
  strata_dim_t ends[3];
  int64_t number, step;
  for (int i = 0; i < 3; i++)
    if (!onnx_known_dim(n, onnx_operand(n, i), &ends[i]))
      return false;
  bool are_numbers = strata_dim_is_constant(ends[0], &number) && strata_dim_is_constant(ends[1], &number);
  if (are_numbers || !strata_dim_is_constant(ends[2], &step) || step < 1)
    return false;
  *out = steps_between(n, ends[0], ends[1], step);
  return true;
}

// Whether a limit that data decide gives the number of elements, in steps that are a number.
static bool has_data_limit(onnx_node_t *n, strata_dim_t *out_start, int64_t *out_step) {
  strata_dim_t ends[3];
  for (int i = 0; i < 3; i++) {
    MlirValue end = onnx_operand(n, i);
    int64_t count;
    if (onnx_failed(n) || strata_type_info[onnx_shape(end).type].kind != STRATA_TYPE_KIND_INTEGER)
      return false;
    const strata_dim_t *dims = onnx_place_dims(n, "", i, &count);
    if (!dims || count != 1)
      return false;
    ends[i] = dims[0];
  }
  *out_start = ends[0];
  return mlirAffineExprIsNull(ends[1]) && !mlirAffineExprIsNull(ends[0]) && !mlirAffineExprIsNull(ends[2]) &&
         strata_dim_is_constant(ends[2], out_step) && *out_step >= 1;
}

// ceil((limit - start) / delta), of numbers that data decide: the difference is of their type, the quotient f64.
static MlirValue counted_steps(onnx_node_t *n) {
  MlirValue ends[3];
  for (int i = 0; i < 3; i++)
    ends[i] = onnx_reshape(n, onnx_operand(n, i), 0, NULL);
  MlirValue distance = onnx_binary(n, STRATA_OP_SUB, ends[1], ends[0]);
  distance = onnx_convert(n, distance, false, STRATA_TYPE_F64, false);
  MlirValue count =
      onnx_binary(n, STRATA_OP_DIV_EXACT, distance, onnx_convert(n, ends[2], false, STRATA_TYPE_F64, false));
  return onnx_convert(n, onnx_unary(n, STRATA_OP_CEIL, count), false, STRATA_TYPE_I64, false);
}

static bool count_elements(onnx_node_t *n, strata_dim_t *out) {
  strata_dim_t start, limit;
  int64_t step;
  if (!has_data_limit(n, &start, &step)) {
    if (onnx_failed(n) || count_sizes(n, out))
      return !onnx_failed(n);
    bool are_constant = onnx_is_constant(n, 0) && onnx_is_constant(n, 1) && onnx_is_constant(n, 2);
    return are_constant ? count_numbers(n, out) : onnx_elements_dim(n, counted_steps(n), out);
  }
  if (!onnx_data_dim(n, 1, &limit))
    return false;
  *out = steps_between(n, start, limit, step);
  return true;
}

// start, start + delta, ... before limit: all three give the number of elements.
void onnx_import_range(onnx_node_t *n) {
  MlirValue start = onnx_operand(n, 0), delta = onnx_operand(n, 2);
  strata_type_t type = onnx_shape(start).type;
  strata_dim_t size;
  if (onnx_failed(n) || !count_elements(n, &size))
    return;
  // Floats of 16 bits would not hold the numbers on the way.
  strata_type_t wide = type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16 ? STRATA_TYPE_F32 : type;
  start = onnx_convert(n, onnx_reshape(n, start, 0, NULL), false, wide, false);
  delta = onnx_convert(n, onnx_reshape(n, delta, 0, NULL), false, wide, false);
  MlirValue steps = onnx_binary(n, STRATA_OP_MUL, onnx_iota_dims(n, wide, 1, &size, 0), delta);
  onnx_set_like(n, 0, onnx_convert(n, onnx_binary(n, STRATA_OP_ADD, start, steps), false, type, false), 0);
}

// column - row, for comparing with a diagonal.
static MlirValue diagonal_distance(onnx_node_t *n, int rank, const strata_dim_t *dims) {
  return onnx_binary(n, STRATA_OP_SUB, onnx_iota_dims(n, STRATA_TYPE_I64, rank, dims, rank - 1),
                     onnx_iota_dims(n, STRATA_TYPE_I64, rank, dims, rank - 2));
}

void onnx_import_eye_like(onnx_node_t *n) {
  strata_shape_t shape = onnx_operand_shape(n, 0);
  strata_type_t type = shape.type;
  bool is_unsigned = onnx_is_unsigned(n, 0);
  int64_t dtype = onnx_attr_int(n, "dtype", 0);
  if (dtype && !onnx_element_type(dtype, &type, &is_unsigned))
    onnx_unsupported(n, "elements of type %s", onnx_data_type_name(dtype));
  if (!onnx_failed(n) && shape.rank != 2)
    onnx_invalid(n, "expected 2 dimensions, got %d", shape.rank);
  if (onnx_failed(n))
    return;
  MlirValue distance = diagonal_distance(n, 2, shape.dims);
  MlirValue on = onnx_binary(n, STRATA_OP_EQ, distance, onnx_integer(n, distance, onnx_attr_int(n, "k", 0)));
  MlirValue eye = onnx_convert(n, on, false, type, is_unsigned);
  onnx_set_value(n, 0, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = eye});
}

// Keeps what lies on and above, or on and below, the diagonal |k|, which need not be known.
void onnx_import_trilu(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  if (!onnx_failed(n) && shape.rank < 2)
    onnx_invalid(n, "expected 2 dimensions or more, got %d", shape.rank);
  if (onnx_failed(n))
    return;
  const strata_dim_t *matrix = shape.dims + shape.rank - 2;
  MlirValue distance = diagonal_distance(n, 2, matrix);
  MlirValue k = onnx_has(n, 1) ? onnx_reshape(n, onnx_operand(n, 1), 0, NULL) : onnx_integer(n, distance, 0);
  strata_op_id_t keep = onnx_attr_int(n, "upper", 1) ? STRATA_OP_GE : STRATA_OP_LE;
  onnx_set_like(n, 0, onnx_select(n, onnx_binary(n, keep, distance, k), x, onnx_number(n, x, 0)), 0);
}

// The depth of a OneHot, of any type, which data may decide.
static bool read_depth(onnx_node_t *n, strata_dim_t *out) {
  int64_t count;
  strata_shape_t shape = onnx_operand_shape(n, 1);
  if (!strata_dim_is(strata_dim_product(n->b->compile->context, shape.rank, shape.dims), 1))
    return false;
  if (!onnx_is_constant(n, 1))
    return onnx_known_dim(n, onnx_operand(n, 1), out) || onnx_data_dim(n, 1, out);
  const double *depths = onnx_constant_floats(n, 1, &count);
  bool is_good = count == 1 && depths[0] >= 1 && depths[0] < 1LL << 40;
  *out = onnx_dim(n, is_good ? (int64_t)depths[0] : 1);
  return is_good;
}

void onnx_import_one_hot(onnx_node_t *n) {
  MlirValue indices = onnx_operand(n, 0), values = onnx_operand(n, 2);
  strata_shape_t shape = onnx_shape(indices);
  strata_dim_t depth;
  bool has_depth = read_depth(n, &depth);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", -1), shape.rank + 1);
  if (!onnx_failed(n) && (!has_depth || onnx_shape(values).rank != 1 || !strata_dim_is(onnx_shape(values).dims[0], 2)))
    onnx_invalid(n, "expected a positive depth and two values");
  if (onnx_failed(n))
    return;
  MlirValue zero = onnx_number(n, indices, 0), wrapped = onnx_with_dim(n, STRATA_OP_ADD, indices, depth);
  if (!onnx_is_unsigned(n, 0))
    indices = onnx_select(n, onnx_binary(n, STRATA_OP_LT, indices, zero), wrapped, indices);
  indices = onnx_insert_axis(n, indices, axis);
  strata_shape_t hot = onnx_shape(indices);
  hot.dims[axis] = depth;
  MlirValue places = onnx_iota_dims(n, hot.type, hot.rank, hot.dims, axis);
  MlirValue off = onnx_reshape(n, onnx_slice_axis(n, values, 0, 0, 1, 1), 0, NULL);
  MlirValue on = onnx_reshape(n, onnx_slice_axis(n, values, 0, 1, 1, 1), 0, NULL);
  onnx_set_like(n, 0, onnx_select(n, onnx_binary(n, STRATA_OP_EQ, places, indices), on, off), 2);
}

//===-- Windows of signal processing -----------------------------------------------------------------------------===//

typedef struct {
  double a0, a1, a2;
} cosine_window_t;

// a0 - a1 cos(2 pi i / N) + a2 cos(4 pi i / N).
static void set_window(onnx_node_t *n, cosine_window_t w) {
  int64_t size = onnx_constant_int(n, 0, 0);
  strata_type_t type;
  bool is_unsigned;
  if (!onnx_element_type(onnx_attr_int(n, "output_datatype", 1), &type, &is_unsigned))
    onnx_unsupported(n, "elements of that type");
  if (!onnx_failed(n) && (size < 0 || size > 1 << 24))
    onnx_invalid(n, "size: got %lld", (long long)size);
  if (onnx_failed(n))
    return;
  double period = (double)(onnx_attr_int(n, "periodic", 1) ? size : size - 1);
  double *values = strata_arena_array(n->b->compile->arena, double, size);
  for (int64_t i = 0; i < size; i++) {
    double angle = period > 0 ? 2 * 3.14159265358979323846 * (double)i / period : 0;
    values[i] = w.a0 - w.a1 * cos(angle) + w.a2 * cos(2 * angle);
  }
  onnx_set(n, 0, onnx_floats(n, type, 1, &size, values));
}

void onnx_import_hann_window(onnx_node_t *n) { set_window(n, (cosine_window_t){0.5, 0.5, 0}); }
void onnx_import_hamming_window(onnx_node_t *n) { set_window(n, (cosine_window_t){25.0 / 46, 21.0 / 46, 0}); }
void onnx_import_blackman_window(onnx_node_t *n) { set_window(n, (cosine_window_t){0.42, 0.5, 0.08}); }

static double hertz_to_mel(double hertz) { return 2595 * log10(1 + hertz / 700); }
static double mel_to_hertz(double mel) { return 700 * (pow(10, mel / 2595) - 1); }

// A triangle over three neighbouring mel frequencies.
static double triangle(double bin, double lower, double center, double upper) {
  if (bin >= center && bin < upper)
    return (upper - bin) / (upper - center);
  if (bin == center)
    return 1;
  return bin >= lower && bin < center ? (bin - lower) / (center - lower) : 0;
}

void onnx_import_mel_weight_matrix(onnx_node_t *n) {
  int64_t n_mels = onnx_constant_int(n, 0, 0), length = onnx_constant_int(n, 1, 0), rate = onnx_constant_int(n, 2, 0);
  int64_t n_low, n_high;
  const double *low = onnx_constant_floats(n, 3, &n_low), *high = onnx_constant_floats(n, 4, &n_high);
  strata_type_t type;
  bool is_unsigned;
  if (!onnx_element_type(onnx_attr_int(n, "output_datatype", 1), &type, &is_unsigned))
    onnx_unsupported(n, "elements of that type");
  if (!onnx_failed(n) &&
      (n_mels < 1 || n_mels > 1 << 16 || length < 0 || length > 1 << 16 || rate < 1 || n_low != 1 || n_high != 1))
    onnx_invalid(n, "expected positive sizes, a sample rate and two frequencies");
  if (onnx_failed(n))
    return;
  int64_t dims[2] = {length / 2 + 1, n_mels};
  strata_arena_t *arena = n->b->compile->arena;
  double *edges = strata_arena_array(arena, double, n_mels + 2),
         *values = strata_arena_array(arena, double, dims[0] * dims[1]);
  double first = hertz_to_mel(low[0]), step = (hertz_to_mel(high[0]) - first) / (double)(n_mels + 2);
  for (int64_t i = 0; i < n_mels + 2; i++)
    edges[i] = floor((double)(length + 1) * mel_to_hertz(first + step * (double)i) / (double)rate);
  for (int64_t i = 0; i < dims[0] * n_mels; i++) {
    const double *edge = edges + i % n_mels;
    values[i] = triangle((double)(i / n_mels), edge[0], edge[1], edge[2]);
  }
  onnx_set(n, 0, onnx_floats(n, type, 2, dims, values));
}
