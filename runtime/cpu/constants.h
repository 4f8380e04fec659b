// Where the constants lie, and setting them anew. Used with the library's lock held.
#ifndef STRATA_RUNTIME_CPU_CONSTANTS_H
#define STRATA_RUNTIME_CPU_CONSTANTS_H

#include "runtime/cpu/program.h"

#include <stdbool.h>

typedef struct {
  void **at;      // each constant; NULL: it is not here
  bool *is_own;   // it lies in memory of its own: it was set, or prepared again
  bool *is_stale; // for each launch of the preparation: it has to run again
} strata_rt_constants_t;

int strata_rt_constants_init(strata_rt_constants_t *constants); // a status
void strata_rt_constants_free(strata_rt_constants_t *constants);
// The program's weights lie at |weights|.
void strata_rt_constants_place(strata_rt_constants_t *constants, const void *weights);

// Copies |data| into constant |index| and runs the preparation again as far as it depends on it. Where that reads
// constants that were left out of the library, it waits until they have been set too. Returns a status; on failure
// nothing has changed.
int strata_rt_constants_set(strata_rt_constants_t *constants, uint32_t index, const void *data);

// STRATA_OK, or an error that names a constant the preparation waits for.
int strata_rt_constants_check(const strata_rt_constants_t *constants);

#endif
