// Shorthands for arith ops; see ops.h.
#include "lowering/expand/ops.h"

MlirValue strata_emit_unary(strata_emitter_t *e, const char *name, MlirValue a) {
  return strata_emit_value(e, name, 1, &a, mlirValueGetType(a), 0, NULL);
}

MlirValue strata_emit_binary(strata_emitter_t *e, const char *name, MlirValue a, MlirValue b) {
  return strata_emit_value(e, name, 2, (MlirValue[]){a, b}, mlirValueGetType(a), 0, NULL);
}

MlirValue strata_emit_contracting(strata_emitter_t *e, const char *name, MlirValue a, MlirValue b) {
  strata_named_attr_t flags = {"fastmath", mlirAttributeParseGet(e->context, strata_str("#arith.fastmath<contract>"))};
  return strata_emit_value(e, name, 2, (MlirValue[]){a, b}, mlirValueGetType(a), 1, &flags);
}

MlirValue strata_emit_with(strata_emitter_t *e, const char *name, MlirValue a, int64_t b) {
  return strata_emit_binary(e, name, a, strata_emit_index(e, b));
}

MlirValue strata_emit_plus(strata_emitter_t *e, MlirValue a, int64_t b) {
  return b ? strata_emit_binary(e, "arith.addi", a, strata_emit_index(e, b)) : a;
}

MlirValue strata_emit_times(strata_emitter_t *e, MlirValue a, int64_t b) {
  return strata_emit_with(e, "arith.muli", a, b);
}

MlirValue strata_emit_cast(strata_emitter_t *e, const char *name, MlirValue a, MlirType type) {
  return strata_emit_value(e, name, 1, &a, type, 0, NULL);
}

MlirValue strata_emit_select(strata_emitter_t *e, MlirValue condition, MlirValue a, MlirValue b) {
  return strata_emit_value(e, "arith.select", 3, (MlirValue[]){condition, a, b}, mlirValueGetType(a), 0, NULL);
}

static MlirValue compare(strata_emitter_t *e, const char *name, int64_t predicate, MlirValue a, MlirValue b) {
  strata_named_attr_t attr = {"predicate", strata_i64_attr(e->context, predicate)};
  MlirType truth = strata_type_like(mlirValueGetType(a), mlirIntegerTypeGet(e->context, 1));
  return strata_emit_value(e, name, 2, (MlirValue[]){a, b}, truth, 1, &attr);
}

MlirValue strata_emit_cmpf(strata_emitter_t *e, strata_cmpf_t predicate, MlirValue a, MlirValue b) {
  return compare(e, "arith.cmpf", predicate, a, b);
}

MlirValue strata_emit_cmpi(strata_emitter_t *e, strata_cmpi_t predicate, MlirValue a, MlirValue b) {
  return compare(e, "arith.cmpi", predicate, a, b);
}

MlirValue strata_emit_real(strata_emitter_t *e, MlirType type, double value) {
  return strata_emit_constant(e, type, mlirFloatAttrDoubleGet(e->context, strata_type_element(type), value));
}

MlirValue strata_emit_integer(strata_emitter_t *e, MlirType type, int64_t value) {
  return strata_emit_constant(e, type, mlirIntegerAttrGet(strata_type_element(type), value));
}

int64_t strata_buffer_bytes(MlirType memref) {
  int64_t bytes = strata_element_bytes(mlirShapedTypeGetElementType(memref));
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(memref); i++)
    bytes *= mlirShapedTypeGetDimSize(memref, i);
  return bytes;
}

MlirType strata_type_like(MlirType type, MlirType element) {
  if (!mlirTypeIsAVector(type))
    return element;
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  return mlirVectorTypeGet(1, &size, element);
}

//===-- Lanes ----------------------------------------------------------------------------------------------------===//

MlirType strata_lanes_type(MlirType element, int64_t length) {
  return length == 1 ? element : mlirVectorTypeGet(1, &length, element);
}

MlirValue strata_lanes_extract(strata_emitter_t *e, MlirValue piece, int64_t lane) {
  MlirType type = mlirValueGetType(piece);
  if (!mlirTypeIsAVector(type))
    return piece;
  strata_named_attr_t position = {"static_position", strata_i64s_attr(e->context, 1, &lane)};
  return strata_emit_value(e, "vector.extract", 1, &piece, mlirShapedTypeGetElementType(type), 1, &position);
}

MlirValue strata_lanes_splat(strata_emitter_t *e, MlirValue scalar, int64_t length) {
  if (length == 1)
    return scalar;
  MlirType type = strata_lanes_type(mlirValueGetType(scalar), length);
  return strata_emit_value(e, "vector.broadcast", 1, &scalar, type, 0, NULL);
}

MlirValue strata_lanes_shuffle(strata_emitter_t *e, MlirValue a, MlirValue b, int64_t length, const int64_t *mask) {
  MlirType type = strata_lanes_type(mlirShapedTypeGetElementType(mlirValueGetType(a)), length);
  strata_named_attr_t attr = {"mask", strata_i64s_attr(e->context, (int)length, mask)};
  return strata_emit_value(e, "vector.shuffle", 2, (MlirValue[]){a, b}, type, 1, &attr);
}

MlirValue strata_lanes_of_scalars(strata_emitter_t *e, int64_t length, const MlirValue *scalars) {
  if (length == 1)
    return scalars[0];
  MlirType type = strata_lanes_type(mlirValueGetType(scalars[0]), length);
  return strata_emit_value(e, "vector.from_elements", (int)length, scalars, type, 0, NULL);
}

MlirValue strata_lanes_load(strata_emitter_t *e, MlirType type, MlirValue memory, MlirValue at) {
  const char *name = mlirTypeIsAVector(type) ? "vector.load" : "memref.load";
  return strata_emit_value(e, name, 2, (MlirValue[]){memory, at}, type, 0, NULL);
}

void strata_lanes_store(strata_emitter_t *e, MlirValue value, MlirValue memory, MlirValue at) {
  const char *name = mlirTypeIsAVector(mlirValueGetType(value)) ? "vector.store" : "memref.store";
  strata_emit_op(e, name, 3, (MlirValue[]){value, memory, at}, 0, NULL, 0, NULL);
}
