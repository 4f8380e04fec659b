// Variants of a kernel: functions of its signature that do the same, each for sizes of which its condition is true.
//
//   func.func private @k0(...) attributes {strata.variants = [@k0_v1, @k0_v2], …}     // is called, takes all sizes
//
//   func.func private @k0_v1(...) attributes {strata.when = affine_set<()[s0] : (4 - s0 >= 0)>, …}
//
// A launch of @k0 is one of the first variant whose condition holds and none of whose exceptions (strata.unless, an
// array of sets) does, and of @k0 itself where there is none. The declarations that level 4 leaves have the same
// attributes. Nobody calls a variant by its own name.
#ifndef STRATA_DIALECTS_AFFINE_VARIANTS_H
#define STRATA_DIALECTS_AFFINE_VARIANTS_H

#include "dialects/affine/when.h"

#define STRATA_VARIANTS "strata.variants"

enum { STRATA_MAX_VARIANTS = 13 }; // beside the function that takes all sizes

// True of a kernel that has some and of one of them: their arguments are as many.
bool strata_has_variants(MlirOperation func);
// Those of a kernel, in order; their number.
int strata_variants_of(MlirOperation func, MlirOperation *out_variants);
// Adds |variant|, a function of the module already, as the last one.
void strata_variants_add(MlirOperation func, MlirOperation variant);
// Erases one, or all of them.
void strata_variants_erase(MlirOperation func, MlirOperation variant);
void strata_variants_erase_all(MlirOperation func);
// The kernel that |variant| is one of; a null operation where it is none's.
MlirOperation strata_variant_kernel(MlirOperation variant);
// True if both have as many, for the same sizes, in order.
bool strata_variants_are_alike(MlirOperation a, MlirOperation b);

// What is launched of several kernels in one launch: for some sizes one function of each, the kernel itself or a
// variant.
typedef struct {
  MlirAttribute when, unless; // as on a variant; null: no condition, no exceptions
  MlirOperation *functions;   // one of each kernel
} strata_joint_variant_t;

typedef struct {
  int count; // the last has no condition: the kernels themselves
  strata_joint_variant_t of[STRATA_MAX_VARIANTS + 1];
} strata_joint_variants_t;

// Those of |n| kernels, so that the first whose condition holds, and none of whose exceptions, has of each kernel what
// a launch of its own would be, and none that are seen to have no sizes; false if they are more than |most|.
bool strata_variants_join(strata_arena_t *arena, size_t n, const MlirOperation *kernels, int most,
                          strata_joint_variants_t *out);

// Gives a declaration what |func| has of this.
void strata_variants_copy_attrs(MlirOperation func, MlirOperation declaration);

// INTERNAL unless every list and every condition of the module is as above, over |n_symbols| symbols.
STRATA_MUST_CHECK strata_status_t strata_variants_verify(MlirModule module, int n_symbols);

#endif
