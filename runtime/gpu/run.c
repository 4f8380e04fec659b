// A call: checks what it is given and enqueues the program's launches on one stream.
//
// With the caller's memory that is all: nothing is allocated and nothing waited for, so the call can be captured into a
// graph. Without, the call takes a slot of its own, copies host tensors in and out, and waits for the end.
#include "runtime/gpu/instance.h"
#include "runtime/gpu/trace.h"
#include "runtime/library/error.h"
#include "runtime/library/loop.h"
#include "runtime/library/tensors.h"

#include <stdlib.h>

#define program strata_rt_program

//===-- Launches -------------------------------------------------------------------------------------------------===//

static void *resolve(const strata_rt_instance_t *instance, const strata_rt_arg_t *arg, void *const *tensors,
                     char *pool) {
  switch ((strata_rt_arg_kind_t)arg->kind) {
  case STRATA_RT_TENSOR:
    return (char *)tensors[arg->index] + arg->offset;
  case STRATA_RT_CONSTANT:
  case STRATA_RT_PREPARED:
    return (char *)instance->constants.at[arg->index] + arg->offset;
  case STRATA_RT_POOL:
    return pool + arg->offset;
  }
  return NULL;
}

int strata_rt_enqueue(const strata_rt_instance_t *instance, const strata_rt_list_t *list, uint64_t index,
                      void *const *tensors, char *pool, void *stream) {
  const strata_rt_launch_t *launch = &list->launches[index];
  void *buffers[STRATA_RT_MAX_ARGS];
  for (uint32_t i = 0; i < launch->n_args; i++)
    buffers[i] = resolve(instance, &list->args[launch->first_arg + i], tensors, pool);
  if (launch->kernel == STRATA_RT_COPY)
    return strata_rt_driver()->copy(buffers[1], buffers[0], launch->size, stream);
  return strata_rt_driver()->launch(&instance->functions[launch->kernel], buffers, launch->n_args, stream);
}

typedef struct {
  const strata_rt_instance_t *instance;
  void *stream;
  strata_rt_launched_t done;
  void *user;
} walk_t;

static int enqueue_loop(const walk_t *walk, const strata_rt_launch_t *launch, void *const *tensors, char *pool);

static int enqueue_launches(const walk_t *walk, uint64_t first, uint64_t count, void *const *tensors, char *pool) {
  const strata_rt_list_t *list = &walk->instance->variant->main;
  int status = STRATA_OK;
  for (uint64_t i = first; i < first + count && !status; i++) {
    const strata_rt_launch_t *launch = &list->launches[i];
    if (launch->kernel == STRATA_RT_LOOP) {
      status = enqueue_loop(walk, launch, tensors, pool);
      continue;
    }
    status = strata_rt_enqueue(walk->instance, list, i, tensors, pool, walk->stream);
    if (!status && walk->done)
      status = walk->done(walk->instance, launch, walk->user);
  }
  return status;
}

static int enqueue_loop(const walk_t *walk, const strata_rt_launch_t *launch, void *const *tensors, char *pool) {
  void *bases[STRATA_RT_MAX_LOOP_ARGS], *args[STRATA_RT_MAX_LOOP_ARGS];
  const strata_rt_list_t *list = &walk->instance->variant->main;
  const strata_rt_loop_t *loop = &list->loops[launch->size];
  for (uint32_t i = 0; i < launch->n_args; i++)
    bases[i] = resolve(walk->instance, &list->args[launch->first_arg + i], tensors, pool);
  char *inner = bases[launch->n_args - 1];
  int status = STRATA_OK;
  for (uint64_t iteration = 0; iteration < loop->count && !status; iteration++) {
    for (uint32_t i = 0; i < launch->n_args; i++)
      args[i] = strata_rt_loop_arg(loop, &list->steps[loop->first_step + i], bases[i], inner, iteration);
    status = enqueue_launches(walk, loop->first_launch, loop->n_launches, args, inner);
  }
  return status;
}

int strata_rt_enqueue_main(const strata_rt_instance_t *instance, void *const *tensors, char *pool, void *stream,
                           strata_rt_launched_t done, void *user) {
  const walk_t walk = {instance, stream, done, user};
  return enqueue_launches(&walk, 0, instance->variant->main.n_launches, tensors, pool);
}

static int enqueue_all(const strata_rt_instance_t *instance, void *const *tensors, char *pool, void *stream) {
  return strata_rt_tracer().function ? strata_rt_run_traced(instance, tensors, pool, stream)
                                     : strata_rt_enqueue_main(instance, tensors, pool, stream, NULL, NULL);
}

//===-- Slots ----------------------------------------------------------------------------------------------------===//

static size_t round_up(size_t size) {
  return (size + STRATA_RT_ALIGNMENT - 1) / STRATA_RT_ALIGNMENT * STRATA_RT_ALIGNMENT;
}

static size_t n_tensors(void) { return program.library->n_inputs + program.library->n_outputs; }

// What a call needs: the pool, and behind it the tensors where they come from the host.
static size_t call_size(const strata_rt_variant_t *variant) {
  size_t size = round_up(variant->pool_size);
  for (size_t i = 0; i < n_tensors() && !program.device_tensors; i++)
    size += round_up(strata_rt_tensor_info(program.library, i)->size);
  return size;
}

