// An emitted library loaded into this process, with tensors to call it on: what `strata` without --aot and `strata-run`
// do. A session belongs to one thread; its tensors come from the arena. Where the library takes device memory, the
// tensors have copies there.
#ifndef STRATA_TOOLS_SESSION_H
#define STRATA_TOOLS_SESSION_H

#include "runtime/base/tensor_file.h"
#include "runtime/include/strata/runtime.h"
#include "tools/device.h"

#include <stddef.h>

// Whether a library's description is long enough to have |member|.
#define STRATA_LIBRARY_HAS(library, member)                                                                            \
  ((library)->struct_size >= offsetof(strata_library_t, member) + sizeof(library)->member)

// What a file gives for an input.
typedef struct {
  const char *text, *path; // as it was given, and the file's; NULL: there is none
  strata_tensor_t tensor;
} strata_given_t;

typedef struct {
  void *handle; // of dlopen
  const strata_library_t *library;
  strata_given_t *given;    // for each input
  int64_t *dims;            // the sizes of the calls; NULL: they do not vary
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
// Reads input files, "FILE" for the next input that has none yet, or "NAME=FILE" (.npy, .pb).
STRATA_MUST_CHECK strata_status_t strata_session_read_inputs(strata_arena_t *arena, strata_session_t *session,
                                                             size_t n_files, const char *const *files);
// The sizes of the calls: by "NAME=N", by the shapes of the files, and if it |may_choose|, else the usual ones.
STRATA_MUST_CHECK strata_status_t strata_session_choose_sizes(strata_arena_t *arena, strata_session_t *session,
                                                              size_t n_texts, const char *const *texts,
                                                              bool may_choose);
const char *strata_session_sizes_text(strata_arena_t *arena, const strata_session_t *session);
// The size that a dim of the description is at |dims|; false if it has none.
bool strata_session_dim(const strata_library_t *library, int64_t number, const int64_t *dims, int64_t *out);
// Makes room for the tensors, all zero, and loads the code. Sizes are chosen before.
STRATA_MUST_CHECK strata_status_t strata_session_open(strata_arena_t *arena, strata_session_t *session);
void strata_session_close(strata_session_t *session);

// Gives the inputs the contents of their files, whose types and shapes must be the inputs'; the others are random. The
// library sees what the inputs are now.
STRATA_MUST_CHECK strata_status_t strata_session_set_inputs(strata_arena_t *arena, strata_session_t *session);

// One call of the library, with its end; the outputs are in the tensors after fetch. |out_seconds| (optional) is the
// time it took, on a stream of a GPU's by the GPU's clock.
STRATA_MUST_CHECK strata_status_t strata_session_run(strata_session_t *session, double *out_seconds);
STRATA_MUST_CHECK strata_status_t strata_session_fetch(strata_session_t *session);
// Output |index|, of its own sizes where they depend on data; behind fetch. OUT_OF_BOUND where it has no room for them.
STRATA_MUST_CHECK strata_status_t strata_session_output(strata_arena_t *arena, const strata_session_t *session,
                                                        size_t index, strata_tensor_t *out);

#endif
