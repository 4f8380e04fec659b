// Enqueues a program's launches on a call's stream, and on side streams of that; loops are unrolled.
#include "runtime/gpu/instance.h"
#include "runtime/library/error.h"
#include "runtime/library/loop.h"

//===-- Launches -------------------------------------------------------------------------------------------------===//

static void *resolve(const strata_rt_instance_t *instance, const strata_rt_arg_t *arg, const strata_rt_call_t *call) {
  int64_t offset = strata_rt_number(arg->offset, call->values);
  switch ((strata_rt_arg_kind_t)arg->kind) {
  case STRATA_RT_TENSOR:
    return (char *)call->tensors[arg->index] + offset;
  case STRATA_RT_CONSTANT:
  case STRATA_RT_PREPARED:
    return (char *)instance->constants.at[arg->index] + offset;
  case STRATA_RT_POOL:
    return call->pool + offset;
  case STRATA_RT_SIZE:
    return (void *)(intptr_t)offset;
  }
  return NULL;
}

static int copy(void *const *buffers, int64_t size, const strata_rt_call_t *call) {
  size_t bytes = (size_t)strata_rt_number(size, call->values);
  bool is_moved = bytes && buffers[0] != buffers[1]; // else it is updated in its own place
  return is_moved ? strata_rt_driver()->copy(buffers[1], buffers[0], bytes, call->stream) : STRATA_OK;
}

int strata_rt_enqueue(const strata_rt_instance_t *instance, const strata_rt_list_t *list, uint64_t index,
                      const strata_rt_call_t *call) {
  uint32_t pick;
  const strata_rt_launch_t *launch = strata_rt_picked(list, &list->launches[index], call->values, &pick);
  void *buffers[STRATA_RT_MAX_ARGS];
  for (uint32_t i = 0; i < launch->n_args; i++)
    buffers[i] = resolve(instance, &list->args[launch->first_arg + i], call);
  if (launch->kernel == STRATA_RT_COPY)
    return copy(buffers, launch->size, call);
  return strata_rt_driver()->launch(&instance->functions[launch->kernel], buffers, launch->n_args, call->values,
                                    call->stream, call->is_first);
}

typedef struct {
  const strata_rt_instance_t *instance;
  const strata_rt_listener_t *listener; // NULL: nobody listens
  strata_rt_branch_t branch;
  size_t n_launches; // so far, as the description counts them
} walk_t;

static int tell_begun(const walk_t *walk, uint32_t number, void *stream) {
  const strata_rt_listener_t *listener = walk->listener;
  return listener ? listener->begun(number, stream, listener->user) : STRATA_OK;
}

static int join_streams(walk_t *walk) {
  bool is_used = walk->branch.used != 0;
  int status = strata_rt_branch_join(&walk->branch);
  return is_used && !status ? tell_begun(walk, 0, walk->branch.stream) : status;
}

// Joins and forks in front of |launch|, and finds its stream.
static int order_launch(walk_t *walk, const strata_rt_launch_t *launch, strata_rt_call_t *call) {
  int status = launch->order & STRATA_RT_JOIN ? join_streams(walk) : STRATA_OK;
  if (!status && launch->order & STRATA_RT_FORK)
    status = strata_rt_branch_fork(&walk->branch);
  if (!status)
    status = strata_rt_branch_enter(&walk->branch, launch->stream, &call->stream, &call->is_first);
  return !status && call->is_first && call->stream != walk->branch.stream
             ? tell_begun(walk, launch->stream, call->stream)
             : status;
}

static int enqueue_launch(walk_t *walk, uint64_t index, const strata_rt_call_t *call) {
  const strata_rt_list_t *list = &walk->instance->variant->main;
  const strata_rt_launch_t *launch = &list->launches[index];
  const strata_rt_listener_t *listener = walk->listener;
  strata_rt_call_t own = *call;
  int status = order_launch(walk, launch, &own);
  if (!status)
    status = strata_rt_enqueue(walk->instance, list, index, &own);
  if (!status && listener)
    status = listener->done(walk->instance, launch, walk->n_launches, own.stream, listener->user);
  walk->n_launches++;
  return status;
}

static int enqueue_loop(walk_t *walk, const strata_rt_launch_t *launch, const strata_rt_call_t *call);

// What was begun on side streams is joined whatever fails: the caller may take its memory back once its stream is done.
static int join_at_end(walk_t *walk, int status) {
  if (!status)
    return join_streams(walk);
  strata_rt_cleanup_begin(status);
  strata_rt_branch_join(&walk->branch);
  return strata_rt_cleanup_end();
}

static int enqueue_launches(walk_t *walk, uint64_t first, uint64_t count, const strata_rt_call_t *call) {
  const strata_rt_list_t *list = &walk->instance->variant->main;
  int status = STRATA_OK;
  for (uint64_t i = first; i < first + count && !status; i++) {
    const strata_rt_launch_t *launch = &list->launches[i];
    if (launch->kernel == STRATA_RT_LOOP && launch->order & STRATA_RT_JOIN)
      status = join_streams(walk);
    if (!status && launch->kernel == STRATA_RT_LOOP)
      status = enqueue_loop(walk, launch, call);
    else if (!status)
      status = enqueue_launch(walk, i, call);
  }
  return join_at_end(walk, status);
}

//===-- Loops ----------------------------------------------------------------------------------------------------===//

