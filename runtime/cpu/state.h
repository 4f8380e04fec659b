// What is shared inside the cpu runtime: the library is loaded or not, and which calls are using it.
#ifndef STRATA_RUNTIME_CPU_STATE_H
#define STRATA_RUNTIME_CPU_STATE_H

#include "runtime/cpu/program.h"

// Every call is between these two; the library stays as it is in between. Enter loads it if it may; it returns a
// status, and only after STRATA_OK there must be a leave.
int strata_rt_enter(void);
void strata_rt_leave(void);

// Where constant |index| lies; NULL if it is not in the library. Valid between enter and leave.
void *const *strata_rt_constants(void);

// Runs a list of launches. |pool| and |scratch|: program's sizes; |buffers|: room for max_args pointers.
typedef struct {
  void *const *tensors;
  void *const *constants;
  const int64_t *values; // of the call; NULL: there are none
  char *pool;
  void *scratch;
  void **buffers;
} strata_rt_frame_t;
void strata_rt_run_launch(const strata_rt_list_t *list, uint64_t index, const strata_rt_frame_t *frame);

// Frees the cached workspaces; in a child after fork, forgets them.
void strata_rt_workspaces_free(void);
void strata_rt_workspaces_forget(void);

#endif
