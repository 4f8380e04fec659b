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

// A constant of a candidate.
typedef struct {
  int type;      // a strata_type_t (dialects/strata)
  int64_t bytes; // of it
} strata_tuning_constant_t;

enum { STRATA_TUNING_CONSTANT_ALIGN = 64 }; // bytes, of constants in the file that has them one behind the other

// Code of one candidate: a module of @main and the kernels, to be compiled from the phase behind affine on.
typedef struct {
  const char *name; // of its library, a C identifier
  const char *module;
  const char *data; // the file of random numbers beside it that it reads constants from; NULL: none
  int n_constants;
  const strata_tuning_constant_t *constants;
} strata_tuning_module_t;

// What a part of the graph is compiled for that a decision is about (passes/affine/decide.h).
typedef struct {
  int decision;       // a strata_decision_kind_t: all of that kind in the part ...
  const char *answer; // ... have this answer
  int n_asked;        // how many there are
} strata_tuning_trial_t;

typedef struct strata_tuning {
  strata_arena_t *arena; // of what is added
  strata_autotune_t mode;
  const char *path; // of the file of results; NULL: there is none
  strata_tuning_results_t loaded;
  const char *folder;           // of the cache; NULL: there is none
  strata_tuning_results_t used; // of kernels of this compile
  STRATA_VECTOR(Strata__TuningKernel *) proposed;
  STRATA_VECTOR(strata_tuning_module_t) modules; // of all their candidates
  strata_tuning_trial_t *trial;                  // NULL: the compile is of the whole graph
} strata_tuning_t;

// The result with the key of |key|, of the file, else of the folder; NULL where there is none. *out_source says where
// it is from; *out_fault (NULL: there is none) what is wrong with the folder's entry.
const strata_tuning_result_t *strata_tuning_look_up(strata_tuning_t *tuning, const strata_tuning_result_t *key,
                                                    const char **out_source, const char **out_fault);

// True if candidates of the key have been proposed: a kernel may be there twice, under two names.
bool strata_tuning_is_proposed(const strata_tuning_t *tuning, const strata_tuning_result_t *key);
// A kernel, or a decision, with room for |most| candidates.
Strata__TuningKernel *strata_tuning_propose(strata_tuning_t *tuning, const strata_tuning_result_t *key,
                                            const char *what, int most);
// The file of what its candidates read as constants, beside them.
const char *strata_tuning_data_file(strata_tuning_t *tuning, const strata_tuning_result_t *key);
// Adds one, of |module|, which is copied and named; no data without constants. |seconds|: the model's.
void strata_tuning_add_candidate(strata_tuning_t *tuning, Strata__TuningKernel *kernel, const char *schedule,
                                 double seconds, const strata_tuning_module_t *module);

#endif
