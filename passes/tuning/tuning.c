// See tuning.h.
#include "passes/tuning/tuning.h"

#include "passes/tuning/cache.h"

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
