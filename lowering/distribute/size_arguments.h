// Sizes that vary as arguments of kernels, below level 3: a kernel gets the values of the symbols that it uses behind
// its buffers, and the declaration in its place says in strata.sizes which these are. Buffers with such sizes are
// pointers to elements, memref<0xf32>.
#ifndef STRATA_LOWERING_DISTRIBUTE_SIZE_ARGUMENTS_H
#define STRATA_LOWERING_DISTRIBUTE_SIZE_ARGUMENTS_H

#include "dialects/affine/symbols.h"

// Which of the module's symbols the kernel |func| uses, in its code and in sizes of its buffers from dim |first_dim|
// on:
// (*out_used)[i] for each up to the last one; returns how many that are.
int strata_used_symbols(strata_arena_t *arena, MlirOperation func, int first_dim, bool **out_used);

// |type|, or that of a pointer where it has sizes that vary.
MlirType strata_pointer_type(MlirType type);

// An integer, or a map of the module's symbols.
MlirAttribute strata_size_attr(MlirContext context, strata_size_t size);

// Sets strata.sizes of |declaration|: the kernel's size arguments are those of the |count| symbols whose value is an
// argument; in a variant some are numbers.
void strata_set_size_arguments(strata_arena_t *arena, MlirOperation declaration, int count, const MlirValue *symbols);

#endif
