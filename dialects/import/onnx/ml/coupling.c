// Probabilities of several classes from those of pairs ("pairwise coupling", the second method of Wu, Lin and Weng,
// 2004, which support vector machines go by): p that makes the sum over all pairs of (r_ji p_i - r_ij p_j)^2 least,
// where r_ij is the probability of i among i and j. That is Q p = b e with Q_ii = sum r_ji^2, Q_ij = -r_ji r_ij, of
// some b, and of a sum of 1. Q may be singular; Q + e e^T is positive definite, and its solution for e is p but for a
// factor. It is solved by elimination, without pivots, for all rows at once, where libsvm and ONNX Runtime iterate up
// to a tolerance.
#include "dialects/import/onnx/ml/ml.h"

#include <string.h>

enum { MOST_COUPLED = 32 }; // classes

typedef struct {
  onnx_node_t *n;
  int64_t classes;
} coupling_t;

static MlirValue binary(const coupling_t *c, strata_op_id_t op, MlirValue x, MlirValue y) {
  return onnx_binary(c->n, op, x, y);
}

// A matrix of numbers, [1, rows, columns].
static MlirValue table(const coupling_t *c, int64_t rows, int64_t columns, const double *values) {
  int64_t dims[] = {1, rows, columns};
  return onnx_floats(c->n, STRATA_TYPE_F64, 3, dims, values);
}

// r_ij of the pairs' probabilities [rows, pairs] as [rows, i, j], 0 where i is j: that of (j, i) is what is left of 1.
static MlirValue matrix_of(const coupling_t *c, MlirValue pairs) {
  int64_t k = c->classes, places[MOST_COUPLED * MOST_COUPLED];
  double factors[MOST_COUPLED * MOST_COUPLED] = {0}, offsets[MOST_COUPLED * MOST_COUPLED] = {0};
  memset(places, 0, sizeof places);
  for (int64_t i = 0, pair = 0; i < k; i++)
    for (int64_t j = i + 1; j < k; j++, pair++) {
      places[i * k + j] = places[j * k + i] = pair;
      factors[i * k + j] = 1;
      factors[j * k + i] = -1;
      offsets[j * k + i] = 1;
    }
  MlirValue all = onnx_take(c->n, pairs, 1, k * k, places);
  strata_shape_t shape = onnx_shape(all);
  strata_dim_t dims[] = {shape.dims[0], onnx_dim(c->n, k), onnx_dim(c->n, k)};
  all = onnx_reshape_dims(c->n, all, 3, dims);
  return binary(c, STRATA_OP_ADD, binary(c, STRATA_OP_MUL, all, table(c, k, k, factors)), table(c, k, k, offsets));
}

// Q + e e^T, and behind it e: [rows, classes, classes + 1].
static MlirValue equations(const coupling_t *c, MlirValue r) {
  static const bool last[] = {false, false, true};
  int64_t k = c->classes;
  double eye[MOST_COUPLED * MOST_COUPLED] = {0};
  for (int64_t i = 0; i < k; i++)
    eye[i * k + i] = 1;
  MlirValue turned = onnx_move_axis(c->n, r, 1, 2), beside = binary(c, STRATA_OP_MUL, r, turned);
  MlirValue squares = onnx_reduce(c->n, STRATA_COMBINER_ADD, binary(c, STRATA_OP_MUL, turned, turned), last, true);
  MlirValue q = binary(c, STRATA_OP_SUB, binary(c, STRATA_OP_MUL, squares, table(c, k, k, eye)), beside);
  return onnx_pad_axis(c->n, onnx_with_number(c->n, STRATA_OP_ADD, q, 1), 2, 0, 1, 1);
}

// Divides row |s| by its pivot, and takes from all others what they have in column |s|.
static MlirValue eliminate(const coupling_t *c, MlirValue a, int64_t s) {
  double here[MOST_COUPLED] = {0};
  here[s] = 1;
  MlirValue row = onnx_slice_axis(c->n, a, 1, s, 1, 1), column = onnx_slice_axis(c->n, a, 2, s, 1, 1);
  row = binary(c, STRATA_OP_DIV, row, onnx_slice_axis(c->n, row, 2, s, 1, 1));
  // Of row s itself a_ss times the divided row, which is all of it, is taken, and the divided row is added.
  MlirValue factors = binary(c, STRATA_OP_SUB, column, table(c, c->classes, 1, here));
  return binary(c, STRATA_OP_SUB, a, binary(c, STRATA_OP_MUL, factors, row));
}

MlirValue onnx_coupled_probabilities(onnx_node_t *n, MlirValue pairs, int64_t classes) {
  static const bool last[] = {false, true};
  const double least = 1e-7; // as libsvm has it: no pair decides alone
  coupling_t c = {.n = n, .classes = classes};
  strata_type_t type = onnx_shape(pairs).type;
  if (classes > MOST_COUPLED)
    onnx_unsupported(n, "probabilities of more than %d classes", MOST_COUPLED);
  if (onnx_failed(n))
    return pairs;
  pairs = onnx_convert(n, pairs, false, STRATA_TYPE_F64, false);
  pairs = onnx_with_number(n, STRATA_OP_MIN, onnx_with_number(n, STRATA_OP_MAX, pairs, least), 1 - least);
  MlirValue a = equations(&c, matrix_of(&c, pairs));
  for (int64_t s = 0; s < classes && !onnx_failed(n); s++)
    a = eliminate(&c, a, s);
  if (onnx_failed(n))
    return pairs;
  MlirValue p = onnx_remove_axis(n, onnx_slice_axis(n, a, 2, classes, 1, 1), 2);
  p = onnx_binary(n, STRATA_OP_DIV, p, onnx_reduce(n, STRATA_COMBINER_ADD, p, last, true));
  return onnx_convert(n, p, false, type, false);
}
