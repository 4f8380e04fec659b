// See tuning.h.
#include "passes/tuning/tuning.h"

#include "passes/tuning/cache.h"

#include <math.h>
#include <string.h>

const strata_tuning_result_t *strata_tuning_look_up(strata_tuning_t *tuning, const strata_tuning_result_t *key,
                                                    const char **out_source, const char **out_fault) {
  const strata_tuning_result_t *result = strata_tuning_find(&tuning->loaded, key);
  *out_source = tuning->path;
  *out_fault = NULL;
  if (result || !tuning->folder)
    return result;
  *out_source = tuning->folder;
  return strata_tuning_cache_find(tuning->arena, tuning->folder, key, out_fault);
}

//===-- Proposals ------------------------------------------------------------------------------------------------===//

bool strata_tuning_is_proposed(const strata_tuning_t *tuning, const strata_tuning_result_t *key) {
  for (size_t i = 0; i < tuning->proposed.count; i++)
    if (strcmp(tuning->proposed.data[i]->kernel, key->kernel) == 0 &&
        strcmp(tuning->proposed.data[i]->device, key->device) == 0)
      return true;
  return false;
}

Strata__TuningKernel *strata_tuning_propose(strata_tuning_t *tuning, const strata_tuning_result_t *key,
                                            const char *what, int most) {
  Strata__TuningKernel *kernel = strata_arena_new(tuning->arena, Strata__TuningKernel);
  strata__tuning_kernel__init(kernel);
  kernel->kernel = key->kernel;
  kernel->device = key->device;
  kernel->compiler = key->compiler;
  kernel->what = strata_arena_strdup(tuning->arena, what);
  kernel->candidates = strata_arena_array(tuning->arena, Strata__TuningCandidate *, most);
  *strata_vector_push(tuning->arena, &tuning->proposed) = kernel;
  return kernel;
}

const char *strata_tuning_data_file(strata_tuning_t *tuning, const strata_tuning_result_t *key) {
  return strata_arena_printf(tuning->arena, "k%s.data", key->kernel);
}

void strata_tuning_add_candidate(strata_tuning_t *tuning, Strata__TuningKernel *kernel, const char *schedule,
                                 double seconds, const strata_tuning_module_t *module) {
  strata_arena_t *arena = tuning->arena;
  Strata__TuningCandidate *candidate = strata_arena_new(arena, Strata__TuningCandidate);
  strata_tuning_module_t *added = strata_vector_push(arena, &tuning->modules);
  *added = *module;
  added->name = strata_arena_printf(arena, "k%s_%zu", kernel->kernel, kernel->n_candidates);
  added->module = strata_arena_strdup(arena, module->module);
  added->data = module->n_constants ? module->data : NULL;
  added->constants =
      strata_arena_copy(arena, module->constants, sizeof *module->constants * (size_t)module->n_constants);
  strata__tuning_candidate__init(candidate);
  candidate->library = strata_arena_printf(arena, "lib%s.so", added->name);
  candidate->schedule = strata_arena_strdup(arena, schedule);
  candidate->predicted_seconds = isfinite(seconds) ? seconds : 0;
  kernel->candidates[kernel->n_candidates++] = candidate;
}
