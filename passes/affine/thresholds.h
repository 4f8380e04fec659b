// The thresholds of this level: a member for each row of thresholds.def, which says why it is what it is.
#ifndef STRATA_PASSES_AFFINE_THRESHOLDS_H
#define STRATA_PASSES_AFFINE_THRESHOLDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
#define THRESHOLD(type, name, value, why) type name;
#include "passes/affine/thresholds.def"
} strata_thresholds_t;

static const strata_thresholds_t strata_thresholds = {
#define THRESHOLD(type, name, value, why) .name = (value),
#include "passes/affine/thresholds.def"
};

#endif
