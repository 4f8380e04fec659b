// What a compile knows of tuning: which results it may use, which it used, and what it is to propose. Filled in by
// tools, used by affine-schedule (passes/affine/tuned.h).
#ifndef STRATA_PASSES_TUNING_TUNING_H
#define STRATA_PASSES_TUNING_TUNING_H

#include "passes/tuning/results.h"

typedef enum {
  STRATA_AUTOTUNE_OFF,     // nothing is looked up
  STRATA_AUTOTUNE_READ,    // what is known is used
  STRATA_AUTOTUNE_UPDATE,  // and what was not in the folder is added to it
  STRATA_AUTOTUNE_REQUIRE, // a kernel that has candidates and no result is an error
  STRATA_AUTOTUNE_EXPORT,  // kernels without results are proposed
} strata_autotune_t;

// Code of one candidate: a module of @main and the kernel, to be compiled from the phase behind affine on.
typedef struct {
  const char *name; // of its library, a C identifier
  const char *module;
  const char *data;   // the file of random numbers beside it that it reads a constant from; NULL: none
  int data_type;      // a strata_type_t (dialects/strata)
  int64_t data_bytes; // of them
} strata_tuning_module_t;

typedef struct strata_tuning {
  strata_arena_t *arena; // of what is added
  strata_autotune_t mode;
  const char *path; // of the file of results; NULL: there is none
  strata_tuning_results_t loaded;
  const char *folder;           // of the cache; NULL: there is none
  strata_tuning_results_t used; // of kernels of this compile
  STRATA_VECTOR(Strata__TuningKernel *) proposed;
  STRATA_VECTOR(strata_tuning_module_t) modules; // of all their candidates
} strata_tuning_t;

// The result with the key of |key|, of the file, else of the folder; NULL where there is none. *out_source says where
// it is from; *out_fault (NULL: there is none) what is wrong with the folder's entry.
const strata_tuning_result_t *strata_tuning_look_up(strata_tuning_t *tuning, const strata_tuning_result_t *key,
                                                    const char **out_source, const char **out_fault);

#endif
