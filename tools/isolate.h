// Guards against what a compiler can do to its caller: a crash while reading or generating code, and output files that
// are only partly written.
#ifndef STRATA_TOOLS_ISOLATE_H
#define STRATA_TOOLS_ISOLATE_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stdbool.h>

// Runs |body| in a child process and returns its status. MLIR and LLVM abort or exit on some bad inputs: the child's
// death by a signal or an exit of its own is an INTERNAL error. Call it before any thread is started.
STRATA_MUST_CHECK strata_status_t strata_isolate(strata_status_t (*body)(void *user), void *user);

// A folder for files in the making, inside the one where they go in the end.
typedef struct {
  char *path;
  const char *folder;
  bool made_folder; // it was not there before
} strata_staging_t;

// Makes an empty staging folder in |folder|, which is created if missing.
STRATA_MUST_CHECK strata_status_t strata_staging_create(strata_arena_t *arena, const char *folder,
                                                        strata_staging_t *out_staging);
// Moves the files made so far to their folder, over others of the same names.
STRATA_MUST_CHECK strata_status_t strata_staging_publish(strata_arena_t *arena, strata_staging_t *staging);
// Removes the staging folder with what is left in it; and the folder itself if it was made for nothing.
void strata_staging_remove(strata_arena_t *arena, strata_staging_t *staging);

#endif
