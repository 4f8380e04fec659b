// What IRDL cannot say of the tile dialect's ops; see tile.h.
#include "dialects/tile/verify.h"

#include "dialects/each.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"

#include <mlir-c/IntegerSet.h>

// The elements an access moves: a vector, or a scalar where the map has no dims.
static MlirType moved_type(MlirOperation op) {
  return mlirValueGetType(strata_tile_is_load(op) ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0));
}

// NULL, or what is wrong with a tile.load or tile.store.
static const char *access_fault(MlirOperation op) {
  int n_fixed = strata_op_is(op, STRATA_TILE_STORE) ? 2 : 1;
  if (mlirOperationGetNumOperands(op) - n_fixed > STRATA_TILE_ACCESS_SYMBOLS)
    return "has too many symbols";
  MlirValue symbols[STRATA_TILE_ACCESS_SYMBOLS];
  strata_tile_access_t access = strata_tile_read_access(op, symbols);
  MlirType type = moved_type(op), element = mlirShapedTypeGetElementType(mlirValueGetType(access.memref));
  bool is_vector = mlirTypeIsAVector(type);
  if (mlirAffineMapGetNumDims(access.map) != (is_vector ? mlirShapedTypeGetRank(type) : 0))
    return "has a map with other than one dim a dim of its vector";
  if (mlirAffineMapGetNumSymbols(access.map) != access.n_symbols)
    return "has a map with other than one symbol an operand";
  if (mlirAffineMapGetNumResults(access.map) != mlirShapedTypeGetRank(mlirValueGetType(access.memref)))
    return "has a map with other than one result a dim of its buffer";
  if (!mlirTypeEqual(is_vector ? mlirShapedTypeGetElementType(type) : type, element))
    return "moves elements of another type than its buffer's";
  if (access.n_pages < 0 || access.n_pages > access.n_symbols)
    return "has fewer symbols than pages";
  if (strata_op_is(op, STRATA_TILE_LOAD_PAGES) && (!access.n_pages || !mlirAttributeIsNull(access.mask)))
    return "has no pages, or a mask";
  if (mlirAttributeIsNull(access.mask))
    return NULL;
  if (!mlirAttributeIsAIntegerSet(access.mask))
    return "has a mask that is no integer set";
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(access.mask);
  if (mlirIntegerSetGetNumDims(set) != mlirAffineMapGetNumDims(access.map) ||
      mlirIntegerSetGetNumSymbols(set) != access.n_symbols)
    return "has a mask over other dims or symbols than its map's";
  return NULL;
}

static MlirWalkResult check_op(MlirOperation op, void *user) {
  strata_status_t *status = user;
  const char *fault = strata_tile_is_access(op) ? access_fault(op) : strata_tile_pipelined_fault(op);
  if (!fault && strata_op_is(op, "func.func"))
    fault = strata_tile_proxies_fault(op, &op);
  if (!fault)
    return MlirWalkResultAdvance;
  char place[160];
  MlirStringRef name = strata_op_name(op);
  strata_location_text(mlirOperationGetLocation(op), place, sizeof place);
  *status = strata_error(STRATA_INTERNAL, "%s%s%.*s %s", place, *place ? ": " : "", (int)name.length, name.data, fault);
  return MlirWalkResultInterrupt;
}

typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(MlirOperation) ops;
} parts_t;

// What |module| and those in it have.
static void add_parts(MlirModule module, parts_t *parts) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "builtin.module"))
      add_parts(mlirModuleFromOperation(op), parts);
    else
      *strata_vector_push(parts->arena, &parts->ops) = op;
}

static strata_status_t check_part(strata_compile_t *compile, size_t i, void *user) {
  (void)compile;
  const parts_t *parts = user;
  strata_status_t status = NULL;
  mlirOperationWalk(parts->ops.data[i], check_op, &status, MlirWalkPreOrder);
  return status;
}

strata_status_t strata_tile_verify(strata_compile_t *compile) {
  parts_t parts = {.arena = compile->arena};
  add_parts(compile->module, &parts);
  return strata_compile_each(compile, parts.ops.count, check_part, &parts);
}
