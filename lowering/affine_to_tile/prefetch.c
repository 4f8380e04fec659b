// Hints that lines of a buffer are used soon: see strata_tile_prefetch of value.h.
#include "lowering/affine_to_tile/value.h"

#include "dialects/affine/simplify.h"
#include "dialects/strata/strata.h"

// Vector dims as numbers: an element of a block.
static void at_element(strata_tile_builder_t *b, const int64_t *element, int rank, const MlirAffineExpr *coordinates,
                       MlirAffineExpr *out_coordinates) {
  MlirAffineExpr dims[STRATA_TILE_DIMS];
  for (int dim = 0; dim < STRATA_TILE_DIMS; dim++)
    dims[dim] =
        dim < b->space.n_vector ? strata_tile_constant(b, element[dim]) : mlirAffineDimExprGet(b->e.context, dim);
  MlirAffineMap map = mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, 0, STRATA_TILE_DIMS, dims);
  for (int i = 0; i < rank; i++)
    out_coordinates[i] = strata_tile_simplify(b, mlirAffineExprCompose(coordinates[i], map));
}

static void prefetch_line(strata_tile_builder_t *b, MlirValue buffer, int rank, const MlirAffineExpr *coordinates,
                          int level) {
  enum { FARTHEST = 4 }; // upstream's locality hint is 3 for the first level, 2 for the second
  MlirContext context = b->e.context;
  MlirValue operands[1 + STRATA_MAX_DIMS] = {buffer};
  for (int i = 0; i < rank; i++)
    operands[1 + i] = strata_tile_index(b, coordinates[i]);
  strata_named_attr_t attrs[3] = {
      {"isWrite", strata_bool_attr(context, false)},
      {"localityHint", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), FARTHEST - level)},
      {"isDataCache", strata_bool_attr(context, true)},
  };
  strata_emit_op(&b->e, "memref.prefetch", 1 + rank, operands, 0, NULL, 3, attrs);
}

// How far apart in |buffer| neighbours along each vector dim are; false where that is no one number.
static bool block_strides(strata_tile_builder_t *b, MlirValue buffer, int rank, const MlirAffineExpr *coordinates,
                          int64_t *out_strides) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_static_space_t storage;
  strata_memref_sizes(buffer, sizes);
  MlirAffineMap map =
      mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count, rank, (MlirAffineExpr *)(uintptr_t)coordinates);
  MlirAffineExpr position = strata_affine_linearize(map, sizes, strata_tile_space(b, &storage));
  for (int dim = 0; dim < b->space.n_vector; dim++)
    if (!strata_affine_coefficient(position, dim, &out_strides[dim]))
      return false;
  return true;
}

// Moves |element| to the next one of the block, row by row; false after the last.
static bool next_element(const strata_tile_builder_t *b, const int64_t *strides, int64_t *element, int64_t *offset) {
  for (int dim = b->space.n_vector; dim-- > 0;) {
    *offset += strides[dim];
    if (++element[dim] < b->space.extents[dim])
      return true;
    *offset -= strides[dim] * element[dim];
    element[dim] = 0;
  }
  return false;
}

int64_t strata_tile_line_elements(MlirValue buffer) {
  enum { LINE_BYTES = 64 };
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  return LINE_BYTES / strata_type_storage_size(strata_type_from_mlir(element), 1);
}

void strata_tile_prefetch(strata_tile_builder_t *b, MlirValue buffer, int rank, const MlirAffineExpr *coordinates,
                          int level) {
  enum { MAX_LINES = 128 };
  int64_t strides[STRATA_TILE_RANK] = {0}, element[STRATA_TILE_RANK] = {0}, lines[MAX_LINES], offset = 0;
  int n_lines = 0;
  if (b->status || !block_strides(b, buffer, rank, coordinates, strides))
    return;
  int64_t width = strata_tile_line_elements(buffer);
  do {
    bool is_covered = false;
    for (int i = 0; i < n_lines; i++)
      is_covered = is_covered || (offset >= lines[i] && offset < lines[i] + width);
    if (is_covered)
      continue;
    MlirAffineExpr at[STRATA_MAX_DIMS];
    at_element(b, element, rank, coordinates, at);
    prefetch_line(b, buffer, rank, at, level);
    lines[n_lines++] = offset;
  } while (n_lines < MAX_LINES && next_element(b, strides, element, &offset));
}
