// The map from old values to their registers, and the layout each of them follows; see distribute.h.
#include "lowering/tile_to_gpu/values.h"

#include <assert.h>

static size_t hash_value(MlirValue value) { return (size_t)(((uintptr_t)value.ptr >> 3) * 0x9E3779B97F4A7C15u >> 16); }

static strata_gpu_record_t **find_place(const strata_gpu_distribution_t *d, MlirValue old) {
  size_t at = hash_value(old) & (d->values.capacity - 1);
  while (d->values.records[at] && !mlirValueEqual(d->values.records[at]->old, old))
    at = (at + 1) & (d->values.capacity - 1);
  return &d->values.records[at];
}

static void grow(strata_gpu_distribution_t *d) {
  strata_gpu_record_t **old = d->values.records;
  size_t old_capacity = d->values.capacity;
  d->values.capacity = old_capacity ? old_capacity * 2 : 256;
  d->values.records = strata_arena_array(d->compile->arena, strata_gpu_record_t *, d->values.capacity);
  for (size_t i = 0; i < old_capacity; i++)
    if (old[i])
      *find_place(d, old[i]->old) = old[i];
}

strata_gpu_record_t *strata_gpu_record_of(strata_gpu_distribution_t *d, MlirValue old) {
  if (d->values.n_records * 2 >= d->values.capacity)
    grow(d);
  strata_gpu_record_t **place = find_place(d, old);
  if (!*place) {
    *place = strata_arena_new(d->compile->arena, strata_gpu_record_t);
    (*place)->old = old;
    d->values.n_records++;
  }
  return *place;
}

//===-- Layouts --------------------------------------------------------------------------------------------------===//

strata_gpu_record_t *strata_gpu_record_root(strata_gpu_distribution_t *d, MlirValue old) {
  strata_gpu_record_t *record = strata_gpu_record_of(d, old);
  while (record->parent) {
    if (record->parent->parent)
      record->parent = record->parent->parent;
    record = record->parent;
  }
  return record;
}

void strata_layouts_unify(strata_gpu_distribution_t *d, MlirValue a, MlirValue b) {
  strata_gpu_record_t *root_a = strata_gpu_record_root(d, a), *root_b = strata_gpu_record_root(d, b);
  if (root_a == root_b)
    return;
  if (!root_a->layout)
    root_a->layout = root_b->layout;
  root_b->parent = root_a;
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
