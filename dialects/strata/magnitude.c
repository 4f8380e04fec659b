// How large numbers may be, of what they are computed from. See strata.h.
#include "dialects/mlir_util.h"
#include "dialects/strata/number.h"
#include "dialects/strata/strata.h"

#include <float.h>
#include <math.h>

static double magnitude(strata_compile_t *compile, MlirValue value, int depth);

static double magnitude_of_constant(strata_compile_t *compile, MlirValue value) {
  enum { MOST_ELEMENTS = 1 << 16 }; // scales and the like, not weights
  const void *data;
  bool is_splat;
  double most = 0;
  strata_shape_t shape = strata_shape_of(value);
  if (!strata_constant_bytes(compile, value, &data, &is_splat))
    return INFINITY;
  int64_t count = is_splat ? 1 : strata_shape_count(&shape);
  if (count > MOST_ELEMENTS)
    return INFINITY;
  for (int64_t i = 0; i < count; i++) {
    double number = strata__load_f64(shape.type, data, i);
    if (!isfinite(number))
      return INFINITY;
    most = fmax(most, fabs(number));
  }
  return most;
}

// Of f32 that are computed; INFINITY for what nothing is known of.
static double magnitude_of_op(strata_compile_t *compile, MlirOperation op, int depth) {
  strata_op_id_t id = strata_op_id(op);
  int n = (int)mlirOperationGetNumOperands(op);
  MlirValue x = n > 0 ? mlirOperationGetOperand(op, 0) : (MlirValue){0},
            y = n > 1 ? mlirOperationGetOperand(op, 1) : (MlirValue){0};
  switch (id) {
  case STRATA_OP_CONVERT:
  case STRATA_OP_CONVERT_U: {
    const strata_type_info_t *from = &strata_type_info[strata_shape_of(x).type];
    return from->kind == STRATA_TYPE_KIND_INTEGER ? ldexp(1, from->bits) : magnitude(compile, x, depth);
  }
  case STRATA_OP_MUL:
    return magnitude(compile, x, depth) * magnitude(compile, y, depth);
  case STRATA_OP_ADD:
  case STRATA_OP_SUB:
    return magnitude(compile, x, depth) + magnitude(compile, y, depth);
  case STRATA_OP_MAX:
  case STRATA_OP_MIN:
    return fmax(magnitude(compile, x, depth), magnitude(compile, y, depth));
  case STRATA_OP_ROUND_EVEN:
    return magnitude(compile, x, depth) + 1;
  case STRATA_OP_NEG:
  case STRATA_OP_ABS:
  case STRATA_OP_BROADCAST:
  case STRATA_OP_RESHAPE:
  case STRATA_OP_TRANSPOSE:
    return magnitude(compile, x, depth);
  default:
    return INFINITY;
  }
}

static double magnitude(strata_compile_t *compile, MlirValue value, int depth) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || depth <= 0 || strata_shape_of(value).type != STRATA_TYPE_F32)
    return INFINITY;
  double result = strata_op_id(op) == STRATA_OP_CONSTANT ? magnitude_of_constant(compile, value)
                                                         : magnitude_of_op(compile, op, depth - 1);
  return result <= FLT_MAX / 2 ? result : INFINITY; // 0 times INFINITY is NaN; the half is room for roundings
}

bool strata_is_number(strata_compile_t *compile, MlirValue value) {
  enum { DEPTH = 16 };
  return magnitude(compile, value, DEPTH) <= FLT_MAX;
}
