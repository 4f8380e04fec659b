// Constants on the device. All that have a place share one block of memory, which may be the caller's; the others get
// memory of their own when they are set or prepared.
#include "runtime/gpu/instance.h"

#include "runtime/library/error.h"
#include "runtime/library/preparation.h"
#include "runtime/library/weights_file.h"

#include <stdlib.h>
#include <string.h>

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
  free(constants->is_torn);
  *constants = (strata_rt_constants_t){0};
}

//===-- Preparing ------------------------------------------------------------------------------------------------===//

// Gives a constant that is not here a place.
static int make_place(strata_rt_instance_t *instance, uint64_t index) {
  const strata_rt_constant_t *constant = &instance->variant->constants[index];
  strata_rt_constants_t *constants = &instance->constants;
  if (constant->offset != STRATA_RT_UNPLACED) {
    constants->at[index] = (char *)constants->memory + constant->offset;
    return STRATA_OK;
  }
  void *memory;
  int status = strata_rt_driver()->allocate(constant->size ? constant->size : 1, &memory);
  constants->at[index] = status ? NULL : memory;
  constants->is_own[index] = !status;
  return status;
}

static int64_t missing_source(const strata_rt_instance_t *instance, const bool *is_stale) {
  return strata_rt_missing_source(&instance->variant->prepare, is_stale, instance->constants.at);
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
  int64_t missing = missing_source(instance, instance->constants.is_stale);
  if (missing < 0)
    missing = missing_constant(instance);
  if (missing >= 0)
    return strata_rt_fail_missing(program.library, instance->variant->public_constants, missing);
  for (uint64_t i = 0; i < instance->variant->n_constants; i++)
    if (instance->constants.is_torn[i])
      return strata_rt_fail(STRATA_NOT_LOADED, "%s: set_constant failed and must be repeated", program.library->name);
  return STRATA_OK;
}

// Enqueues the stale launches. All that they read and write has its place.
static int prepare(strata_rt_instance_t *instance, const bool *is_stale, void *stream) {
  const strata_rt_list_t *list = &instance->variant->prepare;
  int status = STRATA_OK;
  for (uint64_t launch = 0; launch < list->n_launches && !status; launch++)
    if (is_stale[launch])
      status = strata_rt_enqueue(instance, list, launch, &(strata_rt_call_t){.stream = stream});
  return status;
}

// Waits for all that is on the stream, also after an error: nothing may touch later what is freed now. Between
// cleanup_begin and _end. False if not even the context can be waited for.
static bool wait_for(void *stream) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  return driver->synchronize_stream(stream) == STRATA_OK || driver->synchronize() == STRATA_OK;
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
  const strata_rt_variant_t *variant = instance->variant;
  strata_rt_constants_t *constants = &instance->constants;
  bool *marked = calloc(variant->n_constants + 1, sizeof *marked);
  if (!marked)
    return out_of_memory();
  mark_missing(variant, marked);
  strata_rt_mark_sources(&variant->prepare, constants->is_stale, marked);
  bool waits = missing_source(instance, constants->is_stale) >= 0;
  int status = STRATA_OK;
  for (uint64_t i = 0; i < variant->n_constants && !waits && !status; i++)
    if (marked[i] && !constants->at[i])
      status = make_place(instance, i);
  free(marked);
  if (status || waits)
    return status;
  status = prepare(instance, constants->is_stale, stream);
  memset(constants->is_stale, 0, variant->prepare.n_launches * sizeof *constants->is_stale);
  return status;
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
  bool is_idle = wait_for(stream);
  status = strata_rt_cleanup_end();
  if (is_idle) // else the copy may still read it
    strata_rt_weights_unmap(&file);
  return status;
}

int strata_rt_constants_load(strata_rt_instance_t *instance, void *memory, void *stream) {
  const strata_rt_variant_t *variant = instance->variant;
  strata_rt_constants_t *constants = &instance->constants;
  constants->at = calloc(variant->n_constants + 1, sizeof *constants->at);
  constants->is_own = calloc(variant->n_constants + 1, sizeof *constants->is_own);
  constants->is_stale = calloc(variant->prepare.n_launches + 1, sizeof *constants->is_stale);
  constants->is_torn = calloc(variant->n_constants + 1, sizeof *constants->is_torn);
  if (!constants->at || !constants->is_own || !constants->is_stale || !constants->is_torn)
    return out_of_memory();
  int status = get_memory(instance, memory);
  if (!status)
    status = upload_weights(instance, stream);
  for (uint64_t i = 0; i < variant->n_constants && !status; i++)
    if (variant->constants[i].is_present)
      constants->at[i] = (char *)constants->memory + variant->constants[i].offset;
  if (!status)
    status = prepare_missing(instance, stream);
  strata_rt_cleanup_begin(status);
  wait_for(stream);
  return strata_rt_cleanup_end();
}

//===-- Setting --------------------------------------------------------------------------------------------------===//

// What is set, and what is computed from it, is made beside what is there now, and copied over it when nothing can fail
// any more but the copies. Places do not change: they may be part of the caller's graphs.
typedef struct {
  strata_rt_instance_t *instance;
  void *stream;
  void **before;  // where the constants lie; while it is set |at| differs for those in the making
  bool *marked;   // constants that change
  bool *is_stale; // launches to run
} setting_t;

