// "Did you mean …?": among known names the one nearest to a name that is not known.
//
//   strata_nearest_t nearest = strata_nearest("wieghts");
//   strata_nearest_try(&nearest, "weights", 7);          // for each known name
//   strata_error(…, "unknown%s", strata_nearest_hint(arena, &nearest));
//
// Near is a third of the name's letters changed, left out, put in or swapped with the next, or what it is the beginning
// of; capitals count as small letters, '_' as '-'. Of equally near ones the first is taken. Names that are longer than
// any that a person types are never near, so that the time is bounded.
#ifndef STRATA_BASE_NEAREST_H
#define STRATA_BASE_NEAREST_H

#include "runtime/base/arena.h"

typedef struct {
  const char *wanted;
  const char *found; // |length| bytes of the caller's; NULL: none is near
  size_t length, distance;
} strata_nearest_t;

strata_nearest_t strata_nearest(const char *wanted); // which is borrowed
void strata_nearest_try(strata_nearest_t *nearest, const char *name, size_t length);

// "; did you mean 'NAME'?", or "" where none is near.
const char *strata_nearest_hint(strata_arena_t *arena, const strata_nearest_t *nearest);

#endif
