// Which extensions of cpu_features.def this processor has.
#ifndef STRATA_RUNTIME_CPU_FEATURES_H
#define STRATA_RUNTIME_CPU_FEATURES_H

#include <stdint.h>

// The name of a feature in |needed| (bit i: row i) that this processor or its operating system lacks; NULL: none.
const char *strata_rt_missing_feature(uint64_t needed);

#endif
