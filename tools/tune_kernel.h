// Timing the candidates of one kernel on the GPU of this process.
#ifndef STRATA_TOOLS_TUNE_KERNEL_H
#define STRATA_TOOLS_TUNE_KERNEL_H

#include "passes/tuning/results.h"
#include "tools/device.h"
#include "tools/tune_choice.h"

#include <stdatomic.h>

// What is known of a kernel's candidates: in memory that survives the process, as a kernel may take the device, and
// with it the process, down.
typedef struct {
  bool is_done;
  atomic_ulong n_calls;                     // that returned: while it grows the process is at work
  int current;                              // the candidate that is being called; -1: none
  char faults[STRATA_TUNE_CANDIDATES][256]; // why it is none; "": nothing is wrong with it
  strata_tune_points_t times;               // of a kernel whose sizes do not vary there is one point
  int choice;                               // of those, confirmed by fresh times (strata_tune_settle), which are
  double ratio;                             // so many times the first's
} strata_tune_record_t;

typedef struct {
  const char *target, *folder;
  strata_device_t *device; // that stays open
  void *memory;            // more than any cache, twice |half| bytes
  size_t half;
} strata_tuner_t;

STRATA_MUST_CHECK strata_status_t strata_tuner_open(const char *target, const char *folder, strata_tuner_t *out_tuner);
void strata_tuner_close(strata_tuner_t *tuner);

// How many sizes the kernel is timed at.
static inline int strata_tune_n_points(const Strata__TuningKernel *kernel) {
  return kernel->n_points ? (int)kernel->n_points : 1;
}

// The first of them, whose times are the kernel's.
static inline int strata_tune_n_likely(const Strata__TuningKernel *kernel) {
  return kernel->n_points ? kernel->n_likely : 1;
}

// Calls each candidate that has no fault once at each point and compares what it writes, then times them in turn, and
// what is chosen once more beside the first, for |seconds| at most. An error is the device's: nothing more can be done
// in this process.
STRATA_MUST_CHECK strata_status_t strata_tune_kernel(const strata_tuner_t *tuner, const Strata__TuningKernel *kernel,
                                                     double seconds, strata_tune_record_t *record);

#endif
