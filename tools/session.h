// An emitted library loaded into this process, with tensors to call it on: what `strata` without --aot and `strata-run`
// do. A session belongs to one thread; its tensors come from the arena. Where the library takes device memory, the
// tensors have copies there.
#ifndef STRATA_TOOLS_SESSION_H
#define STRATA_TOOLS_SESSION_H

#include "runtime/base/tensor_file.h"
#include "runtime/include/strata/runtime.h"
#include "tools/device.h"

typedef struct {
  void *handle; // of dlopen
  const strata_library_t *library;
  strata_tensor_t *tensors; // inputs, then outputs; in host memory
  void **data;              // of the tensors, as the library's run takes them
  void *memory;             // where the library wants some from the caller; else NULL
  strata_device_t *device;  // where the library takes device memory; else NULL
} strata_session_t;

// Loads the file lib<name>.so and finds its description; nothing can be called yet.
STRATA_MUST_CHECK strata_status_t strata_session_describe(strata_arena_t *arena, const char *path,
                                                          strata_session_t *out_session);
// DEVICE if the library is for a GPU and this machine has none that a driver knows.
STRATA_MUST_CHECK strata_status_t strata_session_check_device(const strata_session_t *session);
// Makes room for the tensors, all zero, and loads the code.
STRATA_MUST_CHECK strata_status_t strata_session_open(strata_arena_t *arena, strata_session_t *session);
void strata_session_close(strata_session_t *session);

// Random values: floats in [-1, 1), integers and booleans 0 or 1. The same |seed| gives the same values.
void strata_session_randomise(strata_session_t *session, size_t input, uint64_t seed);
// The contents of a file (.npy, .pb), whose type and shape must be the input's.
STRATA_MUST_CHECK strata_status_t strata_session_read_input(strata_arena_t *arena, strata_session_t *session,
                                                            size_t input, const char *path);
// The input of that name, in the model or in C; n_inputs if there is none.
size_t strata_session_find_input(const strata_session_t *session, const char *name, size_t length);
// "FILE" for the next input that has no file yet, or "NAME=FILE". The others are random. The library sees what the
// inputs are now.
STRATA_MUST_CHECK strata_status_t strata_session_set_inputs(strata_arena_t *arena, strata_session_t *session,
                                                            size_t n_files, const char *const *files);

// One call of the library, with its end; the outputs are in the tensors after fetch. |out_seconds| (optional) is the
// time it took, on a stream of a GPU's by the GPU's clock.
STRATA_MUST_CHECK strata_status_t strata_session_run(strata_session_t *session, double *out_seconds);
STRATA_MUST_CHECK strata_status_t strata_session_fetch(strata_session_t *session);

#endif
