// Open addressing with linear probing.
#include "dialects/import/string_map.h"

#include "runtime/base/hash.h"

#include <stdint.h>
#include <string.h>

struct strata__string_slot {
  const char *key; // NULL: free
  void *value;
};

static size_t hash(const char *key) {
  uint64_t h = strata_hash_text(key);
  return (size_t)(h ^ h >> 32);
}

// The slot where |key| is, or where it would go.
static struct strata__string_slot *find(const strata_string_map_t *map, const char *key) {
  size_t i = hash(key) & (map->capacity - 1);
  while (map->slots[i].key && strcmp(map->slots[i].key, key) != 0)
    i = (i + 1) & (map->capacity - 1);
  return &map->slots[i];
}

void *strata_string_map_get(const strata_string_map_t *map, const char *key) {
  return map->capacity ? find(map, key)->value : NULL;
}

static void grow(strata_arena_t *arena, strata_string_map_t *map) {
  strata_string_map_t grown = {.count = map->count, .capacity = map->capacity ? 2 * map->capacity : 16};
  grown.slots = strata_arena_array(arena, struct strata__string_slot, grown.capacity);
  for (size_t i = 0; i < map->capacity; i++)
    if (map->slots[i].key)
      *find(&grown, map->slots[i].key) = map->slots[i];
  *map = grown;
}

void *strata_string_map_put(strata_arena_t *arena, strata_string_map_t *map, const char *key, void *value) {
  if (2 * (map->count + 1) > map->capacity)
    grow(arena, map);
  struct strata__string_slot *slot = find(map, key);
  void *before = slot->value;
  map->count += slot->key == NULL;
  *slot = (struct strata__string_slot){.key = key, .value = value};
  return before;
}
