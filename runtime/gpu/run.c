// A call: checks what it is given and enqueues the program's launches on its stream, and on side streams of that.
//
// With the caller's memory that is all: nothing is allocated and nothing waited for, so the call can be captured into a
// graph; but of an open loop that may be long it is asked now and then whether it has ended. Without, the call takes a
// slot of its own, copies host tensors in and out, and waits for the end.
#include "runtime/gpu/instance.h"
#include "runtime/gpu/trace.h"
#include "runtime/library/error.h"
#include "runtime/library/sizes.h"
#include "runtime/library/tensors.h"

#include <stdlib.h>

#define program strata_rt_program

static int enqueue_all(strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  return strata_rt_tracer().function ? strata_rt_run_traced(instance, call)
                                     : strata_rt_enqueue_main(instance, call, NULL);
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

static size_t n_tensors(void) { return program.library->n_inputs + program.library->n_outputs; }

static size_t tensor_size(const strata_rt_variant_t *variant, const int64_t *values, size_t index) {
  return strata_rt_tensor_size(program.library, variant->sizes, values, index);
}

static size_t pool_size(const strata_rt_variant_t *variant, const int64_t *values) {
  return strata_rt_round_up((size_t)strata_rt_number(variant->pool_size, values), STRATA_RT_ALIGNMENT);
}

// What a call needs: the pool, and behind it the tensors where they come from the host. What no size_t holds is more
// than any device has.
static size_t call_size(const strata_rt_variant_t *variant, const int64_t *values) {
  size_t size = pool_size(variant, values);
  for (size_t i = 0; i < n_tensors() && !program.device_tensors; i++)
    if (__builtin_add_overflow(size, strata_rt_round_up(tensor_size(variant, values, i), STRATA_RT_ALIGNMENT), &size))
      return SIZE_MAX;
  return size;
}

static int evaluate(const strata_rt_variant_t *variant, const int64_t *dims, int64_t *values) {
  return variant->sizes ? strata_rt_sizes_evaluate(program.library, variant->sizes, dims, values) : STRATA_OK;
}

// A function of its own, so that the room for the values is given back.
static size_t variant_size(const strata_rt_variant_t *variant, const int64_t *dims) {
  int64_t *values = STRATA_RT_VALUES(variant->sizes);
  return evaluate(variant, dims, values) == STRATA_OK ? call_size(variant, values) : 0;
}

size_t strata_rt_device_memory_size(const int64_t *dims) {
  size_t most = 0;
  for (uint64_t i = 0; i < program.n_variants; i++) {
    size_t size = variant_size(&program.variants[i], dims);
    most = size > most ? size : most;
  }
  return most;
}

int strata_rt_output_shape(size_t index, const int64_t *dims, int64_t *shape) {
  return strata_rt_sizes_output_shape(program.library, program.variants[0].sizes, index, dims, shape);
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

// Copies all inputs in, or all outputs out. |device|: where all tensors are there.
static int copy_tensors(const strata_rt_instance_t *instance, const strata_rt_call_t *call, void *const *device,
                        bool in) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  int status = STRATA_OK;
  for (size_t i = 0; i < n_tensors() && !status; i++) {
    size_t size = tensor_size(instance->variant, call->values, i);
    if (size && in && i < program.library->n_inputs)
      status = driver->upload(device[i], call->tensors[i], size, call->stream);
    else if (size && !in && i >= program.library->n_inputs)
      status = driver->download(call->tensors[i], device[i], size, call->stream);
  }
  return status;
}

static int run_on_host_tensors(strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  char *next = call->pool + pool_size(instance->variant, call->values);
  void **device = malloc((n_tensors() + 1) * sizeof *device);
  if (!device)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
  for (size_t i = 0; i < n_tensors(); i++) {
    device[i] = next;
    next += strata_rt_round_up(tensor_size(instance->variant, call->values, i), STRATA_RT_ALIGNMENT);
  }
  strata_rt_call_t inner = *call;
  inner.tensors = device;
  int status = copy_tensors(instance, call, device, true);
  if (!status)
    status = enqueue_all(instance, &inner);
  if (!status)
    status = copy_tensors(instance, call, device, false);
  free(device);
  return status;
}

static int enqueue_call(strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  return program.device_tensors ? enqueue_all(instance, call) : run_on_host_tensors(instance, call);
}

static int run_in_slot(strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  strata_rt_slot_t *slot;
  int status = strata_rt_slot_take(instance, call_size(instance->variant, call->values), &slot);
  if (status)
    return status;
  strata_rt_call_t inner = *call;
  inner.pool = slot->memory;
  inner.stream = slot->stream;
  inner.lanes = slot->lanes;
  status = enqueue_call(instance, &inner);
  strata_rt_cleanup_begin(status);
  if (strata_rt_driver()->synchronize_stream(slot->stream)) // also after an error: nothing may touch the tensors later
    strata_rt_driver()->synchronize();
  status = strata_rt_cleanup_end();
  strata_rt_slot_give(instance, slot);
  return status;
}

static int check_pool(const strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  bool is_missing = !call->pool && call_size(instance->variant, call->values);
  if (!program.user_memory || (!is_missing && (uintptr_t)call->pool % STRATA_RT_ALIGNMENT == 0))
    return STRATA_OK;
  return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: device_memory %s", program.library->name,
                        call->pool ? "must be aligned to 256 bytes" : "is NULL");
}

static int run(strata_rt_instance_t *instance, const strata_rt_call_t *call) {
  int status = check_pool(instance, call);
  if (status)
    return status;
  return program.user_memory ? enqueue_call(instance, call) : run_in_slot(instance, call);
}

// The values of the sizes are those of the variant that fits the device.
static int run_at(strata_rt_instance_t *instance, void *const *tensors, const int64_t *dims, void *memory,
                  void *stream) {
  const strata_rt_sizes_t *sizes = instance->variant->sizes;
  int64_t *values = STRATA_RT_VALUES(sizes);
  int status = evaluate(instance->variant, dims, values);
  if (!status && sizes)
    status = strata_rt_check_tensors(program.library, sizes, values, tensors);
  return status ? status
                : run(instance,
                      &(strata_rt_call_t){.tensors = tensors, .values = values, .pool = memory, .stream = stream});
}

int strata_rt_run(void *const *tensors, const int64_t *dims, void *device_memory, void *stream) {
  strata_rt_scope_t scope;
  strata_rt_instance_t *instance;
  bool varies = program.variants[0].sizes != NULL;
  int status = varies ? STRATA_OK : strata_rt_check_tensors(program.library, NULL, NULL, tensors);
  if (!status)
    status = strata_rt_enter(program.user_memory ? stream : NULL, &scope, &instance);
  if (status)
    return status;
  return strata_rt_leave(&scope, run_at(instance, tensors, dims, device_memory, stream));
}
