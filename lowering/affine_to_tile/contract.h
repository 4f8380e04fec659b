// What the forms of contraction kernels share (contract.c: SIMD registers of a cpu; contract_gpu.c: blocks of threads).
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_CONTRACT_H
#define STRATA_LOWERING_AFFINE_TO_TILE_CONTRACT_H

#include "dialects/affine/contraction.h"
#include "dialects/affine/packed.h"
#include "lowering/affine_to_tile/kinds.h"

STRATA_MUST_CHECK strata_status_t strata_tile_contract_gpu(strata_tile_builder_t *b);

// The value the contraction's nest stores at |point| (of all its dims) for the sum |sum|.
strata_tile_value_t strata_tile_contract_result(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                                const MlirAffineExpr *point, strata_tile_value_t sum);
// Of a pair: the second one's result at |point| is known to what follows, and stored where the kernel does so.
void strata_tile_contract_know(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                               const MlirAffineExpr *point, strata_tile_value_t sum);
// Everything that the kernel stores for the contraction's |result| at |point|: the epilogue.
void strata_tile_contract_stores(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                 const MlirAffineExpr *point, strata_tile_value_t result);

// Cuts |ranges|, one a reduction loop, to the iterations in which the operand of |side| is not padding throughout the
// tile of |size| from |base| on; outer dims are at |point|.
void strata_tile_contract_window(strata_tile_builder_t *b, const strata_contraction_kernel_t *c, int side,
                                 const MlirAffineExpr *point, MlirAffineExpr base, int64_t size,
                                 strata_tile_range_t *ranges);

// Where rows of the result are reduced (contract_rows.c), the contraction being at |point|: the point of |nest|, which
// follows it; and a reduction at its own point, whose result is known and stored then.
void strata_tile_contract_place(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                const strata_nest_t *nest, const MlirAffineExpr *point, MlirAffineExpr *out_point);
void strata_tile_contract_reduce(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point);

// Asks for the line around what the kernel stores at |point|, which has no vector dims, in the second-level cache.
void strata_tile_contract_prefetch(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                   const MlirAffineExpr *point);

// The tile of |packed| at |point|, its nest's columns and steps: rows along vector dim |axis|, steps along |step|; of
// |element| (contract_packed.c).
MlirValue strata_tile_unpack(strata_tile_builder_t *b, const strata_packed_t *packed, const MlirAffineExpr *point,
                             int axis, int step, MlirType element);

#endif
