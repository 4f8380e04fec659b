// See places.h.
#include "lowering/affine_to_tile/places.h"

int strata_tile_place_coordinates(strata_tile_builder_t *b, const strata_place_t *place, const MlirAffineExpr *point,
                                  MlirAffineExpr *out) {
  int rank = (int)mlirAffineMapGetNumResults(place->map);
  MlirAffineMap inner = mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count,
                                         mlirAffineMapGetNumDims(place->map), (MlirAffineExpr *)(uintptr_t)point);
  for (int i = 0; i < rank; i++)
    out[i] = strata_tile_simplify(b, mlirAffineExprCompose(mlirAffineMapGetResult(place->map, i), inner));
  return rank;
}
