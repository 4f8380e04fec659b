// Operands of contractions that threads unpack: tiles of words and scales, and a "tile.unpack" of them.
//
//   %w = "tile.load"(%words, ...) {map = (d0, d1)[n, k] -> (n * 4 + d0, k, d1)} : vector<4x128xi32>
//   %s = "tile.load"(%scales, ...) : vector<4x32xf16>
//   %v = "tile.unpack"(%w, %s) {...} : vector<64x64xf16>
#include "lowering/affine_to_tile/contract.h"

#include "dialects/tile/tile.h"

enum { ROW, STEP, N_DIMS };

// |expr| of the tile's points for the first ones of the packed tiles: vector dim |axis| counts those, and dim |step| is
// none.
static MlirAffineExpr first_of(strata_tile_builder_t *b, MlirAffineExpr expr, int axis, int step) {
  MlirAffineExpr dims[STRATA_TILE_DIMS];
  for (int i = 0; i < STRATA_TILE_DIMS; i++)
    dims[i] = mlirAffineDimExprGet(b->e.context, i);
  dims[axis] = mlirAffineMulExprGet(dims[axis], strata_tile_constant(b, STRATA_PACKED_ROWS));
  dims[step] = strata_tile_constant(b, 0);
  return mlirAffineExprCompose(expr, mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, 0, STRATA_TILE_DIMS, dims));
}

// Of each of the packed tiles all elements. Those that hang over the end are zero.
static MlirValue load_tiles(strata_tile_builder_t *b, const strata_nest_t *nest, const strata_access_t *access,
                            const MlirAffineExpr *first, int step, int64_t elements) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = strata_tile_access_coordinates(b, nest, access, first, coordinates), n_bounds = b->n_bounds;
  b->space.extents[step] = elements;
  coordinates[rank - 1] = strata_tile_vector_dim(b, step);
  b->n_bounds = 0;
  b->guard_depth++;
  strata_tile_value_t value = strata_tile_load(b, access->buffer, rank, coordinates);
  b->guard_depth--;
  b->n_bounds = n_bounds;
  return value.value;
}

MlirValue strata_tile_unpack(strata_tile_builder_t *b, const strata_packed_t *packed, const MlirAffineExpr *point,
                             int axis, int step, MlirType element) {
  const strata_access_t *const accesses[] = {packed->words, packed->scales, packed->zeros};
  const int64_t elements[] = {strata_packed_words(&packed->form), strata_packed_scales(&packed->form),
                              strata_packed_scales(&packed->form)};
  int64_t *extents = b->space.extents, sizes[N_DIMS] = {extents[axis], extents[step]};
  MlirAffineExpr first[N_DIMS] = {first_of(b, point[ROW], axis, step), first_of(b, point[STEP], axis, step)};
  MlirValue operands[3];
  int n = packed->form.has_zeros ? 3 : 2;
  extents[axis] = sizes[ROW] / STRATA_PACKED_ROWS;
  for (int i = 0; i < n; i++)
    operands[i] = load_tiles(b, packed->nest, accesses[i], first, step, elements[i]);
  extents[axis] = sizes[ROW];
  extents[step] = sizes[STEP];
  MlirType type = mlirVectorTypeGet(N_DIMS, sizes, element);
  strata_named_attr_t attrs[] = {{"bits", strata_i64_attr(b->e.context, packed->form.bits)},
                                 {"zero", strata_i64_attr(b->e.context, packed->form.zero)}};
  return strata_emit_value(&b->e, STRATA_TILE_UNPACK, n, operands, type, 2, attrs);
}
