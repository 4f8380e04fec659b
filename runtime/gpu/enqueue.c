// Enqueues a program's launches on a call's stream, and on side streams of that; loops are unrolled.
//
// Of an open loop all iterations that there may be are enqueued, each with the flag that says on the device whether it
// runs (lowering/guard_launches.c): so nobody waits, and the call can be captured into a graph. Elsewhere the
// host looks in front of each whether the loop has ended already (ends.h), and waits for an answer only where all flags
// are used.
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
  void *buffers[STRATA_RT_MAX_ARGS + 1];
  uint32_t n = launch->n_args;
  for (uint32_t i = 0; i < n; i++)
    buffers[i] = resolve(instance, &list->args[launch->first_arg + i], call);
  if (launch->kernel == STRATA_RT_COPY) // of @main alone: no guard
    return copy(buffers, launch->size, call);
  const strata_rt_function_t *function = &instance->functions[launch->kernel];
  if (function->shape->flags & STRATA_RT_KERNEL_GUARDED)
    buffers[n++] = call->guard;
  return strata_rt_driver()->launch(function, buffers, n, call->values, call->stream, call->is_first);
}

typedef struct {
  const strata_rt_instance_t *instance;
  const strata_rt_listener_t *listener; // NULL: nobody listens
  strata_rt_branch_t branch;
  strata_rt_ends_t *ends;
  _Atomic uint32_t *words; // the call's; NULL: loops do not say that they have ended
  bool is_captured;
  int depth;         // of open loops
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
  uint32_t next_condition; // the argument that is the condition's next state; n_args: there is none
  void *bases[STRATA_RT_MAX_LOOP_ARGS];
  char *pool, *flags;
  uint64_t end; // iterations, of an open loop at most
  uint64_t first,
      n_run; // of an open loop: the iteration that the first flag is of, and how many are enqueued behind it
  bool asks; // the device whether it has ended, and waits, where there is no flag left
  _Atomic uint32_t *word; // it is |number| once it has ended; NULL: nobody says so
  uint32_t number;
} loop_run_t;

static void *flag_of(const loop_run_t *l, uint64_t place) { return l->flags + place * STRATA_RT_FLAG_BYTES; }

static void *loop_arg(const loop_run_t *l, uint32_t i, uint64_t iteration) {
  bool is_open = strata_rt_loop_is_open(l->loop);
  if (is_open && (i == l->loop->condition || i == l->next_condition))
    return flag_of(l, iteration - l->first + (i == l->next_condition));
  strata_rt_step_t step = strata_rt_step(&l->steps[i], l->call->values);
  return strata_rt_loop_arg(&step, l->bases[i], l->pool, iteration, l->end);
}

static uint32_t find_next_condition(const loop_run_t *l) {
  uint32_t i = 0;
  while (i < l->n_args && (l->steps[i].kind & ~STRATA_RT_STEP_VARIES) != STRATA_RT_NEXT_STATE)
    i++;
  return l->loop->condition == STRATA_RT_NO_ARG ? l->n_args : i;
}

// In a capture nobody can wait, and replays tell nobody. Of a call that is traced every iteration is asked for: those
// that do not run are none.
static int find_out_whether_asked(loop_run_t *l) {
  walk_t *walk = l->walk;
  bool is_told = walk->words && walk->depth <= STRATA_RT_ENDS_DEPTH;
  l->word = is_told ? walk->words + walk->depth - 1 : NULL;
  l->number = is_told ? strata_rt_ends_next(walk->ends) : 0;
  l->asks = !walk->is_captured;
  if (!walk->is_captured || l->end <= l->loop->n_flags)
    return STRATA_OK;
  return strata_rt_fail(STRATA_UNSUPPORTED,
                        "%s: data end a loop, of %llu iterations at most, of which %llu can be captured",
                        strata_rt_program_name(), (unsigned long long)l->end, (unsigned long long)l->loop->n_flags);
}

