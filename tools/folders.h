// Folders for files that the user names.
#ifndef STRATA_TOOLS_FOLDERS_H
#define STRATA_TOOLS_FOLDERS_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

// Makes the folders above |path| that are missing. |out_made| (optional) is the highest of them, in the arena, NULL
// where nothing was missing: strata_remove_parents takes them away again. IO, with the folder, if one cannot be made.
STRATA_MUST_CHECK strata_status_t strata_make_parents(strata_arena_t *arena, const char *path, const char **out_made);

// Removes the folders above |path| from the lowest up to |made|, as far as they are empty; nothing where it is NULL.
// Allocates nothing.
void strata_remove_parents(const char *path, const char *made);

#endif
