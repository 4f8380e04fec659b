// Places for the intermediate buffers of a launch list whose sizes are known: parts of memory_plan.c.
#ifndef STRATA_PASSES_AFFINE_MEMORY_PLACE_H
#define STRATA_PASSES_AFFINE_MEMORY_PLACE_H

#include "passes/affine/launch_list.h"

enum { STRATA_POOL_ALIGNMENT = 256 };

// Which buffers are placed first: the largest, those that live longest, or those with most of both.
typedef enum { STRATA_PLACING_SIZE, STRATA_PLACING_LIFE, STRATA_PLACING_AREA, STRATA_N_PLACINGS } strata_placing_t;

typedef struct {
  int64_t pool_size, sum;
  int64_t *offsets; // of the list's buffers
} strata_placement_t;

// A buffer that gets a place: an intermediate one that is used.
static inline bool strata_is_placed(const strata_buffer_t *buffer) {
  return buffer->kind == STRATA_BUFFER_ALLOC && buffer->first >= 0;
}

// |sizes|: bytes of the list's buffers.
strata_placement_t strata_place(strata_arena_t *arena, const strata_launch_list_t *list, const int64_t *sizes,
                                strata_placing_t by);
// The same, placed again and again: what ends highest is placed first the next time, until the pool is |good| bytes, or
// some time has passed.
strata_placement_t strata_place_repeatedly(strata_arena_t *arena, const strata_launch_list_t *list,
                                           const int64_t *sizes, int64_t good);
// The most bytes that live during one launch: no pool is smaller.
int64_t strata_most_live(strata_arena_t *arena, const strata_launch_list_t *list, const int64_t *sizes);

#endif
