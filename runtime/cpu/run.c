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
#include "runtime/library/tensors.h"
#include "runtime/library/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define program strata_rt_program

static size_t round_up(size_t size, size_t multiple) { return (size + multiple - 1) / multiple * multiple; }
static size_t scratch_offset(void) { return round_up(program.pool_size, STRATA_RT_ALIGNMENT); }
static size_t buffers_offset(void) { return scratch_offset() + round_up(program.scratch_size, STRATA_RT_ALIGNMENT); }
static size_t workspace_size(void) {
  return round_up(buffers_offset() + program.max_args * sizeof(void *), STRATA_RT_ALIGNMENT);
}

size_t strata_rt_device_memory_size(const int64_t *dims) {
  (void)dims;
  return workspace_size();
}

//===-- Tracing --------------------------------------------------------------------------------------------------===//

void strata_rt_set_trace(strata_trace_t trace, void *user) { strata_rt_tracer_set(program.library, trace, user); }

//===-- Launches -------------------------------------------------------------------------------------------------===//

static void *resolve(const strata_rt_arg_t *arg, const strata_rt_frame_t *frame) {
  switch ((strata_rt_arg_kind_t)arg->kind) {
  case STRATA_RT_TENSOR:
    return (char *)frame->tensors[arg->index] + arg->offset;
  case STRATA_RT_CONSTANT:
  case STRATA_RT_PREPARED:
    return (char *)frame->constants[arg->index] + arg->offset;
  case STRATA_RT_POOL:
    return frame->pool + arg->offset;
  }
  return NULL;
}

static unsigned launch_kernel(const strata_rt_list_t *list, uint64_t index, const strata_rt_frame_t *frame) {
  const strata_rt_launch_t *launch = &list->launches[index];
  const strata_rt_kernel_t *kernel = &program.kernels[launch->kernel];
  const strata_rt_arg_t *args = &list->args[launch->first_arg];
  for (uint32_t i = 0; i < launch->n_args; i++)
    frame->buffers[i] = resolve(&args[i], frame);
  return strata_rt_pool_run(kernel->entry, frame->buffers, kernel->tasks, frame->scratch);
}

void strata_rt_run_launch(const strata_rt_list_t *list, uint64_t index, const strata_rt_frame_t *frame) {
  launch_kernel(list, index, frame);
}

void strata_rt_copy(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  (void)scratch;
  memcpy((char *)buffers[1] + begin, (const char *)buffers[0] + begin, (size_t)(end - begin));
}

// A call so far.
typedef struct {
  strata_rt_tracer_t tracer;
  size_t n_launches;
} run_t;

static void run_traced(uint64_t launch, const strata_rt_frame_t *frame, run_t *run) {
  uint64_t start = strata_rt_now();
  unsigned threads = launch_kernel(&program.main, launch, frame);
  run->tracer.function(run->tracer.user, run->n_launches++, threads, strata_rt_now() - start);
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
      launch_kernel(&program.main, i, frame);
  }
}

// A loop in this call.
typedef struct {
  const strata_rt_loop_t *loop;
  const strata_rt_step_t *steps;
  uint32_t n_args;
  void *bases[STRATA_RT_MAX_LOOP_ARGS];
  char *pool;
  uint64_t end;
} loop_run_t;

static loop_run_t begin_loop(const strata_rt_launch_t *launch, const strata_rt_frame_t *frame) {
  const strata_rt_loop_t *loop = &program.main.loops[launch->size];
  loop_run_t l = {.loop = loop, .steps = &program.main.steps[loop->first_step], .n_args = launch->n_args};
  for (uint32_t i = 0; i < launch->n_args; i++)
    l.bases[i] = resolve(&program.main.args[launch->first_arg + i], frame);
  l.pool = l.bases[launch->n_args - 1];
  l.end = strata_rt_loop_end(loop, loop->limit == STRATA_RT_NO_ARG ? INT64_MAX : *(int64_t *)l.bases[loop->limit]);
  return l;
}

static void *loop_arg(const loop_run_t *l, uint64_t i, uint64_t iteration) {
  return strata_rt_loop_arg(&l->steps[i], l->bases[i], l->pool, iteration, l->end);
}

static bool goes_on(const loop_run_t *l, uint64_t iteration) {
  return l->loop->condition == STRATA_RT_NO_ARG || *(uint8_t *)loop_arg(l, l->loop->condition, iteration);
}

