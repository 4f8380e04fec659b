// tile-fold-factors: on GPUs, a known factor of a sum becomes one of its terms, where these have known factors already
// or are the same along a dim. What requantises is (%sums * 0.5 + %bias) * 3.0 otherwise, a multiplication more for
// each result.
//
//   (%x * 0.5 + broadcast %b) * 3.0   ->   %x * 1.5 + broadcast (%b * 3.0)
//
// Only where fast math lets all of these ops be put together otherwise.
#include "dialects/mlir_text.h"
#include "passes/pass.h"
#include "passes/target.h"
#include "passes/tile/elements.h"

#include <float.h>
#include <math.h>

typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(MlirOperation) products;
} search_t;

// True of |name| on f32 that fast math lets be put together otherwise.
static bool is_fast(const search_t *search, MlirOperation op, const char *name) {
  if (mlirOperationIsNull(op) || !strata_op_is(op, name))
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return mlirTypeIsAVector(type) && mlirTypeIsAF32(mlirShapedTypeGetElementType(type)) &&
         strata_is_fast(search->arena, op, "reassoc");
}

// The known factor of a product.
static bool factor_of(const search_t *search, MlirOperation op, double *out) {
  return is_fast(search, op, "arith.mulf") && strata_elements_number(mlirOperationGetOperand(op, 1), out);
}

static bool is_usual(double factor) { return fabs(factor) >= FLT_MIN && fabs(factor) <= FLT_MAX; }

static bool is_broadcast(MlirOperation op) {
  return !mlirOperationIsNull(op) && strata_op_is(op, "vector.broadcast") &&
         mlirTypeIsAVector(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

// True if |value| takes |factor| for less than an op of its own.
static bool takes(const search_t *search, MlirValue value, double factor) {
  MlirOperation op = strata_def(value);
  double own;
  if (is_broadcast(op))
    return true;
  if (mlirOperationIsNull(op) || !strata_value_has_one_use(value))
    return false;
  if (is_fast(search, op, "arith.addf"))
    return takes(search, mlirOperationGetOperand(op, 0), factor) &&
           takes(search, mlirOperationGetOperand(op, 1), factor);
  return factor_of(search, op, &own) && is_usual(own * factor);
}

static MlirValue fast(MlirOperation before, MlirOperation like, const char *name, MlirValue a, MlirValue b) {
  strata_named_attr_t flags = {"fastmath", strata_attr(like, "fastmath")};
  return strata_elements_build(before, name, 2, (MlirValue[]){a, b}, mlirValueGetType(a), &flags);
}

// |value| times |factor|, in front of |product|, of which that was one.
static MlirValue multiplied(const search_t *search, MlirOperation product, MlirValue value, double factor) {
  MlirOperation op = strata_def(value);
  double own = 1;
  if (is_broadcast(op)) {
    MlirValue few = mlirOperationGetOperand(op, 0);
    few = fast(product, product, "arith.mulf", few, strata_elements_constant(product, mlirValueGetType(few), factor));
    return strata_elements_build(product, "vector.broadcast", 1, &few, mlirValueGetType(value), NULL);
  }
  MlirValue a = mlirOperationGetOperand(op, 0);
  if (factor_of(search, op, &own))
    return fast(product, op, "arith.mulf", a, strata_elements_constant(product, mlirValueGetType(a), own * factor));
  MlirValue b = mlirOperationGetOperand(op, 1);
  a = multiplied(search, product, a, factor);
  b = multiplied(search, product, b, factor);
  return fast(product, op, "arith.addf", a, b);
}

static bool is_folded(MlirOperation op) {
  return strata_op_is(op, "arith.mulf") || strata_op_is(op, "arith.addf") || strata_op_is(op, "vector.broadcast");
}

static void fold(const search_t *search, MlirOperation product) {
  double factor;
  MlirValue sum = mlirOperationGetOperand(product, 0);
  if (!factor_of(search, product, &factor) || !is_fast(search, strata_def(sum), "arith.addf") ||
      !takes(search, sum, factor))
    return;
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(product, 0), multiplied(search, product, sum, factor));
  strata_erase_unused(product, is_folded);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  search_t *search = user;
  if (strata_op_is(op, "arith.mulf"))
    *strata_vector_push(search->arena, &search->products) = op;
  return MlirWalkResultAdvance;
}

strata_status_t strata_pass_tile_fold_factors(strata_compile_t *compile) {
  search_t search = {.arena = compile->arena};
  if (!strata_target_is_gpu(compile))
    return NULL;
  mlirOperationWalk(mlirModuleGetOperation(compile->module), visit, &search, MlirWalkPreOrder);
  for (size_t i = 0; i < search.products.count; i++)
    fold(&search, search.products.data[i]);
  return NULL;
}
