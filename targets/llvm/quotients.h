// Which quotients LLVM may compute by reciprocals (arcp): those that were made with the flag, and of f32 or f64.
//
// It narrows a quotient of widened operands that is rounded at once to an fdiv of half or bfloat, and makes reciprocals
// of 16 bits of those that share a divisor: in half, that of a number below 1.5e-5 is infinite. And it moves signs and
// factors into quotients, which then have the flags of a sum or a product. What has a flag in LLVM cannot be rid of it
// by its C API, so this is done before the translation.
#ifndef STRATA_TARGETS_LLVM_QUOTIENTS_H
#define STRATA_TARGETS_LLVM_QUOTIENTS_H

#include "runtime/base/arena.h"

#include <mlir-c/IR.h>

// Takes arcp off all ops of the LLVM dialect in |module| but fdivs that LLVM cannot narrow to 16 bits, as it can where
// both operands are widened or constant.
void strata_llvm_restrict_reciprocals(strata_arena_t *arena, MlirModule module);

#endif
