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

// Whether a buffer of |type| may be where symbols have |values|.
static bool is_possible(MlirType type, const int64_t *values) {
  int64_t bytes = strata_element_bytes(mlirShapedTypeGetElementType(type)), size;
  for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++) {
    if (!strata_expr_evaluate(strata_type_dim(type, dim), values, &size))
      return false;
    if (size == 0)
      return true;
    if (__builtin_mul_overflow(bytes, size, &bytes))
      bytes = INT64_MAX; // a later dim may have nothing
  }
  return bytes <= MOST_BYTES;
}

static bool type_grows(MlirType type) {
  bool result = strata_type_is_symbolic(type);
  for (intptr_t dim = 0; result && dim < mlirShapedTypeGetRank(type); dim++)
    result = grows(strata_type_dim(type, dim));
  return result;
}

// The greatest value of symbol |i| of which there is a buffer of |type|; the others have their least |values|.
static int64_t most_of(MlirType type, int i, int64_t *values, int64_t max) {
  int64_t least = values[i], low = strata_max(least, 0), high = max;
  while (low < high) {
    values[i] = high - (high - low) / 2; // which does not overflow
    if (is_possible(type, values))
      low = values[i];
    else
      high = values[i] - 1;
  }
  values[i] = least;
  return low;
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
    for (int i = 0; type_grows(type) && i < n; i++)
      if (strata_size_varies(sizes[i]))
        sizes[i].max = strata_max(most_of(type, i, values, sizes[i].max), sizes[i].min + 1);
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
