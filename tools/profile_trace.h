// The launches of one call as a file in the trace event format (JSON, "Trace Event Format", chromium.org), which
// chrome://tracing, Perfetto and Speedscope draw.
#ifndef STRATA_TOOLS_PROFILE_TRACE_H
#define STRATA_TOOLS_PROFILE_TRACE_H

#include "runtime/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *kernel, *nodes; // "": not known
  uint64_t nanoseconds;
  uint64_t bytes, flops, predicted; // 0: not known; predicted are nanoseconds
  unsigned threads;
  uint32_t stream; // as strata_library_t.streams has it; 0 where there is one
} strata_profile_event_t;

// Writes them one behind the other, in their order, a row for each stream, each as early as forks and joins allow;
// nothing is left of a file that cannot be written whole.
STRATA_MUST_CHECK strata_status_t strata_profile_trace_write(const char *path, const char *library, size_t n,
                                                             const strata_profile_event_t *events);

#endif
