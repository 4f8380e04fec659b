// Constants on the device. All that have a place share one block of memory, which may be the caller's; the others get
// memory of their own when they are set or prepared.
#include "runtime/gpu/instance.h"

#include "runtime/library/error.h"
#include "runtime/library/preparation.h"
#include "runtime/library/weights_file.h"

#include <stdlib.h>

#define program strata_rt_program

static int out_of_memory(void) {
  return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
}

void strata_rt_constants_free(strata_rt_instance_t *instance) {
  strata_rt_constants_t *constants = &instance->constants;
  for (uint64_t i = 0; constants->is_own && i < instance->variant->n_constants; i++)
    if (constants->is_own[i] && !instance->is_lost)
      strata_rt_driver()->free(constants->at[i]);
  if (constants->owns_memory && !instance->is_lost)
    strata_rt_driver()->free(constants->memory);
  free(constants->at);
  free(constants->is_own);
  free(constants->is_stale);
  *constants = (strata_rt_constants_t){0};
}

//===-- Preparing ------------------------------------------------------------------------------------------------===//

// Gives the marked constants that are not here a place.
static int make_places(strata_rt_instance_t *instance, const bool *marked) {
  const strata_rt_variant_t *variant = instance->variant;
  strata_rt_constants_t *constants = &instance->constants;
  for (uint64_t i = 0; i < variant->n_constants; i++) {
    const strata_rt_constant_t *constant = &variant->constants[i];
    if (!marked[i] || constants->at[i])
      continue;
    if (constant->offset != STRATA_RT_UNPLACED) {
      constants->at[i] = (char *)constants->memory + constant->offset;
      continue;
    }
    int status = strata_rt_driver()->allocate(constant->size ? constant->size : 1, &constants->at[i]);
    if (status) {
      constants->at[i] = NULL;
      return status;
    }
    constants->is_own[i] = true;
  }
  return STRATA_OK;
}

static int64_t missing_source(const strata_rt_instance_t *instance) {
  return strata_rt_missing_source(&instance->variant->prepare, instance->constants.is_stale, instance->constants.at);
}

// A constant that calls read and that is neither in the weights nor set nor prepared; -1: there is none.
static int64_t missing_constant(const strata_rt_instance_t *instance) {
  const strata_rt_list_t *list = &instance->variant->main;
  for (uint64_t launch = 0; launch < list->n_launches + list->n_in_loops; launch++)
    for (uint32_t i = 0; i < list->launches[launch].n_args; i++) {
      const strata_rt_arg_t *arg = &list->args[list->launches[launch].first_arg + i];
      if (arg->kind == STRATA_RT_CONSTANT && !instance->constants.at[arg->index])
        return arg->index;
    }
  return -1;
}

int strata_rt_constants_check(const strata_rt_instance_t *instance) {
  int64_t missing = missing_source(instance);
  if (missing < 0)
    missing = missing_constant(instance);
  if (missing >= 0)
    return strata_rt_fail_missing(program.library, instance->variant->public_constants, missing);
  for (uint64_t launch = 0; launch < instance->variant->prepare.n_launches; launch++)
    if (instance->constants.is_stale[launch])
      return strata_rt_fail(STRATA_NOT_LOADED, "%s: set_constant failed and must be repeated", program.library->name);
  return STRATA_OK;
}

// Enqueues the stale launches if all they read is here. They have their places.
static int prepare(strata_rt_instance_t *instance, void *stream) {
  const strata_rt_list_t *list = &instance->variant->prepare;
  int status = STRATA_OK;
  if (missing_source(instance) >= 0)
    return STRATA_OK;
  for (uint64_t launch = 0; launch < list->n_launches && !status; launch++)
    if (instance->constants.is_stale[launch]) {
      status = strata_rt_enqueue(instance, list, launch, NULL, NULL, stream);
      instance->constants.is_stale[launch] = status != STRATA_OK;
    }
  return status;
}

static bool is_prepared(const strata_rt_variant_t *variant, uint32_t constant) {
  const strata_rt_list_t *list = &variant->prepare;
  for (uint64_t launch = 0; launch < list->n_launches; launch++)
    for (uint32_t i = 0; i < list->launches[launch].n_args; i++) {
      const strata_rt_arg_t *arg = &list->args[list->launches[launch].first_arg + i];
      if (arg->kind == STRATA_RT_PREPARED && arg->index == constant)
        return true;
    }
  return false;
}

// Marks what calls read, is not in the weights and the preparation computes.
static void mark_missing(const strata_rt_variant_t *variant, bool *marked) {
  for (uint64_t launch = 0; launch < variant->main.n_launches + variant->main.n_in_loops; launch++)
    for (uint32_t i = 0; i < variant->main.launches[launch].n_args; i++) {
      const strata_rt_arg_t *arg = &variant->main.args[variant->main.launches[launch].first_arg + i];
      if (arg->kind == STRATA_RT_CONSTANT && !variant->constants[arg->index].is_present)
        marked[arg->index] = is_prepared(variant, arg->index);
    }
}

