// What the runtime checks before it runs a kernel: the features of the device that CPUID can tell.
#include "targets/library/emit.h"

#include <string.h>

// |features|: LLVM's list, "+avx2,-sse4a,+fma".
static bool has_feature(const char *features, const char *name) {
  size_t length = strlen(name);
  for (const char *at = features; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (at[0] == '+' && strncmp(at + 1, name, length) == 0 && (at[1 + length] == ',' || at[1 + length] == '\0'))
      return true;
  }
  return false;
}

uint64_t strata_required_features(const strata_cpu_device_t *device) {
  static const char *const names[] = {
#define CPU_FEATURE(name, ...) name,
#include "runtime/cpu/cpu_features.def"
  };
  uint64_t bits = 0;
  if (!strata_cpu_is_x86_64(device))
    return 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    bits |= (uint64_t)has_feature(device->features, names[i]) << i;
  return bits;
}
