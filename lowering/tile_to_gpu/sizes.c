// Sizes that vary: their values are arguments of the kernel, and elements of buffers with such sizes are found at
// positions that are computed from them.
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"

//===-- What sizes can be ----------------------------------------------------------------------------------------===//

#define MOST_BYTES (INT64_C(1) << 41) // of a buffer: no device has as much memory

// True if |expr| is no smaller where symbols are greater.
static bool grows(MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return mlirAffineConstantExprGetValue(expr) >= 0;
  if (mlirAffineExprIsASymbol(expr))
    return true;
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr);
  bool is_quotient = mlirAffineExprIsAFloorDiv(expr) || mlirAffineExprIsACeilDiv(expr);
  return grows(lhs) && grows(rhs) &&
         (mlirAffineExprIsAAdd(expr) || mlirAffineExprIsAMul(expr) || (is_quotient && mlirAffineExprIsAConstant(rhs)));
}

// A buffer's sizes, read from its type once: they are asked about at many values of the symbols.
typedef struct {
  int rank;
  int64_t element_bytes;
  const MlirAffineExpr *dims;
} buffer_sizes_t;

static buffer_sizes_t sizes_of(strata_arena_t *arena, MlirType type) {
  int rank = (int)mlirShapedTypeGetRank(type);
  MlirAffineExpr *dims = strata_arena_array(arena, MlirAffineExpr, rank);
  for (int dim = 0; dim < rank; dim++)
    dims[dim] = strata_type_dim(type, dim);
  return (buffer_sizes_t){rank, strata_element_bytes(mlirShapedTypeGetElementType(type)), dims};
}

// Whether there may be a buffer of |sizes| where symbols have |values|.
static bool is_possible(const buffer_sizes_t *sizes, const int64_t *values) {
  int64_t bytes = sizes->element_bytes, size;
  for (int dim = 0; dim < sizes->rank; dim++) {
    if (!strata_expr_evaluate(sizes->dims[dim], values, &size))
      return false;
    if (size == 0)
      return true;
    if (__builtin_mul_overflow(bytes, size, &bytes))
      bytes = INT64_MAX; // a later dim may have nothing
  }
  return bytes <= MOST_BYTES;
}

static bool all_grow(const buffer_sizes_t *sizes) {
  for (int dim = 0; dim < sizes->rank; dim++)
    if (!grows(sizes->dims[dim]))
      return false;
  return true;
}

// The greatest value of symbol |i|, |max| at most, of which there is a buffer of |sizes|; the others have their least
// |values|.
static int64_t most_of(const buffer_sizes_t *sizes, int i, int64_t *values, int64_t max) {
  int64_t least = values[i], low = strata_max(least, 0), high = max;
  values[i] = max; // an earlier buffer's bound is mostly this one's, too
  if (is_possible(sizes, values))
    low = max;
  while (low < high) {
    values[i] = high - (high - low) / 2; // which does not overflow
    if (is_possible(sizes, values))
      low = values[i];
    else
      high = values[i] - 1;
  }
  values[i] = least;
  return low;
}

// What a buffer of |type| says of each of the |n| symbols.
static void bound_by(strata_arena_t *arena, MlirType type, int n, strata_size_t *sizes, int64_t *values) {
  buffer_sizes_t buffer = sizes_of(arena, type);
  if (!all_grow(&buffer))
    return;
  for (int i = 0; i < n; i++)
    if (strata_size_varies(sizes[i]))
      sizes[i].max = strata_max(most_of(&buffer, i, values, sizes[i].max), sizes[i].min + 1);
}

void strata_gpu_bound_sizes(strata_gpu_distribution_t *d) {
  MlirBlock body = strata_func_body(d->func);
  int n = d->sizes.count;
  strata_size_t *sizes = strata_arena_array(d->compile->arena, strata_size_t, n);
  int64_t *values = strata_arena_array(d->compile->arena, int64_t, n);
  for (int i = 0; i < n; i++) {
    sizes[i] = d->sizes.sizes[i];
    values[i] = strata_size_min(sizes[i]);
  }
  for (intptr_t at = 0; at < mlirBlockGetNumArguments(body); at++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, at));
    if (strata_type_is_symbolic(type))
      bound_by(d->compile->arena, type, n, sizes, values);
  }
  d->sizes.sizes = sizes;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

strata_status_t strata_gpu_rule_size(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_define_scalar(d, mlirOperationGetResult(op, 0), d->symbols[strata_attr_i64(op, "symbol", 0)]);
  return NULL;
}

MlirValue strata_gpu_emit_position(strata_gpu_distribution_t *d, MlirOperation op, int buffer) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, buffer));
  int rank = (int)mlirShapedTypeGetRank(type);
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  strata_size_t sizes[STRATA_INDEX_DIMS];
  MlirAffineExpr coordinates[STRATA_INDEX_DIMS];
  for (int dim = 0; dim < rank; dim++) {
    sizes[dim] = strata_size_of_expr(&d->sizes, strata_type_dim(type, dim));
    coordinates[dim] = strata_index_resolve(&space, mlirOperationGetOperand(op, buffer + 1 + dim));
  }
  strata_static_space_t known;
  MlirAffineMap map = mlirAffineMapGet(d->e.context, space.n_dims, STRATA_INDEX_SYMBOLS, rank, coordinates);
  return strata_index_emit(&space, strata_affine_linearize(map, sizes, strata_index_known(&space, &known)));
}

strata_status_t strata_gpu_rule_scalar_load(strata_gpu_distribution_t *d, MlirOperation op) {
  MlirValue buffer = mlirOperationGetOperand(op, 0);
  if (mlirShapedTypeHasStaticShape(mlirValueGetType(buffer)))
    return strata_gpu_rule_structure(d, op);
  MlirValue operands[] = {strata_new_scalar(d, buffer), strata_gpu_emit_position(d, op, 0)};
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  strata_define_scalar(d, mlirOperationGetResult(op, 0),
                       strata_emit_value(&d->e, "memref.load", 2, operands, element, 0, NULL));
  return NULL;
}
