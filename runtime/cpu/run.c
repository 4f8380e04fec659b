// A call: checks its tensors, takes a workspace and interprets the program's list of launches.
//
// A workspace is [pool | scratch of the calling thread | buffers of one launch]; the pool's threads have scratch of
// their own, so its size does not depend on their number.
#include "runtime/cpu/clock.h"
#include "runtime/cpu/floating_point.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/state.h"
#include "runtime/library/error.h"
#include "runtime/library/loop.h"
#include "runtime/library/sizes.h"
#include "runtime/library/tensors.h"
#include "runtime/library/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define program strata_rt_program

// Where the parts of a workspace begin, and its size.
typedef struct {
  size_t scratch, buffers, size;
} layout_t;

static layout_t layout_of(const int64_t *values) {
  layout_t layout;
  layout.scratch = strata_rt_round_up((size_t)strata_rt_number(program.pool_size, values), STRATA_RT_ALIGNMENT);
  layout.buffers = layout.scratch + strata_rt_round_up(program.scratch_size, STRATA_RT_ALIGNMENT);
  layout.size = strata_rt_round_up(layout.buffers + program.max_args * sizeof(void *), STRATA_RT_ALIGNMENT);
  return layout;
}

size_t strata_rt_device_memory_size(const int64_t *dims) {
  int64_t *values = STRATA_RT_VALUES(program.sizes);
  bool is_refused =
      program.sizes && strata_rt_sizes_evaluate(program.library, program.sizes, dims, values) != STRATA_OK;
  return is_refused ? 0 : layout_of(values).size;
}

int strata_rt_output_shape(size_t index, const int64_t *dims, int64_t *shape) {
  return strata_rt_sizes_output_shape(program.library, program.sizes, index, dims, shape);
}

//===-- Tracing --------------------------------------------------------------------------------------------------===//

void strata_rt_set_trace(strata_trace_t trace, void *user) { strata_rt_tracer_set(program.library, trace, user); }

//===-- Launches -------------------------------------------------------------------------------------------------===//

static void *resolve(const strata_rt_arg_t *arg, const strata_rt_frame_t *frame) {
  int64_t offset = strata_rt_number(arg->offset, frame->values);
  switch ((strata_rt_arg_kind_t)arg->kind) {
  case STRATA_RT_TENSOR:
    return (char *)frame->tensors[arg->index] + offset;
  case STRATA_RT_CONSTANT:
  case STRATA_RT_PREPARED:
    return (char *)frame->constants[arg->index] + offset;
  case STRATA_RT_POOL:
    return frame->pool + offset;
  case STRATA_RT_SIZE:
    return (void *)(intptr_t)offset;
  }
  return NULL;
}

// The threads that took part.
static unsigned launch_kernel(const strata_rt_list_t *list, uint64_t index, const strata_rt_frame_t *frame,
                              uint32_t *out_pick) {
  const strata_rt_launch_t *launch = strata_rt_picked(list, &list->launches[index], frame->values, out_pick);
  const strata_rt_kernel_t *kernel = &program.kernels[launch->kernel];
  const strata_rt_arg_t *args = &list->args[launch->first_arg];
  for (uint32_t i = 0; i < launch->n_args; i++)
    frame->buffers[i] = resolve(&args[i], frame);
  int64_t tasks = strata_rt_number(kernel->tasks, frame->values);
  return tasks > 0 ? strata_rt_pool_run(kernel->entry, frame->buffers, tasks, frame->scratch) : 1;
}

void strata_rt_run_launch(const strata_rt_list_t *list, uint64_t index, const strata_rt_frame_t *frame) {
  uint32_t pick;
  launch_kernel(list, index, frame, &pick);
}

void strata_rt_copy(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  (void)scratch;
  if (buffers[0] != buffers[1]) // what is updated in its own place
    memcpy((char *)buffers[1] + begin, (const char *)buffers[0] + begin, (size_t)(end - begin));
}

// A call so far.
typedef struct {
  strata_rt_tracer_t tracer;
  size_t n_launches;
} run_t;

static void run_traced(uint64_t launch, const strata_rt_frame_t *frame, run_t *run) {
  uint64_t start = strata_rt_now();
  uint32_t pick;
  unsigned threads = launch_kernel(&program.main, launch, frame, &pick);
  strata_rt_tracer_tell(&run->tracer, run->n_launches++, pick, threads, strata_rt_now() - start);
}

