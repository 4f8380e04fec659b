// The copy engine: boxes of a buffer into shared memory and back.
#include "test/support/driver/early.h"
#include "test/support/driver/emulated.h"
#include "test/support/driver/execute.h"
#include "test/support/driver/map.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, ALIGNMENT = 128, MAX_ROW = 256 * 8 };

typedef struct {
  const map_t *map;
  char *shared;
  uint64_t *barrier;
  unsigned from;   // rank of the block that has started it
  uint32_t blocks; // bits of those that it is for
  int64_t at[MAP_RANK], offsets[MAP_RANK];
} copy_t;

//===-- One copy -------------------------------------------------------------------------------------------------===//

static uint32_t count(const map_t *map, unsigned dim) {
  return (map->box[dim] + map->steps[dim] - 1u) / map->steps[dim];
}

static uint32_t row_size(const map_t *map) { return (uint32_t)map->box[0] * map->element; }

// Rows of a swizzled box are as long as the span.
static uint32_t pitch(const map_t *map) { return map->swizzle ? map->swizzle : row_size(map); }

static uint32_t count_rows(const map_t *map) {
  uint32_t n = 1;
  if (map->has_window)
    return map->box[1];
  for (unsigned i = 1; i < MAP_RANK; i++)
    n *= count(map, i);
  return n;
}

// Where pixel |row| of a copy by a map with a window lies along each dim: so many beginnings of windows after the
// first.
static void find_pixel(const copy_t *copy, uint32_t row, int64_t *out) {
  const map_t *map = copy->map;
  int64_t rest = row;
  for (unsigned i = 1; i + 1 < map->rank; i++) {
    int64_t first = map->lower[i - 1], step = map->steps[i];
    int64_t n = ((int64_t)map->sizes[i] - 1 + map->upper[i - 1] - first) / step + 1;
    int64_t number = (copy->at[i] - first) / step + rest;
    if ((copy->at[i] - first) % step || copy->at[i] < first)
      kernel_fault("a copy from pixel %lld of dim %u, where no window begins", (long long)copy->at[i], i);
    out[i] = first + number % n * step + copy->offsets[i];
    rest = number / n;
  }
  out[map->rank - 1] = copy->at[map->rank - 1] + rest;
}

// Where row |row| of the box begins in the buffer, with its part from element |*out_first| on, |*out_count| elements,
// inside; none of it may be.
static char *find_row(const copy_t *copy, uint32_t row, int64_t *out_first, int64_t *out_count) {
  const map_t *map = copy->map;
  int64_t first = copy->at[0] < 0 ? -copy->at[0] : 0, end = (int64_t)map->sizes[0] - copy->at[0];
  int64_t offset = 0;
  int64_t pixel[MAP_RANK] = {0};
  bool is_inside = true;
  if (map->has_window)
    find_pixel(copy, row, pixel);
  for (unsigned i = 1; i < MAP_RANK; i++) {
    int64_t at = map->has_window ? pixel[i] : copy->at[i] + (int64_t)(row % count(map, i)) * map->steps[i];
    is_inside &= at >= 0 && at < (int64_t)map->sizes[i];
    offset += at * (int64_t)map->strides[i];
    row /= count(map, i);
  }
  end = end < map->box[0] ? end : map->box[0];
  *out_first = first;
  *out_count = is_inside && end > first ? end - first : 0;
  return *out_count ? map->address + offset + (copy->at[0] + first) * map->element : NULL;
}

// To the nearest value of ten bits of mantissa; infinity and NaN stay.
static void round_to_tf32(char *row, uint32_t size) {
  for (uint32_t i = 0; i < size; i += 4) {
    uint32_t bits;
    memcpy(&bits, row + i, sizeof bits);
    if ((bits & 0x7F800000) != 0x7F800000)
      bits = (bits + 0xFFF + (bits >> 13 & 1)) & ~UINT32_C(0x1FFF);
    memcpy(row + i, &bits, sizeof bits);
  }
}

static char *place(const copy_t *copy, uint32_t row, uint32_t unit) {
  uintptr_t address = (uintptr_t)copy->shared + row * pitch(copy->map) + unit;
  return copy->shared + (swizzled(address, copy->map->swizzle) - (uintptr_t)copy->shared);
}

static void load(const copy_t *copy) {
  const map_t *map = copy->map;
  uint32_t size = row_size(map), n = count_rows(map);
  for (uint32_t row = 0; row < n; row++) {
    char bytes[MAX_ROW] = {0};
    int64_t first, n_inside;
    const char *src = find_row(copy, row, &first, &n_inside);
    if (src)
      memcpy(bytes + first * map->element, src, (size_t)n_inside * map->element);
    if (map->rounds_to_tf32)
      round_to_tf32(bytes, size);
    for (uint32_t unit = 0; unit < size; unit += UNIT)
      memcpy(place(copy, row, unit), bytes + unit, UNIT);
  }
}

static void store(const copy_t *copy) {
  const map_t *map = copy->map;
  uint32_t size = row_size(map), n = count_rows(map);
  for (uint32_t row = 0; row < n; row++) {
    char bytes[MAX_ROW];
    int64_t first, n_inside;
    char *dst = find_row(copy, row, &first, &n_inside);
    for (uint32_t unit = 0; unit < size; unit += UNIT)
      memcpy(bytes + unit, place(copy, row, unit), UNIT);
    if (dst)
      memcpy(dst, bytes + first * map->element, (size_t)n_inside * map->element);
  }
}

