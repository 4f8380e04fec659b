// Elementwise arithmetic of level 3: values are vectors or scalars. Ops are built before another op.
#ifndef STRATA_PASSES_TILE_ELEMENTS_H
#define STRATA_PASSES_TILE_ELEMENTS_H

#include "dialects/mlir_util.h"

// The number that all elements of |value| are; false if they are none, or are not known.
bool strata_elements_number(MlirValue value, double *out);

// An op of one result, with |attr| unless that is NULL.
MlirValue strata_elements_build(MlirOperation before, const char *name, int n, const MlirValue *operands, MlirType type,
                                const strata_named_attr_t *attr);
// Of the type of |a|.
MlirValue strata_elements_binary(MlirOperation before, const char *name, MlirValue a, MlirValue b);
// A constant of |type|, a vector or a scalar.
MlirValue strata_elements_constant(MlirOperation before, MlirType type, double number);
// |type|, with another element.
MlirType strata_elements_like(MlirType type, MlirType element);

#endif
