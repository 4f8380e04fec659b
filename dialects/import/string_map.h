// A hash map from strings to pointers. Keys are borrowed; walking it is not possible, so that no result depends on hashes.
#ifndef STRATA_DIALECTS_IMPORT_STRING_MAP_H
#define STRATA_DIALECTS_IMPORT_STRING_MAP_H

#include "runtime/base/arena.h"

#include <stddef.h>

typedef struct {
  struct strata__string_slot *slots;
  size_t count, capacity; // a power of two, at most half full
} strata_string_map_t;

// The value of |key|, NULL if it has none.
void *strata_string_map_get(const strata_string_map_t *map, const char *key);
// Sets the value of |key|, which must outlive the map, and returns the one before, NULL if there was none.
void *strata_string_map_put(strata_arena_t *arena, strata_string_map_t *map, const char *key, void *value);

#endif
