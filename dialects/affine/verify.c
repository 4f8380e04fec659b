// Checks that a module keeps the contract of level 2; see verify.h.
#include "dialects/affine/verify.h"

#include "dialects/affine/inside.h"
#include "dialects/affine/symbols.h"
#include "dialects/affine/variants.h"
#include "dialects/mlir_util.h"

static strata_status_t broken(MlirOperation op, const char *what) {
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_INTERNAL, "'%.*s': %s", (int)name.length, name.data, what);
}

static bool is_one_of(MlirOperation op, const char *const *names) {
  for (; *names; names++)
    if (strata_op_is(op, *names))
      return true;
  return false;
}

static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  return (name.length > 6 && !memcmp(name.data, "arith.", 6)) || (name.length > 5 && !memcmp(name.data, "math.", 5));
}

static MlirOperation first_op(MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  return mlirBlockIsNull(block) ? (MlirOperation){0} : mlirBlockGetFirstOperation(block);
}

static bool is_buffer(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
         (mlirShapedTypeHasStaticShape(type) || !mlirAffineMapIsNull(strata_type_sizes(type)));
}

//===-- The form of a nest ---------------------------------------------------------------------------------------===//

static bool is_constant_map(MlirOperation op, const char *name, int64_t value) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, name));
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsAConstant(expr) || mlirAffineConstantExprGetValue(expr) != value)
      return false;
  }
  return true;
}

// By 1: a parallel op has a list of steps, a for one.
static bool has_unit_steps(MlirAttribute steps) {
  if (!mlirAttributeIsAArray(steps))
    return mlirIntegerAttrGetValueInt(steps) == 1;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(steps); i++)
    if (mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(steps, i)) != 1)
      return false;
  return true;
}

// Straight-line code of a guard's branch: reads and arithmetic.
static strata_status_t check_branch(MlirOperation op) {
  static const char *const allowed[] = {"affine.load", "memref.load", "affine.apply", "affine.yield", NULL};
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (!is_arithmetic(op) && !is_one_of(op, allowed))
      return broken(op, "not allowed under a guard");
  return NULL;
}

static strata_status_t check_guard(MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1)
    return broken(op, "a guard yields one value");
  for (intptr_t i = 0; i < 2; i++)
    STRATA_TRY(check_branch(first_op(mlirOperationGetRegion(op, i))));
  return NULL;
}

static strata_status_t check_code(MlirBlock block, bool in_reduction);

static strata_status_t check_reduction(MlirOperation loop) {
  if (!is_constant_map(loop, "lowerBoundMap", 0) || !has_unit_steps(strata_attr(loop, "step")))
    return broken(loop, "a reduction runs from 0 by 1");
  MlirOperation inner = first_op(mlirOperationGetRegion(loop, 0));
  if (strata_op_is(inner, "affine.for"))
    return strata_op_is(mlirOperationGetNextInBlock(inner), "affine.yield")
               ? check_reduction(inner)
               : broken(inner, "reduction loops are perfectly nested");
  return check_code(mlirOperationGetBlock(inner), true);
}

static strata_status_t check_code(MlirBlock block, bool in_reduction) {
  static const char *const reads[] = {"affine.load", "memref.load", "affine.apply", "affine.yield", NULL};
  bool has_loop = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_arithmetic(op) || is_one_of(op, reads) || (!in_reduction && strata_op_is(op, "affine.store")))
      continue;
    if (strata_op_is(op, "affine.if")) {
      STRATA_TRY(check_guard(op));
    } else if (strata_op_is(op, "affine.for") && !in_reduction && !has_loop) {
      has_loop = true;
      STRATA_TRY(check_reduction(op));
    } else {
      return broken(op, "not allowed in a nest");
    }
  }
  return NULL;
}

static MlirWalkResult find_illegal_serial(MlirOperation op, void *user) {
  static const char *const allowed[] = {
      "affine.parallel", "affine.for",   "affine.if",   "affine.load",  "affine.store",
      "affine.apply",    "affine.yield", "memref.load", "memref.store", "scf.for",
      "scf.if",          "scf.yield",    NULL};
  if (is_arithmetic(op) || is_one_of(op, allowed))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user = op;
  return MlirWalkResultInterrupt;
}

