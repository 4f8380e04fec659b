// A hash map from pointers (of MLIR's objects) to integers, for what a pass wants to remember of an op or a value. It
// cannot be walked, so that no result depends on addresses. An entry must be removed before its object is destroyed if
// the map lives on: the address may come back.
#ifndef STRATA_DIALECTS_POINTER_MAP_H
#define STRATA_DIALECTS_POINTER_MAP_H

#include "runtime/base/arena.h"

#include <stdint.h>

typedef struct {
  strata_arena_t *arena;
  struct strata__pointer_slot *slots;
  size_t live, used, capacity; // keys; keys and tombstones; slots
} strata_pointer_map_t;

strata_pointer_map_t strata_pointer_map_create(strata_arena_t *arena);

// The value of |key|; NULL if it has none. Valid until the next put.
int64_t *strata_pointer_map_get(const strata_pointer_map_t *map, const void *key);
// The value of |key|, 0 if it is new.
int64_t *strata_pointer_map_put(strata_pointer_map_t *map, const void *key);
void strata_pointer_map_remove(strata_pointer_map_t *map, const void *key);

uint64_t strata_hash_pointer(uint64_t hash, const void *pointer); // mixes |pointer| into |hash|

#endif
