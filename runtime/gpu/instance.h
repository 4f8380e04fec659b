// What the library has in one context: its code, its constants, and memory for calls.
//
// Made (in the current context) and destroyed with the library's lock held; read by any number of calls in between.
#ifndef STRATA_RUNTIME_GPU_INSTANCE_H
#define STRATA_RUNTIME_GPU_INSTANCE_H

#include "runtime/gpu/driver.h"

#include <pthread.h>
#include <stdatomic.h>

#pragma GCC visibility push(hidden)

typedef struct {
  void *memory; // for all constants that have a place
  bool owns_memory;
  void **at;      // each constant, on the device; NULL: it is not here
  bool *is_own;   // it has memory of its own
  bool *is_stale; // for each launch of the preparation: it waits for constants that are not here
  bool *is_torn;  // each constant: setting it failed half-way
} strata_rt_constants_t;

// Memory and a stream for one call at a time, where the caller gives none.
typedef struct strata_rt_slot {
  struct strata_rt_slot *next;
  char *memory; // what run.c needs for a call
  size_t size;  // of it
  void *stream;
} strata_rt_slot_t;

typedef struct strata_rt_instance {
  struct strata_rt_instance *next;
  const strata_rt_variant_t *variant;
  _Atomic bool is_ready; // no constant is missing; false: to be found out
  bool is_lost;          // the context is gone, and everything in it
  void *context;
  void *kept; // see strata_rt_driver_t.keep
  void *module;
  strata_rt_function_t *functions; // of the variant's kernels
  strata_rt_constants_t constants;
  pthread_mutex_t mutex;   // guards |slots|
  strata_rt_slot_t *slots; // those that no call uses
} strata_rt_instance_t;

// Loads code and constants into the current context. |memory|: the caller's, for the constants, or NULL. Returns a
// status; on failure nothing is left.
int strata_rt_instance_create(const strata_rt_scope_t *scope, void *memory, void *stream,
                              strata_rt_instance_t **out_instance);
// Waits for the context, then frees everything. False if it could not, and the instance is as it was; |status| becomes
// the first error, unless it was one already.
bool strata_rt_instance_destroy(strata_rt_instance_t *instance, int *status);

//===-- Constants (constants.c) ----------------------------------------------------------------------------------===//

int strata_rt_constants_load(strata_rt_instance_t *instance, void *memory, void *stream);
void strata_rt_constants_free(strata_rt_instance_t *instance); // between cleanup_begin and _end
// Uploads |data| into constant |index|, and runs the preparation again as far as it depends on it. Where that reads
// constants that were left out of the library, it waits until they have been set too. Returns a status; after a failure
// nothing has changed, unless the device failed while what was made was copied to its place: then calls are refused
// until the constant has been set again.
int strata_rt_constants_set(strata_rt_instance_t *instance, uint32_t index, const void *data, void *stream);
// STRATA_OK, or an error that names a constant the preparation waits for.
int strata_rt_constants_check(const strata_rt_instance_t *instance);

//===-- Launches (run.c) -----------------------------------------------------------------------------------------===//

// What a call works on; in the body of a loop the tensors are the loop's arguments.
typedef struct {
  void *const *tensors;
  const int64_t *values; // of the sizes; NULL: they do not vary
  char *pool;
  void *stream;
} strata_rt_call_t;

// Enqueues one launch of a list, which is no loop.
int strata_rt_enqueue(const strata_rt_instance_t *instance, const strata_rt_list_t *list, uint64_t launch,
                      const strata_rt_call_t *call);
// Enqueues what a call launches, loops unrolled; waits where data decide when a loop ends. |done|, which may be NULL,
// is called with |user| after each launch; its status other than STRATA_OK ends the walk. |place|: in the description's
// list.
typedef int (*strata_rt_launched_t)(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch,
                                    size_t place, void *user);
int strata_rt_enqueue_main(const strata_rt_instance_t *instance, const strata_rt_call_t *call,
                           strata_rt_launched_t done, void *user);

//===-- Slots (slots.c) ------------------------------------------------------------------------------------------===//

// A slot with memory of at least |needed| bytes; a status. Given back when the call has ended.
int strata_rt_slot_take(strata_rt_instance_t *instance, size_t needed, strata_rt_slot_t **out_slot);
void strata_rt_slot_give(strata_rt_instance_t *instance, strata_rt_slot_t *slot);
void strata_rt_slots_free(strata_rt_instance_t *instance); // between cleanup_begin and _end

//===-- The library's life (load.c) ------------------------------------------------------------------------------===//

// Every call is between these two; the library stays as it is in between, and the context of |stream| is current. Enter
// loads the library if it may; it returns a status, and only after STRATA_OK there must be a leave, between
// cleanup_begin and _end.
int strata_rt_enter(void *stream, strata_rt_scope_t *out_scope, strata_rt_instance_t **out_instance);
void strata_rt_leave(strata_rt_scope_t *scope);

#pragma GCC visibility pop

#endif
