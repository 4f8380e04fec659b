// The map from old values to their registers, and the layout each of them follows; see distribute.h.
#include "lowering/tile_to_gpu/values.h"

#include <assert.h>

strata_records_t strata_gpu_records(strata_arena_t *arena) {
  return strata_records_create(arena, sizeof(strata_gpu_record_t));
}

strata_gpu_record_t *strata_gpu_record_of(strata_gpu_distribution_t *d, MlirValue old) {
  return strata_record_of(&d->values, old);
}

strata_gpu_record_t *strata_gpu_record_root(strata_gpu_distribution_t *d, MlirValue old) {
  return strata_record_root(&d->values, old);
}

//===-- Layouts --------------------------------------------------------------------------------------------------===//

void strata_layouts_unify(strata_gpu_distribution_t *d, MlirValue a, MlirValue b) {
  strata_gpu_record_t *other, *root = strata_records_unify(&d->values, a, b, &other);
  if (root && !root->layout)
    root->layout = other->layout;
}

void strata_layout_fix(strata_gpu_distribution_t *d, MlirValue old, const strata_layout_t *layout) {
  strata_layout_t *copy = strata_arena_new(d->compile->arena, strata_layout_t);
  *copy = *layout;
  strata_gpu_record_root(d, old)->layout = copy;
}

const strata_layout_t *strata_layout_of(strata_gpu_distribution_t *d, MlirValue old) {
  strata_gpu_record_t *root = strata_gpu_record_root(d, old);
  if (!root->layout) { // a scalar, or a vector without relations to others
    strata_registers_t shape = strata_registers_shape(mlirValueGetType(old), &(strata_layout_t){0});
    const int order[STRATA_VALUE_RANK] = {shape.rank - 1, shape.rank - 2, shape.rank - 3, shape.rank - 4,
                                          shape.rank - 5, shape.rank - 6, shape.rank - 7, shape.rank - 8};
    strata_layout_t layout = strata_layout_build(shape.rank, shape.sizes, d->role.group, order, 1);
    strata_layout_fix(d, old, &layout);
  }
  return root->layout;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

strata_registers_t strata_registers_shape(MlirType type, const strata_layout_t *layout) {
  strata_registers_t shape = {.type = type, .element = type, .layout = *layout};
  if (mlirTypeIsAVector(type)) {
    shape.element = mlirShapedTypeGetElementType(type);
    shape.rank = (int)mlirShapedTypeGetRank(type);
    assert(shape.rank <= STRATA_VALUE_RANK);
    for (int dim = 0; dim < shape.rank; dim++)
      shape.sizes[dim] = mlirShapedTypeGetDimSize(type, dim);
  }
  shape.count = strata_layout_registers(layout);
  return shape;
}

strata_registers_t strata_registers_in(strata_gpu_distribution_t *d, MlirType type, const strata_layout_t *layout) {
  strata_registers_t registers = strata_registers_shape(type, layout);
  registers.values = strata_arena_array(d->compile->arena, MlirValue, registers.count);
  return registers;
}

strata_registers_t strata_registers_new(strata_gpu_distribution_t *d, MlirValue old) {
  return strata_registers_in(d, mlirValueGetType(old), strata_layout_of(d, old));
}

void strata_registers_define(strata_gpu_distribution_t *d, MlirValue old, const strata_registers_t *registers) {
  strata_gpu_record_of(d, old)->registers = *registers;
}

const strata_registers_t *strata_registers_of(strata_gpu_distribution_t *d, MlirValue old) {
  const strata_registers_t *registers = &strata_gpu_record_of(d, old)->registers;
  assert(registers->values && "a value is used before its definition was distributed");
  return registers;
}

MlirValue strata_new_scalar(strata_gpu_distribution_t *d, MlirValue old) {
  return strata_registers_of(d, old)->values[0];
}

void strata_define_scalar(strata_gpu_distribution_t *d, MlirValue old, MlirValue scalar) {
  strata_registers_t registers = strata_registers_in(d, mlirValueGetType(old), &(strata_layout_t){0});
  registers.values[0] = scalar;
  strata_registers_define(d, old, &registers);
}

void strata_define_step(strata_gpu_distribution_t *d, MlirBlock body, MlirValue step) {
  MlirValue induction = mlirBlockGetArgument(body, 0);
  strata_gpu_record_of(d, induction)->counter = step;
  strata_define_scalar(d, induction, step);
}
