// What a distribution knows of the values of the old code: a record each, in classes of values that share a decision,
// say a layout.
//
// A target's own record begins with strata_record_t and is zero behind it when it is new. Records live in the arena.
#ifndef STRATA_LOWERING_DISTRIBUTE_RECORDS_H
#define STRATA_LOWERING_DISTRIBUTE_RECORDS_H

#include "runtime/base/arena.h"

#include <mlir-c/IR.h>

typedef struct strata_record {
  MlirValue old;
  struct strata_record *parent; // of its class (union-find); NULL at the root, which has what is decided
} strata_record_t;

typedef struct {
  strata_arena_t *arena;
  size_t bytes;            // of a target's record
  strata_record_t **slots; // open addressing by old value
  size_t count, capacity;
} strata_records_t;

strata_records_t strata_records_create(strata_arena_t *arena, size_t bytes);

// The record of |old|, new at first, and that of its class.
void *strata_record_of(strata_records_t *records, MlirValue old);
void *strata_record_root(strata_records_t *records, MlirValue old);
// Makes one class of those of |a| and |b|: returns its root, which was that of |a|, and in *out_other what was the root
// of |b|'s; NULL if they were one already.
void *strata_records_unify(strata_records_t *records, MlirValue a, MlirValue b, void *out_other);

#endif
