// Dependencies by fixpoint: the lists are short, and walked only when constants change.
#include "runtime/library/preparation.h"

#include "runtime/library/error.h"

static const strata_rt_arg_t *args_of(const strata_rt_list_t *list, uint64_t launch) {
  return &list->args[list->launches[launch].first_arg];
}

// Whether an argument of the launch is marked; of its prepared ones only, if that is asked for.
static bool touches(const strata_rt_list_t *list, uint64_t launch, const bool *marked, bool prepared_only) {
  const strata_rt_arg_t *args = args_of(list, launch);
  for (uint32_t i = 0; i < list->launches[launch].n_args; i++)
    if (marked[args[i].index] && (!prepared_only || args[i].kind == STRATA_RT_PREPARED))
      return true;
  return false;
}

static void mark(const strata_rt_list_t *list, bool *is_stale, bool *marked, bool prepared_only) {
  for (bool found = true; found;) {
    found = false;
    for (uint64_t launch = 0; launch < list->n_launches; launch++) {
      if (is_stale[launch] || !touches(list, launch, marked, prepared_only))
        continue;
      found = is_stale[launch] = true;
      const strata_rt_arg_t *args = args_of(list, launch);
      for (uint32_t i = 0; i < list->launches[launch].n_args; i++)
        if (args[i].kind == STRATA_RT_PREPARED)
          marked[args[i].index] = true;
    }
  }
}

void strata_rt_mark_dependents(const strata_rt_list_t *prepare, bool *is_stale, bool *marked) {
  mark(prepare, is_stale, marked, false);
}

void strata_rt_mark_sources(const strata_rt_list_t *prepare, bool *is_stale, bool *marked) {
  mark(prepare, is_stale, marked, true);
}

int64_t strata_rt_missing_source(const strata_rt_list_t *prepare, const bool *is_stale, void *const *at) {
  for (uint64_t launch = 0; launch < prepare->n_launches; launch++)
    for (uint32_t i = 0; is_stale[launch] && i < prepare->launches[launch].n_args; i++) {
      const strata_rt_arg_t *arg = &args_of(prepare, launch)[i];
      if (arg->kind == STRATA_RT_CONSTANT && !at[arg->index])
        return arg->index;
    }
  return -1;
}

int strata_rt_fail_missing(const strata_library_t *library, const uint32_t *public_constants, int64_t missing) {
  size_t i = 0;
  while (public_constants[i] != missing)
    i++;
  return strata_rt_fail(STRATA_NOT_LOADED, "%s: constant '%s' must be set too: it is combined with one that was set",
                        library->name, library->constants[i]->name);
}
