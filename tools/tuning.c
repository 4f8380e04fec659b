// See tuning.h.
#include "tools/tuning.h"

#include "passes/tuning/cache.h"

// What was just measured is newer than what the file says.
static strata_status_t add_measured(strata_tuning_t *tuning, const char *path) {
  strata_tuning_results_t results;
  STRATA_TRY(strata_tuning_read(tuning->arena, path, &results));
  for (size_t i = 0; i < results.count; i++)
    strata_tuning_insert(tuning->arena, &tuning->loaded, results.data[i]);
  tuning->path = tuning->path ? tuning->path : "measured now";
  return NULL;
}

strata_status_t strata_tuning_begin(strata_arena_t *arena, const strata_options_t *options, const char *measured,
                                    strata_tuning_t **out_tuning) {
  *out_tuning = NULL;
  if (options->autotune == STRATA_AUTOTUNE_OFF)
    return NULL;
  strata_tuning_t *tuning = strata_arena_new(arena, strata_tuning_t);
  tuning->arena = arena;
  tuning->mode = (strata_autotune_t)options->autotune;
  tuning->path = options->load_autotune;
  tuning->folder = options->autotune_cache;
  *out_tuning = tuning;
  if (tuning->path)
    STRATA_TRY(strata_tuning_read(arena, tuning->path, &tuning->loaded));
  return measured ? add_measured(tuning, measured) : NULL;
}

// What the folder has already stays as it is there.
static strata_status_t update_folder(strata_tuning_t *tuning) {
  for (size_t i = 0; i < tuning->used.count; i++) {
    strata_tuning_result_t *result = tuning->used.data[i];
    if (!strata_tuning_cache_find(tuning->arena, tuning->folder, result, NULL))
      STRATA_TRY(strata_tuning_cache_add(tuning->arena, tuning->folder, result, STRATA_TUNING_CACHE_BYTES));
  }
  return NULL;
}

strata_status_t strata_tuning_end(const strata_options_t *options, strata_tuning_t *tuning) {
  if (!tuning || tuning->mode == STRATA_AUTOTUNE_EXPORT)
    return NULL;
  if (tuning->mode == STRATA_AUTOTUNE_UPDATE && tuning->folder)
    STRATA_TRY(update_folder(tuning));
  return options->dump_autotune ? strata_tuning_write(tuning->arena, options->dump_autotune, &tuning->used) : NULL;
}