static void copy_last_states(const loop_run_t *l, uint64_t iterations) {
  for (uint32_t i = 0, state = 0; i < l->n_args; i++)
    if (l->steps[i].kind == STRATA_RT_NEXT_STATE)
      memcpy(l->bases[i], strata_rt_loop_last(&l->steps[i], l->bases[state++], l->pool, iterations), l->steps[i].size);
}

static void run_loop(const strata_rt_launch_t *launch, const strata_rt_frame_t *frame, run_t *run) {
  void *args[STRATA_RT_MAX_LOOP_ARGS];
  loop_run_t l = begin_loop(launch, frame);
  strata_rt_frame_t inner = *frame;
  inner.tensors = args;
  inner.pool = l.pool;
  size_t n_launches = run->n_launches;
  uint64_t iteration = 0;
  for (; iteration < l.end && goes_on(&l, iteration); iteration++) {
    for (uint32_t i = 0; i < l.n_args; i++)
      args[i] = loop_arg(&l, i, iteration);
    if (strata_rt_loop_is_open(l.loop))
      run->n_launches = n_launches;
    run_launches(l.loop->first_launch, l.loop->n_launches, &inner, run);
  }
  if (strata_rt_loop_leaves_states(iteration, l.end))
    copy_last_states(&l, iteration);
  if (strata_rt_loop_is_open(l.loop))
    run->n_launches = n_launches + strata_rt_count_launches(&program.main, l.loop->first_launch, l.loop->n_launches);
}

static void run_main(const strata_rt_frame_t *frame) {
  run_launches(0, program.main.n_launches, frame, &(run_t){.tracer = strata_rt_tracer()});
}

//===-- Workspaces -----------------------------------------------------------------------------------------------===//

// Workspaces that no call is using; the link lies in the workspace itself.
typedef struct free_workspace {
  struct free_workspace *next;
} free_workspace_t;

static struct {
  pthread_mutex_t mutex;
  free_workspace_t *head;
} cache = {.mutex = PTHREAD_MUTEX_INITIALIZER};

enum { HUGE_PAGE = 2 << 20 };

static void *allocate_workspace(void) {
  size_t size = workspace_size() > sizeof(free_workspace_t) ? workspace_size() : STRATA_RT_ALIGNMENT;
  if (size < HUGE_PAGE)
    return aligned_alloc(STRATA_RT_ALIGNMENT, size);
  void *memory = aligned_alloc(HUGE_PAGE, round_up(size, HUGE_PAGE));
  if (memory)
    madvise(memory, round_up(size, HUGE_PAGE), MADV_HUGEPAGE); // fewer TLB misses; no harm if refused
  return memory;
}

static void *take_workspace(void) {
  pthread_mutex_lock(&cache.mutex);
  free_workspace_t *workspace = cache.head;
  if (workspace)
    cache.head = workspace->next;
  pthread_mutex_unlock(&cache.mutex);
  return workspace ? workspace : allocate_workspace();
}

static void give_workspace(void *memory) {
  free_workspace_t *workspace = memory;
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

static int run_in(void *const *tensors, char *workspace) {
  strata_fp_t before = strata_fp_get();
  strata_fp_set(STRATA_FP_DEFAULT);
  run_main(&(strata_rt_frame_t){.tensors = tensors,
                                .constants = strata_rt_constants(),
                                .pool = workspace,
                                .scratch = workspace + scratch_offset(),
                                .buffers = (void **)(void *)(workspace + buffers_offset())});
  strata_fp_set(before);
  return STRATA_OK;
}

static int run_cached(void *const *tensors) {
  void *workspace = take_workspace();
  if (!workspace)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: no memory for a workspace of %zu bytes", program.library->name,
                          workspace_size());
  int status = run_in(tensors, workspace);
  give_workspace(workspace);
  return status;
}

int strata_rt_run(void *const *tensors, const int64_t *dims, void *workspace, void *stream) {
  (void)dims, (void)stream;
  int status = strata_rt_check_tensors(program.library, tensors);
  if (!status)
    status = check_workspace(workspace);
  if (!status)
    status = strata_rt_enter();
  if (status)
    return status;
  status = program.user_memory ? run_in(tensors, workspace) : run_cached(tensors);
  strata_rt_leave();
  return status;
}
