// The arguments of a loop's body in each iteration.
#ifndef STRATA_RUNTIME_LIBRARY_LOOP_H
#define STRATA_RUNTIME_LIBRARY_LOOP_H

#include "runtime/library/tables.h"

#include <stdbool.h>
#include <stddef.h>

// One of the two buffers of a state that iteration |index| writes.
static inline char *strata_rt_loop_state(const strata_rt_step_t *step, char *pool, uint64_t index) {
  return pool + step->offset + (index & 1 ? (uint64_t)step->stride : 0);
}

// The step with numbers for what varies.
static inline strata_rt_step_t strata_rt_step(const strata_rt_step_t *step, const int64_t *values) {
  strata_rt_step_t known = *step;
  if (step->kind & STRATA_RT_STEP_VARIES) {
    known.kind &= ~STRATA_RT_STEP_VARIES;
    known.stride = strata_rt_number(step->stride, values);
    known.offset = (uint64_t)strata_rt_number((int64_t)step->offset, values);
    known.size = (uint64_t)strata_rt_number((int64_t)step->size, values);
  }
  return known;
}

// |base|: the launch's argument; |pool|: its last one, the memory the loop works in; |end|: the iterations there are,
// or at most if they may end earlier.
static inline void *strata_rt_loop_arg(const strata_rt_step_t *step, char *base, char *pool, uint64_t iteration,
                                       uint64_t end) {
  switch ((strata_rt_step_kind_t)step->kind) {
  case STRATA_RT_ROW:
    return base + step->stride * (int64_t)iteration;
  case STRATA_RT_STATE:
    return iteration == 0 ? base : strata_rt_loop_state(step, pool, iteration - 1);
  case STRATA_RT_NEXT_STATE:
    return iteration + 1 == end ? base : strata_rt_loop_state(step, pool, iteration);
  }
  return NULL;
}

static inline bool strata_rt_loop_is_open(const strata_rt_loop_t *loop) {
  return loop->condition != STRATA_RT_NO_ARG || loop->limit != STRATA_RT_NO_ARG;
}

// How often its launches are listed: once where it is not known before a call how often they are made.
static inline uint64_t strata_rt_loop_listed(const strata_rt_loop_t *loop) {
  return strata_rt_loop_is_open(loop) || loop->count < 0 ? 1 : (uint64_t)loop->count;
}

// Iterations, of an open loop at most, of a call with these values; |limit|: as the loop's own, INT64_MAX without one.
static inline uint64_t strata_rt_loop_end(const strata_rt_loop_t *loop, const int64_t *values, int64_t limit) {
  int64_t count = strata_rt_number(loop->count, values);
  int64_t end = limit < count ? limit : count;
  return end < 0 ? 0 : (uint64_t)end;
}

// After |iterations| of at most |end| the last states are where they are wanted, or must be copied there.
static inline bool strata_rt_loop_leaves_states(uint64_t iterations, uint64_t end) {
  return iterations == 0 || iterations != end;
}

// The last state after so many iterations; |first|: the first one, |next|: how the body's next one moves.
static inline void *strata_rt_loop_last(const strata_rt_step_t *next, void *first, char *pool, uint64_t iterations) {
  return iterations == 0 ? first : strata_rt_loop_state(next, pool, iterations - 1);
}

// Launches in one call, as the description lists them.
static inline size_t strata_rt_count_launches(const strata_rt_list_t *list, uint64_t first, uint64_t count) {
  size_t n = 0;
  for (uint64_t i = first; i < first + count; i++) {
    const strata_rt_launch_t *launch = &list->launches[i];
    const strata_rt_loop_t *loop = launch->kernel == STRATA_RT_LOOP ? &list->loops[launch->size] : NULL;
    n += loop ? strata_rt_loop_listed(loop) * strata_rt_count_launches(list, loop->first_launch, loop->n_launches) : 1;
  }
  return n;
}

#endif