static void run_loop(const strata_rt_launch_t *launch, const strata_rt_frame_t *frame, run_t *run);

static void run_launches(uint64_t first, uint64_t count, const strata_rt_frame_t *frame, run_t *run) {
  for (uint64_t i = first; i < first + count; i++) {
    const strata_rt_launch_t *launch = &program.main.launches[i];
    if (launch->kernel == STRATA_RT_LOOP)
      run_loop(launch, frame, run);
    else if (run->tracer.function)
      run_traced(i, frame, run);
    else
      strata_rt_run_launch(&program.main, i, frame);
  }
}

// A loop in this call.
typedef struct {
  const strata_rt_loop_t *loop;
  const strata_rt_step_t *steps;
  const int64_t *values; // of the call
  uint32_t n_args;
  void *bases[STRATA_RT_MAX_LOOP_ARGS];
  char *pool;
  uint64_t end;
} loop_run_t;

static loop_run_t begin_loop(const strata_rt_launch_t *launch, const strata_rt_frame_t *frame) {
  const strata_rt_loop_t *loop = &program.main.loops[launch->size];
  loop_run_t l = {
      .loop = loop, .steps = &program.main.steps[loop->first_step], .values = frame->values, .n_args = launch->n_args};
  for (uint32_t i = 0; i < launch->n_args; i++)
    l.bases[i] = resolve(&program.main.args[launch->first_arg + i], frame);
  l.pool = l.bases[launch->n_args - 1];
  int64_t limit = loop->limit == STRATA_RT_NO_ARG ? INT64_MAX : *(int64_t *)l.bases[loop->limit];
  l.end = strata_rt_loop_end(loop, frame->values, limit);
  return l;
}

static void *loop_arg(const loop_run_t *l, uint64_t i, uint64_t iteration) {
  strata_rt_step_t step = strata_rt_step(&l->steps[i], l->values);
  return strata_rt_loop_arg(&step, l->bases[i], l->pool, iteration, l->end);
}

static bool goes_on(const loop_run_t *l, uint64_t iteration) {
  return l->loop->condition == STRATA_RT_NO_ARG || *(uint8_t *)loop_arg(l, l->loop->condition, iteration);
}

static void copy_last_states(const loop_run_t *l, uint64_t iterations) {
  for (uint32_t i = 0, state = 0; i < l->n_args; i++) {
    strata_rt_step_t step = strata_rt_step(&l->steps[i], l->values);
    if (step.kind == STRATA_RT_NEXT_STATE)
      memcpy(l->bases[i], strata_rt_loop_last(&step, l->bases[state++], l->pool, iterations), step.size);
  }
}

static void run_loop(const strata_rt_launch_t *launch, const strata_rt_frame_t *frame, run_t *run) {
  void *args[STRATA_RT_MAX_LOOP_ARGS];
  loop_run_t l = begin_loop(launch, frame);
  strata_rt_frame_t inner = *frame;
  inner.tensors = args;
  inner.pool = l.pool;
  bool is_listed_once = strata_rt_loop_listed(l.loop) == 1;
  size_t n_launches = run->n_launches;
  uint64_t iteration = 0;
  for (; iteration < l.end && goes_on(&l, iteration); iteration++) {
    for (uint32_t i = 0; i < l.n_args; i++)
      args[i] = loop_arg(&l, i, iteration);
    if (is_listed_once)
      run->n_launches = n_launches;
    run_launches(l.loop->first_launch, l.loop->n_launches, &inner, run);
  }
  if (strata_rt_loop_leaves_states(iteration, l.end))
    copy_last_states(&l, iteration);
  if (is_listed_once)
    run->n_launches = n_launches + strata_rt_count_launches(&program.main, l.loop->first_launch, l.loop->n_launches);
}

static void run_main(const strata_rt_frame_t *frame) {
  run_launches(0, program.main.n_launches, frame, &(run_t){.tracer = strata_rt_tracer()});
}

//===-- Workspaces -----------------------------------------------------------------------------------------------===//

// Workspaces that no call is using; this lies in the workspace itself.
typedef struct free_workspace {
  struct free_workspace *next;
  size_t size;
} free_workspace_t;

// One that a call uses.
typedef struct {
  void *memory;
  size_t size;
} workspace_t;

static struct {
  pthread_mutex_t mutex;
  free_workspace_t *head;
} cache = {.mutex = PTHREAD_MUTEX_INITIALIZER};

