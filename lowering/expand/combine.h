// The combination of two values by a reduction's kind (combiners.def), for scalars and vectors alike.
#ifndef STRATA_LOWERING_EXPAND_COMBINE_H
#define STRATA_LOWERING_EXPAND_COMBINE_H

#include "lowering/emit/emit.h"

typedef enum {
  STRATA_START_ZERO, // of floats -0, which leaves both zeros as they are
  STRATA_START_ONE,
  STRATA_START_LEAST,   // of floats -infinity
  STRATA_START_LARGEST, // of floats infinity
  STRATA_START_ALL_BITS,
} strata_start_t;

// #vector.kind<|name|>, which the C API has no constructor for.
MlirAttribute strata_combining_attr(MlirContext context, const char *name);
// |kind| is such an attribute. A null value if it is not for the type.
MlirValue strata_emit_combine(strata_emitter_t *e, MlirAttribute kind, MlirValue a, MlirValue b);
// The value of |type| that changes nothing.
MlirValue strata_emit_start(strata_emitter_t *e, MlirAttribute kind, MlirType type);

#endif
