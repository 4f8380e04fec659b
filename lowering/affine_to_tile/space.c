// Tile spaces: coordinates as affine expressions, and the index values and vectors they stand for. See value.h.
#include "lowering/affine_to_tile/value.h"

#include "dialects/affine/simplify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void strata_tile_fail(strata_tile_builder_t *b, const char *format, ...) {
  if (b->status)
    return;
  va_list args;
  va_start(args, format);
  b->status = strata_error_v(STRATA_INTERNAL, format, args);
  va_end(args);
}

MlirAffineExpr strata_tile_constant(strata_tile_builder_t *b, int64_t value) {
  return mlirAffineConstantExprGet(b->e.context, value);
}

MlirAffineExpr strata_tile_counter(strata_tile_builder_t *b, MlirValue value, strata_size_t extent) {
  if (strata_size_is_one(extent))
    return strata_tile_constant(b, 0);
  if (b->space.n_symbols == STRATA_TILE_SYMBOLS) {
    strata_tile_fail(b, "affine-to-tile: more than %d loops around a tile", STRATA_TILE_SYMBOLS);
    return strata_tile_constant(b, 0);
  }
  int symbol = b->space.n_symbols++;
  b->space.counts[symbol] = extent;
  b->space.symbols[symbol] = value;
  return mlirAffineDimExprGet(b->e.context, STRATA_TILE_RANK + symbol);
}

MlirAffineExpr strata_tile_symbol(strata_tile_builder_t *b, MlirValue value, int64_t extent) {
  return strata_tile_counter(b, value, strata_size_constant(extent));
}

MlirAffineExpr strata_tile_vector_dim(strata_tile_builder_t *b, int dim) {
  if (b->space.extents[dim] == 1)
    return strata_tile_constant(b, 0);
  return mlirAffineDimExprGet(b->e.context, dim);
}

const strata_space_t *strata_tile_space(const strata_tile_builder_t *b, strata_static_space_t *storage) {
  for (int i = 0; i < STRATA_TILE_DIMS; i++) {
    int symbol = i - STRATA_TILE_RANK;
    storage->sizes[i] = strata_size_constant(i < STRATA_TILE_RANK && i < b->space.n_vector ? b->space.extents[i] : 1);
    if (symbol >= 0 && symbol < b->space.n_symbols)
      storage->sizes[i] = b->space.counts[symbol];
  }
  storage->space = (strata_space_t){STRATA_TILE_DIMS, storage->sizes, b->sizes.count, b->sizes.sizes};
  return &storage->space;
}

MlirAffineExpr strata_tile_simplify(strata_tile_builder_t *b, MlirAffineExpr expr) {
  strata_static_space_t storage;
  return strata_affine_simplify(expr, strata_tile_space(b, &storage));
}

MlirAffineExpr strata_tile_scaled(strata_tile_builder_t *b, MlirAffineExpr expr, int64_t scale, MlirAffineExpr base) {
  MlirAffineExpr scaled = mlirAffineMulExprGet(expr, strata_tile_constant(b, scale));
  return strata_tile_simplify(b, mlirAffineAddExprGet(scaled, base));
}

// As extent - 1 - coordinate >= 0.
void strata_tile_bound(strata_tile_builder_t *b, MlirAffineExpr coordinate, strata_size_t extent) {
  if (b->n_bounds == STRATA_TILE_BOUNDS) {
    strata_tile_fail(b, "affine-to-tile: more than %d edges to hang over", STRATA_TILE_BOUNDS);
    return;
  }
  MlirAffineExpr size = strata_size_expr(b->e.context, extent);
  MlirAffineExpr last = mlirAffineAddExprGet(size, strata_tile_constant(b, -1));
  b->bounds[b->n_bounds++] = strata_tile_scaled(b, coordinate, -1, last);
}

enum { MAX_SIZES = 64 }; // in one expression

