// What the user asked to see of a compile while its phases run: IR dumps, times, a progress line.
#ifndef STRATA_TOOLS_OBSERVE_H
#define STRATA_TOOLS_OBSERVE_H

#include "tools/options.h"
#include "tools/plot.h"

#include <stdio.h>

typedef struct {
  const strata_options_t *options;
  double started;                     // of the running phase, in seconds
  double seconds[STRATA_PHASE_COUNT]; // 0 where a phase has not run
  double assembler_seconds;           // of the last phase: spent in ptxas
  long peak_kib[STRATA_PHASE_COUNT];  // largest resident memory of the process until the end of the phase
  strata_plot_t *plot;                // for --plot, once there is something to draw
} strata_observer_t;

void strata_observe_before(strata_observer_t *observer, strata_phase_t phase);
STRATA_MUST_CHECK strata_status_t strata_observe_after(strata_observer_t *observer, strata_compile_t *compile,
                                                       strata_phase_t phase);
// Where reports go that the user asked for (--explain, --time-compilation): standard output, or standard error where
// the IR is written there.
FILE *strata_report_file(const strata_options_t *options);

// Writes what --plot asked for, if there is something.
STRATA_MUST_CHECK strata_status_t strata_observe_plot(strata_observer_t *observer, strata_arena_t *arena);

// The table of --time-compilation, if asked for; removes the progress line.
void strata_observe_end(const strata_observer_t *observer);

// Writes the module as it is after |phase| to |path|, as bytecode where the name ends in .mlirbc; "-" is standard
// output. The graph phases can be read back.
STRATA_MUST_CHECK strata_status_t strata_write_ir(strata_compile_t *compile, strata_phase_t phase, const char *path);

#endif
