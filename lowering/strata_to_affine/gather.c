// Reads at positions that are data: the index is loaded, clamped, and used in a memref.load.
//
//   %2 = "strata.gather"(%0, %1) {axis = 0, batch_dims = 0} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
// becomes
//   affine.parallel (%i, %j) = (0, 0) to (4, 8) {
//     %n = affine.load %indices[%i] ...  %c = arith.minsi (arith.maxsi %n, 0), 99  %k = arith.index_cast %c
//     %x = memref.load %data[%k, %j] : memref<100x8xf32>   affine.store %x, %y[%i, %j] : memref<4x8xf32> }
#include "lowering/strata_to_affine/lower.h"

// size - 1 as an integer of |type|.
static MlirValue last_index(strata__nest_t *nest, MlirType type, strata_size_t size) {
  int64_t number;
  if (strata_size_is_constant(size, &number))
    return strata__int_constant(nest, type, number - 1);
  MlirAffineExpr last = strata__plus(nest, strata__constant(nest, -1), size);
  return strata__cast(nest, "arith.index_cast", strata__index_of(nest, last), type);
}

// |value|, an integer, as an index in [0, size). The size may be beyond its type: where it varies the type is a wider
// one.
static MlirValue clamped_index(strata__nest_t *nest, MlirValue value, strata_size_t size) {
  MlirType type = mlirValueGetType(value);
  unsigned width = mlirIntegerTypeGetWidth(type);
  bool fits = width == 64 || strata_size_max(size) - 1 < (int64_t)1 << (width - 1);
  if (!fits && strata_size_varies(size)) {
    type = mlirIntegerTypeGet(nest->lowering->context, 64);
    value = strata__cast(nest, "arith.extsi", value, type);
    fits = true;
  }
  value = strata__binary(nest, "arith.maxsi", value, strata__int_constant(nest, type, 0));
  if (fits)
    value = strata__binary(nest, "arith.minsi", value, last_index(nest, type, size));
  return strata__to_index(nest, value);
}

// The result's coordinates are: dims of data before the axis, dims of indices after the batch, dims of data after it.
static MlirValue gather(strata__nest_t *nest, MlirOperation op, int axis, int batch, const MlirAffineExpr *point) {
  const strata__tensor_t *data = strata__operand(nest->lowering, op, 0),
                         *indices = strata__operand(nest->lowering, op, 1);
  MlirAffineExpr at[STRATA_MAX_RANK];
  MlirValue coordinates[STRATA_MAX_RANK];
  for (int i = 0; i < indices->rank; i++)
    at[i] = point[i < batch ? i : axis + i - batch];
  MlirValue index =
      clamped_index(nest, strata__index_value(nest, mlirOperationGetOperand(op, 1), at), data->sizes[axis]);
  for (int i = 0; i < data->rank; i++)
    coordinates[i] = i == axis ? index : strata__index_of(nest, point[i < axis ? i : i + indices->rank - batch - 1]);
  return strata__load_at(nest, data, coordinates);
}

strata_status_t strata__lower_gather(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *data = strata__operand(l, op, 0);
  const strata__tensor_t *result = strata__result(l, op, 0);
  int axis = (int)strata_attr_i64(op, "axis", 0), batch = (int)strata_attr_i64(op, "batch_dims", 0);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  if (strata__is_empty(data))
    return strata_error(STRATA_INVALID_ARGUMENT, "gather: there is nothing to read in an empty tensor");
  strata__nest_begin_for(l, &nest, op, "gather", result, point);
  strata__store(&nest, result, point, gather(&nest, op, axis, batch, point));
  strata__nest_end(&nest);
  return NULL;
}
