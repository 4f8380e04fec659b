// How far results of candidates are from one another.
#ifndef STRATA_TOOLS_TUNE_DISTANCE_H
#define STRATA_TOOLS_TUNE_DISTANCE_H

#include "runtime/base/dtype.h"

#include <stddef.h>

// What order of sums may change, relative to the whole.
double strata_tune_tolerance(strata_dtype_t dtype);
// How far |got| is from |wanted|, relative to all of it, by every |step|th element; infinite where only one of two
// numbers is one.
double strata_tune_distance(strata_dtype_t dtype, const void *got, const void *wanted, size_t count, size_t step);

#endif
