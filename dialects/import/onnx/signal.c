// Fourier transforms as products with the matrices of cosines and sines, and determinants.
#include "dialects/import/onnx/onnx.h"

#include <math.h>

enum { MAX_LENGTH = 1 << 13 }; // of a transform: its matrix has the square of that

typedef struct {
  int64_t in, length, out; // elements that there are, that count (the rest is 0), and of the result
  bool inverse, half_in;   // half_in: the input is the first half of a spectrum with conjugate symmetry
} transform_t;

typedef struct {
  MlirValue real, imaginary; // null: 0
} complex_t;

// Element [o, i]: cos or sin of 2 pi o i / length, weighted.
static MlirValue fourier_matrix(onnx_node_t *n, const transform_t *t, strata_type_t type, bool is_sine) {
  double *values = strata_arena_array(n->b->compile->arena, double, t->out * t->in);
  for (int64_t o = 0; o < t->out; o++)
    for (int64_t i = 0; i < t->in && i < t->length; i++) {
      double angle = 2 * 3.14159265358979323846 * (double)(o * i % t->length) / (double)t->length;
      bool counts_twice = t->half_in && i > 0 && 2 * i != t->length;
      double weight = (counts_twice ? 2 : 1) / (t->inverse ? (double)t->length : 1);
      values[o * t->in + i] = weight * (is_sine ? (t->inverse ? sin(angle) : -sin(angle)) : cos(angle));
    }
  return onnx_floats(n, type, 2, (int64_t[]){t->out, t->in}, values);
}

static MlirValue times_matrix(onnx_node_t *n, MlirValue x, MlirValue matrix) {
  strata_shape_t shape = onnx_shape(x);
  char letters[STRATA_MAX_RANK + 1] = {0};
  for (int i = 0; i + 1 < shape.rank; i++)
    letters[i] = (char)('A' + i);
  const char *form = strata_arena_printf(n->b->compile->arena, "%si,oi->%so", letters, letters);
  return onnx_contract(n, form, x, matrix, shape.type, "");
}

// Along the last dim. Signals without an imaginary part save half the work.
static complex_t transform(onnx_node_t *n, const transform_t *t, complex_t x) {
  strata_type_t type = onnx_shape(x.real).type;
  MlirValue cosines = fourier_matrix(n, t, type, false), sines = fourier_matrix(n, t, type, true);
  complex_t y = {.real = times_matrix(n, x.real, cosines), .imaginary = times_matrix(n, x.real, sines)};
  if (mlirValueIsNull(x.imaginary))
    return y;
  y.real = onnx_binary(n, STRATA_OP_SUB, y.real, times_matrix(n, x.imaginary, sines));
  y.imaginary = onnx_binary(n, STRATA_OP_ADD, y.imaginary, times_matrix(n, x.imaginary, cosines));
  return y;
}

// The last dim of |x|, of size 1 or 2, holds the parts of complex numbers.
static complex_t split_parts(onnx_node_t *n, MlirValue x) {
  strata_shape_t shape = onnx_shape(x);
  int last = shape.rank - 1;
  complex_t parts = {.real = onnx_remove_axis(n, onnx_slice_axis(n, x, last, 0, 1, 1), last)};
  if (strata_dim_is(shape.dims[last], 2))
    parts.imaginary = onnx_remove_axis(n, onnx_slice_axis(n, x, last, 1, 1, 1), last);
  return parts;
}

static MlirValue join_parts(onnx_node_t *n, complex_t parts) {
  int rank = onnx_shape(parts.real).rank;
  MlirValue both[2] = {onnx_insert_axis(n, parts.real, rank), onnx_insert_axis(n, parts.imaginary, rank)};
  return strata_build_concat(n->b, 2, both, rank);
}

static bool is_of_parts(const strata_shape_t *shape) {
  strata_dim_t last = shape->rank < 2 ? (strata_dim_t){0} : shape->dims[shape->rank - 1];
  return shape->rank >= 2 && (strata_dim_is(last, 1) || strata_dim_is(last, 2));
}

static bool check_length(onnx_node_t *n, int64_t length, const strata_shape_t *shape) {
  if (!onnx_failed(n) && !is_of_parts(shape))
    onnx_invalid(n, "expected a last dimension of size 1 or 2");
  if (!onnx_failed(n) && (length < 1 || length > MAX_LENGTH))
    onnx_unsupported(n, "a transform of length %lld, expected 1 to %d", (long long)length, MAX_LENGTH);
  return !onnx_failed(n);
}

// Of the axis that is transformed; others may vary.
static int64_t known_size(onnx_node_t *n, const strata_shape_t *shape, int axis) {
  int64_t size = 0;
  if (!onnx_failed(n) && axis < shape->rank && !strata_dim_is_constant(shape->dims[axis], &size))
    onnx_unsupported(n, "a transform of length %s, which must be a number: give it with --dim",
                     onnx_dim_text(n, shape->dims[axis]));
  return size;
}