static int begin_loop(walk_t *walk, const strata_rt_launch_t *launch, const strata_rt_call_t *call, loop_run_t *out) {
  const strata_rt_list_t *list = &walk->instance->variant->main;
  const strata_rt_loop_t *loop = &list->loops[launch->size];
  *out = (loop_run_t){
      .walk = walk, .call = call, .loop = loop, .steps = &list->steps[loop->first_step], .n_args = launch->n_args};
  for (uint32_t i = 0; i < launch->n_args; i++)
    out->bases[i] = resolve(walk->instance, &list->args[launch->first_arg + i], call);
  out->pool = out->bases[launch->n_args - 1];
  out->flags = out->pool + strata_rt_number(loop->flags, call->values);
  out->next_condition = find_next_condition(out);
  out->end = strata_rt_loop_end(loop, call->values, INT64_MAX);
  return strata_rt_loop_is_open(loop) ? find_out_whether_asked(out) : STRATA_OK;
}

// Launches a kernel of the runtime's own, which takes words.
static int launch_own(const loop_run_t *l, int64_t kernel, uint64_t blocks, const uint64_t *words, uint32_t n_words) {
  const strata_rt_function_t *function = &l->walk->instance->functions[kernel];
  strata_rt_kernel_t shape = *function->shape;
  void *args[16];
  for (uint32_t i = 0; i < n_words; i++)
    args[i] = (void *)(uintptr_t)words[i];
  if (shape.flags & STRATA_RT_KERNEL_GUARDED)
    args[n_words++] = l->call->guard;
  shape.blocks = (int32_t)blocks;
  return strata_rt_driver()->launch(&(strata_rt_function_t){function->function, &shape}, args, n_words, l->call->values,
                                    l->call->stream, false);
}

static uint64_t word_of(const volatile void *address) { return (uint64_t)(uintptr_t)address; }

static uint64_t argument_word(const loop_run_t *l, uint64_t argument) {
  return argument == STRATA_RT_NO_ARG ? 0 : word_of(l->bases[argument]);
}

// Flags for the iterations from |first| on, of which all before have run.
static int begin_flags(loop_run_t *l, uint64_t first) {
  uint64_t left = l->end - first, n = left < l->loop->n_flags ? left : l->loop->n_flags;
  const uint64_t words[] = {word_of(l->flags),
                            first ? 0 : argument_word(l, l->loop->condition),
                            argument_word(l, l->loop->limit),
                            first,
                            n,
                            word_of(l->word),
                            l->number,
                            word_of(l->call->guard)};
  l->first = first;
  l->n_run = 0;
  return launch_own(l, l->walk->instance->variant->begin_loop, 1, words, sizeof words / sizeof words[0]);
}

// Copies |size| bytes to |to|: from |first| without iterations since |l->first|, else from |buffers| in turn. |is_end|:
// the last one of those that are enqueued has written them there itself.
static int take_state(const loop_run_t *l, void *to, const void *first, char *const *buffers, uint64_t size,
                      bool is_end) {
  enum { BYTES_OF_BLOCK = 256 * 16, MOST_BLOCKS = 1024 };
  uint64_t blocks = (size + BYTES_OF_BLOCK - 1) / BYTES_OF_BLOCK;
  blocks = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
  const uint64_t words[] = {
      word_of(to), word_of(first), word_of(buffers[0]), word_of(buffers[1]), size, word_of(l->flags), l->n_run,
      is_end,      blocks};
  return launch_own(l, l->walk->instance->variant->take_state, blocks, words, sizeof words / sizeof words[0]);
}

// What is on the device once all that was enqueued has ended.
static int read_flag(const loop_run_t *l, uint64_t place, bool *out) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  uint8_t flag = 0;
  int status = driver->download(&flag, flag_of(l, place), sizeof flag, l->call->stream);
  if (!status)
    status = driver->synchronize_stream(l->call->stream);
  *out = flag != 0;
  return status;
}

static bool is_asked_for(const loop_run_t *l) {
  return l->asks && (l->n_run == l->loop->n_flags || l->walk->listener);
}

static bool has_said_end(const loop_run_t *l) {
  return l->word && atomic_load_explicit(l->word, memory_order_acquire) == l->number;
}

static int begin_iteration(loop_run_t *l, uint64_t iteration, bool *out_goes_on) {
  int status = STRATA_OK;
  *out_goes_on = iteration < l->end;
  if (!*out_goes_on || !strata_rt_loop_is_open(l->loop))
    return status;
  if (iteration == 0)
    status = begin_flags(l, 0);
  *out_goes_on = iteration == 0 || !has_said_end(l);
  if (!status && *out_goes_on && is_asked_for(l))
    status = read_flag(l, l->n_run, out_goes_on);
  if (!status && *out_goes_on && l->n_run == l->loop->n_flags)
    status = begin_flags(l, iteration);
  return status;
}

