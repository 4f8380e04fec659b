// Calls with a tracer: every launch is timed by events.
#ifndef STRATA_RUNTIME_GPU_TRACE_H
#define STRATA_RUNTIME_GPU_TRACE_H

#include "runtime/gpu/instance.h"
#include "runtime/library/trace.h"

// Enqueues the program's launches, waits for them and tells the tracer; under capture only enqueues. A status.
int strata_rt_run_traced(strata_rt_instance_t *instance, const strata_rt_call_t *call);

#endif
