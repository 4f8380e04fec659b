// What the installed programs do alike: their streams, limits, errors and exit status, --help and --version.
#ifndef STRATA_TOOLS_PROGRAM_H
#define STRATA_TOOLS_PROGRAM_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

typedef strata_status_t (*strata_main_t)(strata_arena_t *arena, int argc, char **argv);

// The whole of main: |run|, then an error as a line on standard error. Ends the process, with 1 after an error; nothing
// that was to happen at its exit does.
_Noreturn void strata_program_main(strata_main_t run, int argc, char **argv);

// The same of a row of commands.def whose options are a table for help alone, but it returns the exit status, as the
// program may have loaded libraries. --help, -h and --version are answered where they are the first argument.
int strata_command_main(const char *name, strata_main_t run, int argc, char **argv);

// The value of --NAME=VALUE; NULL if |argument| is another.
const char *strata_argument_value(const char *argument, const char *name);

#endif