enum { HUGE_PAGE = 2 << 20 };

static workspace_t allocate_workspace(size_t needed) {
  size_t size = needed > sizeof(free_workspace_t) ? needed : STRATA_RT_ALIGNMENT;
  if (size < HUGE_PAGE)
    return (workspace_t){aligned_alloc(STRATA_RT_ALIGNMENT, size), size};
  size = strata_rt_round_up(size, HUGE_PAGE);
  void *memory = aligned_alloc(HUGE_PAGE, size);
  if (memory)
    madvise(memory, size, MADV_HUGEPAGE); // fewer TLB misses; no harm if refused
  return (workspace_t){memory, size};
}

// One that is too small is replaced by one with some room, so that sizes that grow from call to call allocate seldom.
static workspace_t grow_workspace(workspace_t small, size_t needed) {
  free(small.memory);
  size_t roomy = strata_rt_round_up(small.size + small.size / 4, STRATA_RT_ALIGNMENT);
  workspace_t workspace = allocate_workspace(needed > roomy ? needed : roomy);
  return workspace.memory || roomy <= needed ? workspace : allocate_workspace(needed);
}

static workspace_t take_workspace(size_t needed) {
  pthread_mutex_lock(&cache.mutex);
  free_workspace_t *workspace = cache.head;
  if (workspace)
    cache.head = workspace->next;
  pthread_mutex_unlock(&cache.mutex);
  if (!workspace)
    return allocate_workspace(needed);
  workspace_t taken = {workspace, workspace->size};
  return taken.size >= needed ? taken : grow_workspace(taken, needed);
}

static void give_workspace(workspace_t given) {
  free_workspace_t *workspace = given.memory;
  workspace->size = given.size;
  pthread_mutex_lock(&cache.mutex);
  workspace->next = cache.head;
  cache.head = workspace;
  pthread_mutex_unlock(&cache.mutex);
}

void strata_rt_workspaces_free(void) {
  for (free_workspace_t *workspace = cache.head, *next; workspace; workspace = next) {
    next = workspace->next;
    free(workspace);
  }
  cache.head = NULL;
}

void strata_rt_workspaces_forget(void) {
  if (pthread_mutex_trylock(&cache.mutex) == 0) {
    strata_rt_workspaces_free();
    pthread_mutex_unlock(&cache.mutex);
  } else { // another thread was changing the list
    cache.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cache.head = NULL;
  }
}

//===-- The call -------------------------------------------------------------------------------------------------===//

static int check_workspace(const void *workspace) {
  if (program.user_memory && (!workspace || (uintptr_t)workspace % STRATA_RT_ALIGNMENT))
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: the workspace %s", program.library->name,
                          workspace ? "must be aligned to 256 bytes" : "is NULL");
  return STRATA_OK;
}

static int run_in(void *const *tensors, const int64_t *values, const layout_t *layout, char *workspace) {
  strata_fp_t before = strata_fp_get();
  strata_fp_set(STRATA_FP_DEFAULT);
  run_main(&(strata_rt_frame_t){.tensors = tensors,
                                .constants = strata_rt_constants(),
                                .values = values,
                                .pool = workspace,
                                .scratch = workspace + layout->scratch,
                                .buffers = (void **)(void *)(workspace + layout->buffers)});
  strata_fp_set(before);
  return STRATA_OK;
}

static int run_cached(void *const *tensors, const int64_t *values, const layout_t *layout) {
  workspace_t workspace = take_workspace(layout->size);
  if (!workspace.memory)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: no memory for a workspace of %zu bytes", program.library->name,
                          layout->size);
  int status = run_in(tensors, values, layout, workspace.memory);
  give_workspace(workspace);
  return status;
}

int strata_rt_run(void *const *tensors, const int64_t *dims, void *workspace, void *stream) {
  (void)stream;
  int64_t *values = STRATA_RT_VALUES(program.sizes);
  int status = program.sizes ? strata_rt_sizes_evaluate(program.library, program.sizes, dims, values) : STRATA_OK;
  if (!status)
    status = strata_rt_check_tensors(program.library, program.sizes, values, tensors);
  if (!status)
    status = check_workspace(workspace);
  if (!status)
    status = strata_rt_enter();
  if (status)
    return status;
  layout_t layout = layout_of(values);
  status = program.user_memory ? run_in(tensors, values, &layout, workspace) : run_cached(tensors, values, &layout);
  strata_rt_leave();
  return status;
}
