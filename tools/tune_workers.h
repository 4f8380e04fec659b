// Timing the kernels of a manifest by processes of their own, one a GPU: each takes the next kernel that nobody has
// taken. A worker has its GPU, and writes what it finds into memory that all processes have. Where a candidate takes it
// down, or does not end, that candidate is named and another worker goes on with the rest.
#ifndef STRATA_TOOLS_TUNE_WORKERS_H
#define STRATA_TOOLS_TUNE_WORKERS_H

#include "tools/tune_kernel.h"

typedef struct {
  const Strata__TuningManifest *manifest;
  const char *folder; // of the candidates
  double budget;      // seconds that there are for timing
} strata_tuning_job_t;

typedef struct {
  const char *card;                    // all that take part are such ones
  int n_devices;                       // that took part
  const strata_tune_record_t *records; // of the manifest's kernels; of one that nobody reached nothing is done
} strata_tune_records_t;

// Tunes until all is done or the time is over, by all GPUs that the driver shows and that are like the first; progress
// on a terminal. An error is one of the first GPU that no candidate is to blame for.
STRATA_MUST_CHECK strata_status_t strata_tune_all(strata_arena_t *arena, const strata_tuning_job_t *job,
                                                  strata_tune_records_t *out);

#endif
