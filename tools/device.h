// A GPU, or the cpu, for the tools that call libraries which take device memory: the driver layer of the libraries' own
// runtime, loaded when the first device is opened. Nothing of a toolkit is needed.
//
// Errors are DEVICE, or OUT_OF_MEMORY, with the driver's call. A device belongs to one thread.
#ifndef STRATA_TOOLS_DEVICE_H
#define STRATA_TOOLS_DEVICE_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct strata_device strata_device_t;

// |target| is "nvgpu", "amdgpu", or "cpu", whose memory is the process's. The thread's current device, else the first
// one; its context is current until close.
STRATA_MUST_CHECK strata_status_t strata_device_open(const char *target, strata_device_t **out_device);

typedef struct {
  uint32_t arch;         // as images of code say it (runtime/gpu/program.h)
  const char *arch_name; // "sm_90"; in the arena, as the next
  const char *product;   // what its vendor calls it; "" if that is not known
} strata_device_names_t;

// Of the thread's current GPU, else the first one.
STRATA_MUST_CHECK strata_status_t strata_device_find_names(strata_arena_t *arena, const char *target,
                                                           strata_device_names_t *out_names);
void strata_device_close(strata_device_t *device); // frees what was allocated; NULL is allowed

// The stream that everything here is ordered on.
void *strata_device_stream(const strata_device_t *device);

// Memory aligned to 256, freed by close; never NULL.
STRATA_MUST_CHECK strata_status_t strata_device_allocate(strata_device_t *device, size_t size, void **out_memory);
// Done when they return.
STRATA_MUST_CHECK strata_status_t strata_device_upload(strata_device_t *device, void *dst, const void *src,
                                                       size_t size);
STRATA_MUST_CHECK strata_status_t strata_device_download(strata_device_t *device, void *dst, const void *src,
                                                         size_t size);

// From one place on the device to another, in the stream's order.
STRATA_MUST_CHECK strata_status_t strata_device_copy(strata_device_t *device, void *dst, const void *src, size_t size);

// The time between the two on the stream; stop waits for everything before it.
STRATA_MUST_CHECK strata_status_t strata_device_start_clock(strata_device_t *device);
STRATA_MUST_CHECK strata_status_t strata_device_stop_clock(strata_device_t *device, double *out_seconds);

#endif
