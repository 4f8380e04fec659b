// Tuning as the command line has it: files of results around a compile, candidates exported for strata-tune.
#ifndef STRATA_TOOLS_TUNING_H
#define STRATA_TOOLS_TUNING_H

#include "passes/tuning/tuning.h"
#include "tools/options.h"

// What --autotune and the options beside it say, with the file of results read, and a further one (|measured|; NULL:
// there is none); NULL where they say nothing.
STRATA_MUST_CHECK strata_status_t strata_tuning_begin(strata_arena_t *arena, const strata_options_t *options,
                                                      const char *measured, strata_tuning_t **out_tuning);
// After a compile: the results that it used go to where --dump-autotune-results-to and --autotune=update want them.
STRATA_MUST_CHECK strata_status_t strata_tuning_end(const strata_options_t *options, strata_tuning_t *tuning);

// After a compile with --autotune=export: compiles the candidates into |folder|, several at a time, and writes the
// manifest. What does not compile is left out, with a note.
STRATA_MUST_CHECK strata_status_t strata_tuning_export(const strata_options_t *options, strata_tuning_t *tuning,
                                                       const char *folder);

// As --target has it.
const char *strata_tuning_target(const strata_options_t *options);

// Before a compile with --autotune=update: tunes what has no result on the GPU, or the cpu, of this machine. The path
// of the new results; NULL: there are none, and *out_why_not says why. |compile| does a whole compile with other
// options into a folder; it is called in another process.
const char *strata_tuning_update(strata_arena_t *arena, const strata_options_t *options, const char **out_why_not,
                                 strata_status_t (*compile)(const strata_options_t *options, const char *folder,
                                                            void *user),
                                 void *user);

#endif