static int begin(setting_t *s) {
  const strata_rt_variant_t *variant = s->instance->variant;
  s->before = calloc(variant->n_constants + 1, sizeof *s->before);
  s->marked = calloc(variant->n_constants + 1, sizeof *s->marked);
  s->is_stale = calloc(variant->prepare.n_launches + 1, sizeof *s->is_stale);
  if (!s->before || !s->marked || !s->is_stale)
    return out_of_memory();
  memcpy(s->before, s->instance->constants.at, variant->n_constants * sizeof *s->before);
  return STRATA_OK;
}

static void end(setting_t *s) {
  free(s->before);
  free(s->marked);
  free(s->is_stale);
}

// The launches that depend on the constant or wait already, and what they write.
static void mark(setting_t *s, uint32_t index) {
  const strata_rt_list_t *list = &s->instance->variant->prepare;
  s->marked[index] = true;
  strata_rt_mark_dependents(list, s->is_stale, s->marked);
  for (uint64_t launch = 0; launch < list->n_launches; launch++) {
    s->is_stale[launch] |= s->instance->constants.is_stale[launch];
    for (uint32_t i = 0; s->is_stale[launch] && i < list->launches[launch].n_args; i++) {
      const strata_rt_arg_t *arg = &list->args[list->launches[launch].first_arg + i];
      s->marked[arg->index] |= arg->kind == STRATA_RT_PREPARED;
    }
  }
}

// Where a constant is made: in its place, if there is nothing yet.
static int redirect(setting_t *s, uint64_t index) {
  void *memory;
  if (!s->before[index])
    return make_place(s->instance, index);
  uint64_t size = s->instance->variant->constants[index].size;
  int status = strata_rt_driver()->allocate(size ? size : 1, &memory);
  if (!status)
    s->instance->constants.at[index] = memory;
  return status;
}

static bool is_redirected(const setting_t *s, uint64_t index) {
  return s->instance->constants.at[index] != s->before[index];
}

// Makes what changes. |out_waits|: for other constants, so that only this one is.
static int make(setting_t *s, uint32_t index, const void *data, bool *out_waits) {
  const strata_rt_variant_t *variant = s->instance->variant;
  int status = redirect(s, index);
  *out_waits = !status && missing_source(s->instance, s->is_stale) >= 0;
  for (uint64_t i = 0; i < variant->n_constants && !status && !*out_waits; i++)
    if (s->marked[i] && !is_redirected(s, i))
      status = redirect(s, i);
  if (!status && variant->constants[index].size)
    status =
        strata_rt_driver()->upload(s->instance->constants.at[index], data, variant->constants[index].size, s->stream);
  if (!status && !*out_waits)
    status = prepare(s->instance, s->is_stale, s->stream);
  strata_rt_cleanup_begin(status);
  wait_for(s->stream); // |data| may lie in pinned memory
  return strata_rt_cleanup_end();
}

// Copies what was made to where it belongs. After a failure nobody knows what is there.
static int commit(setting_t *s) {
  const strata_rt_variant_t *variant = s->instance->variant;
  strata_rt_constants_t *constants = &s->instance->constants;
  int status = STRATA_OK;
  for (uint64_t i = 0; i < variant->n_constants && !status; i++)
    if (s->before[i] && is_redirected(s, i) && variant->constants[i].size)
      status = strata_rt_driver()->copy(s->before[i], constants->at[i], variant->constants[i].size, s->stream);
  strata_rt_cleanup_begin(status);
  wait_for(s->stream);
  status = strata_rt_cleanup_end();
  for (uint64_t i = 0; i < variant->n_constants; i++)
    if (is_redirected(s, i))
      constants->is_torn[i] = status != STRATA_OK;
  return status;
}

// Frees what was made beside the constants; with |all| also what was made in places that were empty.
static void clear(setting_t *s, bool all) {
  strata_rt_constants_t *constants = &s->instance->constants;
  for (uint64_t i = 0; i < s->instance->variant->n_constants; i++) {
    if (!is_redirected(s, i) || !(s->before[i] || all))
      continue;
    if (s->before[i] || constants->is_own[i])
      strata_rt_driver()->free(constants->at[i]);
    constants->is_own[i] &= s->before[i] != NULL;
    constants->at[i] = s->before[i];
  }
}

static int set(setting_t *s, uint32_t index, const void *data) {
  strata_rt_constants_t *constants = &s->instance->constants;
  uint64_t n_launches = s->instance->variant->prepare.n_launches;
  bool waits;
  mark(s, index);
  int made = make(s, index, data, &waits), status = made ? made : commit(s);
  strata_rt_cleanup_begin(status);
  clear(s, made != STRATA_OK);
  if (!made)
    for (uint64_t launch = 0; launch < n_launches; launch++)
      constants->is_stale[launch] = s->is_stale[launch] && waits;
  return strata_rt_cleanup_end();
}

int strata_rt_constants_set(strata_rt_instance_t *instance, uint32_t index, const void *data, void *stream) {
  setting_t s = {.instance = instance, .stream = stream};
  int status = begin(&s);
  if (!status)
    status = set(&s, index, data);
  end(&s);
  return status;
}
