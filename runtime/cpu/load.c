// The library's life: loaded on first use or by hand, changed or unloaded only while no call is running.
#include "runtime/cpu/constants.h"
#include "runtime/cpu/features.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/state.h"
#include "runtime/library/error.h"
#include "runtime/library/life.h"
#include "runtime/library/trace.h"
#include "runtime/library/weights_file.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define program strata_rt_program

static struct {
  pthread_mutex_t mutex; // guards everything below but the atomics
  strata_rt_gate_t gate;
  _Atomic pid_t owner; // the process this state belongs to

  bool is_loaded;
  bool has_threads;
  int wanted_threads; // by set_threads; 0: by the environment or the default
  strata_weights_file_t file;
  strata_rt_constants_t constants;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

//===-- Fork -----------------------------------------------------------------------------------------------------===//

// A page that a child finds wiped: where the kernel does that, calls need not ask it which process they are in.
enum { PAGE = 4096 };
static _Alignas(PAGE) union {
  _Atomic bool is_marked;
  char bytes[PAGE];
} page;

// Emulators that know nothing of the advice take any.
static void mark_process(void) {
  bool is_wiped = sysconf(_SC_PAGESIZE) == PAGE && madvise(&page, sizeof page, -1) != 0 &&
                  madvise(&page, sizeof page, MADV_WIPEONFORK) == 0;
  atomic_store(&page.is_marked, is_wiped);
}

// A child has the parent's memory but none of its threads: the pool, the locks and the calls they were in are made
// anew; what is loaded stays. The caller is one of the child's threads, maybe one of several.
static void recover_from_fork(pid_t self) {
  pid_t owner = atomic_load(&state.owner);
  while (owner != self) {
    if (owner == -self) { // another thread is at it
      sched_yield();
      owner = atomic_load(&state.owner);
    } else if (atomic_compare_exchange_strong(&state.owner, &owner, -self)) {
      bool was_free = pthread_mutex_trylock(&state.mutex) == 0; // else another thread was changing things
      if (was_free)
        pthread_mutex_unlock(&state.mutex);
      else
        state.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
      atomic_store(&state.gate.active, 0);
      state.has_threads = false;
      strata_rt_pool_forget(was_free);
      strata_rt_workspaces_forget();
      // The next call takes the long way, which starts the threads again.
      atomic_store(&state.gate.is_open, false);
      atomic_store(&state.owner, self);
      mark_process();
      return;
    }
  }
}

static void check_process(void) {
  if (atomic_load_explicit(&page.is_marked, memory_order_acquire))
    return;
  pid_t self = getpid();
  if (atomic_load_explicit(&state.owner, memory_order_acquire) != self)
    recover_from_fork(self);
}

//===-- Loading --------------------------------------------------------------------------------------------------===//

static unsigned thread_count(void) {
  if (state.wanted_threads > 0)
    return (unsigned)state.wanted_threads;
  const char *text = getenv("STRATA_NUM_THREADS");
  long count = text ? strtol(text, NULL, 10) : 0;
  if (count > 0)
    return count < 4096 ? (unsigned)count : 4096;
  return program.default_threads ? program.default_threads : strata_rt_pool_processors();
}

static int find_weights(void *memory) {
  const void *weights = program.weights;
  if (!weights && program.weights_size) {
    int status =
        strata_rt_weights_map(program.weights_file, program.weights_size, program.weights_checksum, &state.file);
    if (status)
      return status;
    weights = state.file.data;
  }
  if (memory && program.weights_size) {
    memcpy(memory, weights, program.weights_size);
    strata_rt_weights_unmap(&state.file);
    weights = memory;
  }
  strata_rt_constants_place(&state.constants, weights);
  return STRATA_OK;
}

static void free_all(void) {
  strata_rt_constants_free(&state.constants);
  strata_rt_weights_unmap(&state.file);
  strata_rt_workspaces_free();
}

// With the mutex held.
static int load_weights(void *memory) {
  int status = strata_rt_check_weights_memory(program.library, memory);
  if (status)
    return status;
  const char *missing = strata_rt_missing_feature(program.cpu_features);
  if (missing)
    return strata_rt_fail(STRATA_DEVICE, "%s: compiled for %s, but this processor lacks %s", program.library->name,
                          program.library->devices[0], missing);
  status = strata_rt_constants_init(&state.constants);
  if (!status)
    status = find_weights(memory);
  if (status)
    free_all();
  state.is_loaded = !status;
  return status;
}

static int load_locked(void *memory) {
  if (state.is_loaded && memory)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: already loaded", program.library->name);
  if (!state.is_loaded) {
    int status = load_weights(memory);
    if (status)
      return status;
    strata_rt_tracer_init(program.library);
  }
  if (!state.has_threads)
    strata_rt_pool_resize(thread_count(), program.scratch_size);
  state.has_threads = true;
  int status = strata_rt_constants_check(&state.constants);
  atomic_store(&state.gate.is_open, !status);
  return status;
}

size_t strata_rt_weights_size(void) { return program.weights_size; }
const char *strata_rt_error(void) { return strata_rt_message(); }

int strata_rt_load(void *weights_memory, void *stream) {
  (void)stream;
  check_process();
  pthread_mutex_lock(&state.mutex);
  int status = load_locked(weights_memory);
  pthread_mutex_unlock(&state.mutex);
  return status;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

int strata_rt_enter(void) {
  check_process();
  if (strata_rt_gate_enter(&state.gate))
    return STRATA_OK;
  pthread_mutex_lock(&state.mutex);
  int status = state.is_loaded || !program.user_memory ? load_locked(NULL)
                                                       : strata_rt_fail(STRATA_NOT_LOADED, "%s: call %s_load first",
                                                                        program.library->name, program.library->name);
  if (!status)
    atomic_fetch_add(&state.gate.active, 1);
  pthread_mutex_unlock(&state.mutex);
  return status;
}

void strata_rt_leave(void) { strata_rt_gate_leave(&state.gate); }

void *const *strata_rt_constants(void) { return state.constants.at; }

static int unload(void) {
  pthread_mutex_lock(&state.mutex);
  bool closed = strata_rt_gate_close(&state.gate);
  if (closed) {
    strata_rt_pool_resize(1, 0);
    free_all();
    state.is_loaded = state.has_threads = false;
  }
  pthread_mutex_unlock(&state.mutex);
  return closed ? STRATA_OK : strata_rt_refuse_running(program.library);
}

int strata_rt_unload(void) {
  check_process();
  return unload();
}

// At dlclose the threads must be gone before the code is. At exit other threads may still be in a call: they are left
// alone. A child of fork has nothing to stop.
__attribute__((destructor)) static void unload_at_exit(void) {
  if (atomic_load(&state.owner) == getpid())
    unload();
}

int strata_rt_set_threads(int n_threads) {
  check_process();
  if (n_threads < 0)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: %d threads", program.library->name, n_threads);
  pthread_mutex_lock(&state.mutex);
  state.wanted_threads = n_threads;
  if (state.has_threads)
    strata_rt_pool_resize(thread_count(), program.scratch_size);
  pthread_mutex_unlock(&state.mutex);
  return STRATA_OK;
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static int set_constant(const char *name, const void *data) {
  size_t index;
  int status = strata_rt_find_constant(program.library, name, &index);
  return status ? status : strata_rt_constants_set(&state.constants, program.public_constants[index], data);
}

int strata_rt_set_constant(const char *name, const void *data, void *stream) {
  (void)stream;
  check_process();
  int status = strata_rt_check_setting(program.library, name, data);
  if (status)
    return status;
  pthread_mutex_lock(&state.mutex);
  status = state.is_loaded ? STRATA_OK : load_locked(NULL);
  if (!status && !strata_rt_gate_close(&state.gate))
    status = strata_rt_refuse_running(program.library);
  else if (!status) {
    status = set_constant(name, data);
    atomic_store(&state.gate.is_open, strata_rt_constants_check(&state.constants) == STRATA_OK);
  }
  pthread_mutex_unlock(&state.mutex);
  return status;
}