static strata_status_t check_form(const strata_nest_t *nest) {
  if (nest->name.length == 0)
    return broken(nest->op, "a nest has a name, strata.nest");
  if (!is_constant_map(nest->op, "lowerBoundsMap", 0) || !has_unit_steps(strata_attr(nest->op, "steps")))
    return broken(nest->op, "a nest runs from 0 by 1");
  for (int i = 0; i < nest->n_parallel; i++)
    if (strata_size_max(nest->space.sizes[i]) <= 0)
      return broken(nest->op, "a nest is not empty");
  if (!nest->is_serial)
    return check_code(nest->body, false);
  MlirOperation illegal = {0};
  mlirOperationWalk(nest->op, find_illegal_serial, &illegal, MlirWalkPreOrder);
  return mlirOperationIsNull(illegal) ? NULL : broken(illegal, "not allowed in a serial nest");
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

// Two points must not store into one element: every dim has a part in the place.
static bool depends_on_all_dims(const strata_nest_t *nest, MlirAffineMap map) {
  for (int dim = 0; dim < nest->n_parallel; dim++) {
    bool is_used = strata_size_max(nest->space.sizes[dim]) <= 1; // one point at most
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
      is_used |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), dim);
    if (!is_used)
      return false;
  }
  return true;
}

static strata_status_t check_access(const strata_nest_t *nest, const strata_access_t *access,
                                    const strata_size_samples_t *samples) {
  if (!is_buffer(mlirValueGetType(access->buffer)))
    return broken(access->op, "a buffer is a row-major memref whose sizes are known");
  if (nest->is_serial)
    return NULL;
  if (access->is_store && (mlirAffineMapIsNull(access->map) || !depends_on_all_dims(nest, access->map)))
    return broken(access->op, "a store is an injective map of the nest's dims");
  if (strata_op_is(access->op, "affine.load") && mlirAffineMapIsNull(access->map))
    return broken(access->op, "the map of an affine access is over the nest's dims");
  if (!mlirAffineMapIsNull(access->map) && mlirOperationIsNull(access->guard) &&
      !strata_access_is_inside(nest, access, samples))
    return broken(access->op, "may fall outside its buffer");
  return NULL;
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

static strata_status_t check_nest(strata_arena_t *arena, MlirOperation op, const strata_size_samples_t *samples) {
  strata_nest_t nest;
  STRATA_TRY(strata_nest_read(arena, op, &nest));
  strata_status_t status = check_form(&nest);
  for (int i = 0; i < nest.n_accesses && !status; i++)
    status = check_access(&nest, &nest.accesses[i], samples);
  return strata_status_context(status, "nest '%.*s'", (int)nest.name.length, nest.name.data);
}

static strata_status_t check_function(strata_arena_t *arena, MlirOperation func, const strata_size_samples_t *samples) {
  static const char *const allowed[] = {
      "memref.alloc", "memref.get_global", "memref.collapse_shape", "func.call",         "arith.constant",
      "func.return",  STRATA_SIZE,         "affine.apply",          STRATA_VARYING_VIEW, NULL};
  MlirBlock body = strata_func_body(func);
  if (mlirBlockIsNull(body))
    return NULL;
  const strata_size_samples_t own = strata_size_samples_of(arena, samples, func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (!is_buffer(mlirValueGetType(mlirBlockGetArgument(body, i))))
      return broken(func, "an argument is a row-major memref whose sizes are known");
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (strata_op_is(op, "affine.parallel"))
      STRATA_TRY(check_nest(arena, op, &own));
    else if (!is_one_of(op, allowed))
      return broken(op, "not allowed between nests");
  }
  return NULL;
}

strata_status_t strata_affine_verify(strata_compile_t *compile) {
  strata_arena_t *arena = strata_arena_create();
  strata_symbols_t symbols;
  strata_status_t status = strata_symbols_read(arena, compile->module, &symbols);
  strata_size_samples_t samples = {0};
  if (!status)
    samples = strata_size_samples(arena, &symbols);
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module));
  for (; !mlirOperationIsNull(op) && !status; op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_attr_str(op, "sym_name");
    if (strata_op_is(op, "func.func"))
      status =
          strata_status_context(check_function(arena, op, &samples), "function @%.*s", (int)name.length, name.data);
    else if (!strata_op_is(op, "memref.global"))
      status = broken(op, "not allowed in a module");
  }
  if (!status)
    status = strata_variants_verify(compile->module, (int)symbols.list.count);
  strata_arena_destroy(arena);
  return strata_status_context(status, "level 2");
}
