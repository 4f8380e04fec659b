// Encoding tensor maps: the rules are those of the CUDA Driver API reference, cuTensorMapEncodeTiled.
#include "test/support/driver/map.h"

#include <string.h>

enum { UNIT = 16, MAX_BOX = 256, MAX_STEP = 8, MAX_PIXELS = 1024, FIRST_ARCH = 90, TF32 = 11 };
static const uint64_t magic = UINT64_C(0x5354524154414D50), max_size = UINT64_C(1) << 32,
                      max_stride = UINT64_C(1) << 40;

static const struct {
  uint8_t element;
  bool is_float;
} types[] = { // CUtensorMapDataType
    {1, false}, {2, false}, {4, false}, {4, false}, {8, false}, {8, false}, {2, true},
    {4, true},  {8, true},  {2, true},  {4, true},  {4, true},  {4, true}};
static const uint8_t swizzles[] = {0, 32, 64, 128}; // CUtensorMapSwizzle

_Static_assert(sizeof(map_t) <= MAP_SIZE, "it takes the place of a CUtensorMap");

static bool is_one_of(int value, size_t n) { return value >= 0 && (size_t)value < n; }

static int check_kinds(const tiled_t *tiled) {
  if (settings.arch && settings.arch < FIRST_ARCH)
    return fault(INVALID_VALUE, "a device of sm_%u has no tensor maps", settings.arch);
  if (!is_one_of(tiled->type, sizeof types / sizeof types[0]))
    return fault(INVALID_VALUE, "type %d", tiled->type);
  if (tiled->rank < 1 || tiled->rank > MAP_RANK)
    return fault(INVALID_VALUE, "rank %u", tiled->rank);
  if (tiled->interleave)
    return fault(INVALID_VALUE, "interleave %d: only 0 is emulated", tiled->interleave);
  if (!is_one_of(tiled->swizzle, sizeof swizzles))
    return fault(INVALID_VALUE, "swizzle %d", tiled->swizzle);
  if (!is_one_of(tiled->promotion, 4))
    return fault(INVALID_VALUE, "promotion to L2 %d", tiled->promotion);
  if (!is_one_of(tiled->fill, 2) || (tiled->fill && !types[tiled->type].is_float))
    return fault(INVALID_VALUE, "fill %d of type %d", tiled->fill, tiled->type);
  return OK;
}

static int check_dim(const tiled_t *tiled, unsigned i) {
  uint64_t stride = i ? tiled->strides[i - 1] : UNIT;
  if (!tiled->sizes[i] || tiled->sizes[i] > max_size)
    return fault(INVALID_VALUE, "dim %u: size %llu, expected 1 to 2^32", i, (unsigned long long)tiled->sizes[i]);
  if (!stride || stride % UNIT || stride >= max_stride)
    return fault(INVALID_VALUE, "dim %u: stride %llu, expected a multiple of 16 below 2^40", i,
                 (unsigned long long)stride);
  if (!tiled->box[i] || tiled->box[i] > MAX_BOX)
    return fault(INVALID_VALUE, "dim %u: box %u, expected 1 to 256", i, tiled->box[i]);
  // The innermost dim's is ignored; we want to be told what happens.
  if (!tiled->steps[i] || tiled->steps[i] > (i ? MAX_STEP : 1))
    return fault(INVALID_VALUE, "dim %u: step %u, expected 1 to %d", i, tiled->steps[i], i ? MAX_STEP : 1);
  return OK;
}

static int check(const tiled_t *tiled, const void *out) {
  if (!out || (uintptr_t)out % MAP_ALIGNMENT)
    return fault(INVALID_VALUE, "the map at %p, expected a multiple of 64", out);
  int result = check_kinds(tiled);
  if (result == OK && (!tiled->address || (uintptr_t)tiled->address % UNIT))
    result = fault(INVALID_VALUE, "address %p, expected a multiple of 16", tiled->address);
  for (unsigned i = 0; i < tiled->rank && result == OK; i++)
    result = check_dim(tiled, i);
  if (result != OK)
    return result;
  unsigned row = tiled->box[0] * types[tiled->type].element, span = swizzles[tiled->swizzle];
  if (row % UNIT)
    return fault(INVALID_VALUE, "rows of %u bytes, expected a multiple of 16", row);
  if (span && row > span)
    return fault(INVALID_VALUE, "rows of %u bytes, at most %u can be swizzled", row, span);
  return OK;
}

int map_encode(const tiled_t *tiled, void *out) {
  int result = check(tiled, out);
  if (result != OK)
    return result;
  map_t map = {.magic = magic,
               .address = tiled->address,
               .rank = (uint8_t)tiled->rank,
               .element = types[tiled->type].element,
               .swizzle = swizzles[tiled->swizzle],
               .rounds_to_tf32 = tiled->type >= TF32};
  for (unsigned i = 0; i < MAP_RANK; i++) {
    bool exists = i < tiled->rank;
    map.sizes[i] = exists ? tiled->sizes[i] : 1;
    map.strides[i] = !i ? map.element : exists ? tiled->strides[i - 1] : 0;
    map.box[i] = (uint16_t)(exists ? tiled->box[i] : 1);
    map.steps[i] = (uint8_t)(exists ? tiled->steps[i] : 1);
  }
  memset(out, 0, MAP_SIZE);
  memcpy(out, &map, sizeof map);
  return OK;
}

// Channels and pixels take the place of a box.
int map_encode_window(const tiled_t *tiled, const window_t *window, void *out) {
  static const int most[] = {0, 0, 0, 1 << 15, 1 << 7, 1 << 4}; // of a corner, by rank
  uint32_t box[MAP_RANK] = {window->channels, window->pixels < MAX_BOX ? window->pixels : MAX_BOX, 1, 1, 1};
  tiled_t boxed = *tiled;
  boxed.box = box;
  if (tiled->rank < 3)
    return fault(INVALID_VALUE, "rank %u of a map with a window", tiled->rank);
  int result = map_encode(&boxed, out);
  if (result == OK && (!window->pixels || window->pixels > MAX_PIXELS))
    result = fault(INVALID_VALUE, "%u pixels, expected 1 to 1024", window->pixels);
  map_t *map = out;
  for (unsigned i = 1; i + 1 < tiled->rank && result == OK; i++) {
    int lower = window->lower[i - 1], upper = window->upper[i - 1], limit = most[tiled->rank];
    if (lower < -limit || lower >= limit || upper < -limit || upper >= limit)
      return fault(INVALID_VALUE, "corners %d and %d, expected -%d to %d", lower, upper, limit, limit - 1);
    if ((int64_t)tiled->sizes[i] - 1 + upper < lower)
      return fault(INVALID_VALUE, "corners %d and %d with nothing between them", lower, upper);
    map->lower[i - 1] = (int16_t)lower;
    map->upper[i - 1] = (int16_t)upper;
  }
  if (result == OK) {
    map->has_window = true;
    map->box[1] = (uint16_t)window->pixels;
  }
  return result;
}

const map_t *map_at(const void *memory) {
  uint64_t word;
  memcpy(&word, memory, sizeof word);
  return word == magic ? memory : NULL;
}

size_t map_extent(const map_t *map) {
  size_t end = map->element;
  for (unsigned i = 0; i < map->rank; i++)
    end += (map->sizes[i] - 1) * map->strides[i];
  return end;
}
