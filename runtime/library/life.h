// What the lives of all runtimes share: calls are counted, so that a library is changed only while none is running; and
// what a library refuses is refused in the same words.
#ifndef STRATA_RUNTIME_LIFE_H
#define STRATA_RUNTIME_LIFE_H

#include "runtime/include/strata/runtime.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  _Atomic bool is_open;    // calls may go on without a lock
  _Atomic unsigned active; // calls under way
} strata_rt_gate_t;

static inline void strata_rt_gate_leave(strata_rt_gate_t *gate) { atomic_fetch_sub(&gate->active, 1); }

// True if the gate is open: the caller is counted as a call until it leaves. Sequentially consistent with close: either
// that sees this call, or this call sees the gate closed.
static inline bool strata_rt_gate_enter(strata_rt_gate_t *gate) {
  atomic_fetch_add(&gate->active, 1);
  if (atomic_load(&gate->is_open))
    return true;
  strata_rt_gate_leave(gate);
  return false;
}

// Keeps calls out, unless some are running. For the one thread at a time that may change the library.
bool strata_rt_gate_close(strata_rt_gate_t *gate);

// Each returns a status: the error, or what became of the check.
int strata_rt_refuse_running(const strata_library_t *library);
int strata_rt_check_weights_memory(const strata_library_t *library, const void *memory);
int strata_rt_check_setting(const strata_library_t *library, const char *name, const void *data);
int strata_rt_find_constant(const strata_library_t *library, const char *name, size_t *out_index);

#endif
