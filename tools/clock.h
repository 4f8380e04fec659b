// The time by which the tools measure.
#ifndef STRATA_TOOLS_CLOCK_H
#define STRATA_TOOLS_CLOCK_H

#include "runtime/cpu/clock.h"

// Seconds since some moment before the process began; never less than before.
static inline double strata_now(void) { return 1e-9 * (double)strata_rt_now(); }

#endif
