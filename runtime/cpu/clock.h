// The time that calls are traced by and threads spin by.
#ifndef STRATA_RUNTIME_CPU_CLOCK_H
#define STRATA_RUNTIME_CPU_CLOCK_H

#include <stdint.h>
#include <time.h>

// Nanoseconds since some moment before the process began; never less than before.
static inline uint64_t strata_rt_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
