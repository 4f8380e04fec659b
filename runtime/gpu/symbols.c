// The driver is found when it is needed: a library can be loaded where there is none.
#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int strata_rt_symbols(const char *variable, const char *fallback, const strata_rt_symbol_t *symbols, size_t n,
                      void *functions) {
  const char *given = getenv(variable), *library = strata_rt_program.library->name;
  const char *path = given && *given ? given : fallback;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return strata_rt_fail(STRATA_DEVICE, "%s: no driver: %s", library, dlerror());
  for (size_t i = 0; i < n; i++) {
    void *address = dlsym(handle, symbols[i].name);
    memcpy((char *)functions + i * sizeof address, &address, sizeof address);
    if (address || !symbols[i].is_needed)
      continue;
    dlclose(handle);
    return strata_rt_fail(STRATA_DEVICE, "%s: the driver %s is too old: it has no %s", library, path, symbols[i].name);
  }
  return STRATA_OK;
}