static int enqueue_iterations(loop_run_t *l, uint64_t *out_iterations) {
  void *args[STRATA_RT_MAX_LOOP_ARGS];
  strata_rt_call_t inner = *l->call;
  inner.tensors = args;
  inner.pool = l->pool;
  bool is_listed_once = strata_rt_loop_listed(l->loop) == 1, is_open = strata_rt_loop_is_open(l->loop);
  size_t n_launches = l->walk->n_launches;
  bool goes_on;
  int status = begin_iteration(l, 0, &goes_on);
  for (*out_iterations = 0; goes_on && !status; status = begin_iteration(l, ++*out_iterations, &goes_on)) {
    for (uint32_t i = 0; i < l->n_args; i++)
      args[i] = loop_arg(l, i, *out_iterations);
    if (is_open)
      inner.guard = flag_of(l, l->n_run);
    if (is_listed_once)
      l->walk->n_launches = n_launches;
    status = enqueue_launches(l->walk, l->loop->first_launch, l->loop->n_launches, &inner);
    if (status)
      return status;
    l->n_run++;
  }
  if (is_listed_once)
    l->walk->n_launches = n_launches + strata_rt_count_launches(&l->walk->instance->variant->main,
                                                                l->loop->first_launch, l->loop->n_launches);
  return status;
}

// The last state |i| to where it is wanted; |first|: the first one. The condition's is the flag behind those that ran.
static int take_last_state(const loop_run_t *l, uint32_t i, char *first, uint64_t iterations) {
  strata_rt_step_t step = strata_rt_step(&l->steps[i], l->call->values);
  char *buffers[] = {l->pool + step.offset, l->pool + step.offset + step.stride};
  bool is_end = iterations == l->end && iterations > 0;
  if (!step.size)
    return STRATA_OK;
  if (iterations == 0 && !l->call->guard)
    return strata_rt_driver()->copy(l->bases[i], first, step.size, l->call->stream);
  if (i == l->next_condition && iterations > 0) {
    char *last = flag_of(l, l->n_run);
    return take_state(l, l->bases[i], last, (char *const[]){last, last}, step.size, false);
  }
  return take_state(l, l->bases[i], l->first ? buffers[1] : first, buffers, step.size, is_end);
}

static int take_last_states(const loop_run_t *l, uint64_t iterations) {
  int status = STRATA_OK;
  for (uint32_t i = 0, state = 0; i < l->n_args && !status; i++)
    if ((l->steps[i].kind & ~STRATA_RT_STEP_VARIES) == STRATA_RT_NEXT_STATE)
      status = take_last_state(l, i, l->bases[state++], iterations);
  return status;
}

static int enqueue_loop(walk_t *walk, const strata_rt_launch_t *launch, const strata_rt_call_t *call) {
  loop_run_t l;
  uint64_t iterations;
  bool is_open = strata_rt_loop_is_open(&walk->instance->variant->main.loops[launch->size]);
  walk->depth += is_open;
  int status = begin_loop(walk, launch, call, &l);
  if (!status)
    status = enqueue_iterations(&l, &iterations);
  walk->depth -= is_open;
  if (!status && (is_open || iterations == 0))
    status = take_last_states(&l, iterations);
  return status;
}

// The call's first launch does not begin early where the call in front of it may have ended by joining its streams.
static int enqueue_branched(strata_rt_instance_t *instance, const strata_rt_call_t *call,
                            const strata_rt_listener_t *listener, strata_rt_lanes_t *lanes) {
  walk_t walk = {
      .instance = instance,
      .listener = listener,
      .branch = {.lanes = lanes, .stream = call->stream, .is_joined = instance->variant->n_side_streams > 0},
      .ends = &instance->ends};
  bool has_open = instance->variant->begin_loop != STRATA_RT_NO_KERNEL;
  int status = has_open ? strata_rt_driver()->is_capturing(call->stream, &walk.is_captured) : STRATA_OK;
  if (status)
    return status;
  walk.words = walk.is_captured ? NULL : strata_rt_ends_take(walk.ends);
  status = enqueue_launches(&walk, 0, instance->variant->main.n_launches, call);
  strata_rt_ends_give(walk.ends, walk.words);
  return status;
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