size_t strata_rt_device_memory_size(const int64_t *dims) {
  size_t most = 0;
  (void)dims;
  for (uint64_t i = 0; i < program.n_variants; i++) {
    size_t size = call_size(&program.variants[i]);
    most = size > most ? size : most;
  }
  return most;
}

// Frees what the slot has; between cleanup_begin and _end.
static void free_slot(const strata_rt_instance_t *instance, strata_rt_slot_t *slot) {
  if (slot->stream && !instance->is_lost)
    strata_rt_driver()->destroy_stream(slot->stream);
  if (slot->memory && !instance->is_lost)
    strata_rt_driver()->free(slot->memory);
  free(slot);
}

static int create_slot(const strata_rt_instance_t *instance, strata_rt_slot_t **out_slot) {
  strata_rt_slot_t *slot = calloc(1, sizeof *slot);
  size_t size = call_size(instance->variant);
  if (!slot)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
  void *memory = NULL;
  int status = size ? strata_rt_driver()->allocate(size, &memory) : STRATA_OK;
  slot->memory = memory;
  if (!status)
    status = strata_rt_driver()->create_stream(&slot->stream);
  if (status) {
    strata_rt_cleanup_begin(status);
    free_slot(instance, slot);
    return strata_rt_cleanup_end();
  }
  *out_slot = slot;
  return STRATA_OK;
}

static int take_slot(strata_rt_instance_t *instance, strata_rt_slot_t **out_slot) {
  pthread_mutex_lock(&instance->mutex);
  strata_rt_slot_t *slot = instance->slots;
  if (slot)
    instance->slots = slot->next;
  pthread_mutex_unlock(&instance->mutex);
  *out_slot = slot;
  return slot ? STRATA_OK : create_slot(instance, out_slot);
}

static void give_slot(strata_rt_instance_t *instance, strata_rt_slot_t *slot) {
  pthread_mutex_lock(&instance->mutex);
  slot->next = instance->slots;
  instance->slots = slot;
  pthread_mutex_unlock(&instance->mutex);
}

void strata_rt_slots_free(strata_rt_instance_t *instance) {
  for (strata_rt_slot_t *slot = instance->slots, *next; slot; slot = next) {
    next = slot->next;
    free_slot(instance, slot);
  }
  instance->slots = NULL;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

// Copies all inputs in, or all outputs out. |host| and |device|: all tensors.
static int copy_tensors(void *const *host, char *device, bool in, void *stream) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  int status = STRATA_OK;
  for (size_t i = 0; i < n_tensors() && !status; i++) {
    size_t size = strata_rt_tensor_info(program.library, i)->size;
    if (size && in && i < program.library->n_inputs)
      status = driver->upload(device, host[i], size, stream);
    else if (size && !in && i >= program.library->n_inputs)
      status = driver->download(host[i], device, size, stream);
    device += round_up(size);
  }
  return status;
}

static int run_on_host_tensors(const strata_rt_instance_t *instance, void *const *host, char *memory, void *stream) {
  char *tensors = memory + round_up(instance->variant->pool_size), *next = tensors;
  void **device = malloc((n_tensors() + 1) * sizeof *device);
  if (!device)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
  for (size_t i = 0; i < n_tensors(); i++) {
    device[i] = next;
    next += round_up(strata_rt_tensor_info(program.library, i)->size);
  }
  int status = copy_tensors(host, tensors, true, stream);
  if (!status)
    status = enqueue_all(instance, device, memory, stream);
  if (!status)
    status = copy_tensors(host, tensors, false, stream);
  free(device);
  return status;
}

static int enqueue_call(const strata_rt_instance_t *instance, void *const *tensors, char *memory, void *stream) {
  return program.device_tensors ? enqueue_all(instance, tensors, memory, stream)
                                : run_on_host_tensors(instance, tensors, memory, stream);
}

static int run_in_slot(strata_rt_instance_t *instance, void *const *tensors) {
  strata_rt_slot_t *slot;
  int status = take_slot(instance, &slot);
  if (status)
    return status;
  status = enqueue_call(instance, tensors, slot->memory, slot->stream);
  strata_rt_cleanup_begin(status);
  if (strata_rt_driver()->synchronize_stream(slot->stream)) // also after an error: nothing may touch the tensors later
    strata_rt_driver()->synchronize();
  status = strata_rt_cleanup_end();
  give_slot(instance, slot);
  return status;
}

static int check_pool(const strata_rt_instance_t *instance, const void *pool) {
  bool is_missing = !pool && call_size(instance->variant);
  if (!program.user_memory || (!is_missing && (uintptr_t)pool % STRATA_RT_ALIGNMENT == 0))
    return STRATA_OK;
  return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: device_memory %s", program.library->name,
                        pool ? "must be aligned to 256 bytes" : "is NULL");
}

int strata_rt_run(void *const *tensors, const int64_t *dims, void *device_memory, void *stream) {
  (void)dims;
  strata_rt_scope_t scope;
  strata_rt_instance_t *instance;
  int status = strata_rt_check_tensors(program.library, tensors);
  if (!status)
    status = strata_rt_enter(program.user_memory ? stream : NULL, &scope, &instance);
  if (status)
    return status;
  status = check_pool(instance, device_memory);
  if (!status)
    status =
        program.user_memory ? enqueue_call(instance, tensors, device_memory, stream) : run_in_slot(instance, tensors);
  strata_rt_cleanup_begin(status);
  strata_rt_leave(&scope);
  return strata_rt_cleanup_end();
}