static int prepare_missing(strata_rt_instance_t *instance, void *stream) {
  bool *marked = calloc(instance->variant->n_constants + 1, sizeof *marked);
  if (!marked)
    return out_of_memory();
  mark_missing(instance->variant, marked);
  strata_rt_mark_sources(&instance->variant->prepare, instance->constants.is_stale, marked);
  int status = make_places(instance, marked);
  free(marked);
  return status ? status : prepare(instance, stream);
}

//===-- Loading --------------------------------------------------------------------------------------------------===//

static int get_memory(strata_rt_instance_t *instance, void *memory) {
  strata_rt_constants_t *constants = &instance->constants;
  constants->memory = memory;
  if (memory || !instance->variant->memory_size)
    return STRATA_OK;
  int status = strata_rt_driver()->allocate(instance->variant->memory_size, &constants->memory);
  constants->owns_memory = !status;
  return status;
}

// Copies the weights to the device and waits for that, since the file they may lie in is closed again.
static int upload_weights(strata_rt_instance_t *instance, void *stream) {
  const strata_rt_variant_t *variant = instance->variant;
  strata_weights_file_t file = {0};
  const void *weights = variant->weights;
  if (!variant->weights_size)
    return STRATA_OK;
  if (!weights) {
    int status = strata_rt_weights_map(program.weights_file, variant->weights_size, variant->weights_checksum, &file);
    if (status)
      return status;
    weights = file.data;
  }
  int status = strata_rt_driver()->upload(instance->constants.memory, weights, variant->weights_size, stream);
  strata_rt_cleanup_begin(status);
  strata_rt_driver()->synchronize_stream(stream);
  status = strata_rt_cleanup_end();
  strata_rt_weights_unmap(&file);
  return status;
}

int strata_rt_constants_load(strata_rt_instance_t *instance, void *memory, void *stream) {
  const strata_rt_variant_t *variant = instance->variant;
  strata_rt_constants_t *constants = &instance->constants;
  constants->at = calloc(variant->n_constants + 1, sizeof *constants->at);
  constants->is_own = calloc(variant->n_constants + 1, sizeof *constants->is_own);
  constants->is_stale = calloc(variant->prepare.n_launches + 1, sizeof *constants->is_stale);
  if (!constants->at || !constants->is_own || !constants->is_stale)
    return out_of_memory();
  int status = get_memory(instance, memory);
  if (!status)
    status = upload_weights(instance, stream);
  for (uint64_t i = 0; i < variant->n_constants && !status; i++)
    if (variant->constants[i].is_present)
      constants->at[i] = (char *)constants->memory + variant->constants[i].offset;
  if (!status)
    status = prepare_missing(instance, stream);
  return status ? status : strata_rt_driver()->synchronize_stream(stream);
}

//===-- Setting --------------------------------------------------------------------------------------------------===//

static void leave_place(strata_rt_constants_t *constants, uint32_t index) {
  if (constants->is_own[index])
    strata_rt_driver()->free(constants->at[index]);
  constants->is_own[index] = false;
  constants->at[index] = NULL;
}

// Copies |data| to its place; a constant that was not here before is here only if that succeeds.
static int upload(strata_rt_instance_t *instance, uint32_t index, const void *data, const bool *marked, void *stream) {
  strata_rt_constants_t *constants = &instance->constants;
  uint64_t size = instance->variant->constants[index].size;
  bool was_here = constants->at[index] != NULL;
  int status = make_places(instance, marked);
  if (!status && size)
    status = strata_rt_driver()->upload(constants->at[index], data, size, stream);
  strata_rt_cleanup_begin(status);
  if (status && !was_here)
    leave_place(constants, index);
  return strata_rt_cleanup_end();
}

int strata_rt_constants_set(strata_rt_instance_t *instance, uint32_t index, const void *data, void *stream) {
  const strata_rt_variant_t *variant = instance->variant;
  bool *marked = calloc(variant->n_constants + 1, sizeof *marked);
  bool *is_stale = calloc(variant->prepare.n_launches + 1, sizeof *is_stale);
  int status = marked && is_stale ? STRATA_OK : out_of_memory();
  if (!status) {
    marked[index] = true;
    status = upload(instance, index, data, marked, stream);
  }
  if (!status) {
    strata_rt_mark_dependents(&variant->prepare, is_stale, marked);
    status = make_places(instance, marked);
  }
  for (uint64_t launch = 0; launch < variant->prepare.n_launches && !status; launch++)
    instance->constants.is_stale[launch] |= is_stale[launch];
  free(marked);
  free(is_stale);
  if (!status)
    status = prepare(instance, stream);
  strata_rt_cleanup_begin(status);
  strata_rt_driver()->synchronize_stream(stream); // |data| may lie in pinned memory
  return strata_rt_cleanup_end();
}
