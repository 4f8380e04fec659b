// Limits of the system (ulimit): what they are called, so that reaching one is no "internal error".
#ifndef STRATA_TOOLS_LIMITS_H
#define STRATA_TOOLS_LIMITS_H

#include "runtime/base/status.h"

#include <sys/resource.h>

// What a process died of that ended without a report. |status| and |usage|: of wait4.
STRATA_MUST_CHECK strata_status_t strata_death_error(int status, const struct rusage *usage);

// What the words of a fatal error mean: INTERNAL, unless they are those of a limit.
STRATA_MUST_CHECK strata_status_t strata_fatal_error(const char *reason);

// Adds a line that names the limit behind an error of the system's or of a tool's, where one is set. Takes |status| and
// returns it or its successor; NULL stays NULL.
STRATA_MUST_CHECK strata_status_t strata_name_limit(strata_status_t status);

#endif
