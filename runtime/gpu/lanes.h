// Side streams, on which a call enqueues launches that do not depend on one another.
//
// A call forks them from its own stream, by an event that they wait for, and joins them by one each, which its own
// stream waits for. So work that the caller enqueues before or behind the call is ordered with all of it, and a capture
// of the call's stream captures the others too.
#ifndef STRATA_RUNTIME_GPU_LANES_H
#define STRATA_RUNTIME_GPU_LANES_H

#include "runtime/gpu/driver.h"

#pragma GCC visibility push(hidden)

enum { STRATA_RT_MAX_SIDE_STREAMS = 31 };

// The side streams of one call at a time, from number 1 on, and their events; event 0 is the fork.
typedef struct strata_rt_lanes {
  struct strata_rt_lanes *next;
  uint32_t n_side;
  void *streams[STRATA_RT_MAX_SIDE_STREAMS + 1], *events[STRATA_RT_MAX_SIDE_STREAMS + 1];
  void *caller;      // the stream of the call that had them last
  bool was_captured; // since somebody looked: they may be yet
} strata_rt_lanes_t;

// A status; NULL of none. Freed between cleanup_begin and _end; |is_lost|: the context is gone.
int strata_rt_lanes_create(uint32_t n_side, strata_rt_lanes_t **out_lanes);
void strata_rt_lanes_free(strata_rt_lanes_t *lanes, bool is_lost);

// Those of the instance that no call has, for a call on |stream|; NULL: there are none that may be used, and the call
// goes on its own stream alone. Given back when it has enqueued all.
struct strata_rt_instance;
int strata_rt_lanes_take(struct strata_rt_instance *instance, void *stream, strata_rt_lanes_t **out_lanes);
void strata_rt_lanes_give(struct strata_rt_instance *instance, strata_rt_lanes_t *lanes);

// Where a call is.
typedef struct {
  strata_rt_lanes_t *lanes; // NULL: all goes on the call's own stream
  void *stream;             // that one
  bool is_forked;
  uint32_t used;  // a bit for each side stream that has waited for the fork
  bool is_joined; // nothing has been launched on the call's own stream since then
} strata_rt_branch_t;

int strata_rt_branch_fork(strata_rt_branch_t *branch);
// The stream for the next launch on stream |number|; |out_is_first|: what is in front of it there is other streams'.
int strata_rt_branch_enter(strata_rt_branch_t *branch, uint32_t number, void **out_stream, bool *out_is_first);
int strata_rt_branch_join(strata_rt_branch_t *branch); // all of them, even after an error

#pragma GCC visibility pop

#endif
