// Runs a session's library and prints where its time goes.
#ifndef STRATA_TOOLS_PROFILE_H
#define STRATA_TOOLS_PROFILE_H

#include "passes/affine/origins.h"
#include "passes/target.h"
#include "tools/times.h"

#include <stdio.h>

// What is known of a library's kernels besides its description, and who wants to know more; NULL and 0 for nothing.
typedef struct {
  const strata_kernel_origins_t *origins; // which nodes of the model they carry out
  size_t n_origins;
  void (*tell)(void *user, const char *kernel, double seconds); // hears the time of each kernel's call
  void *user;
} strata_profile_names_t;

// Calls the library some times to warm up, once more to time each kernel, and |n_runs| times for the time of a whole
// call. Kernels are compared with the roofline of this machine's GPU, where it is known, else of the device that the
// library is for; that of the cpu is measured. The call's launches are written to |trace_path| (NULL: nowhere).
STRATA_MUST_CHECK strata_status_t strata_profile(strata_arena_t *arena, strata_session_t *session,
                                                 const strata_profile_names_t *names, int n_runs, FILE *file,
                                                 const char *trace_path);

// Whose roofline that is: of the card that a driver calls |product|, if the library is for its architecture, else of
// the first device that it is for; NULL if that is not known.
const strata_gpu_device_t *strata_profile_device(const strata_library_t *library, const char *product);

// Calls it with its inputs as they are, prints a row for each kernel, the times of one call among them, to |file|, and
// writes the call's launches to |trace_path| (profile_trace.h); NULL: not.
STRATA_MUST_CHECK strata_status_t strata_profile_kernels(strata_arena_t *arena, strata_session_t *session,
                                                         const strata_profile_names_t *names, FILE *file,
                                                         const char *trace_path);

// The nodes that the library itself says its kernels carry out.
strata_profile_names_t strata_names_of(strata_arena_t *arena, const strata_library_t *library);

// The same rows without times, of a library that cannot be run here, and |why|.
void strata_print_kernels_without_times(const strata_library_t *library, const strata_profile_names_t *names,
                                        const char *why, FILE *file);

#endif
