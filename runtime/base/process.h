// Running external tools.
#ifndef STRATA_BASE_PROCESS_H
#define STRATA_BASE_PROCESS_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

// Runs a program to its end, without a shell; argv ends in NULL, and argv[0] is looked for in PATH. TOOL, with the
// command line and what it printed, unless it exits with 0.
STRATA_MUST_CHECK strata_status_t strata_process_run(strata_arena_t *arena, const char *const *argv);
// The same; gives what the program printed, without white space at its end.
STRATA_MUST_CHECK strata_status_t strata_process_read(strata_arena_t *arena, const char *const *argv,
                                                      const char **out_output);

// The same in two steps: the program runs beside this one until it is waited for, which it must be. |argv| is kept.
typedef struct strata_process strata_process_t;
STRATA_MUST_CHECK strata_status_t strata_process_start(strata_arena_t *arena, const char *const *argv,
                                                       strata_process_t **out_process);
// |out_output| and |out_seconds|, which it took of the processors, are optional.
STRATA_MUST_CHECK strata_status_t strata_process_wait(strata_arena_t *arena, strata_process_t *process,
                                                      const char **out_output, double *out_seconds);

// The first of the names (NULL at the end; with or without a folder) that is a program here; NULL: none.
const char *strata_process_find(strata_arena_t *arena, const char *const *names);

#endif
