// What this machine's processor reaches at best, for the roofline of kernels that run on it: measured, since no table
// knows the memory and the clock of the machine at hand.
#ifndef STRATA_TOOLS_PEAKS_H
#define STRATA_TOOLS_PEAKS_H

#include <stdint.h>

typedef struct {
  unsigned threads;      // that were measured together
  double memory, caches; // bytes a second, read and written: of buffers larger than all caches, and of one cache a core
  double operations;     // a second, of f32; a multiplication and an addition are two
  int64_t largest_cached; // bytes: a kernel that moves no more in a call may find all of it in a cache
} strata_peaks_t;

// Takes some 0.1 s. Zeros where no thread or no memory could be had.
strata_peaks_t strata_measure_peaks(unsigned threads);

#endif
