#include "tools/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

strata_status_t strata_make_parents(strata_arena_t *arena, const char *path, const char **out_made) {
  const char *made = NULL;
  for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
    const char *folder = strata_arena_printf(arena, "%.*s", (int)(slash - path), path);
    if (slash == path || slash[-1] == '/' || !slash[strspn(slash, "/")])
      continue; // the root, a slash twice, one at the end
    if (mkdir(folder, 0777) == 0)
      made = made ? made : folder;
    else if (errno != EEXIST) {
      int error = errno;
      strata_remove_parents(folder, made);
      return strata_error(STRATA_IO, "%s: cannot create the folder: %s", folder, strerror(error));
    }
  }
  if (out_made)
    *out_made = made;
  return NULL;
}

void strata_remove_parents(const char *path, const char *made) {
  char folder[PATH_MAX];
  bool is_last = !made || strlen(path) >= sizeof folder;
  strcpy(folder, is_last ? "" : path);
  for (char *slash; !is_last && (slash = strrchr(folder, '/')) && slash > folder;) {
    *slash = 0;
    is_last = strcmp(folder, made) == 0;
    rmdir(folder);
  }
}
