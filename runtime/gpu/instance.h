// What the library has in one context: its code, its constants, and memory for calls.
//
// Made (in the current context) and destroyed with the library's lock held; read by any number of calls in between.
#ifndef STRATA_RUNTIME_GPU_INSTANCE_H
#define STRATA_RUNTIME_GPU_INSTANCE_H

#include "runtime/gpu/ends.h"
#include "runtime/gpu/lanes.h"

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
  strata_rt_lanes_t *lanes; // NULL: calls have one stream
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
  strata_rt_ends_t ends;
  pthread_mutex_t mutex;    // guards what follows: those that no call uses
  strata_rt_slot_t *slots;  // where the caller gives no memory
  strata_rt_lanes_t *lanes; // where it does; those that were given back last are last
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

//===-- Launches (enqueue.c) -------------------------------------------------------------------------------------===//

// What a call works on; in the body of a loop the tensors are the loop's arguments.
typedef struct {
  void *const *tensors;
  const int64_t *values; // of the sizes; NULL: they do not vary
  char *pool;
  void *guard; // a byte on the device: where it is 0 the launches do nothing; NULL: they all do what they should
  void *stream;
  bool is_first;            // of a launch, as the driver has it
  strata_rt_lanes_t *lanes; // the call's own; NULL: it is given some
} strata_rt_call_t;

// Enqueues one launch of a list, which is no loop, on the call's stream.
int strata_rt_enqueue(const strata_rt_instance_t *instance, const strata_rt_list_t *list, uint64_t launch,
                      const strata_rt_call_t *call);
// Who is told while a call enqueues; a status other than STRATA_OK ends that. |number|: of |stream| in the call.
typedef struct {
  // A stream goes on behind other streams' work.
  int (*begun)(uint32_t number, void *stream, void *user);
  // A launch was made; |place|: in the description's list.
  int (*done)(const strata_rt_instance_t *instance, const strata_rt_launch_t *launch, size_t place, void *stream,
              void *user);
  void *user;
} strata_rt_listener_t;

// Enqueues what a call launches, loops unrolled, open ones until it sees that they have ended; of long ones it now and
// then waits, and asks. |listener|: may be NULL.
int strata_rt_enqueue_main(strata_rt_instance_t *instance, const strata_rt_call_t *call,
                           const strata_rt_listener_t *listener);

//===-- Slots (slots.c) ------------------------------------------------------------------------------------------===//

// A slot with memory of at least |needed| bytes; a status. Given back when the call has ended.
int strata_rt_slot_take(strata_rt_instance_t *instance, size_t needed, strata_rt_slot_t **out_slot);
void strata_rt_slot_give(strata_rt_instance_t *instance, strata_rt_slot_t *slot);
void strata_rt_slots_free(strata_rt_instance_t *instance); // between cleanup_begin and _end

//===-- The library's life (load.c) ------------------------------------------------------------------------------===//

// Every call is between these two; the library stays as it is in between, and the context of |stream| is current. Enter
// loads the library if it may; it returns a status, and only after STRATA_OK there must be a leave, which is given the
// call's status and returns what it comes to: it unloads the library where calls do.
int strata_rt_enter(void *stream, strata_rt_scope_t *out_scope, strata_rt_instance_t **out_instance);
int strata_rt_leave(strata_rt_scope_t *scope, int status);

#pragma GCC visibility pop

#endif
