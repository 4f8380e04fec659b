// Four bytes as one i32.
#ifndef STRATA_DIALECTS_AFFINE_QUADS_H
#define STRATA_DIALECTS_AFFINE_QUADS_H

#include <mlir-c/BuiltinTypes.h>
#include <stdbool.h>

// On an arith.muli of i32: it is the sum of the four products of an unsigned byte of the left operand with the signed
// one at its place in the right. On a vector.outerproduct the same, but with true the other way round.
#define STRATA_QUADS "strata.quads"
// Beside it on an arith.muli: the unsigned bytes are below 128, so that the sum of two products is an i16.
#define STRATA_SMALL_QUADS "strata.small_quads"

#endif
