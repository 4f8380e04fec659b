// The tile dialect: what block-level vector code needs beyond upstream. docs/architecture.md, level 3, gives the ops.
#ifndef STRATA_DIALECTS_TILE_H
#define STRATA_DIALECTS_TILE_H

#include "dialects/compile.h"

#include <mlir-c/AffineMap.h>

#define STRATA_TILE_LOAD "tile.load"
#define STRATA_TILE_STORE "tile.store"

// Loads the dialect into a context, once. Called by strata_compile_init.
STRATA_MUST_CHECK strata_status_t strata_tile_dialect_load(MlirContext context);

// "tile.load": |pad| is the null attribute where every element is inside the buffer.
MlirValue strata_tile_build_load(MlirBlock block, MlirLocation location, MlirValue memref, MlirAffineMap map,
                                 int n_symbols, const MlirValue *symbols, MlirAttribute pad, MlirType vector_type);
void strata_tile_build_store(MlirBlock block, MlirLocation location, MlirValue vector, MlirValue memref,
                             MlirAffineMap map, int n_symbols, const MlirValue *symbols);

#endif
