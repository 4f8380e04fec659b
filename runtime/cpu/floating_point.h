// Kernels run with the default floating-point environment, whatever the application has set: subnormals kept, rounding
// to nearest, nothing trapping. So results are the same on every thread.
#ifndef STRATA_RUNTIME_CPU_FLOATING_POINT_H
#define STRATA_RUNTIME_CPU_FLOATING_POINT_H

#include <stdint.h>

#if defined(__x86_64__)
typedef unsigned strata_fp_t;
static inline strata_fp_t strata_fp_get(void) { return __builtin_ia32_stmxcsr(); }
static inline void strata_fp_set(strata_fp_t state) { __builtin_ia32_ldmxcsr(state); }
enum { STRATA_FP_DEFAULT = 0x1f80 };
#elif defined(__aarch64__)
typedef uint64_t strata_fp_t;
static inline strata_fp_t strata_fp_get(void) {
  strata_fp_t state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state));
  return state;
}
static inline void strata_fp_set(strata_fp_t state) { __asm__ volatile("msr fpcr, %0" : : "r"(state)); }
enum { STRATA_FP_DEFAULT = 0 };
#endif

#endif