// |expr| over the |n| dims in |operands|, which have room for the sizes that join them.
static MlirValue index_of_sizes(strata_tile_builder_t *b, MlirAffineExpr expr, int n, MlirValue *operands) {
  int symbols[MAX_SIZES], count;
  MlirAffineMap map = mlirAffineMapGet(b->e.context, n, b->sizes.count, 1, &expr);
  map = strata_map_over_used_symbols(map, MAX_SIZES, symbols, &count);
  for (int i = 0; i < count; i++)
    operands[n + i] = strata_symbol_value(b->kernel->body, symbols[i], b->e.location);
  if (n == 0 && mlirAffineExprIsASymbol(expr))
    return operands[0];
  return strata_emit_value(&b->e, "affine.apply", n + count, operands, mlirIndexTypeGet(b->e.context), 1,
                           &(strata_named_attr_t){"map", mlirAffineMapAttrGet(map)});
}

MlirValue strata_tile_index(strata_tile_builder_t *b, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_emit_index(&b->e, mlirAffineConstantExprGetValue(expr));
  MlirAffineExpr dims[STRATA_TILE_DIMS];
  MlirValue operands[STRATA_TILE_SYMBOLS + MAX_SIZES];
  int n_used = 0;
  for (int i = 0; i < STRATA_TILE_DIMS; i++) {
    dims[i] = strata_tile_constant(b, 0);
    if (i < STRATA_TILE_RANK || !strata_affine_expr_uses(expr, i))
      continue;
    dims[i] = mlirAffineDimExprGet(b->e.context, n_used);
    operands[n_used++] = b->space.symbols[i - STRATA_TILE_RANK];
  }
  MlirAffineMap renumber = mlirAffineMapGet(b->e.context, n_used, 0, STRATA_TILE_DIMS, dims);
  expr = mlirAffineExprCompose(expr, renumber);
  if (strata_expr_symbols(expr) == 0)
    return strata_emit_apply(&b->e, expr, n_used, operands);
  return index_of_sizes(b, expr, n_used, operands);
}

MlirValue strata_tile_index_over(strata_tile_builder_t *b, MlirAffineExpr expr, int n, const MlirValue *values) {
  enum { MAX_VALUES = 2 };
  MlirValue operands[MAX_VALUES + MAX_SIZES];
  if (strata_expr_symbols(expr) == 0)
    return strata_emit_apply(&b->e, expr, n, values);
  memcpy(operands, values, (size_t)n * sizeof *values);
  return index_of_sizes(b, expr, n, operands);
}

MlirValue strata_tile_index_of(strata_tile_builder_t *b, MlirAffineExpr expr, MlirValue value) {
  return strata_tile_index_over(b, expr, 1, &value);
}

MlirValue strata_tile_size(strata_tile_builder_t *b, strata_size_t size) {
  return strata_tile_index(b, strata_size_expr(b->e.context, size));
}

MlirType strata_tile_type(strata_tile_builder_t *b, MlirType element, uint32_t dims) {
  int64_t shape[STRATA_TILE_RANK];
  int rank = 0;
  for (int i = 0; i < b->space.n_vector; i++)
    if (dims & 1u << i)
      shape[rank++] = b->space.extents[i];
  return rank ? mlirVectorTypeGet(rank, shape, element) : element;
}

// vector.broadcast adds leading dims only, so the missing dims go first and a transposition brings them in order.
MlirValue strata_tile_broadcast(strata_tile_builder_t *b, strata_tile_value_t value, uint32_t dims) {
  if (value.dims == dims)
    return value.value;
  MlirType element = strata_type_element(mlirValueGetType(value.value));
  int64_t shape[STRATA_TILE_RANK], position[STRATA_TILE_RANK], permutation[STRATA_TILE_RANK];
  int rank = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < b->space.n_vector; i++)
      if (dims & 1u << i && !!(value.dims & 1u << i) == pass) {
        position[i] = rank;
        shape[rank++] = b->space.extents[i];
      }
  MlirValue wide =
      strata_emit_value(&b->e, "vector.broadcast", 1, &value.value, mlirVectorTypeGet(rank, shape, element), 0, NULL);
  bool in_order = true;
  int n = 0;
  for (int i = 0; i < b->space.n_vector; i++)
    if (dims & 1u << i) {
      in_order = in_order && position[i] == n;
      permutation[n++] = position[i];
    }
  if (in_order)
    return wide;
  strata_named_attr_t attr = {"permutation", strata_i64s_attr(b->e.context, rank, permutation)};
  return strata_emit_value(&b->e, "vector.transpose", 1, &wide, strata_tile_type(b, element, dims), 1, &attr);
}
