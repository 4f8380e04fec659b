#include "runtime/library/life.h"

#include "runtime/library/error.h"
#include "runtime/library/tables.h"

#include <string.h>

bool strata_rt_gate_close(strata_rt_gate_t *gate) {
  bool was_open = atomic_exchange(&gate->is_open, false);
  if (atomic_load(&gate->active) == 0)
    return true;
  atomic_store(&gate->is_open, was_open);
  return false;
}

int strata_rt_refuse_running(const strata_library_t *library) {
  return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: not while a call is running", library->name);
}

int strata_rt_check_weights_memory(const strata_library_t *library, const void *memory) {
  if ((uintptr_t)memory % STRATA_RT_ALIGNMENT == 0)
    return STRATA_OK;
  return strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: the memory for weights must be aligned to %d bytes",
                        library->name, STRATA_RT_ALIGNMENT);
}

int strata_rt_check_setting(const strata_library_t *library, const char *name, const void *data) {
  return name && data ? STRATA_OK : strata_rt_fail(STRATA_INVALID_ARGUMENT, "%s: set_constant: NULL", library->name);
}

int strata_rt_find_constant(const strata_library_t *library, const char *name, size_t *out_index) {
  for (*out_index = 0; *out_index < library->n_constants; ++*out_index)
    if (strcmp(library->constants[*out_index]->name, name) == 0)
      return STRATA_OK;
  return strata_rt_fail(STRATA_NOT_FOUND, "%s: no constant '%s' that can be set", library->name, name);
}
