// Memory and a stream for one call at a time, where the caller gives none.
#include "runtime/gpu/instance.h"
#include "runtime/library/error.h"

#include <stdlib.h>

// Frees what the slot has; between cleanup_begin and _end.
static void free_slot(const strata_rt_instance_t *instance, strata_rt_slot_t *slot) {
  strata_rt_lanes_free(slot->lanes, instance->is_lost);
  if (slot->stream && !instance->is_lost)
    strata_rt_driver()->destroy_stream(slot->stream);
  if (slot->memory && !instance->is_lost)
    strata_rt_driver()->free(slot->memory);
  free(slot);
}

static int create_slot(const strata_rt_instance_t *instance, strata_rt_slot_t **out_slot) {
  strata_rt_slot_t *slot = calloc(1, sizeof *slot);
  if (!slot)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", strata_rt_program.library->name);
  int status = strata_rt_driver()->create_stream(STRATA_RT_BEHIND_DEFAULT, &slot->stream);
  if (!status)
    status = strata_rt_lanes_create((uint32_t)instance->variant->n_side_streams, &slot->lanes);
  if (status) {
    strata_rt_cleanup_begin(status);
    free_slot(instance, slot);
    return strata_rt_cleanup_end();
  }
  *out_slot = slot;
  return STRATA_OK;
}

// Memory of |needed| bytes. What replaces too little has some room, so that sizes that grow from call to call allocate
// seldom. Nothing uses the slot, so its memory can go.
static int grow_slot(strata_rt_slot_t *slot, size_t needed) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  size_t roomy = slot->size + slot->size / 4, size = needed > roomy ? needed : roomy;
  int status = slot->memory ? driver->free(slot->memory) : STRATA_OK;
  slot->memory = NULL;
  slot->size = 0;
  void *memory = NULL;
  if (!status)
    status = driver->allocate(size, &memory);
  if (status && size > needed)
    status = driver->allocate(size = needed, &memory);
  slot->memory = memory;
  slot->size = status ? 0 : size;
  return status;
}

void strata_rt_slot_give(strata_rt_instance_t *instance, strata_rt_slot_t *slot) {
  pthread_mutex_lock(&instance->mutex);
  slot->next = instance->slots;
  instance->slots = slot;
  pthread_mutex_unlock(&instance->mutex);
}

int strata_rt_slot_take(strata_rt_instance_t *instance, size_t needed, strata_rt_slot_t **out_slot) {
  pthread_mutex_lock(&instance->mutex);
  strata_rt_slot_t *slot = instance->slots;
  if (slot)
    instance->slots = slot->next;
  pthread_mutex_unlock(&instance->mutex);
  int status = slot ? STRATA_OK : create_slot(instance, &slot);
  if (!status && slot->size < needed) {
    status = grow_slot(slot, needed);
    if (status)
      strata_rt_slot_give(instance, slot);
  }
  *out_slot = slot;
  return status;
}

void strata_rt_slots_free(strata_rt_instance_t *instance) {
  for (strata_rt_slot_t *slot = instance->slots, *next; slot; slot = next) {
    next = slot->next;
    free_slot(instance, slot);
  }
  instance->slots = NULL;
}