static copy_t create(const void *map, const void *shared, uint64_t *barrier, const int32_t *at) {
  copy_t copy = {.map = map_at(map), .shared = (char *)(uintptr_t)shared, .barrier = barrier};
  if (!copy.map)
    kernel_fault("a copy by what is no tensor map");
  size_t offset = shared_offset(shared, (size_t)count_rows(copy.map) * pitch(copy.map));
  if (offset % ALIGNMENT)
    kernel_fault("a copy at byte %zu of shared memory, expected a multiple of %d", offset, ALIGNMENT);
  if ((int64_t)at[0] * (int64_t)copy.map->element % UNIT)
    kernel_fault("a copy from element %d of a row on, of %u bytes each: expected a multiple of %d bytes", at[0],
                 (unsigned)copy.map->element, UNIT);
  for (unsigned i = 0; i < MAP_RANK; i++) {
    copy.at[i] = at[i];
    if (i >= copy.map->rank && at[i])
      kernel_fault("coordinate %u of a copy is %d, but the map has %u dims", i, at[i], copy.map->rank);
  }
  return copy;
}

//===-- Those that were put off ----------------------------------------------------------------------------------===//

static struct {
  copy_t *data;
  size_t n, next, capacity;
} copies;

void copies_reset(void) { copies.n = copies.next = 0; }

size_t copies_left(void) {
  size_t n = 0;
  for (size_t i = copies.next; i < copies.n; i++)
    n += copies.data[i].from == block_rank() || copies.data[i].blocks >> block_rank() & 1;
  return n;
}

// The part of |copy| that is for block |rank|: the same place of its memory.
static void carry_out(copy_t copy, unsigned rank) {
  unsigned own = block_rank();
  copy.shared = cluster_place(copy.shared, copy.from, rank);
  copy.barrier = cluster_place(copy.barrier, copy.from, rank);
  block_visit(rank);
  load(&copy);
  phase_complete(copy.barrier, count_rows(copy.map) * row_size(copy.map));
  block_visit(own);
}

bool copies_advance(void) {
  if (copies.next == copies.n)
    return false;
  copy_t copy = copies.data[copies.next++];
  if (copies.next == copies.n)
    copies_reset();
  for (unsigned rank = 0; rank < STRATA_EMULATED_CLUSTER; rank++)
    if (copy.blocks >> rank & 1)
      carry_out(copy, rank);
  return true;
}

// For the cluster's |blocks|, a bit each; 0: the own one alone.
static void put_off(copy_t *copy, uint32_t blocks) {
  copy->from = block_rank();
  copy->blocks = blocks ? blocks : UINT32_C(1) << copy->from;
  shared_offset(copy->barrier, sizeof *copy->barrier);
  early_note(copy->map->address, map_extent(copy->map));
  if (copies.n == copies.capacity) {
    copies.capacity = copies.capacity ? 2 * copies.capacity : 64;
    copies.data = realloc(copies.data, copies.capacity * sizeof *copies.data);
    if (!copies.data)
      abort();
  }
  copies.data[copies.n++] = *copy;
}

EXPORT void strata_emulated_bulk_load(const void *map, void *shared, uint64_t *barrier, int32_t c0, int32_t c1,
                                      int32_t c2, int32_t c3, int32_t c4) {
  copy_t copy = create(map, shared, barrier, (int32_t[]){c0, c1, c2, c3, c4});
  if (copy.map->has_window)
    kernel_fault("a copy without offsets by a map with a window");
  put_off(&copy, 0);
}

EXPORT void strata_emulated_bulk_multicast(const void *map, void *shared, uint64_t *barrier, uint16_t blocks,
                                           int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4) {
  copy_t copy = create(map, shared, barrier, (int32_t[]){c0, c1, c2, c3, c4});
  if (copy.map->has_window || !blocks)
    kernel_fault("a copy for several blocks by a map with a window, or for none");
  put_off(&copy, blocks);
}

EXPORT void strata_emulated_bulk_window(const void *map, void *shared, uint64_t *barrier, int32_t c0, int32_t c1,
                                        int32_t c2, int32_t c3, int32_t c4, int32_t o0, int32_t o1, int32_t o2) {
  copy_t copy = create(map, shared, barrier, (int32_t[]){c0, c1, c2, c3, c4});
  const int32_t offsets[] = {o0, o1, o2};
  for (unsigned i = 0; i < MAP_RANK - 2; i++) {
    copy.offsets[i + 1] = offsets[i];
    if (offsets[i] < 0 || (i + 2 >= copy.map->rank && offsets[i]))
      kernel_fault("offset %u of a copy is %d", i, offsets[i]);
  }
  if (!copy.map->has_window)
    kernel_fault("a copy with offsets by a map without a window");
  put_off(&copy, 0);
}

EXPORT void strata_emulated_bulk_store(const void *map, const void *shared, int32_t c0, int32_t c1, int32_t c2,
                                       int32_t c3, int32_t c4) {
  copy_t copy = create(map, shared, NULL, (int32_t[]){c0, c1, c2, c3, c4});
  store(&copy);
}
