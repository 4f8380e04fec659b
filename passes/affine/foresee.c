// See foresee.h.
#include "passes/affine/foresee.h"

#include "dialects/each.h"
#include "passes/affine/candidate_cache.h"

typedef struct {
  strata_question_t ask;
  void *user;
  struct strata_candidate_cache **caches; // by question
} questions_t;

static strata_status_t ask_one(strata_compile_t *compile, size_t i, void *user) {
  const questions_t *questions = user;
  strata_compile_t own = *compile;
  own.candidates = NULL;
  own.explain = own.notes = NULL;
  questions->ask(&own, i, questions->user);
  questions->caches[i] = own.candidates;
  return NULL;
}

void strata_foresee(strata_compile_t *compile, size_t n, strata_question_t ask, void *user) {
  if (compile->options->jobs == 1)
    return;
  questions_t questions = {ask, user, strata_arena_array(compile->arena, struct strata_candidate_cache *, n + 1)};
  strata_status_free(strata_compile_each(compile, n, ask_one, &questions));
  for (size_t i = 0; i < n; i++)
    if (questions.caches[i])
      strata_candidate_cache_join(strata_candidate_cache_of(compile), questions.caches[i]);
}
