// Where a nest of a known form reads and stores: for kinds of kernels that read their nest back (segment_attention.h,
// trees.h). Coordinates are expressions over dims that the kind names, the nest's parallel dims first, and the module's
// symbols.
#ifndef STRATA_DIALECTS_AFFINE_PLACES_H
#define STRATA_DIALECTS_AFFINE_PLACES_H

#include "dialects/affine/kernel.h"
#include "dialects/mlir_util.h"

typedef struct {
  MlirValue buffer;
  MlirAffineMap map; // of the kind's dims and the module's symbols
} strata_place_t;

static inline MlirType strata_place_element(const strata_place_t *place) {
  return mlirShapedTypeGetElementType(mlirValueGetType(place->buffer));
}

typedef struct strata_place_reader {
  const strata_nest_t *nest;
  MlirContext context;
  int n_dims; // of the kind
  // What |value| is: the counter of a loop inside, or the result of an op that only the kind knows.
  MlirAffineExpr (*other)(struct strata_place_reader *r, MlirValue value);
  bool failed; // something is none of these
} strata_place_reader_t;

// Notes that the nest has another form; gives a harmless expression.
MlirAffineExpr strata_place_fail(strata_place_reader_t *r);
MlirAffineExpr strata_place_expr(strata_place_reader_t *r, MlirValue value);
// Result |result| of the map |name|, whose operands are those of |op| from |first| on.
MlirAffineExpr strata_place_map_result(strata_place_reader_t *r, MlirOperation op, const char *name, intptr_t first,
                                       intptr_t result);
strata_place_t strata_place_read(strata_place_reader_t *r, const strata_access_t *access);

#endif
