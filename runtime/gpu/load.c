// The library's life: loaded context by context, by hand or on first use; changed or unloaded only while no call is
// running. What is loaded stays, or goes with the last of the calls that are under way at a time.
#include "runtime/gpu/instance.h"
#include "runtime/library/error.h"
#include "runtime/library/life.h"
#include "runtime/library/trace.h"

#include <unistd.h>

#define program strata_rt_program

static struct {
  pthread_mutex_t mutex; // guards every change of what is below
  strata_rt_gate_t gate;
  bool is_held; // loaded by hand, or constants are set: calls unload nothing
  _Atomic pid_t owner; // the process that uses the driver; 0: none yet
  _Atomic(strata_rt_instance_t *) instances;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// No driver survives a fork.
static int check_process(void) {
  pid_t owner = atomic_load_explicit(&state.owner, memory_order_acquire);
  if (!owner || owner == getpid())
    return STRATA_OK;
  return strata_rt_fail(STRATA_DEVICE, "%s: used before a fork: the child cannot use the GPU", program.library->name);
}

static strata_rt_instance_t *find(const void *context) {
  strata_rt_instance_t *instance = atomic_load(&state.instances);
  while (instance && instance->context != context)
    instance = instance->next;
  return instance;
}

//===-- Changes, with the mutex held -----------------------------------------------------------------------------===//

static int open_driver(void) {
  atomic_store(&state.owner, getpid()); // first: whatever is begun is nothing for a child
  return strata_rt_driver()->open();
}

static int refuse_not_loaded(void) {
  return strata_rt_fail(STRATA_NOT_LOADED, "%s: call %s_load first, in this context", program.library->name,
                        program.library->name);
}

// Loading waits for the stream, which would break a capture.
static int check_stream(void *stream) {
  bool is_capturing;
  int status = strata_rt_driver()->is_capturing(stream, &is_capturing);
  if (!status && is_capturing)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: not while the stream is being captured", program.library->name);
  return status;
}

// Loads the library into the scope's context, if it is not there yet.
static int load_into(const strata_rt_scope_t *scope, void *memory, void *stream, strata_rt_instance_t **out_instance) {
  *out_instance = find(scope->context);
  if (*out_instance && memory)
    return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: already loaded", program.library->name);
  if (*out_instance)
    return STRATA_OK;
  int status = check_stream(stream);
  if (!status)
    status = strata_rt_instance_create(scope, memory, stream, out_instance);
  if (status)
    return status;
  strata_rt_tracer_init(program.library);
  (*out_instance)->next = atomic_load(&state.instances);
  atomic_store(&state.instances, *out_instance);
  return STRATA_OK;
}

static int load(void *memory, void *stream) {
  strata_rt_scope_t scope;
  strata_rt_instance_t *instance;
  int status = open_driver();
  if (!status)
    status = strata_rt_driver()->enter(stream, &scope);
  if (status)
    return status;
  status = load_into(&scope, memory, stream, &instance);
  strata_rt_cleanup_begin(status);
  strata_rt_driver()->leave(&scope);
  return strata_rt_cleanup_end();
}

size_t strata_rt_weights_size(void) {
  size_t most = 0;
  for (uint64_t i = 0; i < program.n_variants; i++)
    most = program.variants[i].memory_size > most ? program.variants[i].memory_size : most;
  return most;
}

const char *strata_rt_error(void) { return strata_rt_message(); }

void strata_rt_set_trace(strata_trace_t trace, void *user) { strata_rt_tracer_set(program.library, trace, user); }

int strata_rt_load(void *weights_memory, void *stream) {
  int status = strata_rt_check_weights_memory(program.library, weights_memory);
  if (!status)
    status = check_process();
  if (status)
    return status;
  pthread_mutex_lock(&state.mutex);
  status = load(weights_memory, stream);
  if (!status)
    state.is_held = true;
  pthread_mutex_unlock(&state.mutex);
  return status;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

// The instance of the scope's context, loaded if it may be. Without the mutex and without being counted as a call.
static int find_or_load(const strata_rt_scope_t *scope, strata_rt_instance_t **out_instance) {
  int status;
  pthread_mutex_lock(&state.mutex);
  if (program.user_memory && !find(scope->context))
    status = refuse_not_loaded();
  else
    status = load_into(scope, NULL, NULL, out_instance);
  if (!status)
    status = strata_rt_constants_check(*out_instance);
  if (!status) {
    atomic_fetch_add(&state.gate.active, 1);
    atomic_store(&(*out_instance)->is_ready, true);
    atomic_store(&state.gate.is_open, true);
  }
  pthread_mutex_unlock(&state.mutex);
  return status;
}

// Opens the driver where nobody has. A library that must be loaded by hand has not been.
static int prepare_to_enter(void) {
  int status = check_process();
  if (status || atomic_load(&state.instances))
    return status;
  if (program.user_memory)
    return refuse_not_loaded();
  pthread_mutex_lock(&state.mutex);
  status = open_driver();
  pthread_mutex_unlock(&state.mutex);
  return status;
}

int strata_rt_enter(void *stream, strata_rt_scope_t *scope, strata_rt_instance_t **out_instance) {
  int status = prepare_to_enter();
  if (!status)
    status = strata_rt_driver()->enter(stream, scope);
  if (status)
    return status;
  if (strata_rt_gate_enter(&state.gate)) {
    *out_instance = find(scope->context);
    if (*out_instance && atomic_load(&(*out_instance)->is_ready))
      return STRATA_OK;
    strata_rt_gate_leave(&state.gate);
  }
  status = find_or_load(scope, out_instance);
  if (status) {
    strata_rt_cleanup_begin(status);
    strata_rt_driver()->leave(scope);
    return strata_rt_cleanup_end();
  }
  return STRATA_OK;
}

//===-- Unloading ------------------------------------------------------------------------------------------------===//

// What cannot be freed now stays loaded. |status|: what has failed before, whose message stays.
static int unload_all(int status) {
  strata_rt_instance_t *instance = atomic_exchange(&state.instances, NULL), *rest = NULL;
  while (instance) {
    strata_rt_instance_t *next = instance->next;
    if (!strata_rt_instance_destroy(instance, &status)) {
      instance->next = rest;
      rest = instance;
    }
    instance = next;
  }
  atomic_store(&state.instances, rest);
  return status;
}

static int unload(void) {
  if (!strata_rt_gate_close(&state.gate))
    return strata_rt_refuse_running(program.library);
  state.is_held = false;
  return unload_all(STRATA_OK);
}

int strata_rt_unload(void) {
  int status = check_process();
  if (status)
    return status;
  pthread_mutex_lock(&state.mutex);
  status = unload();
  pthread_mutex_unlock(&state.mutex);
  return status;
}

// What calls alone have loaded, unless one is running: then that one sees to it.
static int unload_unheld(int status) {
  pthread_mutex_lock(&state.mutex);
  if (!state.is_held && strata_rt_gate_close(&state.gate))
    status = unload_all(status);
  pthread_mutex_unlock(&state.mutex);
  return status;
}

int strata_rt_leave(strata_rt_scope_t *scope, int status) {
  strata_rt_cleanup_begin(status);
  strata_rt_driver()->leave(scope);
  strata_rt_gate_leave(&state.gate);
  status = strata_rt_cleanup_end();
  return program.unloads ? unload_unheld(status) : status;
}

//===-- Setting --------------------------------------------------------------------------------------------------===//


static int set_constant(const strata_rt_scope_t *scope, const char *name, const void *data, void *stream) {
  strata_rt_instance_t *instance;
  size_t index;
  if (program.user_memory && !find(scope->context))
    return refuse_not_loaded();
  int status = check_stream(stream);
  if (!status)
    status = load_into(scope, NULL, stream, &instance);
  if (!status)
    status = strata_rt_find_constant(program.library, name, &index);
  if (status)
    return status;
  state.is_held = true;
  atomic_store(&instance->is_ready, false); // the next call finds out
  return strata_rt_constants_set(instance, instance->variant->public_constants[index], data, stream);
}

// With the mutex held and calls kept out; the next one opens the library again.
static int set_constant_closed(const char *name, const void *data, void *stream) {
  strata_rt_scope_t scope;
  int status = open_driver();
  if (!status)
    status = strata_rt_driver()->enter(stream, &scope);
  if (status)
    return status;
  status = set_constant(&scope, name, data, stream);
  strata_rt_cleanup_begin(status);
  strata_rt_driver()->leave(&scope);
  return strata_rt_cleanup_end();
}

int strata_rt_set_constant(const char *name, const void *data, void *stream) {
  int status = strata_rt_check_setting(program.library, name, data);
  if (!status)
    status = check_process();
  if (status)
    return status;
  pthread_mutex_lock(&state.mutex);
  status = strata_rt_gate_close(&state.gate) ? set_constant_closed(name, data, stream)
                                             : strata_rt_refuse_running(program.library);
  pthread_mutex_unlock(&state.mutex);
  return status;
}
