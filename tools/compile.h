// What the command `strata` does once its options are known.
#ifndef STRATA_TOOLS_COMPILE_H
#define STRATA_TOOLS_COMPILE_H

#include "tools/options.h"

// Compiles options->input_path: to a library (--aot), to the IR of a phase (--compile-to), or to run it once and print
// times. The work is done in a child process; files appear whole and at the end, or not at all.
STRATA_MUST_CHECK strata_status_t strata_run_command(strata_arena_t *arena, const strata_options_t *options);

#endif
