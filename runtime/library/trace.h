// Who is told about the launches of the calls: the caller's function, or one that prints where STRATA_TRACE asks for
// it.
#ifndef STRATA_RUNTIME_TRACE_H
#define STRATA_RUNTIME_TRACE_H

#include "runtime/include/strata/runtime.h"

typedef struct {
  strata_trace_t function; // NULL: nobody
  void *user;
} strata_rt_tracer_t;

// Sets the function; not while a call is running. NULL: back to what STRATA_TRACE says.
void strata_rt_tracer_set(const strata_library_t *library, strata_trace_t trace, void *user);
// Looks at STRATA_TRACE, unless the caller traces already.
void strata_rt_tracer_init(const strata_library_t *library);
strata_rt_tracer_t strata_rt_tracer(void);
// Tells of a launch; |pick|: which of the kernels from the launch's own on it was.
void strata_rt_tracer_tell(const strata_rt_tracer_t *tracer, size_t launch, uint32_t pick, unsigned threads,
                           uint64_t nanoseconds);

#endif