// A loop in this call.
typedef struct {
  walk_t *walk;
  const strata_rt_call_t *call;
  const strata_rt_loop_t *loop;
  const strata_rt_step_t *steps;
  uint32_t n_args;
  void *bases[STRATA_RT_MAX_LOOP_ARGS];
  char *pool;
  uint64_t end;
} loop_run_t;

// What is on the device once all that was enqueued has ended.
static int read_back(const loop_run_t *l, void *out, const void *from, size_t size) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  int status = driver->download(out, from, size, l->call->stream);
  return status ? status : driver->synchronize_stream(l->call->stream);
}

static int begin_loop(walk_t *walk, const strata_rt_launch_t *launch, const strata_rt_call_t *call, loop_run_t *out) {
  const strata_rt_list_t *list = &walk->instance->variant->main;
  const strata_rt_loop_t *loop = &list->loops[launch->size];
  int64_t limit = INT64_MAX;
  *out = (loop_run_t){
      .walk = walk, .call = call, .loop = loop, .steps = &list->steps[loop->first_step], .n_args = launch->n_args};
  for (uint32_t i = 0; i < launch->n_args; i++)
    out->bases[i] = resolve(walk->instance, &list->args[launch->first_arg + i], call);
  out->pool = out->bases[launch->n_args - 1];
  int status = STRATA_OK;
  if (loop->limit != STRATA_RT_NO_ARG)
    status = read_back(out, &limit, out->bases[loop->limit], sizeof limit);
  out->end = strata_rt_loop_end(loop, call->values, limit);
  return status;
}

static void *loop_arg(const loop_run_t *l, uint64_t i, uint64_t iteration) {
  strata_rt_step_t step = strata_rt_step(&l->steps[i], l->call->values);
  return strata_rt_loop_arg(&step, l->bases[i], l->pool, iteration, l->end);
}

static int ask_condition(const loop_run_t *l, uint64_t iteration, bool *out_goes_on) {
  uint8_t condition = 1;
  int status = STRATA_OK;
  *out_goes_on = iteration < l->end;
  if (*out_goes_on && l->loop->condition != STRATA_RT_NO_ARG)
    status = read_back(l, &condition, loop_arg(l, l->loop->condition, iteration), sizeof condition);
  *out_goes_on &= condition != 0;
  return status;
}

static int enqueue_iterations(const loop_run_t *l, uint64_t *out_iterations) {
  void *args[STRATA_RT_MAX_LOOP_ARGS];
  strata_rt_call_t inner = *l->call;
  inner.tensors = args;
  inner.pool = l->pool;
  bool is_listed_once = strata_rt_loop_listed(l->loop) == 1;
  size_t n_launches = l->walk->n_launches;
  bool goes_on;
  int status = ask_condition(l, 0, &goes_on);
  for (*out_iterations = 0; goes_on && !status; status = ask_condition(l, ++*out_iterations, &goes_on)) {
    for (uint32_t i = 0; i < l->n_args; i++)
      args[i] = loop_arg(l, i, *out_iterations);
    if (is_listed_once)
      l->walk->n_launches = n_launches;
    status = enqueue_launches(l->walk, l->loop->first_launch, l->loop->n_launches, &inner);
    if (status)
      return status;
  }
  if (is_listed_once)
    l->walk->n_launches = n_launches + strata_rt_count_launches(&l->walk->instance->variant->main,
                                                                l->loop->first_launch, l->loop->n_launches);
  return status;
}

static int copy_last_states(const loop_run_t *l, uint64_t iterations) {
  int status = STRATA_OK;
  for (uint32_t i = 0, state = 0; i < l->n_args && !status; i++) {
    strata_rt_step_t step = strata_rt_step(&l->steps[i], l->call->values);
    if (step.kind != STRATA_RT_NEXT_STATE)
      continue;
    const void *last = strata_rt_loop_last(&step, l->bases[state++], l->pool, iterations);
    if (step.size)
      status = strata_rt_driver()->copy(l->bases[i], last, step.size, l->call->stream);
  }
  return status;
}

static int enqueue_loop(walk_t *walk, const strata_rt_launch_t *launch, const strata_rt_call_t *call) {
  loop_run_t l;
  uint64_t iterations;
  int status = begin_loop(walk, launch, call, &l);
  if (!status)
    status = enqueue_iterations(&l, &iterations);
  if (!status && strata_rt_loop_leaves_states(iterations, l.end))
    status = copy_last_states(&l, iterations);
  return status;
}

// The call's first launch does not begin early where the call in front of it may have ended by joining its streams.
static int enqueue_branched(const strata_rt_instance_t *instance, const strata_rt_call_t *call,
                            const strata_rt_listener_t *listener, strata_rt_lanes_t *lanes) {
  walk_t walk = {
      .instance = instance,
      .listener = listener,
      .branch = {.lanes = lanes, .stream = call->stream, .is_joined = instance->variant->n_side_streams > 0}};
  return enqueue_launches(&walk, 0, instance->variant->main.n_launches, call);
}

int strata_rt_enqueue_main(strata_rt_instance_t *instance, const strata_rt_call_t *call,
                           const strata_rt_listener_t *listener) {
  strata_rt_lanes_t *lanes = NULL;
  if (call->lanes || !instance->variant->n_side_streams)
    return enqueue_branched(instance, call, listener, call->lanes);
  int status = strata_rt_lanes_take(instance, call->stream, &lanes);
  if (status)
    return status;
  status = enqueue_branched(instance, call, listener, lanes);
  if (lanes)
    strata_rt_lanes_give(instance, lanes);
  return status;
}
