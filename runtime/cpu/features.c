// cpu_features.def against CPUID and XGETBV.
#include "runtime/cpu/features.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };
#define A EAX
#define B EBX
#define C ECX
#define D EDX

static const struct {
  const char *name;
  unsigned leaf; // 71: leaf 7, subleaf 1
  unsigned reg, bit;
  uint64_t state;
} features[] = {
#define CPU_FEATURE(name, leaf, reg, bit, state) {name, leaf, reg, bit, state},
#include "runtime/cpu/cpu_features.def"
};
_Static_assert(sizeof features / sizeof features[0] <= 64, "one bit each");

static uint64_t saved_state(void) {
  unsigned regs[4] = {0};
  if (!__get_cpuid(1, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]) || !(regs[ECX] & bit_OSXSAVE))
    return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

const char *strata_rt_missing_feature(uint64_t needed) {
  uint64_t saved = saved_state();
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
    unsigned regs[4] = {0}, leaf = features[i].leaf == 71 ? 7 : features[i].leaf;
    if (!(needed >> i & 1))
      continue;
    if (!__get_cpuid_count(leaf, features[i].leaf == 71, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]) ||
        !(regs[features[i].reg] >> features[i].bit & 1) || (saved & features[i].state) != features[i].state)
      return features[i].name;
  }
  return NULL;
}
#else
const char *strata_rt_missing_feature(uint64_t needed) {
  (void)needed;
  return NULL;
}
#endif
