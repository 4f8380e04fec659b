// The side streams of calls. CUDA and HIP promise no two streams that they run at the same time, so calls may share
// them one after the other; while one enqueues, its lanes are nobody else's.
#include "runtime/gpu/lanes.h"

#include "runtime/gpu/instance.h"
#include "runtime/library/error.h"

#include <stdlib.h>

//===-- Making ---------------------------------------------------------------------------------------------------===//

void strata_rt_lanes_free(strata_rt_lanes_t *lanes, bool is_lost) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  for (uint32_t i = 0; lanes && i <= lanes->n_side && !is_lost; i++) {
    if (lanes->streams[i])
      driver->destroy_stream(lanes->streams[i]);
    if (lanes->events[i])
      driver->destroy_event(lanes->events[i]);
  }
  free(lanes);
}

static int fill(strata_rt_lanes_t *lanes) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  int status = STRATA_OK;
  for (uint32_t i = 0; i <= lanes->n_side && !status; i++) {
    status = driver->create_event(STRATA_RT_ORDERING, &lanes->events[i]);
    if (!status && i > 0)
      status = driver->create_stream(STRATA_RT_ALONE, &lanes->streams[i]);
  }
  return status;
}

int strata_rt_lanes_create(uint32_t n_side, strata_rt_lanes_t **out_lanes) {
  *out_lanes = NULL;
  strata_rt_lanes_t *lanes = n_side ? calloc(1, sizeof *lanes) : NULL;
  if (!lanes)
    return n_side ? strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", strata_rt_program_name()) : STRATA_OK;
  lanes->n_side = n_side;
  int status = fill(lanes);
  if (status) {
    strata_rt_cleanup_begin(status);
    strata_rt_lanes_free(lanes, false);
    return strata_rt_cleanup_end();
  }
  *out_lanes = lanes;
  return STRATA_OK;
}

//===-- A call's -------------------------------------------------------------------------------------------------===//

// Streams that were captured stay in the capture until that ends, and may be used in no other.
static int find_usable(strata_rt_lanes_t *lanes, const strata_rt_capture_t *own, bool *out_is_usable) {
  int status = STRATA_OK;
  *out_is_usable = true;
  bool is_captured = false;
  for (uint32_t i = 1; i <= lanes->n_side && lanes->was_captured && *out_is_usable && !status; i++) {
    strata_rt_capture_t other;
    status = strata_rt_driver()->find_capture(lanes->streams[i], &other);
    is_captured |= other.is_on;
    *out_is_usable = !other.is_on || (own->is_on && own->id && own->id == other.id);
  }
  if (!status && *out_is_usable)
    lanes->was_captured = is_captured;
  return status;
}

// The link to those that |stream|'s last call had, else to those that have been free for longest; with the mutex held.
static int find_free(strata_rt_instance_t *instance, void *stream, const strata_rt_capture_t *own,
                     strata_rt_lanes_t ***out_link) {
  int status = STRATA_OK;
  *out_link = NULL;
  for (strata_rt_lanes_t **link = &instance->lanes; *link && !status; link = &(*link)->next) {
    bool is_usable;
    status = find_usable(*link, own, &is_usable);
    if (status || !is_usable || (*out_link && (*link)->caller != stream))
      continue;
    *out_link = link;
    if ((*link)->caller == stream)
      break;
  }
  return status;
}

int strata_rt_lanes_take(strata_rt_instance_t *instance, void *stream, strata_rt_lanes_t **out_lanes) {
  strata_rt_capture_t own;
  strata_rt_lanes_t **link = NULL;
  *out_lanes = NULL;
  int status = strata_rt_driver()->find_capture(stream, &own);
  if (status)
    return status;
  pthread_mutex_lock(&instance->mutex);
  status = find_free(instance, stream, &own, &link);
  if (!status && link) {
    *out_lanes = *link;
    *link = (*link)->next;
    (*out_lanes)->caller = stream;
    (*out_lanes)->was_captured |= own.is_on;
  }
  pthread_mutex_unlock(&instance->mutex);
  return status;
}

void strata_rt_lanes_give(strata_rt_instance_t *instance, strata_rt_lanes_t *lanes) {
  lanes->next = NULL;
  pthread_mutex_lock(&instance->mutex);
  strata_rt_lanes_t **link = &instance->lanes;
  while (*link)
    link = &(*link)->next;
  *link = lanes;
  pthread_mutex_unlock(&instance->mutex);
}

//===-- Forking and joining --------------------------------------------------------------------------------------===//

int strata_rt_branch_fork(strata_rt_branch_t *branch) {
  branch->is_forked = branch->lanes != NULL;
  return branch->lanes ? strata_rt_driver()->record_event(branch->lanes->events[0], branch->stream) : STRATA_OK;
}

int strata_rt_branch_enter(strata_rt_branch_t *branch, uint32_t number, void **out_stream, bool *out_is_first) {
  const strata_rt_lanes_t *lanes = branch->lanes;
  bool is_side = number > 0 && lanes && branch->is_forked;
  *out_stream = is_side ? lanes->streams[number] : branch->stream;
  *out_is_first = is_side ? !(branch->used & 1u << number) : branch->is_joined;
  if (!is_side) {
    branch->is_joined = false;
    return STRATA_OK;
  }
  if (!*out_is_first)
    return STRATA_OK;
  branch->used |= 1u << number;
  return strata_rt_driver()->await_event(lanes->events[0], *out_stream);
}

static int join(const strata_rt_branch_t *branch, uint32_t number) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  int status = driver->record_event(branch->lanes->events[number], branch->lanes->streams[number]);
  return status ? status : driver->await_event(branch->lanes->events[number], branch->stream);
}

int strata_rt_branch_join(strata_rt_branch_t *branch) {
  int status = STRATA_OK;
  branch->is_joined |= branch->used != 0;
  for (uint32_t i = 1; branch->used; i++) {
    if (!(branch->used & 1u << i))
      continue;
    branch->used &= ~(1u << i);
    int own = join(branch, i);
    status = status ? status : own;
  }
  branch->is_forked = false;
  return status;
}
