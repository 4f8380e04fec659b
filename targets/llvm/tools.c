#define _GNU_SOURCE // dlinfo
#include "targets/llvm/tools.h"

#include "runtime/base/process.h"

#include <dlfcn.h>
#include <link.h>

// The first of the names, of which the last is NULL.
static strata_status_t find(strata_arena_t *arena, const char *const *names, const char **out_path) {
  *out_path = strata_process_find(arena, names);
  return *out_path ? NULL : strata_error(STRATA_TOOL, "expected %s, which is part of LLVM 22; got none", names[0]);
}

strata_status_t strata_find_linker(strata_arena_t *arena, const char **out_path) {
  static const char *const names[] = {STRATA_LLVM_PREFIX "/bin/ld.lld", "ld.lld-22", "ld.lld", NULL};
  return find(arena, names, out_path);
}

const char *strata_find_system_library(strata_arena_t *arena, const char *name) {
  const char *path = NULL;
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  struct link_map *map;
  if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
    path = strata_arena_strdup(arena, map->l_name);
  if (handle)
    dlclose(handle);
  return path;
}
