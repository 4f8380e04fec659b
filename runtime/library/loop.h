// The arguments of a loop's body in each iteration.
#ifndef STRATA_RUNTIME_LIBRARY_LOOP_H
#define STRATA_RUNTIME_LIBRARY_LOOP_H

#include "runtime/library/tables.h"

#include <stddef.h>

// One of the two buffers of a state that iteration |index| writes.
static inline char *strata_rt_loop_state(const strata_rt_step_t *step, char *pool, uint64_t index) {
  return pool + step->offset + (index & 1 ? (uint64_t)step->stride : 0);
}

// |base|: the launch's argument; |pool|: its last one, the memory the loop works in.
static inline void *strata_rt_loop_arg(const strata_rt_loop_t *loop, const strata_rt_step_t *step, char *base,
                                       char *pool, uint64_t iteration) {
  switch ((strata_rt_step_kind_t)step->kind) {
  case STRATA_RT_ROW:
    return base + step->stride * (int64_t)iteration;
  case STRATA_RT_STATE:
    return iteration == 0 ? base : strata_rt_loop_state(step, pool, iteration - 1);
  case STRATA_RT_NEXT_STATE:
    return iteration + 1 == loop->count ? base : strata_rt_loop_state(step, pool, iteration);
  }
  return NULL;
}

#endif
