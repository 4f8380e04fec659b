// Values that elementwise ops, loops and branches tie to one another: they are best laid out alike.
#ifndef STRATA_LOWERING_DISTRIBUTE_UNIFY_H
#define STRATA_LOWERING_DISTRIBUTE_UNIFY_H

#include <mlir-c/IR.h>
#include <stdbool.h>

// Called for two vectors, neither a constant: that can be had in any layout.
typedef void (*strata_unify_t)(void *distribution, MlirValue a, MlirValue b);

// Two values, where they are such.
void strata_unify(void *distribution, strata_unify_t unify, MlirValue a, MlirValue b);
// The results and operands of an elementwise op.
void strata_unify_elementwise(void *distribution, strata_unify_t unify, MlirOperation op);
// Those of an scf.for or scf.if, and what its blocks have of them; false if |op| is neither.
bool strata_unify_structure(void *distribution, strata_unify_t unify, MlirOperation op);

#endif
