#define _GNU_SOURCE // RTLD_NOLOAD
// The driver is found when it is needed: a library can be loaded where there is none.
#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One that is loaded already comes first: streams of one copy of a driver mean nothing to another.
static void *open_first(const char *const *names, const char **out_name) {
  static const int modes[] = {RTLD_NOLOAD, 0};
  for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++)
    for (size_t i = 0; names[i]; i++) {
      void *handle = dlopen(*out_name = names[i], RTLD_NOW | RTLD_LOCAL | modes[m]);
      if (handle)
        return handle;
    }
  return NULL;
}

static int no_driver(const char *reason, const char *const *names) {
  char others[128] = "";
  for (size_t i = 0, length = 0; names[i + 1] && length < sizeof others; i++)
    length += (size_t)snprintf(others + length, sizeof others - length, "%s%s", i ? ", " : "; nor ", names[i]);
  return strata_rt_fail(STRATA_DEVICE, "%s: no driver: %s%s", strata_rt_program.library->name, reason, others);
}

int strata_rt_symbols(const char *variable, const char *const *names, const strata_rt_symbol_t *symbols, size_t n,
                      void *functions) {
  const char *given = getenv(variable), *library = strata_rt_program.library->name, *path;
  const char *const only[] = {given, NULL};
  const char *const *wanted = given && *given ? only : names;
  void *handle = open_first(wanted, &path);
  if (!handle)
    return no_driver(dlerror(), wanted);
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
