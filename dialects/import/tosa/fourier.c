// Fourier transforms of planes, [N, H, W], whose parts are tensors of their own.
#include "dialects/import/tosa/tosa.h"

enum { RANK = 3, ROWS = 1, COLUMNS = 2 };

static bool read_sizes(tir_op_t *o, tir_type_t *type) {
  *type = tir_in_type(o, 0);
  if (type->rank == RANK && type->dims[ROWS] > 0 && type->dims[COLUMNS] > 0)
    return true;
  tir_refuse(o, "expected planes of known sizes");
  return false;
}

static void set_parts(tir_op_t *o, const char *pair, int real, int imaginary) {
  tir_set(o, real, tir_part(o, pair, RANK, 0));
  tir_set(o, imaginary, tir_part(o, pair, RANK, 1));
}

// The inverse is not divided by the number of elements, so it is the transform of the parts exchanged, exchanged.
void tosa_read_fft(tir_op_t *o) {
  tir_type_t type;
  if (!read_sizes(o, &type))
    return;
  MlirAttribute inverse = strata_attr(o->op, "inverse");
  int real = mlirAttributeIsABool(inverse) && mlirBoolAttrGetValue(inverse), imaginary = !real;
  const char *x = tir_pair(o, RANK, tir_in(o, real), tir_in(o, imaginary));
  for (int axis = ROWS; axis <= COLUMNS; axis++)
    x = graph_dft(o->g, x, axis, type.dims[axis], false, false);
  set_parts(o, x, real, imaginary);
}

// Of real planes: the half of the columns that says the other.
void tosa_read_rfft(tir_op_t *o) {
  tir_type_t type;
  if (!read_sizes(o, &type))
    return;
  const char *x = graph_dft(o->g, tir_pair(o, RANK, tir_in(o, 0), NULL), COLUMNS, type.dims[COLUMNS], false, true);
  set_parts(o, graph_dft(o->g, x, ROWS, type.dims[ROWS], false, false), 0, 1);
}