// The axis is an attribute before opset 20 and an operand since.
void onnx_import_dft(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_operand_shape(n, 0);
  int64_t given = n->opset < 20 ? onnx_attr_int(n, "axis", 1) : onnx_constant_int(n, 2, -2);
  int axis = onnx_axis(n, given, shape.rank);
  bool onesided = onnx_attr_int(n, "onesided", 0), inverse = onnx_attr_int(n, "inverse", 0);
  int64_t size = known_size(n, &shape, axis);
  int64_t length = onnx_constant_int(n, 1, inverse && onesided ? 2 * (size - 1) : size);
  if (!check_length(n, length, &shape))
    return;
  if (axis == shape.rank - 1 || size > MAX_LENGTH) {
    onnx_invalid(n, "axis: it is the one of real and imaginary part, or too large");
    return;
  }
  transform_t t = {.in = size, .length = length, .inverse = inverse, .half_in = inverse && onesided};
  t.out = onesided && !inverse ? length / 2 + 1 : length;
  complex_t parts = split_parts(n, x);
  int last = shape.rank - 2;
  parts.real = onnx_move_axis(n, parts.real, axis, last);
  if (!mlirValueIsNull(parts.imaginary))
    parts.imaginary = onnx_move_axis(n, parts.imaginary, axis, last);
  complex_t y = transform(n, &t, parts);
  y.real = onnx_move_axis(n, y.real, last, axis);
  y.imaginary = onnx_move_axis(n, y.imaginary, last, axis);
  onnx_set(n, 0, t.half_in ? onnx_insert_axis(n, y.real, shape.rank - 1) : join_parts(n, y));
}

// Frames of |length| elements every |step| of the signal [batch, size], times the window.
static MlirValue frames_of(onnx_node_t *n, MlirValue signal, int64_t step, int64_t length, int64_t count) {
  int64_t *places = strata_arena_array(n->b->compile->arena, int64_t, count * length);
  for (int64_t i = 0; i < count * length; i++)
    places[i] = i / length * step + i % length;
  MlirValue frames =
      strata_build_gather(n->b, signal, onnx_ints_constant(n, 2, (int64_t[]){count, length}, places), 1, 0);
  return onnx_has(n, 2) ? onnx_binary(n, STRATA_OP_MUL, frames, onnx_operand(n, 2)) : frames;
}

void onnx_import_stft(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_operand_shape(n, 0);
  int64_t step = onnx_constant_int(n, 1, 1), window = onnx_has(n, 2) ? onnx_operand_sizes(n, 2).dims[0] : 0;
  int64_t length = onnx_constant_int(n, 3, window);
  if (!check_length(n, length, &shape))
    return;
  int64_t size = shape.rank == 3 ? known_size(n, &shape, 1) : 0;
  if (onnx_failed(n))
    return;
  if (shape.rank != 3 || step < 1 || length > size || (window && window != length) ||
      (size - length) / step > 1 << 20) {
    onnx_invalid(n, "signal, step, window and frame length do not fit each other");
    return;
  }
  int64_t count = (size - length) / step + 1;
  transform_t t = {.in = length, .length = length};
  t.out = onnx_attr_int(n, "onesided", 1) ? length / 2 + 1 : length;
  complex_t parts = split_parts(n, x);
  parts.real = frames_of(n, parts.real, step, length, count);
  if (!mlirValueIsNull(parts.imaginary))
    parts.imaginary = frames_of(n, parts.imaginary, step, length, count);
  onnx_set(n, 0, join_parts(n, transform(n, &t, parts)));
}

//===-- Determinants ---------------------------------------------------------------------------------------------===//

enum { MAX_MATRIX = 4 };

typedef struct {
  int size;
  MlirValue elements[MAX_MATRIX][MAX_MATRIX];
} matrix_t;

// Expansion along the first row.
static MlirValue determinant(onnx_node_t *n, const matrix_t *m) {
  if (m->size == 1)
    return m->elements[0][0];
  MlirValue sum = {0};
  for (int column = 0; column < m->size; column++) {
    matrix_t minor = {.size = m->size - 1};
    for (int i = 1; i < m->size; i++)
      for (int k = 0; k < m->size; k++)
        if (k != column)
          minor.elements[i - 1][k < column ? k : k - 1] = m->elements[i][k];
    MlirValue term = onnx_binary(n, STRATA_OP_MUL, m->elements[0][column], determinant(n, &minor));
    sum = column ? onnx_binary(n, column % 2 ? STRATA_OP_SUB : STRATA_OP_ADD, sum, term) : term;
  }
  return sum;
}

void onnx_import_det(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_sizes(n, x);
  int row = shape.rank - 2, column = shape.rank - 1;
  if (!onnx_failed(n) && (shape.rank < 2 || shape.dims[row] != shape.dims[column] || shape.dims[row] < 1))
    onnx_invalid(n, "expected square matrices");
  if (!onnx_failed(n) && shape.dims[row] > MAX_MATRIX)
    onnx_unsupported(n, "matrices of more than %d rows", MAX_MATRIX);
  if (onnx_failed(n))
    return;
  matrix_t m = {.size = (int)shape.dims[row]};
  for (int i = 0; i < m.size; i++)
    for (int k = 0; k < m.size; k++) {
      MlirValue element = onnx_slice_axis(n, onnx_slice_axis(n, x, row, i, 1, 1), column, k, 1, 1);
      m.elements[i][k] = onnx_remove_axis(n, onnx_remove_axis(n, element, column), row);
    }
  onnx_set(n, 0, determinant(n, &m));
}
