// What passes are going to ask the model of schedules, found by several threads beforehand.
#ifndef STRATA_PASSES_AFFINE_FORESEE_H
#define STRATA_PASSES_AFFINE_FORESEE_H

#include "dialects/compile.h"

// Asks about thing |i| what the pass will, of a |compile| of this thread's that tells nobody; changes nothing.
typedef void (*strata_question_t)(strata_compile_t *compile, size_t i, void *user);

// Asks all |n| questions by as many threads as the compile may use, and remembers the answers as if the pass had asked
// (candidate_cache.h); with one thread it leaves that to the pass.
void strata_foresee(strata_compile_t *compile, size_t n, strata_question_t ask, void *user);

#endif
