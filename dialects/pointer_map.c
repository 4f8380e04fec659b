// Open addressing with linear probing, at most half full; a removed key leaves a tombstone.
#include "dialects/pointer_map.h"

struct strata__pointer_slot {
  const void *key;
  int64_t value;
};

static const char tombstone_object;
static const void *const tombstone = &tombstone_object;

uint64_t strata_hash_pointer(uint64_t hash, const void *pointer) {
  hash = (hash ^ (uint64_t)(uintptr_t)pointer) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

strata_pointer_map_t strata_pointer_map_create(strata_arena_t *arena) { return (strata_pointer_map_t){.arena = arena}; }

// The slot of |key|, or the free one where it would go.
static struct strata__pointer_slot *find_slot(const strata_pointer_map_t *map, const void *key) {
  size_t i = strata_hash_pointer(0, key) & (map->capacity - 1);
  while (map->slots[i].key && map->slots[i].key != key)
    i = (i + 1) & (map->capacity - 1);
  return &map->slots[i];
}

// Makes room: twice the slots, or as many without the tombstones if those are the larger part.
static void rebuild(strata_pointer_map_t *map) {
  strata_pointer_map_t rebuilt = strata_pointer_map_create(map->arena);
  rebuilt.capacity = map->capacity == 0 ? 64 : 4 * map->live < map->capacity ? map->capacity : 2 * map->capacity;
  rebuilt.slots = strata_arena_array(map->arena, struct strata__pointer_slot, rebuilt.capacity);
  rebuilt.live = rebuilt.used = map->live;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->slots[i].key && map->slots[i].key != tombstone)
      *find_slot(&rebuilt, map->slots[i].key) = map->slots[i];
  *map = rebuilt;
}

int64_t *strata_pointer_map_get(const strata_pointer_map_t *map, const void *key) {
  if (!map->capacity)
    return NULL;
  struct strata__pointer_slot *slot = find_slot(map, key);
  return slot->key ? &slot->value : NULL;
}

// A tombstone on the way to where |key| would go, so that a key that comes and goes does not lengthen the way.
static struct strata__pointer_slot *find_tombstone(const strata_pointer_map_t *map, const void *key) {
  size_t i = strata_hash_pointer(0, key) & (map->capacity - 1);
  while (map->slots[i].key && map->slots[i].key != tombstone)
    i = (i + 1) & (map->capacity - 1);
  return map->slots[i].key ? &map->slots[i] : NULL;
}

int64_t *strata_pointer_map_put(strata_pointer_map_t *map, const void *key) {
  if (2 * (map->used + 1) > map->capacity)
    rebuild(map);
  struct strata__pointer_slot *slot = find_slot(map, key), *free_slot;
  if (slot->key)
    return &slot->value;
  free_slot = find_tombstone(map, key);
  map->used += !free_slot;
  map->live++;
  slot = free_slot ? free_slot : slot;
  *slot = (struct strata__pointer_slot){.key = key};
  return &slot->value;
}

void strata_pointer_map_remove(strata_pointer_map_t *map, const void *key) {
  struct strata__pointer_slot *slot = map->capacity ? find_slot(map, key) : NULL;
  if (!slot || !slot->key)
    return;
  *slot = (struct strata__pointer_slot){.key = tombstone};
  map->live--;
}
