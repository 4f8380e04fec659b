// A folder for files in the making, inside the one where they go in the end: either all of them get there or none does.
//
// Its path is chosen before it is made, so that several processes can know of it and whoever is left can remove it.
// Where nobody is left, the next that makes one in the same place does: a folder in use is locked (flock).
// None of this is thread-safe.
#ifndef STRATA_TOOLS_STAGING_H
#define STRATA_TOOLS_STAGING_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stdbool.h>

typedef struct {
  const char *folder; // where the files go
  const char *path;   // the staging folder, and in it:
  const char *files;  // the files
  const char *others; // files that nobody keeps: what tools leave in TMPDIR
  bool makes_folder;  // |folder| was not there
  const char *made;   // nor was this one, the first of those around it that were made for it; NULL: all were
} strata_staging_t;

// Chooses a name that nobody else has; makes nothing.
strata_staging_t strata_staging_choose(strata_arena_t *arena, const char *folder);
// Makes the folders, all empty, and locks them until this process ends, and those that it forks.
STRATA_MUST_CHECK strata_status_t strata_staging_create(const strata_staging_t *staging);
// Finishes and removes the staging folders in |folder| that no process uses any more.
void strata_staging_sweep(strata_arena_t *arena, const char *folder);
// Moves the files to their folder, over others of the same names; after an error all are there as they were before.
STRATA_MUST_CHECK strata_status_t strata_staging_publish(strata_arena_t *arena, strata_staging_t *staging);
// For who is left when the process that made it has ended: publishes the rest where that was publishing, and removes
// the folder.
void strata_staging_finish(strata_arena_t *arena, strata_staging_t *staging);
// Removes the staging folder with all that is in it, and the folder itself if it was made for nothing. Allocates
// nothing; may be repeated, and tries again for a moment where another process still makes files.
void strata_staging_remove(const strata_staging_t *staging);

#endif
