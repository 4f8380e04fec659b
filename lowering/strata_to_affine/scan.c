// Running combinations along an axis: parallel over the other dims, and a serial loop that stores as it goes.
//
//   affine.parallel (%i) = (0) to (8) {
//     affine.for %k = 0 to 64 iter_args(%a = %zero) -> (f32) {
//       %x = affine.load %x[%i, %k] ...  %n = arith.addf %a, %x : f32  affine.store %n, %y[%i, %k] ...  affine.yield %n
//       }
//   } {strata.nest = "scan", strata.serial}
#include "lowering/strata_to_affine/lower.h"

strata_status_t strata__lower_scan(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *operand = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  int axis = (int)strata_attr_i64(op, "axis", 0);
  strata_size_t length = operand->sizes[axis], others[STRATA_MAX_RANK];
  strata_combiner_t combiner = strata__combiner_of(op);
  strata__nest_t nest;
  MlirAffineExpr coordinates[STRATA_MAX_RANK];
  MlirValue before, final;
  for (int i = 0; i < operand->rank - 1; i++)
    others[i] = operand->sizes[i < axis ? i : i + 1];
  strata__nest_begin(l, &nest, op, "scan", operand->rank - 1, others);
  nest.is_serial = true;
  MlirValue neutral = strata__neutral_value(&nest, combiner, strata__math_type(l->context, operand->type));
  strata__loop_t loop = strata__for_begin(&nest, length, 1, &neutral, &before);
  for (int i = 0; i < operand->rank; i++)
    coordinates[i] = strata__dim(&nest, i < axis ? i : i - 1);
  MlirAffineExpr step = strata__dim(&nest, nest.n_dims - 1);
  coordinates[axis] =
      strata_attr_flag(op, "reverse") ? strata__plus(&nest, strata__linear(&nest, step, -1, -1), length) : step;
  MlirValue after = strata__combine(&nest, combiner, before, strata__load(&nest, operand, coordinates));
  strata__store(&nest, result, coordinates, strata_attr_flag(op, "exclusive") ? before : after);
  strata__for_end(&nest, loop, 1, &after, &final);
  strata__nest_end(&nest);
  return NULL;
}
