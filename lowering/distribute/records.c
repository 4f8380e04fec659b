// See records.h.
#include "lowering/distribute/records.h"

#include <stdint.h>

enum { LEAST_CAPACITY = 256 };

strata_records_t strata_records_create(strata_arena_t *arena, size_t bytes) {
  return (strata_records_t){.arena = arena, .bytes = bytes};
}

static size_t hash_value(MlirValue value) { return (size_t)(((uintptr_t)value.ptr >> 3) * 0x9E3779B97F4A7C15u >> 16); }

static strata_record_t **find_place(const strata_records_t *records, MlirValue old) {
  size_t at = hash_value(old) & (records->capacity - 1);
  while (records->slots[at] && !mlirValueEqual(records->slots[at]->old, old))
    at = (at + 1) & (records->capacity - 1);
  return &records->slots[at];
}

static void grow(strata_records_t *records) {
  strata_record_t **old = records->slots;
  size_t old_capacity = records->capacity;
  records->capacity = old_capacity ? old_capacity * 2 : LEAST_CAPACITY;
  records->slots = strata_arena_array(records->arena, strata_record_t *, records->capacity);
  for (size_t i = 0; i < old_capacity; i++)
    if (old[i])
      *find_place(records, old[i]->old) = old[i];
}

void *strata_record_of(strata_records_t *records, MlirValue old) {
  if (records->count * 2 >= records->capacity)
    grow(records);
  strata_record_t **place = find_place(records, old);
  if (!*place) {
    *place = strata_arena_alloc(records->arena, records->bytes);
    (*place)->old = old;
    records->count++;
  }
  return *place;
}

void *strata_record_root(strata_records_t *records, MlirValue old) {
  strata_record_t *record = strata_record_of(records, old);
  while (record->parent) {
    if (record->parent->parent)
      record->parent = record->parent->parent;
    record = record->parent;
  }
  return record;
}

void *strata_records_unify(strata_records_t *records, MlirValue a, MlirValue b, void *out_other) {
  strata_record_t *root_a = strata_record_root(records, a), *root_b = strata_record_root(records, b);
  if (root_a == root_b)
    return NULL;
  root_b->parent = root_a;
  *(strata_record_t **)out_other = root_b;
  return root_a;
}
