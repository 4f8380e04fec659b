// Packing an operand of a contraction into panels as wide as the register tile.
#ifndef STRATA_PASSES_AFFINE_PACK_H
#define STRATA_PASSES_AFFINE_PACK_H

#include "dialects/affine/contraction.h"
#include "passes/affine/calls.h"

// True if the side's buffer is constant in every call of |kernel|.
bool strata_pack_is_constant(const strata_calls_t *calls, const strata_called_kernel_t *kernel,
                             const strata_contraction_kernel_t *contraction, int side);

// True if the side's buffer can be read from panels: it comes from outside, unguarded, and is read in no other way.
bool strata_pack_takes(const strata_contraction_kernel_t *contraction, int side);

// Adds a kernel that packs the side's buffer as [its dims outside the tile] [tile] [reduction dims] [element], calls it
// where the contraction's kernel is called, and lets the contraction read the panels. Elements beyond the tiled dim's
// extent are zero. Does nothing where the buffer is read in other ways too.
STRATA_MUST_CHECK strata_status_t strata_pack_side(strata_compile_t *compile, const strata_called_kernel_t *kernel,
                                                   const strata_contraction_kernel_t *contraction, int side,
                                                   int64_t tile);

#endif
